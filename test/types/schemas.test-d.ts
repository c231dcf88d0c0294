import { call_audio } from 'agent-connectors/gong/schemas';
import type { pages } from 'agent-connectors/google-analytics/schemas';
import type { File } from 'agent-connectors/google-drive';
import type { files, files_upload } from 'agent-connectors/google-drive/schemas';
import type { notes } from 'agent-connectors/granola/schemas';
import type { Issue, Team } from 'agent-connectors/linear';
import { issues, type teams } from 'agent-connectors/linear/schemas';
import { describe, expectTypeOf, it } from 'vitest';
import * as z from 'zod';

describe('schemas', () => {
  it('infer the types of records', () => {
    expectTypeOf<z.infer<typeof issues.record>>().toEqualTypeOf<Issue>();
    expectTypeOf<z.infer<typeof teams.record>>().toEqualTypeOf<Team>();
    expectTypeOf<z.infer<typeof files.record>>().toEqualTypeOf<File>();
    expectTypeOf<z.infer<typeof files_upload.record>>().toEqualTypeOf<File>();
    expectTypeOf(call_audio.record).toEqualTypeOf<undefined>();
  });

  it('infer the types of parameters', () => {
    type Create = z.infer<typeof issues.params.create>;
    expectTypeOf<Create['title']>().toEqualTypeOf<string>();
    expectTypeOf<Create['priority']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Create['assigneeId']>().toEqualTypeOf<string | null | undefined>();
    expectTypeOf<z.infer<typeof notes.params.get>['include']>().toEqualTypeOf<'transcript' | undefined>();
    expectTypeOf<z.infer<typeof pages.params.list>['property_id']>().toEqualTypeOf<string>();
  });

  it('can be combined like other schemas', () => {
    const Summary = issues.record.pick({ identifier: true, title: true }).extend({ score: z.number() });
    type Summary = z.infer<typeof Summary>;
    expectTypeOf<Summary['title']>().toEqualTypeOf<Issue['title']>();
    expectTypeOf<Summary['score']>().toEqualTypeOf<number>();
    expectTypeOf(issues.params.create.shape.title).toExtend<z.ZodType<string>>();
  });

  it('have no unknown names', () => {
    // @ts-expect-error no such action
    issues.params.delete;
    // @ts-expect-error a search has a type only
    issues.params.context_store_search;
    // @ts-expect-error no such field
    issues.record.pick({ subject: true });
  });
});
