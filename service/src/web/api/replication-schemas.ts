import { maxPromptCharacters } from 'agent-connectors/search';
import * as z from 'zod';
import { identifier } from './input.js';

const instant = z.iso.datetime();
const names = (description: string) => z.array(identifier(200)).min(1).max(100).optional().describe(description);
const limit = (maximum: number, description: string) => z.int().min(1).max(maximum).optional().describe(description);

/** Body of a sync request. */
export const SyncRequest = z.strictObject({
  entities: names('Entities to sync (default: all that the connector replicates).'),
});

/** The job: a new one, or the one already queued or running. */
export const SyncResponse = z.object({ job_id: z.string() });

/** Query parameters for listing jobs. */
export const JobsQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).optional().describe('1 to 100 (default 20).'),
  cursor: identifier(1000).optional().describe('The value of next from the previous page.'),
});

const counts = {
  read: z.int().describe('Records fetched from the vendor.'),
  inserted: z.int(),
  updated: z.int(),
  unchanged: z.int().describe('Records that were already stored and unchanged.'),
  removed: z.int().describe('Records that the vendor no longer has.'),
  failed: z.int().describe('Records that could not be read.'),
};

/** A replication job. */
const JobResponse = z.object({
  id: z.string(),
  connector_id: z.string(),
  requested: z.enum(['first', 'interval', 'request']).describe('Trigger: first sync, schedule or request.'),
  status: z.enum(['queued', 'running', 'done', 'failed', 'cancelled']),
  attempts: z.int().describe('Attempts that failed with a temporary error.'),
  created_at: instant,
  started_at: instant.nullable(),
  finished_at: instant.nullable(),
  next_try_at: instant.nullable().describe('Time of the next attempt if the job is waiting.'),
  progress: z.number().describe('From 0 to 1, if known.'),
  counts: z.object(counts),
  entities: z.array(
    z.object({
      entity: z.string(),
      status: z.enum(['waiting', 'running', 'done', 'failed']),
      progress: z.number().nullable(),
      ...counts,
      failures: z.array(z.object({ id: z.string(), message: z.string() })).describe('The first 20 failed records.'),
      error: z.string().nullable(),
    }),
  ),
  error: z.string().nullable(),
});

export const JobsResponse = z.object({ data: z.array(JobResponse), next: z.string().nullable() });

/** Body of a workspace search. */
export const WorkspaceSearchRequest = z.strictObject({
  prompt: z.string().trim().min(1).max(maxPromptCharacters).describe('What to search for, in plain language.'),
  limit: limit(100, 'Maximum hits (default 10).'),
  mode: z
    .enum(['dense', 'lexical', 'hybrid'])
    .optional()
    .describe('Ranking mode (default: hybrid if there are vectors, otherwise lexical).'),
  context_size: limit(2048, 'Characters of text around each hit.'),
  connector_ids: z
    .array(identifier(200))
    .min(1)
    .max(100)
    .optional()
    .describe('Only these connectors (default: all in the workspace).'),
  connectors: names('Connectors by name.'),
  entities: names('Only these entities, such as issues (default: all with semantic search).'),
});

const connector = z.object({ id: z.string(), name: z.string(), type: z.string() });

/** Hits of a workspace search, best first. */
export const WorkspaceSearchResponse = z.object({
  data: z.array(
    z.object({
      connector,
      entity_name: z.string().describe('Entity of the hit.'),
      field: z.string().describe('The matching field; `about` if the title or metadata matched.'),
      title: z.string().nullable(),
      url: z.string().nullable(),
      date: z.string().nullable(),
      person: z.string().nullable(),
      people: z.array(z.string()).describe('People named in the record, up to 20.'),
      snippet: z.string().describe('About 300 characters of the passage, with words from the prompt marked with **.'),
      duplicates: z.int().describe('Number of omitted records with the same passage.'),
      entity: z.record(z.string(), z.unknown()),
      metadata: z.looseObject({
        score: z.number().describe('From 0 to 1, based on rank; comparable only within one response.'),
        context: z.string(),
      }),
    }),
  ),
  meta: z.object({
    has_more: z.literal(false),
    cursor: z.null(),
    took_ms: z.int(),
    rankers: z.array(z.string()).describe('How the hits were ranked: lexical, dense or hybrid.'),
    rerank: z
      .object({ applied: z.boolean(), message: z.string().nullable().describe('Why the reranker was not applied.') })
      .optional()
      .describe('Whether a reranker ordered the hits. Omitted if the service has no reranker.'),
    synced_at: z
      .string()
      .nullable()
      .describe('Time of the last complete sync of the least recently synced replica searched (ISO 8601).'),
    skipped: z
      .array(z.object({ connector, entity_name: z.string().nullable(), reason: z.string() }))
      .describe('Connectors and entities that could not be searched or are incomplete.'),
    as_user: z
      .object({ email: z.string(), left_out: z.int().nullable() })
      .optional()
      .describe('The user the token is bound to, if any, and the number of records hidden from that user.'),
  }),
});
