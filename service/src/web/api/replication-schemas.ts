import * as z from 'zod';
import { identifier } from '../../domain/validate.js';

const instant = z.iso.datetime();
const names = (description: string) => z.array(identifier(200)).min(1).max(100).optional().describe(description);
const limit = (maximum: number, description: string) => z.int().min(1).max(maximum).optional().describe(description);

/** Body that asks for replication. */
export const SyncRequest = z.strictObject({
  entities: names('Only these; all that the connector replicates when left out.'),
});

/** The job that does it: a new one, or the one that is queued or running already. */
export const SyncResponse = z.object({ job_id: z.string() });

/** Query of the list of jobs. */
export const JobsQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).optional().describe('1 to 100; 20 when left out.'),
  cursor: identifier(1000).optional().describe('next of the page before.'),
});

const counts = {
  read: z.int().describe('Records that came from the vendor.'),
  inserted: z.int(),
  updated: z.int(),
  unchanged: z.int().describe('Records that were stored already, just as they came.'),
  removed: z.int().describe('Records that the vendor no longer has.'),
  failed: z.int().describe('Records that could not be read.'),
};

/** A job of replication. */
const JobResponse = z.object({
  id: z.string(),
  connector_id: z.string(),
  requested: z
    .enum(['first', 'interval', 'request'])
    .describe('Why: nothing was replicated yet, it was time, or it was asked for.'),
  status: z.enum(['queued', 'running', 'done', 'failed', 'cancelled']),
  attempts: z.int().describe('Tries that failed for a reason that may pass.'),
  created_at: instant,
  started_at: instant.nullable(),
  finished_at: instant.nullable(),
  next_try_at: instant.nullable().describe('When a job that waits is tried again.'),
  progress: z.number().describe('From 0 to 1, as far as it can be told.'),
  counts: z.object(counts),
  entities: z.array(
    z.object({
      entity: z.string(),
      status: z.enum(['waiting', 'running', 'done', 'failed']),
      progress: z.number().nullable(),
      ...counts,
      failures: z.array(z.object({ id: z.string(), message: z.string() })).describe('The first 20 of the failed.'),
      error: z.string().nullable(),
    }),
  ),
  error: z.string().nullable(),
});

/** A page of jobs. */
export const JobsResponse = z.object({ data: z.array(JobResponse), next: z.string().nullable() });

/** Body of a search over a workspace. */
export const WorkspaceSearchRequest = z.strictObject({
  prompt: z.string().trim().min(1).max(10_000).describe('What to look for, in plain words.'),
  limit: limit(100, 'How many hits; 10 when left out.'),
  mode: z
    .enum(['dense', 'lexical', 'hybrid'])
    .optional()
    .describe('How to rank; hybrid where vectors are there when left out, else lexical.'),
  context_size: limit(2048, 'Characters of text around each hit.'),
  connector_ids: z
    .array(identifier(200))
    .min(1)
    .max(100)
    .optional()
    .describe('Only these connectors; all of the workspace when left out.'),
  connectors: names('The same by their names.'),
  entities: names('Only these entities, such as issues; all that are searched by meaning when left out.'),
});

const connector = z.object({ id: z.string(), name: z.string(), type: z.string() });

/** What a search over a workspace found, the best first. */
export const WorkspaceSearchResponse = z.object({
  data: z.array(
    z.object({
      connector,
      entity_name: z.string().describe('Which entity the hit is of.'),
      field: z.string().describe('The field whose text was found; about where its title or metadata were.'),
      title: z.string().nullable(),
      url: z.string().nullable(),
      date: z.string().nullable(),
      person: z.string().nullable(),
      people: z.array(z.string()).describe('Everyone whom the record names, at most 20.'),
      snippet: z.string().describe('About 300 characters of the passage, with the words of the prompt between **.'),
      duplicates: z.int().describe('How many other records with the same passage were left out.'),
      entity: z.record(z.string(), z.unknown()),
      metadata: z.looseObject({
        score: z.number().describe('From 0 to 1 by rank among all that was searched; comparable within one answer.'),
        context: z.string(),
      }),
    }),
  ),
  meta: z.object({
    has_more: z.literal(false),
    cursor: z.null(),
    took_ms: z.int(),
    rankers: z.array(z.string()).describe('How it was ranked: lexical, dense or hybrid.'),
    rerank: z
      .object({ applied: z.boolean(), message: z.string().nullable().describe('Why it was not applied.') })
      .optional()
      .describe('Whether the reranker ordered the hits, where the service has one.'),
    synced_at: z
      .string()
      .nullable()
      .describe('When the replica was last complete that is behind most, of those searched; ISO 8601.'),
    skipped: z
      .array(z.object({ connector, entity_name: z.string().nullable(), reason: z.string() }))
      .describe('What could not be searched, or not whole yet.'),
    as_user: z
      .object({ email: z.string(), left_out: z.int().nullable() })
      .optional()
      .describe('On behalf of whom, where the token is bound to a person, and how many records that left out.'),
  }),
});
