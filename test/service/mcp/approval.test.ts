import type { ClientOptions } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { type Era, eras, textOf } from '../../mcp/setup.js';
import { createRequester, readResponse, requestTo } from '../http/setup.js';
import { execute, executeWrite, mainWorkspaceHeaders, startMcpService } from './setup.js';

/** A tenant whose writes need approval, an agent that writes over MCP, and a reviewer. */
async function startGuarded(era: Era = 'modern', options?: ClientOptions) {
  const { server, sandbox, tenant, connect } = await startMcpService({ mcpAllowWrites: true });
  const acme = await tenant();
  const { client, secret } = await server.state.clients.create('Reviewer', [acme.organizationId]);
  const answer = await server.fetch(
    requestTo('/api/v1/account/applications/token', 'POST', {
      json: { client_id: client.id, client_secret: secret },
    }),
  );
  const reviewer = createRequester(server, {
    authorization: `Bearer ${(await readResponse(answer)).body.access_token}`,
  });
  await reviewer('PUT', '/api/v1/policies', { json: { workspace_name: 'main', approval: ['issues.create'] } });
  const agent = await connect(acme.token, mainWorkspaceHeaders, era, options);
  const call = async (args: { readonly action: string; readonly [name: string]: unknown }) => {
    const run = args.action === 'create' ? executeWrite : execute;
    const result = await agent.callTool(run({ connector: 'linear', ...args }));
    return { isError: result.isError === true, text: textOf(result), data: (result.structuredContent as any)?.data };
  };
  const teams = await call({ entity: 'teams', action: 'list' });
  const create = { entity: 'issues', action: 'create', params: { teamId: teams.data[0].id, title: 'By an agent' } };
  const plans = async (query = '') => (await reviewer('GET', `/api/v1/plans${query}`)).body.data;
  return { sandbox, acme, reviewer, agent, call, create, plans };
}

test('an agent is told which plan awaits approval, and executes it with the same call after approval', async () => {
  const { sandbox, acme, reviewer, call, create, plans } = await startGuarded();
  const sent = sandbox.requests.length;
  const first = await call({ ...create, intent: 'the customer asked' });
  const [plan] = await plans();
  expect(plan).toMatchObject({ status: 'pending', requested_by: acme.clientId, requested_via: 'mcp' });
  expect(first).toMatchObject({ isError: true, text: expect.stringMatching(/denied_by_policy.*console/s) });
  expect(first.text).toContain(plan.id);
  // Repeating the call refers to the same plan.
  expect((await call(create)).text).toContain(plan.id);
  expect(await plans()).toHaveLength(1);
  expect(sandbox.requests).toHaveLength(sent);
  const approved = await reviewer('POST', `/api/v1/plans/${plan.id}/approve`);
  expect(approved.body).toMatchObject({ status: 'approved', intent: 'the customer asked' });
  const done = await call(create);
  expect([done.isError, done.data.issue.title]).toEqual([false, 'By an agent']);
  // The next write of the same kind needs its own plan.
  expect((await call(create)).isError).toBe(true);
  expect((await plans()).map(({ status }: any) => status)).toEqual(['pending', 'executed']);
  const log = (await reviewer('GET', '/api/v1/audit?limit=1000')).body.data.reverse();
  expect(
    log.filter(({ subject }: any) => subject === plan.id).map(({ event, via, outcome }: any) => [event, via, outcome]),
  ).toEqual([
    ['plan.prepared', 'mcp', 'success'],
    ['execute', 'mcp', 'begun'],
    ['execute', 'mcp', 'denied_by_policy'],
    ['execute', 'mcp', 'begun'],
    ['execute', 'mcp', 'denied_by_policy'],
    ['plan.approved', 'http', 'begun'],
    ['plan.approved', 'http', 'success'],
    ['execute', 'mcp', 'begun'],
    ['execute', 'mcp', 'success'],
  ]);
});

test('an agent whose plan was refused is told why, and does not create another plan', async () => {
  const { reviewer, call, create, plans } = await startGuarded();
  await call(create);
  const [plan] = await plans();
  await reviewer('POST', `/api/v1/plans/${plan.id}/refuse`, { json: { reason: 'Not this quarter' } });
  const refused = await call(create);
  expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('(Not this quarter)') });
  expect(await plans()).toHaveLength(1);
  // A different write creates another plan.
  await call({ ...create, params: { ...create.params, title: 'Other' } });
  expect(await plans('?status=pending')).toHaveLength(1);
});

test('concurrent calls create one plan, which is executed once; the others get its result or are told why not', async () => {
  const { sandbox, reviewer, call, create, plans } = await startGuarded();
  const first = await Promise.all([call(create), call(create), call(create)]);
  const [plan, ...others] = await plans();
  expect(others).toEqual([]);
  for (const { text } of first) expect(text).toContain(plan.id);
  await reviewer('POST', `/api/v1/plans/${plan.id}/approve`);
  const second = await Promise.all([call(create), call(create), call(create)]);
  expect(sandbox.requests.filter(({ rootField }) => rootField === 'issueCreate')).toHaveLength(1);
  // A call that finds the plan executed gets the stored response; how many do depends on their order.
  const succeeded = second.filter(({ isError }) => !isError);
  expect(new Set(succeeded.map(({ data }) => data.issue.id)).size).toBe(1);
  for (const { isError, text } of second) if (isError) expect(text).toMatch(/^Failed: (conflict|denied_by_policy) in/);
  expect((await plans('?status=executed')).map(({ id }: any) => id)).toEqual([plan.id]);
});

test('each write of a batch gets its own plan, and the same batch sends those that are approved, once', async () => {
  const { sandbox, reviewer, agent, create, plans } = await startGuarded();
  const comment = { entity: 'comments', action: 'create', params: { issueId: 'ENG-1', body: 'x' } };
  const issue = (title: string) => ({ ...create, params: { ...create.params, title } });
  const calls = [comment, issue('One'), issue('Two')].map((call, index) => ({
    ...call,
    connector: 'linear',
    key: `key-${index}`,
  }));
  const run = async () => textOf(await agent.callTool({ name: 'execute_write', arguments: { calls } }));
  expect(await run()).toContain('3 writes: 1 done, 2 failed.');
  const pending = await plans('?status=pending');
  expect(pending).toHaveLength(2);
  for (const { id } of pending) await reviewer('POST', `/api/v1/plans/${id}/approve`);
  for (let times = 0; times < 2; times++) expect(await run()).toContain('3 writes: 3 done.');
  const sent = sandbox.requests.map(({ rootField }) => rootField);
  expect(sent.filter((field) => field === 'issueCreate' || field === 'commentCreate')).toHaveLength(3);
  expect(await plans()).toHaveLength(2);
});

test('reads, and writes that require no approval, are executed immediately', async () => {
  const { call, plans } = await startGuarded();
  const comment = { entity: 'comments', action: 'create', params: { issueId: 'ENG-1', body: 'x' } };
  expect((await call(comment)).isError).toBe(false);
  expect((await call({ entity: 'issues', action: 'list', params: { first: 1 } })).isError).toBe(false);
  expect(await plans()).toEqual([]);
});

test.each(eras)('a %s-era client asks its user about a write, unless a reviewer has to approve it', async (era) => {
  const { agent, call, create, plans, sandbox } = await startGuarded(era, { capabilities: { elicitation: {} } });
  const asked: string[] = [];
  agent.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params.message.split('\n')[0]!);
    return { action: asked.length === 1 ? 'decline' : 'accept', content: { confirm: true } };
  });
  const comment = { entity: 'comments', action: 'create', params: { issueId: 'ENG-1', body: 'x' } };
  const sent = sandbox.requests.length;
  expect((await call(comment)).text).toContain('declined it');
  expect(sandbox.requests).toHaveLength(sent);
  expect((await call(comment)).isError).toBe(false);
  expect((await call(create)).text).toContain((await plans())[0].id);
  const question = 'Allow comments.create in Linear (connector linear)?';
  expect(asked).toEqual([question, question]);
});
