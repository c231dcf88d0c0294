import type { JobRow } from '../../data/state/replication-types.js';

/** Removes from a job the entities that the caller may not search, and errors that could reveal them. */
export function visibleJob(job: JobRow, searchable: readonly string[]): JobRow {
  const entities = job.entities.filter(({ entity }) => searchable.includes(entity));
  if (entities.length === job.entities.length) return job;
  const failed = entities.flatMap(({ entity, status }) => (status === 'failed' ? entity : []));
  const error = job.error && ['Some entities could not be replicated', failed.join(', ')].filter(Boolean).join(': ');
  return { ...job, entities, error: error && `${error}.` };
}
