import { describe, expect, test } from 'vitest';
import { startWithPlans } from '../plans/setup.js';
import { connectorPath, createRequester } from './setup.js';

/** A write that was sent with a key, and one that was executed as a plan. */
async function startWithWrites() {
  const running = await startWithPlans();
  const { agent, id, create, prepare, carryOut, sandbox } = running;
  const plan = (await prepare()).body.id;
  const repeat = {
    'a key': () =>
      agent.ask('POST', connectorPath(id, '/execute'), { json: create, headers: { 'idempotency-key': 'k1' } }),
    'a plan': () => carryOut(agent, plan),
  };
  for (const write of Object.values(repeat)) expect((await write()).status).toBe(200);
  const sent = () => sandbox.requests.filter(({ rootField }) => rootField === 'issueCreate').length;
  return { ...running, repeat, plan, sent };
}

const kinds = ['a key', 'a plan'] as const;

describe.each(kinds)('a stored response to a write with %s', (kind) => {
  test.each([
    ['is read-only', { read_only: true }],
    ['does not allow the action', { allow: ['issues.list'] }],
  ])('is not returned if a policy %s by now', async (_, rule) => {
    const { repeat, policy, entries, sent } = await startWithWrites();
    await policy(rule);
    const refused = await repeat[kind]();
    expect([refused.status, refused.body.code, refused.headers.get('idempotent-replayed')]).toEqual([
      403,
      'denied_by_policy',
      null,
    ]);
    const [last] = (await entries()).filter(({ event }: any) => event !== 'token').slice(-1);
    expect(last).toMatchObject({ event: 'execute.replayed', outcome: 'denied_by_policy' });
    await policy({});
    const again = await repeat[kind]();
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(sent()).toBe(2);
  });

  test('is recorded as a replay, not as another write', async () => {
    const { agent, repeat, plan, entries } = await startWithWrites();
    await repeat[kind]();
    const subject = kind === 'a plan' ? plan : null;
    const log = (await entries()).filter((entry: any) => /^execute/.test(entry.event) && entry.action === 'create');
    const own = log.filter((entry: any) => entry.subject === subject);
    const common = { entity: 'issues', action: 'create', client_id: agent.id, params_digest: own[0].params_digest };
    expect(own).toMatchObject([
      { ...common, event: 'execute', outcome: 'begun', effect: 'write' },
      { ...common, event: 'execute', outcome: 'success', effect: 'write' },
      { ...common, event: 'execute.replayed', outcome: 'success', effect: 'read', begun_as: null },
    ]);
  });

  test('needs no approval, because nothing is sent', async () => {
    const { repeat, policy, sent } = await startWithWrites();
    await policy({ approval: ['issues.*'] });
    expect((await repeat[kind]()).headers.get('idempotent-replayed')).toBe('true');
    expect(sent()).toBe(2);
  });

  test('is withheld from a token of the same client that cannot read', async () => {
    const { ask, service, agent, repeat, plan, id, create, entries, sent } = await startWithWrites();
    const json = { client_id: agent.id, client_secret: agent.secret, scopes: ['write'] };
    const token = (await ask('POST', '/api/v1/account/applications/token', { json })).body.access_token;
    const withheld = await createRequester(service, { authorization: `Bearer ${token}` })(
      'POST',
      connectorPath(id, '/execute'),
      kind === 'a key'
        ? { json: create, headers: { 'idempotency-key': 'k1' } }
        : { json: { entity: create.entity, action: create.action, plan_id: plan } },
    );
    expect([withheld.status, withheld.body.code]).toEqual([403, 'forbidden']);
    expect(withheld.body.hint).toMatch(/Do not send the write again/);
    expect(JSON.stringify(withheld.body)).not.toContain('CANARY');
    const last = (await entries()).filter(({ event }: any) => event !== 'token').at(-1);
    expect(last).toMatchObject({ event: 'execute.replayed', outcome: 'forbidden' });
    expect((await repeat[kind]()).headers.get('idempotent-replayed')).toBe('true');
    expect(sent()).toBe(2);
  });
});
