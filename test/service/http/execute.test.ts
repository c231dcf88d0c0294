import { beforeEach, describe, expect, test } from 'vitest';
import { connectorPath, execute, startTestService, type Tenant, type TestService } from './setup.js';

let running: TestService;
let acme: Tenant;
let linear: string;

beforeEach(async () => {
  running = await startTestService();
  acme = await running.tenant();
  linear = await acme.connect('linear', running.sandbox.vendors.linear.credentials.api_key);
});

describe('execute', () => {
  test('returns a list with its records and meta', async () => {
    const { status, body } = await execute(acme, linear, 'issues', 'list', { first: 2 });
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'success',
      result: [expect.objectContaining({ title: expect.any(String) }), expect.anything()],
      connector_metadata: { hasNextPage: true, endCursor: expect.any(String) },
      execution_metadata: {
        connector_instance_id: linear,
        execution_id: expect.stringMatching(/^exe_[0-9A-Za-z]{20,}$/),
        execution_time_ms: expect.any(Number),
      },
    });
    const next = await execute(acme, linear, 'issues', 'list', { first: 2, after: body.connector_metadata.endCursor });
    expect(next.body.result[0].id).not.toBe(body.result[0].id);
  });

  test('returns an object for get, create, update and delete', async () => {
    const { body: teams } = await execute(acme, linear, 'teams', 'list');
    const made = await execute(acme, linear, 'issues', 'create', { teamId: teams.result[0].id, title: 'Once' });
    expect(made.body.result).toMatchObject({ success: true, issue: { title: 'Once' } });
    expect(made.body.connector_metadata).toEqual({});
    const { id } = made.body.result.issue;
    const changed = await execute(acme, linear, 'issues', 'update', { id, title: 'Twice' });
    expect(changed.body.result.issue.title).toBe('Twice');
    expect((await execute(acme, linear, 'issues', 'get', { id })).body.result.title).toBe('Twice');

    const drive = await acme.connect('google-drive', running.sandbox.vendors['google-drive'].credentials.oauth);
    const file = await execute(acme, drive, 'files', 'create', { name: 'note' });
    const gone = await execute(acme, drive, 'files', 'delete', { fileId: file.body.result.id });
    expect(gone.body.result).toEqual({ success: true });
  });

  test('accepts missing or empty params', async () => {
    expect((await execute(acme, linear, 'teams', 'list')).status).toBe(200);
    expect((await execute(acme, linear, 'teams', 'list', {})).status).toBe(200);
  });

  test('returns the concise view on request', async () => {
    const view = 'concise';
    const { body } = await execute(acme, linear, 'issues', 'list', { first: 1 }, { view });
    expect(body.result[0]).toMatchObject({ identifier: expect.any(String), state: { name: expect.any(String) } });
    expect(body.result[0]).not.toHaveProperty('description');
    const wrong = await execute(acme, linear, 'issues', 'list', {}, { view: 'short' });
    expect(wrong.status).toBe(422);
  });

  test('shapes the result and reports invalid paths by their wire names', async () => {
    const selected = await execute(
      acme,
      linear,
      'issues',
      'list',
      { first: 1 },
      { select_fields: ['title', 'team.key'] },
    );
    expect(selected.body.result).toEqual([{ title: expect.any(String), team: { key: expect.any(String) } }]);
    const excluded = await execute(acme, linear, 'issues', 'list', { first: 1 }, { exclude_fields: ['title'] });
    expect(excluded.body.result[0]).not.toHaveProperty('title');
    const raw = await execute(acme, linear, 'teams', 'list', { first: 1 }, { raw: true });
    expect(raw.status).toBe(200);
    const wrong = await execute(acme, linear, 'issues', 'list', {}, { select_fields: ['titel'] });
    expect([wrong.status, wrong.body.errors[0].field]).toEqual([422, 'select_fields']);
    expect(wrong.text).not.toContain('selectFields');
  });

  test('truncates strings in lists to 200 characters on request, but never in single records', async () => {
    const { body: teams } = await execute(acme, linear, 'teams', 'list', { first: 1 });
    const description = 'x'.repeat(500);
    const params = { teamId: teams.result[0].id, title: 'Long', description };
    const { body: made } = await execute(acme, linear, 'issues', 'create', params, { skip_truncation: false });
    expect(made.result.issue.description).toBe(description);
    const cut = await execute(acme, linear, 'issues', 'list', { first: 1 }, { skip_truncation: false });
    expect(cut.body.result[0].description).toBe(`${'x'.repeat(200)}… [300 more characters]`);
    const whole = await execute(acme, linear, 'issues', 'list', { first: 1 }, { skip_truncation: true });
    expect(whole.body.result[0].description).toBe(description);
    const got = await execute(acme, linear, 'issues', 'get', { id: made.result.issue.id }, { skip_truncation: false });
    expect(got.body.result.description).toBe(description);
  });

  test('accepts an intent of up to 512 characters', async () => {
    expect((await execute(acme, linear, 'teams', 'list', {}, { intent: 'x'.repeat(512) })).status).toBe(200);
    const long = await execute(acme, linear, 'teams', 'list', {}, { intent: 'x'.repeat(513) });
    expect([long.status, long.body.errors[0].field]).toEqual([422, 'intent']);
  });

  test('suggests corrections for an unknown entity, action or parameter', async () => {
    const cases = [
      ['isues', 'list', {}, 'unknown_entity', "Did you mean 'issues'?"],
      ['issues', 'lst', {}, 'unknown_action', "Did you mean 'list'?"],
      ['issues', 'list', { frist: 1 }, 'invalid_params', "Did you mean 'first'?"],
      ['constructor', 'list', {}, 'unknown_entity', 'Valid entities'],
      ['issues', '__proto__', {}, 'unknown_action', 'Valid actions'],
      ['', 'describe', {}, 'unknown_entity', 'Valid entities'],
    ] as const;
    for (const [entity, action, params, code, says] of cases) {
      const refused = await execute(acme, linear, entity, action, params);
      expect([entity, action, refused.status, refused.body.code]).toEqual([entity, action, 422, code]);
      expect(refused.body.message + JSON.stringify(refused.body.errors)).toContain(says);
    }
    expect(running.sandbox.requests).toHaveLength(0);
  });

  test('passes all parameter keys on for validation', async () => {
    const raw = `{"entity":"issues","action":"list","params":{"__proto__":{"first":1},"constructor":1}}`;
    const headers = { 'content-type': 'application/json' };
    const refused = await acme.ask('POST', connectorPath(linear, '/execute'), { raw, headers });
    expect(refused.status).toBe(422);
    expect(refused.body.errors.map(({ field }: { field: string }) => field).sort()).toEqual([
      '__proto__',
      'constructor',
    ]);
  });

  test('can search an empty store and reports that it is empty', async () => {
    const found = await execute(acme, linear, 'issues', 'context_store_search', {
      query: { filter: { eq: { title: 'x' } } },
      limit: 5,
    });
    expect([found.status, found.body.result, found.body.connector_metadata]).toEqual([
      200,
      {
        data: [],
        meta: {
          has_more: false,
          cursor: null,
          took_ms: expect.any(Number),
          total: 0,
          total_is_exact: false,
          complete: false,
          missing: [
            { reason: 'not_synced', entity: 'issues', detail: expect.any(String) },
            expect.objectContaining({ reason: 'withheld', permanent: true }),
          ],
          empty: { of: 0, as_of: null, fields: {} },
          readiness: {
            status: 'not_configured',
            ready_for_search: false,
            message: expect.any(String),
            synced_at: null,
          },
        },
      },
      {},
    ]);
    const semantic = await execute(acme, linear, 'issues', 'context_store_search', { semantic: { prompt: 'slow' } });
    expect(semantic.body.result.data).toEqual([]);
    for (const params of [
      {},
      { query: { filter: { eq: { titel: 'x' } } } },
      { query: {}, semantic: { prompt: 'x' } },
      { semantic: { prompt: 'x', sort: [] } },
      { query: {}, limit: 10_001 },
    ]) {
      const refused = await execute(acme, linear, 'issues', 'context_store_search', params);
      expect([params, refused.status, refused.body.code]).toEqual([params, 422, 'invalid_params']);
    }
    expect((await execute(acme, linear, 'nothing', 'context_store_search', { query: {} })).body.code).toBe(
      'unknown_entity',
    );
  });

  test('requires credentials, which can be added later', async () => {
    const empty = await acme.connect('linear');
    const refused = await execute(acme, empty, 'teams', 'list');
    expect([refused.status, refused.body.code]).toEqual([424, 'invalid_credentials']);
    const credentials = running.sandbox.vendors.linear.credentials.api_key;
    await acme.ask('PUT', connectorPath(empty), { json: { credentials } });
    expect((await execute(acme, empty, 'teams', 'list')).status).toBe(200);
  });

  test('respects connector-specific settings', async () => {
    const credentials = running.sandbox.vendors.gong.credentials.basic;
    const open = await acme.connect('gong', credentials, { settings: { includePrivate: true } });
    const closed = await acme.connect('gong', credentials, { name: 'closed' });
    const count = async (id: string) => (await execute(acme, id, 'calls', 'list', {})).body.result.length;
    expect(await count(open)).toBeGreaterThan(await count(closed));
    await acme.ask('PUT', connectorPath(open), { json: { settings: { includePrivate: false } } });
    expect(await count(open)).toBe(await count(closed));
  });
});

test('two hundred concurrent execute requests all get their own response', async () => {
  const { body } = await execute(acme, linear, 'issues', 'list', { first: 20 });
  const ids: string[] = body.result.map(({ id }: { id: string }) => id);
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) => execute(acme, linear, 'issues', 'get', { id: ids[index % ids.length] })),
  );
  expect(answers.map(({ status, body: got }) => [status, got.result?.id])).toEqual(
    answers.map((_, index) => [200, ids[index % ids.length]]),
  );
  expect(new Set(answers.map(({ body: got }) => got.execution_metadata.execution_id)).size).toBe(200);
});

test('a disconnecting caller aborts a read, but not a write', async () => {
  const gates: Array<() => void> = [];
  const seen: string[] = [];
  const { sandbox } = running;
  const slow = await startTestService({
    sandbox,
    fetch: async (input, init) => {
      await new Promise<void>((resolve, reject) => {
        gates.push(resolve);
        init?.signal?.addEventListener('abort', () => {
          seen.push('aborted');
          reject(init.signal?.reason);
        });
      });
      return sandbox.fetch(input, init);
    },
  });
  const patient = await slow.tenant();
  const id = await patient.connect('linear', sandbox.vendors.linear.credentials.api_key);
  const gone = new AbortController();
  const json = (entity: string, action: string, params: object) => ({
    json: { entity, action, params },
    signal: gone.signal,
  });
  const reading = patient.ask('POST', connectorPath(id, '/execute'), json('teams', 'list', {}));
  const writing = patient.ask(
    'POST',
    connectorPath(id, '/execute'),
    json('issues', 'update', { id: 'ENG-1', title: 'T' }),
  );
  await expect.poll(() => gates.length).toBe(2);
  gone.abort();
  await expect.poll(() => seen).toEqual(['aborted']);
  for (const open of gates) open();
  expect((await reading).body.code).toBe('aborted');
  expect((await writing).body.result.issue.title).toBe('T');
});
