import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { caseCount } from '../../cases.js';
import { connectorPath, startTestService, type Tenant, type TestService } from './setup.js';

const canary = 'lin_api_CANARY_0123456789abcdef';

let running: TestService;
let acme: Tenant;
let id: string;
let lines: string[];

beforeEach(async () => {
  lines = [];
  const note = (fields: object, message: string) => void lines.push(JSON.stringify([fields, message]));
  running = await startTestService({
    logger: { debug: note, info: note, warn: note, error: note },
    // A vendor that always responds with nonsense.
    fetch: async (_, init) => Response.json({ data: null, echoed: String(init?.body).slice(0, 50) }),
  });
  acme = await running.tenant();
  id = await acme.connect('linear', { api_key: canary });
});

const routes = () =>
  [
    ['POST', '/api/v1/account/applications/token'],
    ['POST', '/api/v1/account/applications/scoped-token'],
    ['POST', '/api/v1/workspaces'],
    ['POST', '/api/v1/integrations/connectors'],
    ['PUT', connectorPath(id)],
    ['POST', connectorPath(id, '/execute')],
    ['POST', connectorPath(id, '/check')],
  ] as const;

const word = fc.oneof(
  fc.constantFrom(
    'workspace_name',
    'connector_type',
    'definition_id',
    'name',
    'credentials',
    'replication_config',
    'settings',
    'entity',
    'action',
    'params',
    'select_fields',
    'client_id',
    'client_secret',
    'api_key',
    '__proto__',
    'constructor',
    'issues',
    'list',
    'get',
    'create',
    'context_store_search',
    'query',
    'filter',
    'eq',
    'semantic',
    'main',
    'linear',
  ),
  fc.string({ unit: 'binary' }),
);
const tree: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    word,
    fc.constantFrom(null, true, false, 0, -1, 1e300, 2 ** 53, '', [], {}),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.array(fc.tuple(word, tie('tree')), { maxLength: 6 }).map((pairs) => Object.fromEntries(pairs)),
  ),
})).tree;

/** A body that is valid at the top level and random below. */
const execution = fc.record(
  {
    entity: fc.oneof(fc.constantFrom('issues', 'comments', 'projects'), word),
    action: fc.oneof(fc.constantFrom('list', 'get', 'create', 'update', 'context_store_search'), word),
    params: fc.dictionary(word, tree, { maxKeys: 5 }),
    select_fields: fc.array(word),
    skip_truncation: fc.boolean(),
  },
  { requiredKeys: ['entity', 'action'] },
);

const harmless = ({ status, text, headers }: { status: number; text: string; headers: Headers }) => {
  expect([500, 501]).not.toContain(status);
  expect(text).not.toContain('CANARY');
  expect(text).not.toContain(acme.clientSecret);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
};

test('no body crashes the service or reveals a secret', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), tree, async (pick, json) => {
      const all = routes();
      const [method, path] = all[pick % all.length]!;
      harmless(await acme.ask(method, path, { json }));
    }),
    { numRuns: caseCount(300) },
  );
  expect(lines.join('\n')).not.toContain('CANARY');
});

test('no action crashes the service or reveals a secret, whatever its parameters', async () => {
  await fc.assert(
    fc.asyncProperty(execution, async (json) => {
      harmless(await acme.ask('POST', connectorPath(id, '/execute'), { json }));
    }),
    { numRuns: caseCount(200) },
  );
});

test('text instead of JSON does not crash the service', async () => {
  const headers = { 'content-type': 'application/json' };
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.uint8Array({ maxLength: 200 }), async (pick, bytes) => {
      const all = routes();
      const [method, path] = all[pick % all.length]!;
      harmless(await acme.ask(method, path, { raw: new Uint8Array(bytes), headers }));
    }),
    { numRuns: caseCount(100) },
  );
});

test('no path, query or header crashes the service', async () => {
  const text = fc.string({ unit: 'binary', maxLength: 40 });
  const printable = fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) });
  await fc.assert(
    fc.asyncProperty(text, text, printable, printable, async (segment, query, header, token) => {
      // A lone surrogate cannot be encoded in a URL.
      const safe = (part: string) => encodeURIComponent(part.replaceAll(/\p{Cs}/gu, '?'));
      for (const path of [
        connectorPath(safe(segment)),
        `/api/v1/workspaces/${safe(segment)}`,
        `/api/v1/integrations/connectors?cursor=${safe(query)}&limit=${safe(segment)}`,
        `/${safe(query)}`,
      ]) {
        const headers = {
          'x-organization-id': header,
          'x-request-id': header,
          'idempotency-key': header,
          accept: header,
        };
        harmless(await acme.ask(path.includes('workspaces') ? 'DELETE' : 'GET', path, { headers }));
        harmless(await running.ask('GET', path, { headers: { authorization: `Bearer ${token}` } }));
      }
    }),
    { numRuns: 50 },
  );
});
