import { sql } from 'kysely';
import type { Database } from './database.js';

/** Whether a job waits for a process, or its process has stopped. */
export const isFree = ({ now }: Database) =>
  sql<boolean>`jobs.status in ('queued', 'running')
    and case jobs.status when 'queued' then jobs.next_attempt_at else jobs.lease_until end <= ${now}`;

/** How many candidates to try, since another process may take a job first. */
const maxCandidates = 8;

/**
 * The first free job of each organization: organizations with the fewest running jobs first, then the oldest job.
 *
 * Organizations are found one by one in the index, regardless of how many jobs each has waiting.
 */
export async function nextJobs(database: Database, types: readonly string[], exceptOrganizations: readonly string[]) {
  const { now, query } = database;
  const { rows } = await sql<{ id: string }>`
    with recursive waiting (organization_id) as (
      select min(organization_id) from jobs where status in ('queued', 'running')
      union all
      select (select min(jobs.organization_id) from jobs
          where status in ('queued', 'running') and jobs.organization_id > waiting.organization_id)
        from waiting where organization_id is not null
    ), heads as (
      select
        (select jobs.id from jobs inner join connectors on connectors.id = jobs.connector_id
          where jobs.organization_id = waiting.organization_id and ${isFree(database)}
            and connectors.type in ${database.listOf(types)}
          order by jobs.created_at limit 1) as id,
        (select count(*) from jobs
          where status = 'running' and jobs.organization_id = waiting.organization_id and lease_until > ${now}) as running
      from waiting
      where organization_id is not null and organization_id not in ${database.listOf(exceptOrganizations)}
    )
    select jobs.id from heads inner join jobs on jobs.id = heads.id
      order by heads.running, jobs.created_at limit ${sql.lit(maxCandidates)}`.execute(query);
  return rows;
}
