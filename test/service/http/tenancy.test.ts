import { expect, test } from 'vitest';
import { type ApiResponse, createRequester, type Requester, startTestService, type Tenant, tenantOf } from './setup.js';

/** A valid body for each operation that accepts one; add new operations here. */
const bodies: Readonly<Record<string, (names: Names) => object>> = {
  createToken: () => ({ client_id: 'x', client_secret: 'y' }),
  createScopedToken: ({ workspace }) => ({ workspace_name: workspace }),
  revokeToken: () => ({ id: 'tok_intruder' }),
  introspectToken: () => ({ token: 'intruder' }),
  createWorkspace: ({ workspace }) => ({ name: workspace }),
  createConnector: ({ workspace }) => ({ workspace_name: workspace, connector_type: 'linear', name: 'intruder' }),
  beginSetup: ({ workspace }) => ({ workspace_name: workspace, name: 'intruder', connector_type: 'linear' }),
  updateConnector: () => ({ name: 'taken over', credentials: { api_key: 'lin_api_intruder' } }),
  syncConnector: () => ({}),
  renewConnector: () => ({}),
  searchWorkspace: () => ({ prompt: 'what others know' }),
  putPolicy: ({ workspace }) => ({ workspace_name: workspace, read_only: true }),
  prepareExecute: () => ({ entity: 'issues', action: 'update', params: { id: 'ENG-1', title: 'intruder' } }),
  approvePlan: () => ({}),
  refusePlan: () => ({ reason: 'intruder' }),
  updateClient: () => ({ scopes: ['read'] }),
  rollClientSecret: () => ({}),
  execute: () => ({ entity: 'issues', action: 'update', params: { id: 'ENG-1', title: 'intruder' } }),
  executeBatch: () => ({
    writes: [{ key: 'k', entity: 'issues', action: 'update', params: { id: 'ENG-1', title: 'intruder' } }],
  }),
  putConnectSettings: () => ({ return_origins: ['https://intruder.example'] }),
  rollConnectKey: () => ({}),
  createConnectSession: ({ workspace, id }) => ({
    workspace_name: workspace,
    connector_id: id,
    return_url: 'https://intruder.example/',
    state: 'intruder',
    brand: { name: 'Intruder' },
  }),
  confirmConnectSession: () => ({ signature: 'intruder' }),
  createWebhook: ({ workspace }) => ({ url: 'https://intruder.example/', workspace_name: workspace }),
  updateWebhook: () => ({ url: 'https://intruder.example/' }),
  rollWebhookSecret: () => ({}),
};

interface Names {
  /** A workspace that the caller must not reach. */
  readonly workspace: string;
  /** A connector in that workspace. */
  readonly id: string;
}

interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly security: readonly object[];
  readonly takesBody: boolean;
}

async function operationsOf(ask: Requester): Promise<Operation[]> {
  const { body } = await ask('GET', '/openapi.json');
  return Object.entries<Record<string, any>>(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, security, requestBody }]) => ({
      operationId,
      security,
      path,
      method: method.toUpperCase(),
      takesBody: requestBody !== undefined,
    })),
  );
}

/** Two organizations, the first with two workspaces, and a connector in each workspace. */
async function setting() {
  const running = await startTestService();
  const { service, sandbox } = running;
  const credentials = sandbox.vendors.linear.credentials.api_key;
  const acme = await tenantOf(service, 'Acme');
  const other = await tenantOf(service, 'Other');
  for (const [tenant, name] of [
    [acme, 'acme-second'],
    [other, 'other-own'],
  ] as const) {
    await tenant.ask('POST', '/api/v1/workspaces', { json: { name } });
  }
  const first = await acme.connect('linear', credentials);
  const second = await acme.connect('linear', credentials, { workspace_name: 'acme-second' });
  const foreign = await other.connect('linear', credentials, { workspace_name: 'other-own' });
  const { body } = await acme.ask('POST', '/api/v1/account/applications/scoped-token', {
    json: { workspace_name: 'main', scopes: ['read', 'write', 'manage', 'admin'] },
  });
  const scoped = createRequester(service, { authorization: `Bearer ${body.token}` });
  const everything = () =>
    Promise.all(
      [acme, other].map(async ({ organizationId }) => {
        const scope = { organizationId };
        const { rows } = await service.state.connectors.list(scope, { limit: 100 });
        const credentials = await Promise.all(rows.map(({ id }) => service.state.credentials.load(id)));
        return [await service.state.workspaces.list(scope, { limit: 100 }), rows, credentials];
      }),
    );
  return { ...running, acme, other, first, second, foreign, scoped, everything };
}

/** Queries that routes require. */
const queries: Readonly<Record<string, string>> = { listChanges: '?entity=issues' };

const pathOf = ({ path, operationId }: Operation, { workspace, id }: Names) =>
  path.replace('{id}', id).replace('{name}', encodeURIComponent(workspace)).replace('{delivery_id}', 'msg_any') +
  (queries[operationId] ?? '');

function send(
  ask: Requester,
  operation: Operation,
  names: Names,
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  const body = bodies[operation.operationId];
  if (operation.takesBody && !body) throw new Error(`There is no body for ${operation.operationId} here.`);
  return ask(operation.method, pathOf(operation, names), {
    ...(operation.takesBody && { json: body!(names) }),
    headers,
  });
}

const names = (path: string) => /\{(id|name)\}/.test(path);
const guarded = ({ security }: Operation) => security.length > 0;

test('operations of every kind are tested', async () => {
  const operations = await operationsOf((await setting()).ask);
  expect(operations.filter(guarded).length).toBeGreaterThanOrEqual(15);
  expect(operations.filter((operation) => guarded(operation) && names(operation.path)).length).toBeGreaterThanOrEqual(
    8,
  );
});

test('only declared routes are accessible without a token', async () => {
  const { ask, first, everything } = await setting();
  const before = await everything();
  for (const operation of (await operationsOf(ask)).filter(guarded)) {
    const refused = await send(ask, operation, { workspace: 'main', id: first });
    expect([operation.operationId, refused.status]).toEqual([operation.operationId, 401]);
  }
  expect(await everything()).toEqual(before);
});

test("another organization's connector or workspace looks like one that never existed", async () => {
  const { ask, acme, foreign, sandbox, everything } = await setting();
  const before = await everything();
  const asked = sandbox.requests.length;
  for (const operation of (await operationsOf(ask)).filter(({ path }) => names(path))) {
    const theirs = { workspace: 'other-own', id: foreign };
    const nobodys = { workspace: 'never-was', id: foreign.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x')) };
    const refused = await send(acme.ask, operation, theirs);
    const absent = await send(acme.ask, operation, nobodys);
    const told = ({ body }: ApiResponse, { workspace, id }: Names) =>
      JSON.stringify({ ...body, request_id: '' })
        .replace(id, 'ID')
        .replace(workspace, 'NAME');
    expect([operation.operationId, refused.status, absent.status]).toEqual([operation.operationId, 404, 404]);
    expect(told(refused, theirs)).toBe(told(absent, nobodys));
  }
  expect(await everything()).toEqual(before);
  expect(sandbox.requests).toHaveLength(asked);
});

test('naming the other organization is rejected on every route', async () => {
  const { ask, acme, other, foreign, everything } = await setting();
  const before = await everything();
  for (const operation of (await operationsOf(ask)).filter(guarded)) {
    const theirs = { workspace: 'other-own', id: foreign };
    const refused = await send(acme.ask, operation, theirs, { 'x-organization-id': other.organizationId });
    expect([operation.operationId, refused.status, refused.body.code]).toEqual([
      operation.operationId,
      403,
      'forbidden',
    ]);
  }
  expect(await everything()).toEqual(before);
});

test('a workspace token cannot reach another workspace, even in its own organization', async () => {
  const { ask, scoped, second, foreign, sandbox, everything } = await setting();
  const before = await everything();
  const asked = sandbox.requests.length;
  const account = [
    'createScopedToken',
    'revokeToken',
    'introspectToken',
    'createWorkspace',
    'deleteWorkspace',
    'putPolicy',
    'updateClient',
    'rollClientSecret',
    'revokeGrant',
    'getConnectSettings',
    'putConnectSettings',
    'rollConnectKey',
    'createWebhook',
    'getWebhook',
    'updateWebhook',
    'deleteWebhook',
    'rollWebhookSecret',
    'testWebhook',
    'listWebhookDeliveries',
    'replayWebhookDelivery',
  ];
  const reaching = (await operationsOf(ask)).filter(
    (operation) => guarded(operation) && (names(operation.path) || operation.takesBody),
  );
  for (const operation of reaching) {
    for (const target of [
      { workspace: 'acme-second', id: second },
      { workspace: 'other-own', id: foreign },
    ]) {
      const { status } = await send(scoped, operation, target);
      // A connect session is rejected because of its return URL before any other id is looked up.
      const missing = operation.operationId === 'createConnectSession' ? 422 : 404;
      const wanted = account.includes(operation.operationId) ? 403 : missing;
      expect([operation.operationId, target.workspace, status]).toEqual([
        operation.operationId,
        target.workspace,
        wanted,
      ]);
    }
  }
  expect(await everything()).toEqual(before);
  expect(sandbox.requests).toHaveLength(asked);
});

test("lists contain only the caller's own items", async () => {
  const { acme, other, scoped, first, second, foreign } = await setting();
  const seen = async (ask: Requester, path: string) => (await ask('GET', path)).text;
  const all = ['connectors', 'workspaces', 'organizations'].map((what) =>
    what === 'connectors' ? '/api/v1/integrations/connectors' : `/api/v1/${what}`,
  );
  const strangers = (tenant: Tenant) => [tenant.organizationId, ...(tenant === acme ? [first, second] : [foreign])];
  for (const path of [...all, '/api/v1/account/me']) {
    for (const own of strangers(other)) expect(await seen(acme.ask, path)).not.toContain(own);
    for (const own of strangers(acme)) expect(await seen(other.ask, path)).not.toContain(own);
    const within = await seen(scoped, path);
    for (const hidden of [second, 'acme-second', ...strangers(other)]) expect(within).not.toContain(hidden);
  }
  expect(await seen(scoped, all[0]!)).toContain(first);
  expect(await seen(acme.ask, all[0]!)).toContain(second);
});
