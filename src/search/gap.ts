import * as z from 'zod';

/** Data that the vendor has or may have, and the replica does not. */
export const GapResponse = z.object({
  reason: z
    .enum([
      'not_synced',
      'first_sync',
      'sync_failed',
      'rate_limit',
      'scope',
      'credentials',
      'record_quota',
      'configuration_changed',
      'unread_records',
      'written_records',
      'unlisted_records',
      'not_embedded',
      'not_indexed',
      'withheld',
      'policy',
      'search_failed',
    ])
    .describe('Why it is missing.'),
  entity: z.string().describe('The entity.'),
  field: z.string().optional().describe('The field, if records are there without it.'),
  count: z.int().optional().describe('Number of records affected, if known.'),
  state: z
    .enum(['partial', 'not_read', 'empty'])
    .optional()
    .describe("If the field is a file's text, what became of it."),
  cause: z
    .enum(['format', 'password', 'too_large', 'damaged', 'encoding', 'download', 'hidden'])
    .optional()
    .describe("Why a file's text is missing."),
  before: z.iso.datetime().optional().describe('Only records from before this time are missing; ISO 8601.'),
  after: z.iso.datetime().optional().describe('Only records or changes from this time on are missing; ISO 8601.'),
  permanent: z
    .literal(true)
    .optional()
    .describe('The vendor, the configuration or a policy excludes it. Does not affect `complete`.'),
  detail: z.string().describe('The gap in a sentence.'),
});

/** Data that the vendor has or may have, and the replica does not. */
export interface Gap extends z.infer<typeof GapResponse> {}
