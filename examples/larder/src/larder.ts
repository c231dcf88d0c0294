// #region connector
import {
  action,
  apiKey,
  codeOfStatus,
  connector,
  entity,
  get,
  many,
  one,
  path,
  post,
  record,
  saved,
} from 'agent-connectors';
import * as z from 'zod';

/** A jar on a shelf. Fields that the vendor does not send are null, and fields not listed here are dropped. */
export const Jar = record({
  id: z.string(),
  label: z.string().nullable().describe('What is written on the jar.'),
  grams: z.number().nullable().describe('Weight of the contents.'),
});

const id = z.string().min(1).describe('From `jars.list`.');

export class LarderConnector extends connector({
  name: 'larder',
  title: 'Larder',
  description: 'The jars in one larder.',
  version: '1.0.0',
  definitionId: '7d5a1c1e-9a52-4f0b-8d4e-2f6b0c9d3a11', // generated once, with crypto.randomUUID()
  endpoints: { api: 'https://api.larder.example' },
  auth: { api_key: apiKey('API key for the larder.', 'bearer') },
  limits: { windows: [{ requests: 10, perMs: 1_000 }] },
  fault: ({ status, body }) =>
    status < 400 ? undefined : { code: codeOfStatus(status), message: `Larder: ${(body as any)?.problem ?? status}.` },
  entities: {
    jars: entity({
      description: 'Jars and their contents.',
      search: {
        fields: { string: ['id', 'label'], number: ['grams'] },
        semantic: { label: { entity_fields: ['id', 'label'] } },
      },
      actions: {
        list: action({
          description: 'List jars, oldest first.',
          params: z.strictObject({
            size: z.int().min(1).max(20).optional().describe('How many to return, 1 to 20 (default 20).'),
            cursor: z.string().min(1).optional().describe('`cursor` from the previous page.'),
          }),
          returns: many(
            Jar,
            z.object({ cursor: z.string().nullable().describe('Pass it as `cursor` for the next page.') }),
          ),
          request: (params) => get('/v1/jars', params),
          read: ({ jars, next }) => ({ data: jars, meta: { cursor: next ?? null } }),
          next: ({ cursor }) => cursor !== null && { cursor },
          example: { size: 5 },
        }),
        get: action({
          description: 'Get one jar.',
          params: z.strictObject({ id }),
          returns: one(Jar),
          request: (params) => get(path`/v1/jars/${params.id}`),
          example: { id: 'jar_1' },
        }),
        create: action({
          description: 'Fill a jar.',
          params: z.strictObject({ label: z.string().min(1).describe('What to write on the jar.') }),
          returns: saved('jar', Jar),
          request: (params) => post('/v1/jars', params),
          example: { label: 'Plum jam' },
        }),
      },
    }),
  },
  // #endregion
  setup: () => import('./setup.js'),
  replication: () => import('./replication.js'),
  // #region connector
}) {}
// #endregion
