import { ConnectorError, type ErrorCode } from 'agent-connectors';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { LinearConnector } from 'agent-connectors/linear';
import { describe, expect, it } from 'vitest';
import { failure } from '../failure.js';
import { fakeFetch, json } from './fake-fetch.js';
import { ShelfConnector, shelf } from './shelf.js';

const otherCopy = Object.defineProperty(new Error('from elsewhere'), Symbol.for('agent-connectors.error'), {
  value: true,
});

describe('an error of a vendor', () => {
  it('is truncated, wherever the vendor or a proxy sends too much', async () => {
    const long = `lin_api_secret ${'x'.repeat(5_000_000)}`;
    const faults = [
      json({ errors: [{ message: long, extensions: { code: long, userPresentableMessage: long } }] }, 400),
      new Response(long, { status: 418 }),
    ];
    for (const fault of faults) {
      const linear = new LinearConnector({
        credentials: { api_key: 'lin_api_secret' },
        retries: 0,
        fetch: async () => fault,
      });
      const error = await failure(linear.teams.list());
      expect(JSON.stringify(error).length).toBeLessThan(10_000);
      expect(JSON.stringify(error)).not.toContain('lin_api_secret');
    }
  });

  it('redacts a secret before truncating the text that it straddles', async () => {
    const key = `lin_api_${'s'.repeat(400)}`;
    const message = `${'x'.repeat(1_900)}${key}`;
    const linear = new LinearConnector({
      credentials: { api_key: key },
      retries: 0,
      fetch: async () => json({ errors: [{ message }] }, 400),
    });
    expect(JSON.stringify(await failure(linear.teams.list()))).not.toContain('sss');
  });
});

describe('a response with a single record', () => {
  it.each([{}, { title: null, pages: null }, { unknown: 1 }])(
    'that has no value in it is an error: %j',
    async (body) => {
      const { fetch } = fakeFetch(() => json(body));
      const error = await failure(shelf(fetch, { retries: 0 }).execute('books', 'get', { id: 'b1' }));
      expect([error.code, error.hint]).toEqual(['invalid_response', undefined]);
    },
  );

  it('says that a write may have taken effect', async () => {
    const { fetch } = fakeFetch(() => json({}));
    const error = await failure(shelf(fetch, { retries: 0 }).execute('books', 'create', { title: 't' }));
    expect([error.code, error.hint]).toEqual(['invalid_response', expect.stringContaining('may have taken effect')]);
  });
});

describe('a header that HTTP cannot carry', () => {
  it.each(['1dyU\n', '1dyU\u0000', '1dyU\u0007', '1dyU\u2013'])(
    'is rejected before anything is sent: %j',
    async (fileId) => {
      const { fetch, sent } = fakeFetch(() => json({}));
      const reported: unknown[] = [];
      const drive = new GoogleDriveConnector({
        credentials: { access_token: 'key' },
        fetch,
        hooks: { onRequest: (event) => void reported.push(event) },
      });
      const error = await failure(drive.files.update({ fileId: `${fileId}x`, resourceKey: '0-x', name: 'n' }));
      expect([error.code, error.retryable, sent, reported]).toEqual(['invalid_params', false, [], []]);
      expect(error.message).toMatch(/x-goog-drive-resource-keys header.*nothing was sent/);
    },
  );
});

describe('ConnectorError', () => {
  it('is an Error with a name and a stack', () => {
    const error = new ConnectorError('network', 'Off.');
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe('ConnectorError');
    expect(error.stack).toContain('errors.test.ts');
    expect(String(error)).toBe('ConnectorError: Off.');
  });

  it('is recognized across copies of the package, with both is and instanceof', () => {
    expect(ConnectorError.is(otherCopy)).toBe(true);
    expect(otherCopy instanceof ConnectorError).toBe(true);
  });

  it.each([null, undefined, 'text', 7, {}, new Error('x'), () => 1, []])('does not recognize %o', (value) => {
    expect(ConnectorError.is(value)).toBe(false);
    expect((value as any) instanceof ConnectorError).toBe(false);
  });

  it('serializes to plain JSON with everything but cause and stack', () => {
    const error = new ConnectorError('rate_limited', 'Wait.', {
      status: 429,
      retryAfterMs: 1500,
      vendor: { code: 'X', message: 'slow down', requestId: 'r1' },
      issues: [{ path: 'a.b', message: 'bad' }],
      hint: 'Later.',
      cause: new Error('inner'),
    });
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'ConnectorError',
      code: 'rate_limited',
      message: 'Wait.',
      status: 429,
      retryable: true,
      retryAfterMs: 1500,
      vendor: { code: 'X', message: 'slow down', requestId: 'r1' },
      issues: [{ path: 'a.b', message: 'bad' }],
      hint: 'Later.',
      docs: 'limits',
    });
  });

  it.each<[ErrorCode, string]>([
    ['invalid_credentials', 'auth'],
    ['unauthorized', 'auth'],
    ['scope_missing', 'auth'],
    ['rate_limited', 'limits'],
    ['quota_exhausted', 'limits'],
    ['hosted_only', 'search'],
    ['vendor_error', 'errors'],
    ['unknown_outcome', 'errors'],
  ])('links %s to the section %s for readers', (code, docs) => {
    expect(new ConnectorError(code, 'x').docs).toBe(docs);
  });

  it.each<[ErrorCode, boolean]>([
    ['rate_limited', true],
    ['network', true],
    ['timeout', true],
    ['unknown_outcome', false],
    ['invalid_params', false],
    ['aborted', false],
  ])('reports whether %s can be transient: %s', (code, retryable) => {
    expect(new ConnectorError(code, 'x').retryable).toBe(retryable);
  });
});

describe("a vendor's response is mapped to an error code", () => {
  it.each<[number, ErrorCode, boolean]>([
    [400, 'invalid_params', false],
    [401, 'unauthorized', false],
    [403, 'forbidden', false],
    [404, 'not_found', false],
    [409, 'conflict', false],
    [413, 'too_large', false],
    [418, 'vendor_error', false],
    [422, 'invalid_params', false],
    [429, 'rate_limited', true],
    [500, 'vendor_error', true],
    [503, 'vendor_error', true],
  ])('status %i becomes %s', async (status, code, retryable) => {
    const { fetch } = fakeFetch(() => new Response('no', { status, headers: { 'x-request-id': 'req-1' } }));
    const error = await failure(shelf(fetch, { retries: 0 }).execute('books', 'get', { id: 'x' }));
    expect(error).toMatchObject({ code, status, retryable, vendor: { requestId: 'req-1' } });
    expect(error.message).toContain(`Shelf responded with ${status}`);
  });

  it('does not quote an HTML page in the message', async () => {
    const { fetch } = fakeFetch(() => new Response('<!doctype html><h1>Bad gateway</h1>', { status: 502 }));
    const error = await failure(shelf(fetch, { retries: 0 }).execute('books', 'get', { id: 'x' }));
    expect(error.message).toBe('Shelf responded with 502');
  });

  it('says that an HTML page instead of JSON suggests a proxy', async () => {
    const html = { headers: { 'content-type': 'text/html' } };
    const { fetch } = fakeFetch(() => new Response('<html>Sign in</html>', html));
    const error = await failure(shelf(fetch, { retries: 0 }).execute('books', 'get', { id: 'x' }));
    expect(error).toMatchObject({ code: 'invalid_response', status: 200 });
    expect(error.message).toContain('text/html');
    expect(error.hint).toContain('proxy');
  });

  it('shortens a long plain-text message', async () => {
    const { fetch } = fakeFetch(() => new Response('x'.repeat(5_000), { status: 400 }));
    const error = await failure(shelf(fetch).execute('books', 'get', { id: 'x' }));
    expect(error.message.length).toBeLessThan(300);
  });
});

describe('constructor options', () => {
  it.each([
    [{ readonly: true }, "'readOnly'"],
    [{ readOnly: 'yes' }, 'readOnly must be true or false'],
    [{ timeout: 5 }, "'timeoutMs'"],
    [{ timeoutMs: 0 }, 'timeoutMs must be'],
    [{ timeoutMs: Number.NaN }, 'timeoutMs must be'],
    [{ timeoutMs: 2 ** 31 }, 'timeoutMs must be'],
    [{ attemptTimeoutMs: -1 }, 'attemptTimeoutMs must be'],
    [{ retries: 1.5 }, 'retries must be a whole number'],
    [{ retries: Number.POSITIVE_INFINITY }, 'retries must be a whole number'],
    [{ fetch: {} }, 'fetch must be a function'],
    [{ transport: 'x' }, 'transport must be a function'],
    [{ userAgent: 'a\nb' }, 'userAgent must be'],
    [{ userAgent: '' }, 'userAgent must be'],
    [{ allow: 'issues.list' }, 'allow must be an array'],
    [{ allow: [1] }, 'allow must be an array'],
    [{ hooks: [] }, 'hooks must be an object'],
    [{ credentials: 'key' }, 'credentials must be an object'],
    [{ endpoints: 7 }, 'endpoints must be a URL'],
    [{ constructor: 1 }, "have no 'constructor'"],
    [{ hooks: { onrequest: () => {} } }, "'onRequest'"],
    [{ hooks: { onTokenRefreshed: () => {} } }, "'onTokenRefresh'"],
    [{ onTokenRefresh: () => {} }, "Did you mean 'hooks.onTokenRefresh'?"],
    [{ connectorId: 'con_1' }, "Did you mean 'hosted.connectorId'?"],
    [{ hooks: { onTokenRefresh: 'store' } }, 'onTokenRefresh must be a function'],
    [{ endpoints: { apis: 'https://x.example' } }, "'api'"],
    [{ endpoints: { api: 7 } }, 'api must be'],
  ])('rejects %j', async (options, message) => {
    const error = await failure(() => new LinearConnector(options as any));
    expect(error.code).toBe('invalid_params');
    expect(error.message).toContain(message);
  });

  it.each([null, 'x', 7, []])('rejects %j instead of options', async (options) => {
    expect(await failure(() => new LinearConnector(options as any))).toMatchObject({ code: 'invalid_params' });
  });

  it('accepts undefined for an option', () => {
    const options = {
      credentials: undefined,
      fetch: undefined,
      hooks: undefined,
      retries: undefined,
      allow: undefined,
    };
    expect(() => new LinearConnector(options)).not.toThrow();
  });
});

describe('call options', () => {
  const { fetch, sent } = fakeFetch(() => json({ books: [] }));
  it.each([
    [{ timeoutms: 5 }, "'timeoutMs'"],
    [{ timeoutMs: '5' }, 'timeoutMs must be'],
    [{ signal: {} }, 'signal must be an AbortSignal'],
    [{ raw: 1 }, 'raw must be true or false'],
    [{ selectFields: 'id' }, 'selectFields must be an array'],
    [{ maxStringLength: -1 }, 'maxStringLength must be'],
    [{ retries: 3 }, "have no 'retries'"],
    [null, 'must be an object'],
  ])('rejects %j', async (options, message) => {
    const error = await failure(shelf(fetch).execute('books', 'list', {}, options as any));
    expect(error.code).toBe('invalid_params');
    expect(error.message).toContain(message);
    expect(sent).toHaveLength(0);
  });
});

describe('a connector without credentials', () => {
  it('can be created and described, and reports what is missing when used', async () => {
    const connector = new ShelfConnector();
    expect(connector.describe().name).toBe('shelf');
    const error = await failure(connector.execute('books', 'list'));
    expect(error.code).toBe('invalid_credentials');
    expect(error.message).toContain('`credentials`');
  });
});

it('omits fields without a value', () => {
  expect(Object.keys(new ConnectorError('network', 'No route.', { hint: 'Retry.' })).sort()).toEqual(
    ['code', 'docs', 'hint', 'name', 'retryable'].sort(),
  );
});
