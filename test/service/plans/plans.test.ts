import { describe, expect, test } from 'vitest';
import { connectorPath, createRequester, execute } from '../http/setup.js';
import { outcomeOf, startWithPlans } from './setup.js';

const writeCursor = ({ createdAt, id }: Record<'createdAt' | 'id', string>) =>
  Buffer.from(JSON.stringify([createdAt, id])).toString('base64url');

const asking = { approval: ['issues.*', '*.update'] };

describe('a prepared write', () => {
  test('becomes a readable plan without anything being sent', async () => {
    const { sandbox, id, agent, create, prepare, credentials } = await startWithPlans();
    const sent = sandbox.requests.length;
    const { status, body, text } = await prepare(agent, { ...create, intent: 'the customer asked', expires_in: 600 });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^pln_\w{22}$/),
      status: 'pending',
      connector_id: id,
      workspace_name: 'main',
      entity: 'issues',
      action: 'create',
      effect: 'write',
      intent: 'the customer asked',
      requested_by: agent.id,
      requested_via: 'http',
      requested_at: '2026-03-02T12:00:00.000Z',
      expires_at: '2026-03-02T12:10:00.000Z',
      approved_by: null,
      refused_by: null,
      reason: null,
      executed_at: null,
      preview: {
        summary: expect.stringMatching(/^issues\.create at Linear through 'Linear': \w/),
        params: create.params,
        request: { method: 'POST', url: expect.stringContaining('linear') },
      },
    });
    expect(text).not.toContain(credentials.api_key.api_key);
    expect(sandbox.requests).toHaveLength(sent);
    expect((await agent.ask('GET', `/api/v1/plans/${body.id}`)).body).toEqual(body);
  });

  test('is executed once, with its own parameters; repeating it returns the stored response', async () => {
    const { agent, create, prepare, carryOut, statusOf, made } = await startWithPlans();
    const { id } = (await prepare()).body;
    const first = await carryOut(agent, id);
    expect(first.body.result.issue.title).toBe(create.params.title);
    expect(await statusOf(id)).toBe('executed');
    const again = await carryOut(agent, id, { params: create.params });
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    expect(await made()).toBe(1);
  });

  test.each([
    ['a read action', { entity: 'issues', action: 'list' }, [422, 'invalid_params']],
    ['an unknown action', { entity: 'issues', action: 'obliterate' }, [422, 'unknown_action']],
    ['too short a lifetime', { entity: 'issues', action: 'create', expires_in: 59 }, [422, 'invalid_params']],
    ['too long a lifetime', { entity: 'issues', action: 'create', expires_in: 86_401 }, [422, 'invalid_params']],
  ])('cannot have %s', async (_, json, expected) => {
    const { agent, prepare } = await startWithPlans();
    expect(outcomeOf(await prepare(agent, json))).toEqual(expected);
  });

  test('cannot be too large to fit in a list of plans', async () => {
    const { agent, create, prepare } = await startWithPlans();
    const params = { ...create.params, description: 'x'.repeat(300_000) };
    expect(outcomeOf(await prepare(agent, { ...create, params }))).toEqual([413, 'too_large']);
  });

  test('can still be executed after failing without being sent', async () => {
    const { sandbox, agent, prepare, carryOut, statusOf, made } = await startWithPlans();
    const { id } = (await prepare()).body;
    sandbox.faults.add({ vendor: 'linear', kind: 'expired_token', count: 1 });
    expect((await carryOut(agent, id)).status).toBe(424);
    expect(await statusOf(id)).toBe('pending');
    expect((await carryOut(agent, id)).status).toBe(200);
    expect(await made()).toBe(1);
  });
});

describe('a policy that requires approval', () => {
  test('rejects a write without an approved plan, and says how to get one', async () => {
    const { sandbox, id, agent, create, policy } = await startWithPlans();
    expect((await policy(asking)).body.data).toMatchObject([{ ...asking, approval_by: 'other', allow: null }]);
    const sent = sandbox.requests.length;
    const planned = await execute(agent, id, 'issues', 'create', create.params, { dry_run: true });
    for (const more of [{}, { plan: planned.body.plan }]) {
      const { body } = await execute(agent, id, 'issues', 'create', create.params, more);
      expect([body.code, body.hint]).toEqual([
        'denied_by_policy',
        expect.stringMatching(new RegExp(`connectors/${id}/execute/prepare.*another client.*plan_id`)),
      ]);
    }
    expect(sandbox.requests).toHaveLength(sent);
    expect((await execute(agent, id, 'issues', 'list', { first: 1 })).status).toBe(200);
    const teamId = create.params.teamId;
    const comment = { issueId: 'ENG-1', body: 'x' };
    expect([teamId, (await execute(agent, id, 'comments', 'create', comment)).status]).toEqual([teamId, 200]);
  });

  test('allows a plan approved by another client to be executed, and each step is logged with its client', async () => {
    const { agent, reviewer, policy, prepare, approve, decide, carryOut, entries, made } = await startWithPlans();
    await policy(asking);
    const { id } = (await prepare()).body;
    const waiting = await carryOut(agent, id);
    expect([waiting.body.code, waiting.body.message]).toEqual(['denied_by_policy', expect.stringContaining(id)]);
    const own = await approve(agent, id);
    expect([own.body.code, own.body.message]).toEqual(['denied_by_policy', expect.stringContaining('another')]);
    const approved = await decide(reviewer, id, 'approve', { reason: 'CANARY-reason' });
    expect(approved.body).toMatchObject({
      status: 'approved',
      approved_by: reviewer.id,
      refused_by: null,
      reason: 'CANARY-reason',
    });
    expect((await carryOut(agent, id)).status).toBe(200);
    expect(await made()).toBe(1);
    const log = (await entries()).filter(({ subject }: any) => subject === id);
    expect(log.map(({ event, outcome, client_id }: any) => [event, outcome, client_id])).toEqual([
      ['plan.prepared', 'success', agent.id],
      ['execute', 'begun', agent.id],
      ['execute', 'denied_by_policy', agent.id],
      ['plan.approved', 'begun', agent.id],
      ['plan.approved', 'denied_by_policy', agent.id],
      ['plan.approved', 'begun', reviewer.id],
      ['plan.approved', 'success', reviewer.id],
      ['execute', 'begun', agent.id],
      ['execute', 'success', agent.id],
    ]);
    expect(new Set(log.map(({ params_digest }: any) => params_digest)).size).toBe(1);
    expect(JSON.stringify(log)).not.toContain('CANARY-51e');
    expect(log.at(-3)).toMatchObject({ intent: 'CANARY-reason' });
  });

  test('logs the approved reason, even if the execution gives a different one', async () => {
    const { agent, create, prepare, carryOut, entries } = await startWithPlans();
    const { id } = (await prepare(agent, { ...create, intent: 'the customer asked' })).body;
    expect((await carryOut(agent, id, { intent: 'something else' })).status).toBe(200);
    const log = (await entries()).filter(({ subject, event }: any) => subject === id && event === 'execute');
    expect(log.map(({ intent }: any) => intent)).toEqual(['the customer asked', 'the customer asked']);
  });

  test('lets the client itself approve if the policy says so, even with a workspace token', async () => {
    const { service, agent, policy, prepare, approve, carryOut } = await startWithPlans();
    await policy({ ...asking, approval_by: 'any' });
    const { body } = await agent.ask('POST', '/api/v1/account/applications/scoped-token', {
      json: { workspace_name: 'main' },
    });
    const scoped = { ask: createRequester(service, { authorization: `Bearer ${body.token}` }) };
    const { id } = (await prepare()).body;
    expect((await approve(scoped, id)).status).toBe(200);
    // Such an approval is not sufficient once the rule becomes stricter.
    await policy(asking);
    expect(outcomeOf(await carryOut(agent, id))).toEqual([403, 'denied_by_policy']);
    await policy({ ...asking, approval_by: 'any' });
    expect((await carryOut(scoped, id)).status).toBe(200);
  });

  test('treats a workspace token as the client that created it', async () => {
    const { service, agent, policy, prepare, approve } = await startWithPlans();
    await policy(asking);
    const { body } = await agent.ask('POST', '/api/v1/account/applications/scoped-token', {
      json: { workspace_name: 'main' },
    });
    const scoped = createRequester(service, { authorization: `Bearer ${body.token}` });
    const { id } = (await prepare()).body;
    expect(outcomeOf(await approve({ ask: scoped }, id))).toEqual([403, 'denied_by_policy']);
  });

  test('is rejected if it has patterns that match no write', async () => {
    const { policy } = await startWithPlans();
    const { status, body } = await policy({ approval: ['issues.create', 'issues.list', 'isues.create'] });
    expect([status, body.errors.map(({ field }: any) => field)]).toEqual([422, ['approval.1', 'approval.2']]);
  });

  test("set on a workspace applies together with the connector's, and the stricter one wins", async () => {
    const { id, agent, policy, prepare, approve } = await startWithPlans();
    await policy({ ...asking, approval_by: 'any' });
    await policy({ approval: ['*.*'], approval_by: 'other', connector_id: id });
    expect(outcomeOf(await approve(agent, (await prepare()).body.id))).toEqual([403, 'denied_by_policy']);
  });
});

describe('a plan', () => {
  test('that was rejected is not executed, and the reason is given', async () => {
    const { agent, reviewer, policy, prepare, approve, decide, carryOut, statusOf, made } = await startWithPlans();
    await policy(asking);
    const { id } = (await prepare()).body;
    const refused = await decide(reviewer, id, 'refuse', { reason: 'Not this quarter.' });
    expect(refused.body).toMatchObject({ status: 'refused', refused_by: reviewer.id, approved_by: null });
    const { body } = await carryOut(agent, id);
    expect([body.code, body.message]).toEqual(['denied_by_policy', expect.stringContaining('(Not this quarter)')]);
    expect(outcomeOf(await approve(reviewer, id))).toEqual([409, 'conflict']);
    // Not even if no policy requires approval any longer.
    await policy({});
    expect(outcomeOf(await carryOut(agent, id))).toEqual([409, 'conflict']);
    expect([await statusOf(id), await made()]).toEqual(['refused', 0]);
  });

  test('that was approved can be refused until it is executed', async () => {
    const { agent, reviewer, policy, prepare, approve, decide, carryOut } = await startWithPlans();
    await policy(asking);
    const first = (await prepare()).body.id;
    await approve(reviewer, first);
    expect((await decide(reviewer, first, 'refuse')).body.status).toBe('refused');
    expect(outcomeOf(await carryOut(agent, first))).toEqual([403, 'denied_by_policy']);
    const second = (await prepare()).body.id;
    await approve(reviewer, second);
    await carryOut(agent, second);
    expect(outcomeOf(await decide(reviewer, second, 'refuse'))).toEqual([409, 'conflict']);
  });

  test('is listed by status, page by page, without its contents', async () => {
    const { clock, id, agent, reviewer, prepare, approve, decide } = await startWithPlans();
    const ids: string[] = [];
    for (let number = 0; number < 5; number += 1) {
      clock.time += 1000;
      ids.unshift((await prepare()).body.id);
    }
    await approve(reviewer, ids[0]!);
    await decide(reviewer, ids[1]!, 'refuse');
    const list = async (query = '') => (await agent.ask('GET', `/api/v1/plans${query}`)).body;
    expect((await list()).data.map((plan: any) => plan.id)).toEqual(ids);
    expect((await list('?status=pending')).data.map((plan: any) => plan.id)).toEqual(ids.slice(2));
    expect((await list(`?status=approved&connector_id=${id}`)).data.map((plan: any) => plan.id)).toEqual([ids[0]]);
    expect((await list('?connector_id=con_other')).data).toEqual([]);
    const first = await list('?limit=3');
    const second = await list(`?limit=3&cursor=${first.next}`);
    expect([...first.data, ...second.data].map((plan: any) => plan.id)).toEqual(ids);
    expect(second.next).toBeNull();
    expect(JSON.stringify(await list())).not.toContain('CANARY');
    clock.time += 3_600_000;
    expect((await list('?status=expired')).data.map((plan: any) => plan.id)).toEqual([ids[0], ...ids.slice(2)]);
    expect((await list('?status=pending')).data).toEqual([]);
  });

  test.each([
    ['an invalid cursor', 'abc'],
    ['a cursor from the connector list', writeCursor({ createdAt: '2026-03-02T12:00:00.000Z', id: 'con_1' })],
    ['a cursor of the job list', writeCursor({ createdAt: '1772452800000', id: 'job_1' })],
    ['a cursor with an invalid time', writeCursor({ createdAt: 'soon', id: 'pln_1' })],
  ])('cannot be listed with %s', async (_, cursor) => {
    const { agent } = await startWithPlans();
    expect(outcomeOf(await agent.ask('GET', `/api/v1/plans?cursor=${cursor}`))).toEqual([422, 'invalid_params']);
  });

  test('is approved by a user in the console, whose session is treated as its client', async () => {
    const { service, agent, reviewer, policy, prepare, carryOut } = await startWithPlans();
    await policy(asking);
    const sessions = service.state.consoleSessions;
    const asSession = async (clientId: string) => {
      const { token } = await sessions.begin(clientId);
      const cookie = `agent-connectors=${token}`;
      return createRequester(service, { cookie, 'x-console': '1', 'sec-fetch-site': 'same-origin' });
    };
    const { id } = (await prepare()).body;
    const approving = `/api/v1/plans/${id}/approve`;
    expect(outcomeOf(await (await asSession(agent.id))('POST', approving))).toEqual([403, 'denied_by_policy']);
    const waiting = await (await asSession(reviewer.id))('GET', '/api/v1/plans?status=pending');
    expect(waiting.body.data).toMatchObject([{ id, requested_by_name: 'read write' }]);
    expect((await (await asSession(reviewer.id))('POST', approving)).body.approved_by).toBe(reviewer.id);
    expect((await carryOut(agent, id)).status).toBe(200);
  });
});

test('a plan cannot be used through another connector', async () => {
  const { acme, credentials, agent, prepare } = await startWithPlans();
  const { id: plan_id } = (await prepare()).body;
  const other = await acme.connect('linear', credentials.api_key, { name: 'Other' });
  const json = { entity: 'issues', action: 'create', plan_id };
  expect((await agent.ask('POST', connectorPath(other, '/execute'), { json })).status).toBe(404);
});
