import { action, connector, entity, get, keyPair, one, record } from 'agent-connectors';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { failure } from '../failure.js';
import { application, BureauConnector, isTokenRequest, pair } from './customers.js';
import { fakeFetch, json } from './fake-fetch.js';

it("a base_url is accepted if the vendor's paths have no common prefix", async () => {
  const Plain = connector({
    name: 'plain',
    title: 'Plain',
    description: 'Notes.',
    version: '1.0.0',
    definitionId: '00000000-0000-4000-8000-000000000004',
    endpoints: { api: 'https://api.bureau.example', customers: ['bureau.example'] },
    auth: {
      key: keyPair('A key.', {
        user: ['access_key', 'The key.'],
        password: ['access_key_secret', 'Its secret.'],
        baseUrl: { description: 'The address.', suffix: '' },
      }),
    },
    entities: {
      notes: entity({
        description: 'Notes.',
        actions: {
          get: action({
            description: 'Get a note.',
            params: z.strictObject({}),
            returns: one(record({ id: z.string() })),
            request: () => get('/notes/n1'),
            example: {},
          }),
        },
      }),
    },
  });
  const { fetch, sent } = fakeFetch(() => json({ id: 'n1' }));
  const credentials = { ...pair, base_url: 'https://us-12.api.bureau.example' };
  await new Plain({ credentials, fetch }).notes.get();
  expect(sent[0]!.url.href).toBe('https://us-12.api.bureau.example/notes/n1');
});

it.each(['http://127.0.0.1:6379', 'http://localhost:8080/x', 'https://[::1]', 'http://metadata.localhost'])(
  "a local URL in a vendor's response is ignored (%s)",
  async (customer_url) => {
    const { fetch, sent } = fakeFetch((one) =>
      isTokenRequest(one) ? json({ access_token: 'a-1', customer_url }) : json({ id: 'n1' }),
    );
    await new BureauConnector({ credentials: application, fetch }).notes.get({ id: 'n1' });
    expect(sent.map(({ url }) => url.host)).toEqual(['app.bureau.example', 'api.bureau.example']);
  },
);

it('a local sandbox can return its own URL', async () => {
  const { fetch, sent } = fakeFetch((one) =>
    isTokenRequest(one) ? json({ access_token: 'a-1', customer_url: 'http://127.0.0.1:4010/b' }) : json({ id: 'n1' }),
  );
  const endpoints = { auth: 'http://127.0.0.1:4010' };
  await new BureauConnector({ credentials: application, fetch, endpoints }).notes.get({ id: 'n1' });
  expect(sent[1]!.url.href).toBe('http://127.0.0.1:4010/b/v2/notes/n1');
});

it.each([
  'https://us-12.api.bureau.example/v2/../../admin',
  'https://us-12.api.bureau.example/admin',
  'https://us-12.api.bureau.example/v2/calls',
  'https://us-12.api.bureau.example/..%2fadmin',
  'https://us-12.api.bureau.example:8443',
])('a base_url with anything besides a vendor host is rejected (%s)', async (base_url) => {
  const error = await failure(() => void new BureauConnector({ credentials: { ...pair, base_url } }));
  expect(error.code).toBe('invalid_credentials');
});

it('a key with a colon is rejected, since Basic authentication would split it there', async () => {
  const error = await failure(() => void new BureauConnector({ credentials: { ...pair, access_key: 'a:b' } }));
  expect(error.code).toBe('invalid_credentials');
});
