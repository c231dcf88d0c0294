import * as z from 'zod';
import { GapResponse } from '../search/gap.js';
import { maxPromptCharacters } from '../search/language/limits.js';
import { identifier, type RequestOf } from './fields.js';

const names = z.array(identifier(200)).min(1).max(100).optional();
const count = (maximum: number) => z.int().min(1).max(maximum).optional();

/** Body of a workspace search. */
export const WorkspaceSearchRequest = z.strictObject({
  prompt: z.string().trim().min(1).max(maxPromptCharacters).describe('What to search for, in plain language.'),
  limit: count(100).describe('Maximum hits (default 10).'),
  mode: z
    .enum(['dense', 'lexical', 'hybrid'])
    .optional()
    .describe('Ranking mode (default: hybrid if there are vectors, otherwise lexical).'),
  context_size: count(2048).describe('Characters of text around each hit.'),
  connector_ids: names.describe('Only these connectors (default: all in the workspace).'),
  connectors: names.describe('Connectors by name.'),
  entities: names.describe('Only these entities, such as issues (default: all with semantic search).'),
});

/** A workspace search. */
export interface WorkspaceSearch extends RequestOf<typeof WorkspaceSearchRequest> {}

const connector = z
  .object({
    id: z.string().describe('Id of the connector.'),
    name: z.string().describe('Name of the connector.'),
    type: z.string().describe('Type of the connector.'),
  })
  .describe('The connector.');

/** A hit of a workspace search. */
export const WorkspaceHitResponse = z.object({
  connector,
  entity_name: z.string().describe('Entity of the hit.'),
  field: z.string().describe('The matching field; `about` if the title or metadata matched.'),
  title: z
    .string()
    .nullable()
    .describe('Title of the record. This and the next three fields are null if there is none.'),
  url: z.string().nullable().describe('Its URL at the vendor.'),
  date: z
    .string()
    .nullable()
    .describe(
      'When the record was changed, when its event took place, or when it was created, in the vendor’s format.',
    ),
  person: z.string().nullable().describe('Speaker, author or assignee.'),
  people: z.array(z.string()).describe('People named in the record, up to 20.'),
  snippet: z.string().describe('About 300 characters of the passage, with words from the prompt marked with **.'),
  duplicates: z.int().describe('Number of omitted records with the same passage.'),
  entity: z.record(z.string(), z.unknown()).describe('Some of the record’s fields.'),
  metadata: z
    .looseObject({
      score: z.number().describe('From 0 to 1, based on rank; comparable only within one response.'),
      context: z.string().describe('The match with surrounding text.'),
    })
    .describe('The match.'),
});

/** A hit of a workspace search. */
export interface WorkspaceHit extends z.infer<typeof WorkspaceHitResponse> {}

/** Hits of a workspace search, best first. */
export const WorkspaceSearchResponse = z.object({
  data: z.array(WorkspaceHitResponse).describe('Hits, best first.'),
  meta: z
    .object({
      has_more: z.literal(false).describe('Always false: results are not paginated.'),
      cursor: z.null().describe('Always null.'),
      took_ms: z.int().describe('Duration in milliseconds.'),
      rankers: z.array(z.string()).describe('How the hits were ranked: lexical, dense or hybrid.'),
      rerank: z
        .object({
          applied: z.boolean().describe('Whether it was applied.'),
          message: z.string().nullable().describe('Why the reranker was not applied.'),
        })
        .optional()
        .describe('Whether a reranker ordered the hits. Omitted if the service has no reranker.'),
      unmatched_words: z
        .array(z.string())
        .optional()
        .describe('Rare words of the prompt that no hit contains; fewer hits are returned then.'),
      synced_at: z
        .string()
        .nullable()
        .describe('Time of the last complete sync of the least recently synced replica searched (ISO 8601).'),
      complete: z
        .boolean()
        .describe('Whether everything was searched that the vendors had as of `synced_at`, except permanent gaps.'),
      missing: z.array(z.object({ connector, ...GapResponse.shape })).describe('What was not searched.'),
      skipped: z
        .array(
          z.object({
            connector,
            entity_name: z.string().nullable().describe('The entity; null for the whole connector.'),
            reason: z.string().describe('Why it was not searched, or not completely.'),
          }),
        )
        .describe('Connectors and entities that could not be searched or are incomplete.'),
      as_user: z
        .object({
          email: z.string().describe('Email address of the user.'),
          left_out: z.int().nullable().describe('Number of records hidden from the user; null if unknown.'),
        })
        .optional()
        .describe('The user the token is bound to, if any, and the number of records hidden from that user.'),
    })
    .describe('About the search.'),
});

/** Hits across all connectors. */
export interface WorkspaceHits extends z.infer<typeof WorkspaceSearchResponse> {}
