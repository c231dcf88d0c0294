import * as z from 'zod';
import {
  action,
  apiKey,
  bytes,
  connector,
  done,
  download,
  entity,
  get,
  many,
  one,
  path,
  post,
  saved,
  VERSION,
} from '../../src/authoring.js';
import { fault } from './faults.js';
import { changing, oneJar } from './operations.js';
import { Jar, JarPage } from './records.js';
import * as searchable from './searchable.js';

const id = z.string().min(1).describe('From `jars.list`.');
const label = z.string().min(1).describe('What to write on the jar.');
const grams = z.number().min(0).nullable().optional().describe('Weight of the contents; null for unknown.');

/** The jars in one larder. */
export class LarderConnector extends connector({
  name: 'larder',
  aliases: ['pantry'],
  title: 'Larder',
  description: 'The jars in one larder.',
  version: VERSION,
  definitionId: '0b6f3c1e-52a7-4b0e-9d0f-6a1f0c2d3e4b',
  guide: () => import('./guide.md'),
  setup: () => import('./setup.js'),
  replication: () => import('./replication.js'),
  endpoints: { api: 'https://api.larder.example' },
  auth: { api_key: apiKey('API key for the larder.', 'bearer') },
  fault,
  entities: {
    jars: entity({
      description: 'Jars and their contents.',
      search: searchable.jars,
      actions: {
        list: action({
          description: 'List jars, the oldest first.',
          params: z.strictObject({
            size: z.int().min(1).max(20).optional().describe('How many to return, 1 to 20 (default 20).'),
            cursor: z.string().min(1).optional().describe('`cursor` from the previous page.'),
          }),
          returns: many(Jar, JarPage),
          request: (params) => get('/v1/jars', params),
          read: ({ jars, next }) => ({ data: jars, meta: { cursor: next ?? null } }),
          next: ({ cursor }) => cursor !== null && { cursor },
          example: { size: 5 },
        }),
        get: action({
          description: 'Get one jar.',
          params: z.strictObject({ id }),
          returns: one(Jar),
          request: (params) => oneJar(params.id),
          example: { id: 'jar_1' },
        }),
        create: action({
          description: 'Fill a jar.',
          params: z.strictObject({ label, grams }),
          returns: saved('jar', Jar),
          request: (params) => post('/v1/jars', params),
          example: { label: 'Plum jam', grams: 340 },
        }),
        update: action({
          description: 'Change what is written on a jar, or what is in it.',
          params: z.strictObject({ id, label: label.optional(), grams }),
          returns: saved('jar', Jar),
          request: ({ id: jar, ...change }) => changing('PATCH', jar, change),
          example: { id: 'jar_1', grams: 120 },
        }),
        delete: action({
          description: 'Empty a jar for good.',
          params: z.strictObject({ id }),
          returns: done,
          request: (params) => changing('DELETE', params.id),
          example: { id: 'jar_1' },
        }),
        download: action({
          description: 'Get the picture on a label.',
          params: z.strictObject({ id }),
          returns: bytes,
          request: (params) => download(path`/v1/jars/${params.id}/picture`),
          example: { id: 'jar_1' },
        }),
      },
    }),
  },
}) {}
