import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { LinearConnector } from 'agent-connectors/linear';
import { describe, expect, it } from 'vitest';
import { createLogger } from '../../service/src/common/log.js';
import { chunkRange, readChunk } from '../../service/src/domain/connectors/chunk.js';
import { fakeFetch, json } from '../engine/fake-fetch.js';
import { ShelfConnector } from '../engine/shelf.js';
import { visibleText } from '../engine/visible.js';
import { failure } from '../failure.js';
import { connectorPath, startTestService } from '../service/http/setup.js';

describe('a reply that is nested very deep', () => {
  const deep = `{"data":{"issue":{"id":"1","title":"T","state":${'['.repeat(20_000)}${']'.repeat(20_000)}}}}`;
  const linear = () =>
    new LinearConnector({
      credentials: { api_key: 'lin_api_x' },
      fetch: async () => new Response(deep, { headers: { 'content-type': 'application/json' } }),
    });

  it('is refused as one that cannot be read, also where it is to be cut', async () => {
    const error = await failure(linear().issues.get({ id: '1' }, { maxStringLength: 5 }));
    expect(error.code).toBe('invalid_response');
  });
});

describe('a lifetime of a token that is an object', () => {
  it('is no reason for an error of another kind', async () => {
    const linear = new LinearConnector({
      hosted: { baseUrl: 'http://service.internal', clientId: 'c', clientSecret: 's', connectorId: 'con_1' },
      fetch: async () => json({ access_token: 'token', expires_in: { toString: '' } }),
      retries: 0,
    });
    await failure(linear.issues.list());
  });
});

describe('a lifetime of a token beyond all dates', () => {
  it('is no reason to lose the token that came with it', async () => {
    const told: string[] = [];
    const { fetch } = fakeFetch(({ url }) =>
      url.pathname === '/oauth/token'
        ? json({ access_token: 'new-access', refresh_token: 'new-refresh', expires_in: 1e300 })
        : json({ books: [] }),
    );
    const connector = new ShelfConnector({
      credentials: { client_id: 'c', client_secret: 's3cret', refresh_token: 'r3fresh' },
      fetch,
      hooks: { onTokenRefresh: ({ refresh_token }) => void told.push(refresh_token) },
    });
    await connector.execute('books', 'list').catch(() => {});
    await connector.execute('books', 'list').catch(() => {});
    expect(told).toEqual(['new-refresh']);
  });
});

describe('a range that the vendor claims beyond what numbers can count', () => {
  it('leads to no range that nobody can ask for', async () => {
    const headers = { 'content-range': `bytes ${'9'.repeat(30)}-65536/0` };
    const drive = new GoogleDriveConnector({
      credentials: { access_token: 'token' },
      fetch: async () => new Response('ab', { headers }),
    });
    const range = chunkRange('bytes=0-0');
    const chunk = await readChunk(await drive.files.download({ fileId: 'x', range_header: range.header }), range);
    expect(chunk.next_range_header ?? 'bytes=0-0').toMatch(/^bytes=\d+-\d+$/);
  });
});

describe('a key that comes back in a form of its own', () => {
  const key = '1//0gAbCdEf+GhIjKlMn==';
  const forms: Readonly<Record<string, string>> = {
    'percent-encoded with small digits': encodeURIComponent(key).replaceAll(/%../g, (code) => code.toLowerCase()),
    'JSON with escaped slashes': key.replaceAll('/', '\\/'),
    'base 64 for addresses': Buffer.from(key).toString('base64url'),
  };
  it.each(Object.entries(forms))('%s is in no error', async (_, form) => {
    const { fetch } = fakeFetch(() => new Response(`refused ${form}`, { status: 400 }));
    const connector = new ShelfConnector({ credentials: { api_key: key }, fetch, retries: 0 });
    expect(visibleText(await failure(connector.execute('books', 'get', { id: 'x' })))).not.toContain(form);
  });
});

describe('the log of the service', () => {
  const logged = (fields: object): string => {
    const lines: string[] = [];
    createLogger({ destination: { write: (line: string) => lines.push(line) } }).info(fields, 'm');
    return lines.join('');
  };

  it.each(
    Object.entries({
      'user-info of an address': 'failed at https://user:zqSecret1234@db.example/x',
      'a query': 'GET https://api.example/v1?access_token=zqSecret1234&page=2',
      'JSON within a text': JSON.stringify({ client_secret: 'zqSecret1234' }),
      'a header without a scheme': 'x-api-key: zqSecret1234',
    }),
  )('has no secret that stands in %s', (_, text) => {
    expect(logged({ note: text })).not.toContain('zqSecret1234');
  });

  it.each(['Bearer zqSecret1234', `acs_${'zqSecret1234'.repeat(3)}`, 'eyJabcdefg.zqSecret1234.zqSecret1234'])(
    'has no token that begins a line (%s)',
    (token) => {
      expect(logged({ note: `sent:\n${token}` })).not.toContain('zqSecret1234');
    },
  );

  it('has no value of a field that is named like a key in camel case', () => {
    expect(logged({ accessKey: 'zqSecret1234' })).not.toContain('zqSecret1234');
  });

  it('is JSON also where a key file was logged as text', () => {
    const file = JSON.stringify({ private_key: '-----BEGIN PRIVATE KEY-----\nAB\n-----END PRIVATE KEY-----\n', a: 1 });
    JSON.parse(logged({ note: file }));
  });
});

describe('the answer to a deletion', () => {
  it('says that the vendor has not ended the tokens', async () => {
    const { sandbox, tenant } = await startTestService();
    const { ask, connect } = await tenant();
    const id = await connect('linear', sandbox.vendors.linear.credentials.oauth);
    sandbox.faults.add({ kind: 'reset_before', count: 9 });
    expect((await ask('DELETE', connectorPath(id))).body).toMatchObject({ deleted: true, tokens_ended: false });
  });
});
