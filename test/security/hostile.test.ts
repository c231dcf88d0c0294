import { LinearConnector } from 'agent-connectors/linear';
import { describe, expect, it } from 'vitest';
import { json } from '../engine/fake-fetch.js';
import { ShelfConnector } from '../engine/shelf.js';
import { visibleText } from '../engine/visible.js';
import { failure } from '../failure.js';
import { playVendor, type SentRequest } from '../play-vendor.js';
import { connectorPath, startTestService } from '../service/http/setup.js';

describe('a deeply nested response', () => {
  const deep = `{"data":{"issue":{"id":"1","title":"T","state":${'['.repeat(20_000)}${']'.repeat(20_000)}}}}`;
  it('is rejected as unreadable, even with shaping options', async () => {
    playVendor(new Response(deep, { headers: { 'content-type': 'application/json' } }));
    const linear = new LinearConnector({ credentials: { api_key: 'lin_api_x' } });
    const error = await failure(linear.issues.get({ id: '1' }, { maxStringLength: 5 }));
    expect(error.code).toBe('invalid_response');
  });
});

describe('a token lifetime that is an object', () => {
  it("causes only one of the library's own errors", async () => {
    const linear = new LinearConnector({
      hosted: { baseUrl: 'http://service.internal', clientId: 'c', clientSecret: 's', connectorId: 'con_1' },
      fetch: async () => json({ access_token: 'token', expires_in: { toString: '' } }),
      retries: 0,
    });
    await failure(linear.issues.list());
  });
});

describe('a token lifetime beyond the maximum date', () => {
  it('does not lose the token', async () => {
    const told: string[] = [];
    playVendor(({ url }: SentRequest) =>
      url.pathname === '/oauth/token'
        ? { access_token: 'new-access', refresh_token: 'new-refresh', expires_in: 1e300 }
        : { books: [] },
    );
    const connector = new ShelfConnector({
      credentials: { client_id: 'c', client_secret: 's3cret', refresh_token: 'r3fresh' },
      hooks: { onTokenRefresh: ({ refresh_token }) => void told.push(refresh_token) },
    });
    await connector.execute('books', 'list').catch(() => {});
    await connector.execute('books', 'list').catch(() => {});
    expect(told).toEqual(['new-refresh']);
  });
});

describe('a key echoed in its own format', () => {
  const key = '1//0gAbCdEf+GhIjKlMn==';
  const forms: Readonly<Record<string, string>> = {
    'percent-encoded in lower case': encodeURIComponent(key).replaceAll(/%../g, (code) => code.toLowerCase()),
    'JSON with escaped slashes': key.replaceAll('/', '\\/'),
    Base64url: Buffer.from(key).toString('base64url'),
  };
  it.each(Object.entries(forms))('%s is not in any error', async (_, form) => {
    playVendor(new Response(`refused ${form}`, { status: 400 }));
    const connector = new ShelfConnector({ credentials: { api_key: key }, retries: 0 });
    expect(visibleText(await failure(connector.execute('books', 'get', { id: 'x' })))).not.toContain(form);
  });
});

describe('the response to a delete request', () => {
  it('says that the vendor has not revoked the tokens', async () => {
    const { sandbox, tenant } = await startTestService();
    const { ask, connect } = await tenant();
    const id = await connect('linear', sandbox.vendors.linear.credentials.oauth);
    sandbox.faults.add({ kind: 'reset_before', count: 9 });
    expect((await ask('DELETE', connectorPath(id))).body).toMatchObject({ deleted: true, tokens_ended: false });
  });
});
