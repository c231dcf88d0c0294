import * as z from 'zod';
import { action, get, many, plainSegments, type Replication, type Source } from '../../src/authoring.js';
import { Jar, JarPage } from './records.js';

/** Reads the jars on the chosen shelves, page by page. */
async function* read({ call, followingCall, config }: Source) {
  for (const shelf of config.shelf_ids as readonly string[]) {
    let params: object | undefined = { shelf };
    while (params) {
      const page = await call('on_shelf', params);
      yield { records: page.data, state: shelf };
      const next = followingCall('on_shelf', params, page);
      params = next && { ...params, ...next };
    }
  }
}

/** How jars are replicated. */
export const replication: Replication = {
  config: z.object({
    shelf_ids: z
      .array(z.string().regex(/^\d{1,3}$/, 'must be the number of a shelf'))
      .min(1)
      .describe('Numbers of the shelves to replicate.'),
  }),
  calls: {
    on_shelf: action({
      description: 'Jars of one shelf.',
      params: z.strictObject({ shelf: z.string(), cursor: z.string().optional() }),
      returns: many(Jar, JarPage),
      request: (params) => get('/v1/jars', { ...params, size: 2 }),
      read: ({ jars, next }) => ({ data: jars, meta: { cursor: next ?? null } }),
      next: ({ cursor }) => cursor !== null && { cursor },
      example: { shelf: '1' },
    }),
  },
  entities: {
    jars: { read, sweep: 'all', segments: { label: ({ label }) => plainSegments(String(label ?? '')) } },
  },
};
