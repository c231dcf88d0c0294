import { describe, expect, test } from 'vitest';
import { type ApiResponse, connectorPath, startTestService } from './setup.js';

/** Every error has this format. */
function expectError({ status, body, headers }: ApiResponse, wanted: number, code: string): void {
  expect([status, body?.code]).toEqual([wanted, code]);
  expect(Object.keys(body)).toEqual([
    'message',
    'code',
    'errors',
    'hint',
    'retryable',
    'retry_after_ms',
    'request_id',
    'vendor',
    'docs',
  ]);
  expect(body.request_id).toBe(headers.get('x-request-id'));
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  for (const error of body.errors) expect(Object.keys(error)).toEqual(['field', 'message', 'error_code', 'details']);
}

const collection = '/api/v1/integrations/connectors';

describe('a body', () => {
  test.each([
    ['no content type', undefined],
    ['a form', 'application/x-www-form-urlencoded'],
    ['text', 'text/plain'],
    ['a type that starts like JSON', 'application/jsonp'],
    ['problem details', 'application/problem+json'],
  ])('must be JSON: %s is rejected', async (_, type) => {
    const { ask } = await (await startTestService()).tenant();
    const raw = new TextEncoder().encode('{"name":"x"}');
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
    expectError(await ask('POST', '/api/v1/workspaces', { raw, headers }), 415, 'invalid_params');
  });

  test.each(['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON;charset="UTF-8"'])(
    'can have the content type %s',
    async (type) => {
      const { ask } = await (await startTestService()).tenant();
      const made = await ask('POST', '/api/v1/workspaces', { raw: '{"name":"x"}', headers: { 'content-type': type } });
      expect(made.status).toBe(200);
    },
  );

  const json = { 'content-type': 'application/json' };
  test.each([
    ['nothing', ''],
    ['an incomplete object', '{"name":'],
    ['a comment', '{"name":"x"} // y'],
    ['bytes that are not UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
    ['more than 64 levels', `${'['.repeat(65)}${']'.repeat(65)}`],
    ['a million levels', `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`],
    ['excessive nesting inside a valid body', `{"name":"x","y":${'{"a":'.repeat(64)}1${'}'.repeat(64)}}`],
  ])('must be well-formed: %s is rejected', async (_, raw) => {
    const { ask } = await (await startTestService()).tenant();
    expectError(await ask('POST', '/api/v1/workspaces', { raw, headers: json }), 400, 'invalid_params');
  });

  test('can be nested 64 levels deep', async () => {
    const { ask } = await (await startTestService()).tenant();
    const raw = `${'['.repeat(64)}${']'.repeat(64)}`;
    expectError(await ask('POST', '/api/v1/workspaces', { raw, headers: json }), 422, 'invalid_params');
  });

  test('is rejected if it is too large, whether or not its length is declared', async () => {
    const { ask } = await (await startTestService({ maxBodyBytes: 1000 })).tenant();
    const large = JSON.stringify({ name: 'x'.repeat(1000) });
    const headers = { ...json, 'content-length': String(large.length) };
    expectError(await ask('POST', '/api/v1/workspaces', { raw: large, headers }), 413, 'too_large');
    expectError(await ask('POST', '/api/v1/workspaces', { raw: large, headers: json }), 413, 'too_large');
    const lying = { ...json, 'content-length': '10' };
    expectError(await ask('POST', '/api/v1/workspaces', { raw: large, headers: lying }), 413, 'too_large');
  });

  test('is not read until the caller is authenticated', async () => {
    const { ask } = await startTestService();
    let pulled = 0;
    const raw = new ReadableStream(
      {
        pull(controller) {
          pulled += 1;
          controller.enqueue(new Uint8Array(1000));
        },
      },
      { highWaterMark: 0 },
    );
    expectError(await ask('POST', '/api/v1/workspaces', { raw, headers: json }), 401, 'unauthorized');
    expect(pulled).toBe(0);
  });

  test('has all of its errors reported, with suggestions', async () => {
    const { ask } = await (await startTestService()).tenant();
    const refused = await ask('POST', collection, {
      json: {
        workspce_name: 'main',
        connector_type: 7,
        credentials: 'none',
        replication_config: [],
        settings: { a: 1 },
      },
    });
    expectError(refused, 422, 'invalid_params');
    const found = Object.fromEntries(
      refused.body.errors.map(({ field, message, error_code }: any) => [field, `${error_code}: ${message}`]),
    );
    expect(found).toMatchObject({
      workspace_name: 'required: workspace_name is required (string)',
      connector_type: 'invalid: connector_type must be a string',
      credentials: 'invalid: credentials must be an object',
      replication_config: 'invalid: replication_config must be an object',
    });
    // Valid settings depend on the type, which is unknown here.
    expect(Object.keys(found)).not.toContain('settings.a');
    expect(found.workspce_name).toMatch(/^unknown_field: workspce_name is unknown\. Did you mean 'workspace_name'\?/);
  });

  test('gets messages that name their field, from its own schema and from the action', async () => {
    const acme = await (await startTestService()).tenant();
    const id = await acme.connect('linear');
    const messagesOf = async (path: string, json: object) =>
      (await acme.ask('POST', path, { json })).body.errors.map(({ message }: any) => message);
    const call = { entity: 'issues', action: 'create', params: { title: 'Sign-in fails' } };
    expect(await messagesOf(connectorPath(id, '/execute'), call)).toEqual(['teamId is required (string)']);
    expect(await messagesOf(connectorPath(id, '/execute'), { entity: 'issues' })).toEqual([
      'action is required (string)',
    ]);
    const writes = [{ key: 'a', entity: 'issues', action: 'create', params: {} }];
    const [message] = await messagesOf(connectorPath(id, '/execute/batch'), { writes });
    expect(message).toMatch(/^writes\.0 issues\.create: teamId is required \(string\)/);
    expect(await messagesOf(collection, { workspace_name: 'main', connector_type: 'linear', credentials: {} })).toEqual(
      [expect.stringMatching(/^credentials: [A-Z]/)],
    );
  });

  test('gets a short response if it contains only errors', async () => {
    const { ask } = await (await startTestService()).tenant();
    const flood = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`${index}`.repeat(300), index]));
    const refused = await ask('POST', '/api/v1/workspaces', { json: flood });
    expectError(refused, 422, 'invalid_params');
    expect(refused.text.length).toBeLessThan(20_000);
  });

  test('is rejected if it is not an object', async () => {
    const { ask } = await (await startTestService()).tenant();
    for (const value of [null, [], 'x', 5, true]) {
      expectError(await ask('POST', '/api/v1/workspaces', { json: value }), 422, 'invalid_params');
    }
  });
});

describe('a query', () => {
  test('has its errors reported', async () => {
    const { ask } = await (await startTestService()).tenant();
    for (const [query, field] of [
      ['limit=0', 'limit'],
      ['limit=501', 'limit'],
      ['limit=x', 'limit'],
      ['limit=', 'limit'],
      ['conector_type=linear', 'conector_type'],
      ['connector_type=linnear', 'connector_type'],
      ['definition_id=1', 'definition_id'],
      ['cursor=nonsense', 'cursor'],
      ['workspace_name=%00', 'workspace_name'],
    ] as const) {
      const refused = await ask('GET', `${collection}?${query}`);
      expectError(refused, 422, 'invalid_params');
      expect([query, refused.body.errors[0].field]).toEqual([query, field]);
    }
    expect((await ask('GET', `${collection}?connector_type=linnear`)).body.message).toContain("Did you mean 'linear'?");
  });
});

describe('a path', () => {
  test.each(['/api', '/api/v1', '/api/v1/', '/api/v2/workspaces', '/api/v1/workspaces/', '/%', '/api/v1/%ff'])(
    '%s does not exist',
    async (path) => {
      const { ask } = await (await startTestService()).tenant();
      expectError(await ask('GET', path), 404, 'not_found');
    },
  );

  test.each(['events', 'streams'])('does not exist if its resource is unknown: %s', async (path) => {
    const { ask } = await (await startTestService()).tenant();
    expectError(await ask('GET', `/api/v1/${path}`), 404, 'not_found');
  });

  test('lists its supported methods', async () => {
    const { ask } = await (await startTestService()).tenant();
    for (const [path, allow] of [
      ['/health', 'GET, HEAD, OPTIONS'],
      [collection, 'POST, GET, HEAD, OPTIONS'],
      [connectorPath('con_x'), 'GET, PUT, DELETE, HEAD, OPTIONS'],
      [connectorPath('con_x', '/execute'), 'POST, OPTIONS'],
    ] as const) {
      const refused = await ask('PATCH', path);
      expectError(refused, 405, 'invalid_params');
      expect(refused.headers.get('allow')).toBe(allow);
      const options = await ask('OPTIONS', path);
      expect([options.status, options.text, options.headers.get('allow')]).toEqual([204, '', allow]);
    }
    expect((await ask('HEAD', connectorPath('con_x', '/execute'))).status).toBe(405);
  });

  test('responds to HEAD like GET, but without a body', async () => {
    const { ask } = await (await startTestService()).tenant();
    for (const path of ['/health', '/api/v1/workspaces']) {
      const head = await ask('HEAD', path);
      expect([head.status, head.text, head.headers.get('content-type')]).toEqual([200, '', 'application/json']);
    }
  });
});

describe('control characters and lone surrogates', () => {
  const odd = ['\u0000x', '\u0000', '\n', '\u0085', '\ud800'];

  test('are rejected in a client id or secret, without looking up the text before them', async () => {
    const { ask, tenant } = await startTestService();
    const { clientId, clientSecret } = await tenant();
    for (const more of odd) {
      for (const [field, json] of [
        ['client_id', { client_id: clientId + more, client_secret: clientSecret }],
        ['client_secret', { client_id: clientId, client_secret: clientSecret + more }],
      ] as const) {
        const refused = await ask('POST', '/api/v1/account/applications/token', { json });
        expectError(refused, 422, 'invalid_params');
        expect(refused.body.errors).toMatchObject([{ field, message: `${field} must not contain control characters` }]);
      }
    }
  });

  test('are rejected in names and ids in paths, queries and bodies', async () => {
    const acme = await (await startTestService()).tenant();
    const id = await acme.connect('linear');
    for (const more of ['%00', '%00x', '%0a', '%C2%85']) {
      expectError(await acme.ask('DELETE', `/api/v1/workspaces/main${more}`), 404, 'not_found');
      expectError(await acme.ask('GET', connectorPath(`${id}${more}`)), 404, 'not_found');
      expectError(await acme.ask('GET', `/api/v1/audit?connector_id=${id}${more}`), 422, 'invalid_params');
    }
    for (const more of odd) {
      const json = { workspace_name: `main${more}`, read_only: true };
      expectError(await acme.ask('PUT', '/api/v1/policies', { json }), 422, 'invalid_params');
    }
    expect((await acme.ask('GET', connectorPath(id))).status).toBe(200);
  });
});

describe('bidirectional marks', () => {
  test.each(['\u061c', '\u200e', '\u200f', '\u202a', '\u202e', '\u2066', '\u2069'])(
    'are rejected in a new name, since users rely on how names look: %j',
    async (mark) => {
      const acme = await (await startTestService()).tenant();
      const id = await acme.connect('linear');
      const name = `Linear${mark}`;
      const refused = [
        await acme.ask('POST', '/api/v1/workspaces', { json: { name } }),
        await acme.ask('PUT', connectorPath(id), { json: { name } }),
        await acme.ask('POST', '/api/v1/account/applications/scoped-token', { json: { workspace_name: name } }),
      ];
      for (const answer of refused) {
        expectError(answer, 422, 'invalid_params');
        expect(answer.body.errors).toMatchObject([
          { message: expect.stringMatching(/^(workspace_)?name must not contain text-direction marks$/) },
        ]);
      }
      // An existing workspace with such a name is still found.
      expect((await acme.ask('GET', `/api/v1/workspaces?name_contains=${encodeURIComponent(name)}`)).status).toBe(200);
    },
  );
});

describe('a request id', () => {
  test.each(['abc', 'A.b_c-9', 'x'.repeat(128)])('is taken from the caller: %s', async (id) => {
    const { headers } = await (await startTestService()).ask('GET', '/health', { headers: { 'x-request-id': id } });
    expect(headers.get('x-request-id')).toBe(id);
  });

  test.each(['', 'x'.repeat(129), 'a b', 'a"b', 'ä'])("is generated if the caller's is unusable: %j", async (id) => {
    const { headers } = await (await startTestService()).ask('GET', '/health', { headers: { 'x-request-id': id } });
    expect(headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
  });
});

describe('the service itself', () => {
  test('reports liveness and readiness on either path', async () => {
    const { service, ask } = await startTestService();
    for (const prefix of ['', '/api/v1']) {
      expect((await ask('GET', `${prefix}/health`)).body).toEqual({ status: 'ok' });
      expect((await ask('GET', `${prefix}/ready`)).body).toEqual({ status: 'ready' });
    }
    await service.state.close();
    const unready = await ask('GET', '/ready');
    expect([unready.status, unready.body]).toEqual([503, { status: 'unavailable' }]);
    expect((await ask('GET', '/health')).status).toBe(200);
  });

  test('reveals nothing about an unexpected failure but logs its stack trace', async () => {
    const lines: object[] = [];
    const note = (fields: object) => void lines.push(fields);
    const running = await startTestService({ logger: { debug: note, info: note, warn: note, error: note } });
    const { ask } = await running.tenant();
    await running.service.state.close();
    const failed = await ask('GET', '/api/v1/workspaces', { headers: { 'x-request-id': 'find-me' } });
    expectError(failed, 500, 'vendor_error');
    expect(failed.text).not.toMatch(/sqlite|database|\.ts/i);
    expect(lines).toContainEqual({
      request_id: 'find-me',
      err: expect.objectContaining({ stack: expect.any(String) }),
    });
  });
});
