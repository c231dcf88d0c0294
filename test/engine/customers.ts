import { action, connector, entity, get, keyPair, oauthRefresh, one, path, record, saved } from 'agent-connectors';
import * as z from 'zod';
import type { SentRequest } from './fake-fetch.js';

const Note = record({ id: z.string(), text: z.string().nullable() });
const id = z.string().min(1);
const description = "The customer's own address.";

/** A vendor with a subdomain for each customer. */
export const BureauConnector = connector({
  name: 'bureau',
  title: 'Bureau',
  description: 'Notes of a bureau.',
  version: '1.0.0',
  definitionId: '00000000-0000-4000-8000-000000000003',
  endpoints: { api: 'https://api.bureau.example', auth: 'https://app.bureau.example', customers: ['bureau.example'] },
  auth: {
    key: keyPair('An access key and its secret.', {
      user: ['access_key', 'The key.'],
      password: ['access_key_secret', 'Its secret.'],
      baseUrl: { description, suffix: '/v2' },
    }),
    oauth: oauthRefresh('An application.', {
      path: '/oauth2/token',
      style: 'query',
      customer: { description, key: 'customer_url', suffix: '/v2' },
    }),
  },
  entities: {
    notes: entity({
      description: 'Notes.',
      actions: {
        get: action({
          description: 'Get a note.',
          params: z.strictObject({ id }),
          returns: one(Note),
          request: (params) => get(path`/v2/notes/${params.id}`),
          example: { id: 'n1' },
        }),
        update: action({
          description: 'Change a note.',
          params: z.strictObject({ id, text: z.string() }),
          returns: saved('note', Note),
          request: (params) => ({ method: 'PATCH', url: path`/v2/notes/${params.id}`, json: { text: params.text } }),
          example: { id: 'n1', text: 'x' },
        }),
        follow: action({
          description: 'Get a note by its whole address.',
          effect: 'read',
          params: z.strictObject({ address: z.string() }),
          returns: one(Note),
          request: ({ address }) => get(address),
          example: { address: 'https://api.bureau.example/v2/notes/n1' },
        }),
      },
    }),
  },
});

/** A key for the vendor. */
export const pair = { access_key: 'BUREAUKEY', access_key_secret: 'CANARY-key-s3cret' } as const;

/** An application registered with the vendor. */
export const application = {
  client_id: 'client',
  client_secret: 'CANARY-client-s3cret',
  refresh_token: 'CANARY-refresh-0',
} as const;

/** Whether a request is for a token. */
export const isTokenRequest = ({ url }: SentRequest) => url.pathname === '/oauth2/token';

/** The hosts that received requests, in order, with the credentials they received. */
export const requestedHosts = (sent: readonly SentRequest[]) =>
  sent.map(({ url, headers }) => [url.host, headers.get('authorization')]);
