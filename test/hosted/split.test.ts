import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, test } from 'vitest';
import { failure } from '../failure.js';
import { hostedLinear, issue, serviceDouble, successReply, target } from './double.js';

const found = { data: [{ id: 'i' }], meta: { has_more: false, cursor: null } };

/** A connector with credentials for a sandbox, and a service as well. */
function both() {
  const sandbox = createSandbox({ seed: 7, scale: 0.1 });
  const double = serviceDouble({ execute: () => successReply(found) });
  const fetch: typeof globalThis.fetch = (input, init) =>
    new URL(String(input)).host === 'service.test' ? double.fetch(input, init) : sandbox.fetch(input, init);
  const credentials = sandbox.vendors.linear.credentials.api_key;
  return { sandbox, double, linear: new LinearConnector({ credentials, hosted: target, fetch }), credentials };
}

describe('with credentials and a service', () => {
  test('only sends searches to the service', async () => {
    const { linear, sandbox, double } = both();
    expect((await linear.issues.list({ first: 1 })).data).toHaveLength(1);
    await linear.issues.create({ ...issue, teamId: (await linear.teams.list()).data[0]!.id });
    expect(double.sent).toEqual([]);
    const asked = sandbox.requests.length;
    expect(asked).toBe(3);
    expect(await linear.issues.context_store_search({ query: {} })).toEqual(found);
    expect(sandbox.requests).toHaveLength(asked);
    expect(double.executed.map(({ json }) => json.action)).toEqual(['context_store_search']);
  });

  test("does not send either side the other's credentials", async () => {
    const { linear, sandbox, double, credentials } = both();
    await linear.issues.list({ first: 1 });
    await linear.issues.context_store_search({ query: {} });
    const toService = double.sent.map(({ headers, body }) => JSON.stringify([...headers]) + body).join();
    expect(toService).not.toContain(credentials.api_key);
    expect(JSON.stringify(sandbox.requests)).not.toContain('token-1');
    expect(sandbox.requests.map(({ credential }) => credential)).toEqual(['api_key']);
  });
});

describe('with only a service', () => {
  test('the service handles everything', async () => {
    const { linear, executed } = hostedLinear({
      execute: ({ json }) => successReply(json.action === 'list' ? [] : json.action === 'get' ? { id: 'i' } : found),
    });
    await linear.issues.list();
    await linear.issues.get({ id: 'i' });
    await linear.issues.context_store_search({ query: {} });
    await linear.issues.create(issue);
    expect(executed.map(({ json }) => json.action)).toEqual(['list', 'get', 'context_store_search', 'create']);
  });

  test('nothing is loaded or sent before the first call', () => {
    const { sent } = hostedLinear();
    expect(sent).toEqual([]);
  });
});

test('a custom transport replaces both credentials and service', async () => {
  const transport = async () => ({ data: [{ id: 'own' }], meta: {} });
  const { linear, sent } = hostedLinear({}, { transport });
  expect((await linear.issues.list()).data).toEqual([{ id: 'own' }]);
  expect(sent).toEqual([]);
});

test('without credentials or a service, a search reports what is missing', async () => {
  const error = await failure(new LinearConnector().issues.context_store_search({ query: {} }));
  expect(error.code).toBe('hosted_only');
  expect(error.hint).toContain('hosted: { baseUrl, clientId, clientSecret }');
});

describe('nothing is sent', () => {
  test.each([
    ['for a write on a read-only connector', { readOnly: true }, 'create', issue, 'denied_by_policy'],
    ['for an action that is not allowed', { allow: ['issues.get'] }, 'create', issue, 'denied_by_policy'],
    [
      'for a search that is not allowed',
      { allow: ['*.list'] },
      'context_store_search',
      { query: {} },
      'denied_by_policy',
    ],
    ['with invalid parameters', {}, 'create', { title: 7 }, 'invalid_params'],
    ['for an unknown action', {}, 'lst', {}, 'unknown_action'],
    ['for an invalid search', {}, 'context_store_search', { limit: 0 }, 'invalid_params'],
  ])('%s', async (_, options, action, params, code) => {
    const { linear, sent } = hostedLinear({}, options);
    expect((await failure(linear.execute('issues', action as 'list', params as object))).code).toBe(code);
    expect(sent).toEqual([]);
  });
});
