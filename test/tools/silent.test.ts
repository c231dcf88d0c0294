import { GranolaConnector } from 'agent-connectors/granola';
import { LinearConnector } from 'agent-connectors/linear';
import { expect, test, vi } from 'vitest';
import { startReplicatingService, waitForNewestJob } from '../service/replication/setup.js';
import { outsideOf, toolsOf } from './setup.js';

/** Tools for two connectors of a service that has replicated both. */
async function replicatedTools() {
  const { acme, linear, sandbox, service } = await startReplicatingService();
  const issues = await linear({ replication_config: { entities: ['issues'] } });
  const notes = await acme.connect('granola', sandbox.vendors.granola.credentials.api_key);
  for (const id of [issues, notes]) await waitForNewestJob(acme, id);
  const { clientId, clientSecret, workspace } = acme;
  const fetch = ((input: RequestInfo | URL, init?: RequestInit) =>
    service.fetch(new Request(input, init))) as typeof globalThis.fetch;
  const hosted = { baseUrl: 'https://service.test', clientId, clientSecret, workspace };
  return { linear: new LinearConnector({ hosted, fetch }), granola: new GranolaConnector({ hosted, fetch }) };
}

let connectors: Awaited<ReturnType<typeof replicatedTools>>;

const run = (call: { connector: string; entity: string; params?: object; action?: string; select_fields?: string[] }) =>
  toolsOf(connectors).execute.run({ action: 'context_store_search', ...call });
const issues = (params: object, more: object = {}) => run({ connector: 'linear', entity: 'issues', params, ...more });
const notes = (params: object, more: object = {}) => run({ connector: 'granola', entity: 'notes', params, ...more });

/**
 * Calls that once returned a wrong result without a warning. They share one service, as its replica is slow to create.
 */
const cases: Readonly<Record<string, () => Promise<void>>> = {
  'a selection that no record can have': async () => {
    const { text, isError } = await issues({}, { action: 'list', select_fields: ['id', 'assignee.nam'] });
    expect(isError).toBe(true);
    expect(text).toContain("'assignee.nam' is not a field. Did you mean 'assignee.name'?");
  },

  'one of a search': async () => {
    const { text, isError } = await issues({ query: {} }, { select_fields: ['titel'] });
    expect(isError).toBe(true);
    expect(text).toContain("Did you mean 'title'?");
  },

  'one that is nowhere in the result': async () => {
    const { text, isError } = await issues({ query: {}, limit: 3 }, { select_fields: ['id', 'state.nme'] });
    expect(isError).toBe(false);
    expect(text).toContain("'state.nme' has no value in any of these 3 records; did you mean 'state.name'?");
  },

  'fields of the elements of a list, which select_fields gives too': async () => {
    const byFields = await notes({ query: {}, limit: 3, fields: ['id', 'attendees.email'] });
    const bySelection = await notes({ query: {}, limit: 3 }, { select_fields: ['id', 'attendees.email'] });
    expect((byFields.data as any).data).toEqual((bySelection.data as any).data);
    expect((byFields.data as any).data[0].attendees[0]).toEqual({ email: expect.stringContaining('@') });
  },

  'a count of groups, which the concise view must not take for a field of a record': async () => {
    const { text } = await issues({ query: { groupBy: ['state.name'], count: true } });
    expect(text).toMatch(/^state\.name\|count$/m);
    expect(text).toMatch(/^Done\|\d+$/m);
  },

  'a condition on a path that no record has': async () => {
    const { text, isError } = await issues({ query: { filter: { eq: { 'state.nme': 'Done' } } } });
    expect(isError).toBe(true);
    expect(text).toContain('state.name');
  },

  'a condition on the elements of a list': async () => {
    const [{ attendees }] = ((await notes({ query: {}, limit: 1 }, { select_fields: ['attendees'] })).data as any).data;
    const [{ email }] = attendees;
    const found = await notes({ query: { filter: { contains: { attendees: { email } } } } }, { select_fields: ['id'] });
    expect((found.data as any).data.length).toBeGreaterThan(0);
  },

  'advice in an error is a filter that works': async () => {
    const { text } = await issues({ query: { filter: { eq: { state: 'Done' } } } });
    const [, advised] = /(\{"eq":\{"state\.name":"Done"\}\})/.exec(text) ?? [];
    expect(advised, text).toBeDefined();
    expect((await issues({ query: { filter: JSON.parse(advised!) } })).isError).toBe(false);
  },

  'a write that would not be sent is nobody’s to approve': async () => {
    const approve = vi.fn(() => true);
    const { execute } = toolsOf(connectors, { approve });
    const create = { connector: 'linear', entity: 'issues', action: 'create', params: { titel: 'x' } };
    const { text } = await execute.run(create);
    expect(text).toMatch(/^Failed: invalid_params/);
    expect(approve).not.toHaveBeenCalled();
  },

  'nothing is found: the text outside of the marks says so, in words': async () => {
    const { text, isError } = await issues({ query: { filter: { eq: { 'state.name': 'done' } } } });
    expect(isError).toBe(false);
    expect(outsideOf(text)).toMatch(/0 of \d+ issues|Nothing matches query/);
  },
};

test('no wrong result goes unreported', async () => {
  connectors = await replicatedTools();
  for (const check of Object.values(cases)) await check();
});
