import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, it } from 'vitest';
import { noon } from './requester.js';

const sandbox = createSandbox({ now: () => noon });
const init = {
  method: 'POST',
  headers: {
    authorization: sandbox.vendors.linear.credentials.api_key.api_key,
    'content-type': 'application/json',
  },
  body: JSON.stringify({ query: '{ viewer { email } }' }),
};
const expected = { data: { viewer: { email: 'tomas.aguirre@fernhill.example' } } };

describe('fetch', () => {
  it.each([
    ['the vendor’s real URL', 'https://api.linear.app/graphql'],
    ['the vendor’s path below any other origin', 'http://localhost:4010/linear/graphql'],
    ['a URL object', new URL('https://sandbox.example/linear/graphql')],
  ])('responds to %s', async (_, address) => {
    const response = await sandbox.fetch(address, init);
    expect(response.url).toBe(String(address));
    expect(await response.json()).toEqual(expected);
  });

  it('accepts a Request, with or without overrides', async () => {
    const request = new Request('https://api.linear.app/graphql', init);
    expect(await (await sandbox.fetch(request.clone())).json()).toEqual(expected);
    const anonymous = await sandbox.fetch(request, { headers: { 'content-type': 'application/json' } });
    expect(anonymous.status).toBe(401);
  });

  it.each(['https://api.linear.dev/graphql', 'http://localhost/other/graphql', 'https://api.linear.app.evil.example/'])(
    'finds no server at %s',
    async (address) => {
      const failure = await sandbox.fetch(address, init).catch((error) => error);
      expect(failure).toMatchObject({ name: 'TypeError', message: 'fetch failed', cause: { code: 'ENOTFOUND' } });
    },
  );

  it('reads a response with a signal that is never aborted', async () => {
    const response = await sandbox.fetch('https://api.linear.app/graphql', {
      ...init,
      signal: new AbortController().signal,
    });
    expect(await response.json()).toEqual(expected);
  });

  it('handles several requests at once', async () => {
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => sandbox.fetch('https://api.linear.app/graphql', init)),
    );
    expect(await Promise.all(replies.map((reply) => reply.json()))).toEqual(Array(50).fill(expected));
  });
});
