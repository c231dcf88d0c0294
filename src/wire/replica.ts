import * as z from 'zod';
import { GapResponse } from '../search/gap.js';
import { EntityReadinessResponse } from './connectors.js';
import { identifier, instant, list, page } from './fields.js';

/** Body of a sync request. */
export const SyncRequest = z.strictObject({
  entities: z
    .array(identifier(200))
    .min(1)
    .max(100)
    .optional()
    .describe('Entities to sync (default: all that the connector replicates).'),
});

/** The job: a new one, or the one already queued or running. */
export const SyncResponse = z.object({ job_id: z.string() });

/** Query parameters for listing jobs. */
export const JobsQuery = z.strictObject({
  limit: z.coerce.number<number>().int().min(1).max(100).optional().describe('1 to 100 (default 20).'),
  cursor: identifier(1000).optional().describe('The value of next from the previous page.'),
});

const SyncCountsResponse = z.object({
  read: z.int().describe('Records fetched from the vendor.'),
  inserted: z.int().describe('New records.'),
  updated: z.int().describe('Changed records.'),
  unchanged: z.int().describe('Records that were already stored and unchanged.'),
  removed: z.int().describe('Records that the vendor no longer has.'),
  failed: z.int().describe('Records that could not be read.'),
});

/** Record counts of a sync run. */
export interface SyncCounts extends z.infer<typeof SyncCountsResponse> {}

/** Progress of a sync run on one entity. */
export const EntityProgressResponse = z.object({
  entity: z.string().describe('Name of the entity.'),
  status: z.enum(['waiting', 'running', 'done', 'failed']).describe('Status of the entity.'),
  progress: z.number().nullable().describe('From 0 to 1, if known.'),
  total: z.int().nullable().optional().describe('Records that the vendor says there are, if it does.'),
  started_at: instant.optional().describe('When it was first read; ISO 8601.'),
  ...SyncCountsResponse.shape,
  failures: z
    .array(
      z.object({
        id: z.string().describe('Id of the record.'),
        message: z.string().describe('Why it could not be read.'),
      }),
    )
    .describe('The first 20 failed records.'),
  unread: z
    .array(
      z.object({
        ...GapResponse.pick({ state: true, cause: true }).shape,
        count: z.int().describe('Number of records.'),
      }),
    )
    .optional()
    .describe('Files read in this run without all of their text, by cause.'),
  withheld: z
    .array(z.string())
    .optional()
    .describe(
      'What the replica lacks although nothing failed, and what the vendor has done to figures: a sentence each.',
    ),
  error: z.string().nullable().describe('Why the last attempt failed; null otherwise.'),
});

/** A replication job. */
export const JobResponse = z.object({
  id: z.string().describe('Id of the job.'),
  connector_id: z.string().describe('The synced connector.'),
  requested: z.enum(['first', 'interval', 'request']).describe('Trigger: first sync, schedule or request.'),
  status: z.enum(['queued', 'running', 'done', 'failed', 'cancelled']).describe('Status of the job.'),
  attempts: z.int().describe('Attempts that failed with a temporary error.'),
  created_at: instant.describe('When it was created; ISO 8601.'),
  started_at: instant.nullable().describe('When it first started; null until then.'),
  finished_at: instant.nullable().describe('When it ended; null until then.'),
  next_try_at: instant.nullable().describe('Time of the next attempt if the job is waiting.'),
  progress: z.number().describe('From 0 to 1, if known.'),
  counts: SyncCountsResponse.describe('Counts across all entities.'),
  entities: z.array(EntityProgressResponse).describe('Progress per entity.'),
  error: z.string().nullable().describe('Why the job failed; null otherwise.'),
});

/** A sync run of a connector. */
export interface SyncJob extends z.infer<typeof JobResponse> {}

/** A page of jobs. */
export const JobsResponse = page(JobResponse);

/** A connector with its status. */
export const ConnectorOverviewResponse = z.object({
  id: z.string(),
  name: z.string(),
  connector_type: z.string(),
  title: z.string(),
  workspace_name: z.string(),
  created_at: instant,
  updated_at: instant,
  health: z.enum([
    'ready',
    'syncing',
    'retrying',
    'failing',
    'needs_reauthorization',
    'no_credentials',
    'not_replicated',
  ]),
  records: z.int(),
  sync_interval: z.string().nullable().describe('As in the connector.'),
  synced_at: instant.nullable().describe('Last sync of the entity that is furthest behind.'),
  entities: z.array(EntityReadinessResponse).describe('As returned by inspect.'),
  job: z
    .object({
      ...JobResponse.omit({ connector_id: true, requested: true, counts: true, entities: true }).shape,
      ...SyncCountsResponse.pick({ read: true, failed: true }).shape,
    })
    .nullable()
    .describe('The newest job.'),
});

/** A connector with its status. */
export interface ConnectorOverview extends z.infer<typeof ConnectorOverviewResponse> {}

/** Status of the connectors. */
export const OverviewResponse = list(ConnectorOverviewResponse);

/** Information about a vendor's limits. */
export const QuotaResponse = z.object({
  reported: z
    .array(
      z.object({
        name: z.string(),
        remaining: z.number(),
        limit: z.number().nullable(),
        resets_at: instant.nullable(),
        reported_at: instant,
      }),
    )
    .describe('Values from the vendor’s last responses; empty if it reports none.'),
  limits: z
    .array(z.object({ requests: z.int(), seconds: z.number(), sent: z.int() }))
    .describe('The vendor’s published limits and how much of each this process has used.'),
  sent: z
    .object({ last_minute: z.int(), last_day: z.int(), since: instant })
    .describe('Requests sent by this process.'),
  refused_at: instant.nullable().describe('When the vendor last rate-limited a request.'),
});

/** Information about a vendor's limits. */
export interface Quota extends z.infer<typeof QuotaResponse> {}
