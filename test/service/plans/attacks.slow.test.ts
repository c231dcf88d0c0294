import { expect, test, vi } from 'vitest';
import { skipBackoff } from '../../../sandbox/src/testing/time.js';
import { connectorPath, startTestService, tenantOf } from '../http/setup.js';
import { newKey } from '../keys.js';
import { bytesIn, newFolder } from '../state/fixtures.js';
import { outcomeOf, startWithPlans } from './setup.js';

const asking = { approval: ['issues.create', 'issues.update'] };

/** An approved plan, ready to be executed. */
async function approved(options: Parameters<typeof startWithPlans>[0] = {}) {
  const running = await startWithPlans(options);
  await running.policy(asking);
  const plan: string = (await running.prepare()).body.id;
  expect((await running.approve(running.reviewer, plan)).status).toBe(200);
  return { ...running, plan };
}

test('ten concurrent executions result in one write', async () => {
  const { agent, plan, carryOut, made } = await approved();
  const answers = await Promise.all(Array.from({ length: 10 }, () => carryOut(agent, plan)));
  const texts = new Set(answers.filter(({ status }) => status === 200).map(({ text }) => text));
  expect(texts.size).toBe(1);
  for (const answer of answers) expect([200, 409]).toContain(answer.status);
  expect(await made()).toBe(1);
});

test('when a refusal and an execution are concurrent, only one succeeds', async () => {
  const { agent, reviewer, plan, carryOut, decide, statusOf, made } = await approved();
  const [executed, refused] = await Promise.all([carryOut(agent, plan), decide(reviewer, plan, 'refuse')]);
  expect([executed.status, refused.status].filter((status) => status === 200)).toHaveLength(1);
  expect(await made()).toBe(executed.status === 200 ? 1 : 0);
  expect(await statusOf(plan)).toBe(executed.status === 200 ? 'executed' : 'refused');
});

test.each([
  ['other parameters', { params: { teamId: 'x', title: 'Other' } }],
  ['empty parameters', { params: {} }],
  ['another action', { action: 'update', params: { id: 'ENG-1', title: 'Other' } }],
  ['another entity', { entity: 'comments' }],
  ['a read', { action: 'list' }],
])('a plan is not executed with %s instead of its own', async (_, more) => {
  const { sandbox, agent, plan, carryOut, statusOf } = await approved();
  const sent = sandbox.requests.length;
  const refused = await carryOut(agent, plan, more);
  expect(refused.body.code).toBe('action' in more && more.action === 'update' ? 'denied_by_policy' : 'conflict');
  expect(sandbox.requests).toHaveLength(sent);
  expect(await statusOf(plan)).toBe('approved');
  expect((await carryOut(agent, plan)).status).toBe(200);
  // Such a request does not get the stored response either.
  expect(outcomeOf(await carryOut(agent, plan, more))).toEqual(outcomeOf(refused));
});

test('only the client that prepared a plan can execute it and see the response', async () => {
  const { agent, reviewer, plan, carryOut, made } = await approved();
  for (const _ of ['before', 'after']) {
    expect(outcomeOf(await carryOut(reviewer, plan))).toEqual([403, 'forbidden']);
    expect((await carryOut(agent, plan)).status).toBe(200);
  }
  expect(await made()).toBe(1);
});

test('a plan expires, whether or not it has been approved', async () => {
  const { clock, agent, reviewer, plan, prepare, approve, carryOut, statusOf, made } = await approved();
  const waiting = (await prepare()).body.id;
  clock.time += 3_600_000;
  expect(outcomeOf(await carryOut(agent, plan))).toEqual([409, 'conflict']);
  expect(outcomeOf(await approve(reviewer, waiting))).toEqual([409, 'conflict']);
  expect([await statusOf(plan), await statusOf(waiting), await made()]).toEqual(['expired', 'expired', 0]);
});

test("a plan's response is replayed even after its expiry, and the write is never repeated", async () => {
  const { clock, agent, plan, carryOut, made } = await approved();
  const first = await carryOut(agent, plan);
  clock.time += 3_600_001;
  expect((await carryOut(agent, plan)).text).toBe(first.text);
  clock.time += 25 * 3_600_000;
  expect(outcomeOf(await carryOut(agent, plan))).toEqual([409, 'conflict']);
  expect(await made()).toBe(1);
});

test('a plan expires when its connector gets new credentials or tokens, and is deleted with the connector', async () => {
  const { id, admin, agent, prepare, reviewer, approve, carryOut, statusOf, credentials, sandbox } = await approved();
  const put = (credentials: object) => admin.ask('PUT', connectorPath(id), { json: { credentials } });
  expect((await put(credentials.access_token)).status).toBe(200);
  const plan = (await prepare()).body.id;
  await approve(reviewer, plan);
  // These are the same credentials, but setting credentials can mean switching to a different account.
  expect((await put(credentials.access_token)).status).toBe(200);
  const sent = sandbox.requests.length;
  expect(outcomeOf(await carryOut(agent, plan))).toEqual([409, 'conflict']);
  expect([await statusOf(plan), sandbox.requests.length]).toEqual(['expired', sent]);
  await admin.ask('DELETE', connectorPath(id));
  expect((await agent.ask('GET', `/api/v1/plans/${plan}`)).status).toBe(404);
});

test("if credentials change while a plan's execution fails, the plan expires", async () => {
  const { id, admin, agent, plan, carryOut, credentials, sandbox, statusOf } = await approved();
  sandbox.faults.add({ vendor: 'linear', kind: 'expired_token', count: 1 });
  const [, changed] = await Promise.all([
    carryOut(agent, plan),
    admin.ask('PUT', connectorPath(id), { json: { credentials: credentials.api_key } }),
  ]);
  expect([changed.status, ['expired', 'executed'].includes(await statusOf(plan))]).toEqual([200, true]);
  expect((await carryOut(agent, plan)).status).not.toBe(200);
});

test('a plan is not executed if its approver has lost the right to approve', async () => {
  const { service, agent, reviewer, plan, prepare, approve, carryOut, made } = await approved();
  await service.state.clients.setScopes(reviewer.id, ['read']);
  expect(outcomeOf(await carryOut(agent, plan))).toEqual([403, 'denied_by_policy']);
  await service.state.clients.setScopes(reviewer.id, ['read', 'write']);
  const second = (await prepare()).body.id;
  await approve(reviewer, second);
  await service.state.clients.delete(reviewer.id);
  expect(outcomeOf(await carryOut(agent, second))).toEqual([403, 'denied_by_policy']);
  expect(await made()).toBe(0);
});

test('a read-only caller cannot approve, reject or see plans', async () => {
  const { program, policy, prepare, decide, entries } = await startWithPlans();
  await policy(asking);
  const { id } = (await prepare()).body;
  const reader = await program(['read', 'manage', 'admin']);
  for (const decision of ['approve', 'refuse'] as const) {
    expect(outcomeOf(await decide(reader, id, decision))).toEqual([403, 'forbidden']);
  }
  for (const path of [`/api/v1/plans/${id}`, '/api/v1/plans']) {
    expect(outcomeOf(await reader.ask('GET', path))).toEqual([403, 'forbidden']);
  }
  expect((await entries()).some(({ event }: any) => /approved|refused/.test(event))).toBe(false);
});

test('a write that a policy denies can be neither prepared nor approved', async () => {
  const { agent, reviewer, policy, prepare, approve, plan, carryOut } = await approved();
  const waiting = (await prepare()).body.id;
  await policy({ ...asking, read_only: true });
  expect(outcomeOf(await prepare())).toEqual([403, 'denied_by_policy']);
  expect(outcomeOf(await approve(reviewer, waiting))).toEqual([403, 'denied_by_policy']);
  expect(outcomeOf(await carryOut(agent, plan))).toEqual([403, 'denied_by_policy']);
});

test('another tenant, and another workspace, cannot see any part of a plan', async () => {
  const { service, ask, admin, plan, statusOf, id } = await approved();
  const other = await tenantOf(service, 'Other');
  const { body } = await admin.ask('POST', '/api/v1/account/applications/scoped-token', {
    json: { workspace_name: 'second', scopes: ['read', 'write', 'manage', 'admin'] },
  });
  const scoped: typeof ask = (method, path, sent = {}) =>
    ask(method, path, { ...sent, headers: { authorization: `Bearer ${body.token}` } });
  const nobodys = plan.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'));
  for (const stranger of [other.ask, scoped]) {
    expect((await stranger('GET', '/api/v1/plans')).body.data).toEqual([]);
    expect((await stranger('GET', `/api/v1/plans?connector_id=${id}`)).body.data).toEqual([]);
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/approve'],
      ['POST', '/refuse'],
    ] as const) {
      const told = async (name: string) => {
        const { status, body } = await stranger(method, `/api/v1/plans/${name}${path}`);
        return [status, JSON.stringify({ ...body, request_id: '' }).replace(name, 'ID')];
      };
      expect(await told(plan)).toEqual(await told(nobodys));
      expect((await told(plan))[0]).toBe(404);
    }
  }
  const own = await other.connect('linear');
  const json = { entity: 'issues', action: 'create', plan_id: plan };
  expect((await other.ask('POST', connectorPath(own, '/execute'), { json })).status).toBe(404);
  expect(await statusOf(plan)).toBe('approved');
});

test('after a lost response, a retried plan is looked up and not executed twice', async () => {
  skipBackoff();
  const { sandbox, agent, plan, carryOut, made } = await approved();
  sandbox.faults.add({ vendor: 'linear', kind: 'reset_after', count: 10 });
  const lost = await carryOut(agent, plan);
  expect(lost.body.code).toBe('unknown_outcome');
  sandbox.faults.clear();
  expect((await carryOut(agent, plan)).status).toBe(200);
  expect(await made()).toBe(1);
});

test("a client's own idempotency key never collides with a plan's, and is not required", async () => {
  const { agent, id, plan, create, made, policy } = await approved();
  await policy({});
  const call = (json: object, key: string) =>
    agent.ask('POST', connectorPath(id, '/execute'), { json, headers: { 'idempotency-key': key } });
  expect((await call(create, plan)).status).toBe(200);
  const { entity, action } = create;
  expect((await call({ entity, action, plan_id: plan }, plan)).headers.get('idempotent-replayed')).toBeNull();
  expect((await call({ entity, action, plan_id: plan }, 'k2')).headers.get('idempotent-replayed')).toBe('true');
  expect(await made()).toBe(2);
});

test('a plan cannot be combined with another plan or a dry run', async () => {
  const { agent, plan, carryOut } = await approved();
  for (const more of [{ dry_run: true }, { plan: {} }]) {
    expect(outcomeOf(await carryOut(agent, plan, more))).toEqual([422, 'invalid_params']);
  }
});

test("a plan's contents are encrypted on disk", async () => {
  const dataFolder = newFolder();
  const { service } = await approved({ dataFolder, dev: false, key: newKey() });
  await service.close();
  expect(bytesIn(dataFolder).includes('CANARY-51e')).toBe(false);
});

test('a connector has at most 200 pending plans, and at most 50 per client', async () => {
  const { service, acme, id, agent, reviewer, admin, prepare, decide, plan } = await approved();
  const scope = { organizationId: acme.organizationId };
  const row = (await service.state.connectors.get(scope, id))!;
  const content = (await service.state.plans.content({ ...scope, id: plan }))!;
  const fill = async (requestedBy: string, count: number) => {
    for (let number = 0; number < count; number += 1) {
      await service.state.plans.create(row, {
        id: `pln_${requestedBy}${number}`,
        entity: 'issues',
        action: 'create',
        effect: 'write',
        content,
        lifetimeMs: 60_000,
        requestedBy,
        requestedVia: 'http',
        paramsDigest: '',
      });
    }
  };
  await fill(agent.id, 49);
  expect(outcomeOf(await prepare())).toEqual([409, 'conflict']);
  const another = await prepare(reviewer);
  expect(another.status).toBe(200);
  await decide(reviewer, plan, 'refuse');
  expect((await prepare()).status).toBe(200);
  for (const client of ['cli_1', 'cli_2']) await fill(client, 50);
  await fill('cli_3', 49);
  expect(outcomeOf(await prepare(admin))).toEqual([409, 'conflict']);
  await decide(reviewer, another.body.id, 'refuse');
  expect((await prepare(admin)).status).toBe(200);
});

test("a write started in another process before its connector was deleted remains subject to the connector's policies", async () => {
  const folder = { dataFolder: newFolder(), key: newKey() };
  const { sandbox, admin, id, policy, create } = await startWithPlans(folder);
  await policy(asking, { connector_id: id });
  const other = await startTestService({ ...folder, fetch: sandbox.fetch });
  const json = { client_id: admin.id, client_secret: admin.secret };
  const { body } = await other.ask('POST', '/api/v1/account/applications/token', { json });
  const send = (call: object) =>
    other.ask('POST', connectorPath(id, '/execute'), {
      json: call,
      headers: { authorization: `Bearer ${body.access_token}` },
    });
  // From here on, the other process's live connector needs no credentials.
  expect((await send({ entity: 'teams', action: 'list' })).status).toBe(200);
  const { audit } = other.service.state;
  const { record } = audit;
  let deletion: unknown;
  vi.spyOn(audit, 'record').mockImplementationOnce(async (entry) => {
    deletion = outcomeOf(await admin.ask('DELETE', connectorPath(id)));
    return record(entry);
  });
  const sent = sandbox.requests.length;
  const answer = await send(create);
  expect(deletion).toEqual([200, undefined]);
  // The other process learns of the deletion within a second; until then, the policies it knows apply.
  expect(outcomeOf(answer)).toEqual([403, 'denied_by_policy']);
  expect(sandbox.requests).toHaveLength(sent);
});
