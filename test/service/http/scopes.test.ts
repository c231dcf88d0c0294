import type { CreateOptions } from 'agent-connectors-service';
import { describe, expect, test } from 'vitest';
import { keyRing } from '../../../service/src/data/vault/keys.js';
import { createTokens } from '../../../service/src/domain/accounts/tokens.js';
import { newKey } from '../keys.js';
import {
  connectorPath,
  createRequester,
  execute,
  type Requester,
  startTestService,
  type Tenant,
  type TestService,
} from './setup.js';

type TokenScope = 'read' | 'write' | 'manage' | 'admin';
const all: readonly TokenScope[] = ['read', 'write', 'manage', 'admin'];

const tokenPath = '/api/v1/account/applications/token';
const scopedPath = '/api/v1/account/applications/scoped-token';

/** Scopes required by each route that needs a token; add new routes here. */
const neededScopes: Readonly<Record<string, readonly TokenScope[]>> = {
  createScopedToken: [],
  getMe: [],
  listTokens: [],
  revokeToken: [],
  introspectToken: [],
  listOrganizations: [],
  listWorkspaces: ['read'],
  createWorkspace: ['manage'],
  deleteWorkspace: ['admin'],
  createConnector: ['manage'],
  listConnectors: ['read'],
  getConnector: ['read'],
  updateConnector: ['manage'],
  deleteConnector: ['manage'],
  checkConnector: ['read'],
  inspectConnector: ['read'],
  describeConnector: ['read'],
  getQuota: ['read'],
  execute: ['read', 'write'],
  prepareExecute: ['write'],
  listPlans: ['write'],
  getPlan: ['write'],
  approvePlan: ['write'],
  refusePlan: ['write'],
  listChanges: ['read'],
  syncConnector: ['manage'],
  listJobs: ['read'],
  searchWorkspace: ['read'],
  readSkillDocs: ['read'],
  getOverview: ['read'],
  getActivity: ['read'],
  beginSetup: ['manage'],
  renewConnector: ['manage'],
  getSetup: ['manage'],
  listPolicies: ['admin'],
  putPolicy: ['admin'],
  listAudit: ['admin'],
  verifyAudit: ['admin'],
  executeBatch: ['write'],
  listClients: ['admin'],
  updateClient: ['admin'],
  rollClientSecret: ['admin'],
  listGrants: [],
  revokeGrant: [],
  getConnectSettings: ['admin'],
  putConnectSettings: ['admin'],
  rollConnectKey: ['admin'],
  createConnectSession: ['manage'],
  getConnectSession: ['manage'],
  confirmConnectSession: ['manage'],
  createWebhook: ['manage'],
  listWebhooks: ['manage'],
  getWebhook: ['manage'],
  updateWebhook: ['manage'],
  deleteWebhook: ['manage'],
  rollWebhookSecret: ['manage'],
  testWebhook: ['manage'],
  listWebhookDeliveries: ['manage'],
  replayWebhookDelivery: ['manage'],
};

const reads: ReadonlyArray<readonly [entity: string, action: string, params?: object]> = [
  ['issues', 'list', { first: 1 }],
  ['issues', 'context_store_search', { query: {} }],
];
const writes: ReadonlyArray<readonly [entity: string, action: string, params?: object, more?: object]> = [
  ['issues', 'update', { id: 'ENG-1', title: 'Changed' }],
  ['issues', 'update', { id: 'ENG-1', title: 'Changed' }, { dry_run: true }],
];

const claims = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());

async function narrowed({ service, ask }: TestService, { clientId, clientSecret }: Tenant, scopes: TokenScope[]) {
  const json = { client_id: clientId, client_secret: clientSecret, scopes };
  const { status, body } = await ask('POST', tokenPath, { json });
  expect([status, claims(body.access_token).scopes]).toEqual([200, scopes]);
  return createRequester(service, { authorization: `Bearer ${body.access_token}` });
}

const isScopeMissing = ({ status, body }: Awaited<ReturnType<Requester>>, needed: string): boolean =>
  status === 403 && body.code === 'forbidden' && body.message.startsWith(`The '${needed}' scope is required`);

/** A tenant with a connector and a client of its organization that has only some scopes. */
async function withClient(scopes: readonly TokenScope[], options: CreateOptions = {}) {
  const running = await startTestService(options);
  const acme = await running.tenant();
  const id = await acme.connect('linear', running.sandbox.vendors.linear.credentials.api_key);
  const { client, secret } = await running.service.state.clients.create('some', [acme.organizationId], scopes);
  const limited: Tenant = { ...acme, clientId: client.id, clientSecret: secret };
  return { ...running, acme, id, limited };
}

describe('a token with one scope', () => {
  test.each(all)('%s can access only the routes for this scope', async (scope) => {
    const running = await startTestService();
    const acme = await running.tenant();
    const ask = await narrowed(running, acme, [scope]);
    const { body } = await running.ask('GET', '/openapi.json');
    const tried: string[] = [];
    for (const [path, methods] of Object.entries<Record<string, any>>(body.paths)) {
      for (const [method, { operationId, security, requestBody }] of Object.entries(methods)) {
        if (security.length === 0) continue;
        const needed = neededScopes[operationId];
        expect(
          security.flatMap(({ token }: any) => token),
          operationId,
        ).toEqual(needed);
        tried.push(operationId);
        if (operationId === 'execute') continue;
        const target = path.replaceAll(/\{\w+\}/g, 'none');
        const answer = await ask(method.toUpperCase(), target, requestBody && { json: {} });
        const lacks = needed!.length > 0 && !needed!.includes(scope);
        expect([operationId, isScopeMissing(answer, needed![0]!)]).toEqual([operationId, lacks]);
      }
    }
    expect(tried.sort()).toEqual(Object.keys(neededScopes).sort());
  });

  test.each(all)('%s can run only the actions that the scope covers', async (scope) => {
    const running = await withClient(all);
    const { acme, id, sandbox } = running;
    const ask = await narrowed(running, acme, [scope]);
    for (const [needed, calls] of [['read', reads] as const, ['write', writes] as const]) {
      for (const [entity, action, params, more] of calls) {
        const before = sandbox.requests.length;
        const answer = await execute({ ask }, id, entity, action, params, { ...more });
        expect([action, isScopeMissing(answer, needed)]).toEqual([action, scope !== needed]);
        if (scope !== needed) expect(sandbox.requests).toHaveLength(before);
      }
    }
    const { body } = await acme.ask('GET', '/api/v1/audit?limit=1000');
    const refused = body.data.filter(({ outcome }: any) => outcome === 'forbidden');
    expect(refused.length).toBe(scope === 'read' || scope === 'write' ? 2 : 4);
  });

  test('gets an error that explains which scope is missing and how to get it', async () => {
    const running = await startTestService();
    const ask = await narrowed(running, await running.tenant(), ['read', 'write']);
    const { status, body } = await ask('GET', '/api/v1/audit');
    expect([status, body]).toEqual([
      403,
      expect.objectContaining({
        code: 'forbidden',
        message: "The 'admin' scope is required; this token has read, write.",
        hint: expect.stringMatching(/"scopes".*create-client --scopes/),
      }),
    ]);
  });
});

describe('a client', () => {
  test('only gets tokens with its own scopes', async () => {
    const running = await withClient(['read', 'manage']);
    const { ask, limited } = running;
    const json = { client_id: limited.clientId, client_secret: limited.clientSecret };
    const { body } = await ask('POST', tokenPath, { json });
    const me = createRequester(running.service, { authorization: `Bearer ${body.access_token}` });
    expect((await me('GET', '/api/v1/account/me')).body.scopes).toEqual(['read', 'manage']);
    const refused = await ask('POST', tokenPath, { json: { ...json, scopes: ['read', 'admin'] } });
    expect(isScopeMissing(refused, 'admin')).toBe(true);
    for (const scopes of [[], ['all'], 'read']) {
      const { status, body } = await ask('POST', tokenPath, { json: { ...json, scopes } });
      expect([status, body.errors[0].field.split('.')[0]]).toEqual([422, 'scopes']);
    }
  });

  test('cannot lift its own policy', async () => {
    const running = await withClient(['read', 'write', 'manage']);
    const { acme, id, limited, sandbox } = running;
    const policy = { workspace_name: 'main', read_only: true };
    expect((await acme.ask('PUT', '/api/v1/policies', { json: policy })).status).toBe(200);
    const ask = await narrowed(running, limited, ['read', 'write', 'manage']);
    const lifted = await ask('PUT', '/api/v1/policies', { json: { ...policy, read_only: false } });
    expect(isScopeMissing(lifted, 'admin')).toBe(true);
    // Deleting the workspace would also delete its policy.
    expect(isScopeMissing(await ask('DELETE', '/api/v1/workspaces/main'), 'admin')).toBe(true);
    const before = sandbox.requests.length;
    const denied = await execute({ ask }, id, 'issues', 'update', { id: 'ENG-1', title: 'Changed' });
    expect([denied.status, denied.body.code]).toEqual([403, 'denied_by_policy']);
    expect(sandbox.requests).toHaveLength(before);
  });

  test('needs write access to see the stored response to a write', async () => {
    const running = await withClient(all);
    const { acme, id } = running;
    const [first] = (await execute(acme, id, 'issues', 'list', { first: 1 })).body.result;
    const headers = { 'idempotency-key': 'one' };
    const update = (ask: Requester) =>
      execute({ ask }, id, 'issues', 'update', { id: first.id, title: 'Changed' }, { headers });
    expect((await update(acme.ask)).status).toBe(200);
    expect(isScopeMissing(await update(await narrowed(running, acme, ['read'])), 'write')).toBe(true);
    expect((await update(acme.ask)).headers.get('idempotent-replayed')).toBe('true');
  });
});

describe('a scoped token', () => {
  const requestFor = async (running: TestService, ask: Requester, json: object) => {
    const { status, body } = await ask('POST', scopedPath, { json });
    const own = createRequester(running.service, { authorization: `Bearer ${body.token}` });
    return { status, body, scopes: status === 200 ? (await own('GET', '/api/v1/account/me')).body.scopes : undefined };
  };

  test('has the read and write scopes by default, but never more than its requester', async () => {
    const running = await startTestService();
    const acme = await running.tenant();
    const main = { workspace_name: 'main' };
    expect((await requestFor(running, acme.ask, main)).scopes).toEqual(['read', 'write']);
    const wide = { ...main, scopes: ['manage', 'read'] };
    expect((await requestFor(running, acme.ask, wide)).scopes).toEqual(['read', 'manage']);
    const reader = await narrowed(running, acme, ['read']);
    expect((await requestFor(running, reader, main)).scopes).toEqual(['read']);
    const { status, body } = await requestFor(running, reader, wide);
    expect([status, body.message]).toEqual([403, expect.stringContaining("'manage' scope is required")]);
    const manager = await narrowed(running, acme, ['manage']);
    expect((await requestFor(running, manager, main)).status).toBe(403);
    expect((await requestFor(running, manager, { ...main, scopes: ['manage'] })).scopes).toEqual(['manage']);
  });

  test('can create a workspace only with the manage scope', async () => {
    const running = await startTestService();
    const acme = await running.tenant();
    const reader = await narrowed(running, acme, ['read']);
    const made = { workspace_name: 'new' };
    expect((await requestFor(running, reader, made)).status).toBe(403);
    const { body } = await acme.ask('GET', '/api/v1/workspaces');
    expect(body.data.map(({ name }: any) => name)).toEqual(['main']);
    const manager = await narrowed(running, acme, ['read', 'manage']);
    expect((await requestFor(running, manager, made)).status).toBe(200);
  });
});

describe('an older token without scopes', () => {
  test.each([
    [all, 200],
    [['read'] as const, 403],
  ])('has the scopes of its client: %j', async (scopes, status) => {
    const key = newKey();
    const running = await withClient(scopes, { key });
    const { acme, id, limited, service } = running;
    const { organizationId } = acme;
    const { rows } = await service.state.workspaces.list({ organizationId }, { limit: 1 });
    const { token } = await createTokens(keyRing([key])).issue({
      kind: 'scoped',
      clientId: limited.clientId,
      organizationId,
      workspaceId: rows[0]!.id,
    });
    const ask = createRequester(service, { authorization: `Bearer ${token}` });
    expect((await ask('GET', '/api/v1/account/me')).body).toMatchObject({ token: 'scoped', scopes });
    expect((await ask('DELETE', connectorPath(id))).status).toBe(status);
  });
});
