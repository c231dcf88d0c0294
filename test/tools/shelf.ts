import { action, bytes, Connector, done, entity, get, type Manifest, many, one, record } from 'agent-connectors';
import * as z from 'zod';

const Thing = record({ id: z.string(), text: z.string().nullable(), size: z.number().nullable() });
const id = z.string().min(1).describe('The thing.');

/** A test vendor whose responses each test chooses. */
const manifest = {
  name: 'shelf',
  title: 'Shelf',
  description: 'Things on a shelf.',
  version: '1.0.0',
  definitionId: '00000000-0000-4000-8000-000000000000',
  endpoints: { api: 'https://shelf.example' },
  auth: {},
  entities: {
    things: entity({
      description: 'Things.',
      search: { fields: { string: ['id', 'text'] }, semantic: { text: { entity_fields: ['id'] } } },
      actions: {
        list: action({
          description: 'List things.',
          params: z.strictObject({
            limit: z.int().min(1).max(1000).default(500).describe('How many.'),
            cursor: z.string().optional().describe('`next` of the previous page.'),
            colour: z.string().optional().describe('Only things of this colour.'),
          }),
          returns: many(Thing, z.object({ next: z.string().nullable() })),
          request: (params) => get('/things', params),
          next: ({ next }) => next !== null && { cursor: next },
          example: {},
        }),
        get: action({
          description: 'Get a thing.',
          params: z.strictObject({ id }),
          returns: one(Thing),
          request: (params) => get('/thing', params),
          example: { id: '1' },
        }),
        create: action({
          description: 'Make a thing.',
          params: z.strictObject({ text: z.string().describe('What it says.') }),
          returns: one(Thing),
          request: (params) => get('/thing', params),
          example: { text: 'Hello' },
        }),
        delete: action({
          description: 'Throw a thing away.',
          params: z.strictObject({ id }),
          returns: done,
          request: (params) => get('/thing', params),
          example: { id: '1' },
        }),
        download: action({
          description: 'Download what a thing holds.',
          params: z.strictObject({ id, range_header: z.string().optional().describe('Which part.') }),
          returns: bytes,
          request: (params) => get('/bytes', params),
          example: { id: '1' },
        }),
        peek: action({
          description: 'Download without a choice of parts.',
          effect: 'read',
          params: z.strictObject({ id }),
          returns: bytes,
          request: (params) => get('/bytes', params),
          example: { id: '1' },
        }),
      },
    }),
  },
} satisfies Manifest;

/** A call as received by the vendor. */
export interface Sent {
  readonly action: string;
  readonly params: Record<string, any>;
}

/** The connector with the test's responses, and the requests it sent. */
export function shelf(answer: (sent: Sent) => unknown) {
  const sent: Sent[] = [];
  const connector = new Connector(manifest as Manifest, {
    transport: async ({ action: name, params }) => {
      sent.push({ action: name, params: params as Sent['params'] });
      const result = await answer({ action: name, params: params as Sent['params'] });
      return typeof result === 'object' && result !== null && 'data' in result
        ? { meta: {}, ...(result as { data: unknown }) }
        : { data: result, meta: {} };
    },
  });
  return { connector, sent };
}
