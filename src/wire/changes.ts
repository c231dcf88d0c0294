import * as z from 'zod';
import { GapResponse } from '../search/gap.js';
import { identifier, instant, type RequestOf } from './fields.js';

/** Query parameters of a change feed. */
export const ChangesQuery = z.strictObject({
  entity: identifier(200).describe('A searchable entity, such as issues.'),
  cursor: identifier(2000)
    .optional()
    .describe('`meta.cursor` of the previous page; without it, all records are added.'),
  limit: z.coerce
    .number<number>()
    .int()
    .min(1)
    .max(500)
    .optional()
    .describe('Maximum changes, 1 to 500 (default 100).'),
});

/** Which changes to read. */
export interface ReadChanges extends RequestOf<typeof ChangesQuery> {}

/** A change of a record. */
export const RecordChangeResponse = z.object({
  change: z.enum(['added', 'updated', 'deleted']).describe('What has happened since the cursor, in total.'),
  id: z.string().describe('The record’s id; several key fields are joined by |.'),
  changed_at: instant.describe('When the service stored the latest change; ISO 8601.'),
  record: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('The searchable fields as they are now; null if it is deleted.'),
});

/** A change of a record. */
export interface RecordChange extends z.infer<typeof RecordChangeResponse> {}

/** Part of a change feed. */
export const ChangesResponse = z.object({
  data: z.array(RecordChangeResponse).describe('Changes, oldest first; each record at most once.'),
  meta: z
    .object({
      cursor: z.string().nullable().describe('Position after this page; null if no record can be read yet.'),
      has_more: z.boolean().describe('Whether there are more changes now.'),
      synced_at: z
        .string()
        .nullable()
        .describe('When the last complete sync started; ISO 8601, null before the first.'),
      complete: z.boolean().describe('Whether the replica has everything as of `synced_at`, except permanent gaps.'),
      missing: z.array(GapResponse).describe('What the replica does not have.'),
    })
    .describe('About the page.'),
});

/** Part of a change feed. */
export interface ChangesPage extends z.infer<typeof ChangesResponse> {}
