import { expect, test } from 'vitest';
import { connectorPath, execute } from '../http/setup.js';
import { hitsOf, searchEntity, startReplicatingService, waitForNewestJob } from './setup.js';

/** Replicates Linear's issues. */
async function replicatedIssues() {
  const { acme, linear } = await startReplicatingService();
  const id = await linear({ replication_config: { entities: ['issues'] } });
  await waitForNewestJob(acme, id);
  const search = (params: object, more: Parameters<typeof execute>[5] = {}) =>
    execute(acme, id, 'issues', 'context_store_search', params, more);
  return { acme, id, search };
}

const peer = { headers: { 'x-adp-agent-sdk': 'airbyte-agent-sdk' } };

test('fields are accepted in snake_case, and returned under the requested names', async () => {
  const { acme, id, search } = await replicatedIssues();
  const [issue] = hitsOf(await searchEntity(acme, id, 'issues', { query: {}, limit: 1 }));
  const { createdAt, assigneeId, title, id: key } = issue;

  const fields = ['id', 'assigneeId', 'created_at', 'title_'];
  const sort = [{ updated_at: 'desc' }];
  const filter = { and: [{ eq: { created_at: createdAt } }, { not: { neq: { id: key } } }] };
  const { body } = await search({ query: { filter, sort }, fields });
  expect(body.result.data).toEqual([{ id: key, assigneeId, created_at: createdAt, title_: title }]);
  expect(Number.isInteger(body.result.meta.took_ms)).toBe(true);

  const [all] = hitsOf(await search({ query: { filter: { eq: { created_at: createdAt } } }, limit: 1 }));
  const { createdAt: _, ...others } = issue;
  expect(all).toEqual({ ...others, created_at: createdAt });

  const by = (names: Parameters<typeof execute>[5]) => search({ query: {}, limit: 1 }, names).then(hitsOf);
  expect(await by({ select_fields: ['created_at', 'assigneeId'] })).toEqual([{ created_at: createdAt, assigneeId }]);
  expect(Object.keys((await by({ exclude_fields: ['created_at'] }))[0])).not.toContain('createdAt');
});

test('aggregates can have any name, including the snake_case name of a field', async () => {
  const { search } = await replicatedIssues();
  const aggregates = { updated_at: { max: 'updatedAt' }, due_date: { max: 'dueDate' } };
  const query = { groupBy: 'due_date', aggregates, sort: [{ updated_at: 'desc' }] };
  const groups = hitsOf(await search({ query }));
  const latest = groups.map(({ updated_at }: any) => updated_at);
  expect(latest).toEqual([...latest].sort().reverse());
  expect(groups.map(({ due_date }: any) => due_date)).toEqual(groups.map(({ dueDate }: any) => dueDate));
  expect(groups.length).toBeGreaterThan(2);
});

test('an empty search describes fields by their requested names, whichever fields it returns', async () => {
  const { search } = await replicatedIssues();
  const query = { filter: { eq: { due_date: '1990-01-01' } } };
  for (const params of [{ query }, { query, fields: ['title'] }])
    expect(Object.keys((await search(params)).body.result.meta.empty.fields)).toEqual(['due_date']);
});

test('a snake_case client gets all fields in snake_case, except those it requests under other names', async () => {
  const { search } = await replicatedIssues();
  const [issue] = hitsOf(await search({ query: {}, limit: 1 }, peer));
  expect(Object.keys(issue)).toEqual(expect.arrayContaining(['created_at', 'assignee_id', 'sub_issue_sort_order']));
  expect(Object.keys(issue).filter((name) => /[A-Z]/.test(name))).toEqual([]);
  const [named] = hitsOf(await search({ query: { sort: [{ createdAt: 'asc' }] }, limit: 1 }, peer));
  expect(Object.keys(named)).toEqual(expect.arrayContaining(['createdAt', 'updated_at']));
});

test('a snake_case client also gets type as type_, as in its models', async () => {
  const { acme, linear } = await startReplicatingService();
  const id = await linear({ replication_config: { entities: ['workflow_states'] } });
  await waitForNewestJob(acme, id);
  const params = { query: {}, limit: 1 };
  const [state] = hitsOf(await execute(acme, id, 'workflow_states', 'context_store_search', params, peer));
  expect(state).toMatchObject({ type: expect.any(String), type_: state.type });
  const [plain] = hitsOf(await execute(acme, id, 'workflow_states', 'context_store_search', params));
  expect(Object.keys(plain)).not.toContain('type_');
});

test('a snake_case client gets objects where its models expect them, and can filter by ids of any length', async () => {
  const { acme, sandbox } = await startReplicatingService();
  const id = await acme.connect('gong', sandbox.vendors.gong.credentials.basic, {
    replication_config: { entities: ['calls_extensive'] },
  });
  await waitForNewestJob(acme, id);
  const params = { query: {}, limit: 20, fields: ['id', 'context'] };
  const plain = hitsOf(await execute(acme, id, 'calls_extensive', 'context_store_search', params));
  const calls = hitsOf(await execute(acme, id, 'calls_extensive', 'context_store_search', params, peer));
  expect(plain.filter(({ context }) => context?.[0]?.system === 'Salesforce').length).toBeGreaterThan(0);
  expect(calls).toEqual(plain.map((one) => ({ ...one, context: one.context && { items: one.context } })));
  // The ids have 19 digits, and such a client sends them as numbers.
  const body = JSON.stringify({
    entity: 'calls_extensive',
    action: 'context_store_search',
    params: {
      query: {
        filter: { eq: { id: 'ID' } },
      },
    },
  });
  const [{ id: call }] = plain;
  const found = await acme.ask('POST', connectorPath(id, '/execute'), {
    raw: body.replace('"ID"', call),
    headers: { 'content-type': 'application/json' },
  });
  expect(hitsOf(found).map((one) => one.id)).toEqual([call]);
});

test('paths are accepted as lists of names', async () => {
  const { search } = await replicatedIssues();
  const { body } = await search({ query: {}, limit: 1, fields: [['id'], ['state', 'name'], ['created_at']] });
  expect(body.result.data).toEqual([
    { id: expect.any(String), state: { name: expect.any(String) }, created_at: expect.any(String) },
  ]);
  for (const path of [[], ['state', 1], [''], ['state.name', 'x'], ['nothing']]) {
    const refused = await search({ query: {}, fields: [path] });
    expect([refused.status, refused.body.errors[0].field], JSON.stringify(path)).toEqual([422, 'fields.0']);
  }
});

test('a semantic search also accepts both names', async () => {
  const { search } = await replicatedIssues();
  const [issue] = hitsOf(await search({ query: { filter: { neq: { description: null } } }, limit: 1 }));
  const { body } = await search({
    semantic: { prompt: issue.description.slice(0, 80), filter: { lte: { created_at: issue.createdAt } } },
    fields: [['created_at'], 'identifier'],
  });
  expect(Object.keys(body.result.data[0].entity)).toEqual(['identifier', 'created_at']);
});

test('using both names of a field in one object is rejected', async () => {
  const { search } = await replicatedIssues();
  const both = await search({ query: { filter: { eq: { createdAt: '2026-01-01', created_at: '2026-01-02' } } } });
  expect([both.status, both.body.errors[0].field]).toEqual([422, 'query.filter.eq.created_at']);
});

test("a search's fields and a call's select_fields select the same data; invalid ones are noted or rejected", async () => {
  const { search } = await replicatedIssues();
  const params = { query: {}, limit: 20 };
  const byFields = (await search({ ...params, fields: ['id', 'state.name'] })).body.result;
  const bySelection = (await search(params, { select_fields: ['id', 'state.name', 'state.nme'] })).body.result;
  expect(byFields.data).toEqual(bySelection.data);
  expect(bySelection.meta.notes).toEqual([expect.stringMatching(/'state.nme' .*; did you mean 'state.name'\?$/)]);
  const refused = await search({ ...params, fields: ['id', 'state.nme'] });
  expect([refused.status, refused.body.message]).toEqual([422, expect.stringContaining("'state.name'")]);
});

test('a selection that cannot match any search result is rejected', async () => {
  const { search } = await replicatedIssues();
  const refused = await search({ query: {} }, { select_fields: ['titel'] });
  expect([refused.status, refused.body.errors[0].field]).toEqual([422, 'select_fields']);
  expect(refused.text).toContain("Did you mean 'title'?");
});
