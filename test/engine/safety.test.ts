import { describe, expect, it } from 'vitest';
import { failure } from '../failure.js';
import { fakeFetch, json, startServer } from './fake-fetch.js';
import { book, key, ShelfConnector, shelf, shelfConnector } from './shelf.js';

/** A connector whose `get` and `update` request a complete URL. */
function asking(absolute: string, endpoints?: string) {
  const Absolute = shelfConnector({ absolute });
  const { fetch, sent } = fakeFetch(() => json(book('b1')));
  const connector = new Absolute({ credentials: key, fetch, ...(endpoints && { endpoints }) });
  return { get: () => connector.execute('books', 'get', { id: 'x' }), sent };
}

describe('credentials', () => {
  it.each([
    'https://files.elsewhere.example/b1',
    'https://shelf.example/b1',
    'https://api.shelf.example:8443/b1',
    'https://api.shelf.example.evil.example/b1',
  ])('are not sent to %s', async (address) => {
    const { get, sent } = asking(address);
    await get();
    expect(sent[0]!.url.href).toBe(address);
    expect(sent[0]!.headers.get('authorization')).toBeNull();
    expect(JSON.stringify([...sent[0]!.headers])).not.toContain(key.api_key);
  });

  it("are sent to an absolute URL on the endpoint's own origin", async () => {
    const { get, sent } = asking('https://api.shelf.example/other/b1');
    await get();
    expect(sent[0]!.headers.get('authorization')).toBe(`Bearer ${key.api_key}`);
  });

  it('stay with the endpoint if a path starts with two slashes', async () => {
    const { get, sent } = asking('//evil.example/b1');
    await get();
    expect(sent[0]!.url.host).toBe('api.shelf.example');
  });

  it.each([301, 302, 303, 307, 308])(
    'do not follow a %i redirect, for a read or a write, same origin or not',
    async (status) => {
      const seen: string[] = [];
      const far = await startServer((request, response) => {
        seen.push(`far ${request.headers.authorization}`);
        response.end('{}');
      });
      const near = await startServer((request, response) => {
        seen.push('near');
        const location = request.url!.endsWith('far') ? far : '/v1/elsewhere';
        response.writeHead(status, { location }).end();
      });
      const connector = new ShelfConnector({ credentials: key, endpoints: near });
      for (const id of ['near', 'far']) {
        const read = await failure(connector.execute('books', 'get', { id }));
        expect(read).toMatchObject({ code: 'invalid_response', status, retryable: false });
        expect(read.message).toContain('redirect');
        const write = await failure(connector.execute('books', 'update', { id, title: 'T' }));
        expect(write.status).toBe(status);
      }
      expect(seen).toEqual(['near', 'near', 'near', 'near']);
    },
  );

  it('do not follow a redirect of the refresh request', async () => {
    const seen: string[] = [];
    const far = await startServer((_, response) => {
      seen.push('far');
      response.end('{"access_token":"stolen"}');
    });
    const near = await startServer((_, response) => void response.writeHead(307, { location: far }).end());
    const credentials = { client_id: 'c', client_secret: 's3cret', refresh_token: 'r3fresh' };
    const connector = new ShelfConnector({ credentials, endpoints: near, retries: 0 });
    expect((await failure(connector.execute('books', 'list'))).code).toBe('invalid_response');
    expect(seen).toEqual([]);
  });
});

const refusedAddresses = [
  'https://10.0.0.1/x',
  'https://172.16.0.1/x',
  'https://172.31.255.255/x',
  'https://192.168.1.1/x',
  'https://169.254.169.254/latest/meta-data',
  'https://100.64.0.1/x',
  'https://0.0.0.0/x',
  'https://127.0.0.1/x',
  'https://127.1/x',
  'https://2130706433/x',
  'https://0x7f000001/x',
  'https://0177.0.0.1/x',
  'https://0xa9.0xfe.0xa9.0xfe/x',
  'https://224.0.0.1/x',
  'https://255.255.255.255/x',
  'https://localhost/x',
  'https://LOCALHOST./x',
  'https://api.localhost/x',
  'https://[::1]/x',
  'https://[::]/x',
  'https://[::ffff:10.0.0.1]/x',
  'https://[::ffff:127.0.0.1]/x',
  'https://[::ffff:a9fe:a9fe]/x',
  'https://[::10.0.0.1]/x',
  'https://[64:ff9b::10.0.0.1]/x',
  'https://[2002:a00:1::]/x',
  'https://[fc00::1]/x',
  'https://[fd12:3456::1]/x',
  'https://[fe80::1]/x',
  'https://[ff02::1]/x',
  'https://user@files.example/x',
  'https://user:word@files.example/x',
  'http://files.example/x',
  'ftp://files.example/x',
  'file:///etc/passwd',
  'data:text/plain,x',
  'javascript:0',
  'blob:https://files.example/1',
  'files.example/x',
  '',
  'https://',
];

describe('URLs', () => {
  it.each(refusedAddresses)('like %s are rejected before anything is sent', async (address) => {
    const { get, sent } = asking(address);
    expect(await failure(get())).toMatchObject({ code: 'denied_by_policy', retryable: false });
    expect(sent).toHaveLength(0);
  });

  it.each([
    'https://files.example/x',
    'https://8.8.8.8/x',
    'https://172.32.0.1/x',
    'https://[2606:4700::1111]/x',
    'https://localhost.example/x',
    'https://100.128.0.1/x',
  ])('like %s are accepted', async (address) => {
    const { get, sent } = asking(address);
    await get();
    expect(sent[0]!.url.href).toBe(address);
  });

  it("on this machine are accepted only if the connector's endpoint is local", async () => {
    const { get, sent } = asking('http://127.0.0.1:9/file', 'http://127.0.0.1:8');
    await get();
    expect(sent[0]!.headers.get('authorization')).toBeNull();
    const other = asking('http://10.0.0.1/file', 'http://127.0.0.1:8');
    expect((await failure(other.get())).code).toBe('denied_by_policy');
  });

  it('on this machine are also rejected if they contain a user name', async () => {
    const { get, sent } = asking('http://user:word@127.0.0.1:9/file', 'http://127.0.0.1:8');
    expect((await failure(get())).code).toBe('denied_by_policy');
    expect(sent).toHaveLength(0);
  });
});

describe('endpoints', () => {
  it.each([
    'http://proxy.example',
    'https://10.0.0.1',
    'ftp://proxy.example',
    'proxy',
    'https://user:word@proxy.example',
    'http://user:word@127.0.0.1:8',
    'https://proxy.example?x=1',
    'https://proxy.example#x',
  ])('like %s are rejected when the connector is created', async (address) => {
    for (const endpoints of [address, { api: address }, { auth: address }, { upload: address }]) {
      expect(await failure(() => new ShelfConnector({ endpoints }))).toMatchObject({ code: 'denied_by_policy' });
    }
  });

  it.each([
    ['https://proxy.example', 'https://proxy.example/books'],
    ['https://proxy.example/', 'https://proxy.example/books'],
    ['https://proxy.example/shelf//', 'https://proxy.example/shelf/books'],
    ['http://localhost:8080/a', 'http://localhost:8080/a/books'],
    ['http://[::1]:8080', 'http://[::1]:8080/books'],
  ])('like %s are prepended to the path', async (endpoints, address) => {
    const { fetch, sent } = fakeFetch(() => json({ books: [] }));
    await shelf(fetch, { endpoints }).execute('books', 'list');
    expect(sent[0]!.url.href).toBe(`${address}?size=2`);
  });

  it('can be given separately', async () => {
    const { fetch, sent } = fakeFetch(({ url }) =>
      json(url.pathname === '/oauth/token' ? { access_token: 'a' } : { books: [] }),
    );
    const credentials = { client_id: 'c', client_secret: 's3cret', refresh_token: 'r3fresh' };
    await shelf(fetch, { credentials, endpoints: { auth: 'http://127.0.0.1:7' } }).execute('books', 'list');
    expect(sent.map(({ url }) => url.origin)).toEqual(['http://127.0.0.1:7', 'https://api.shelf.example']);
  });
});
