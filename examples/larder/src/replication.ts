// #region replication
import { action, get, many, type Replication, type Source } from 'agent-connectors';
import { plainSegments } from 'agent-connectors/replication';
import * as z from 'zod';
import { Jar } from './larder.js';

/** Reads the jars on the chosen shelves, page by page; the next run starts at `state`. */
async function* read({ call, followingCall, config }: Source) {
  for (const shelf of config.shelves as readonly string[]) {
    let params: object | undefined = { shelf };
    while (params) {
      const page = await call('on_shelf', params);
      yield { records: page.data, state: shelf };
      const next = followingCall('on_shelf', params, page);
      params = next && { ...params, ...next };
    }
  }
}

export const replication: Replication = {
  config: z.object({
    shelves: z
      .array(z.string().regex(/^\d+$/, 'must be the number of a shelf'))
      .min(1)
      .describe('Numbers of the shelves to replicate.'),
  }),
  calls: {
    on_shelf: action({
      description: 'Jars on one shelf.',
      params: z.strictObject({ shelf: z.string(), cursor: z.string().optional() }),
      returns: many(Jar, z.object({ cursor: z.string().nullable() })),
      request: (params) => get('/v1/jars', params),
      read: ({ jars, next }) => ({ data: jars, meta: { cursor: next ?? null } }),
      next: ({ cursor }) => cursor !== null && { cursor },
      example: { shelf: '1' },
    }),
  },
  entities: {
    // Every run reads every record, so any record missing from a run has been deleted.
    jars: { read, sweep: 'all', segments: { label: ({ label }) => plainSegments(String(label ?? '')) } },
  },
};
// #endregion
