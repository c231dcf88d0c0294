import { LinearConnector } from 'agent-connectors/linear';
import { describe, expect, it, test } from 'vitest';
import * as z from 'zod';
import { checkParams } from '../../src/action/params.js';
import { failure } from '../failure.js';
import { fakeFetch, json } from './fake-fetch.js';
import { shelf } from './shelf.js';

const { fetch, sent } = fakeFetch(() => json({ books: [] }));
const connector = shelf(fetch) as any;
const linear = new LinearConnector({ credentials: { api_key: 'lin_api_0123456789' }, fetch }) as any;

/** The error of a call that must not have sent anything. */
async function refusal(call: () => Promise<unknown>) {
  const before = sent.length;
  const error = await failure(call);
  expect(sent).toHaveLength(before);
  return error;
}

const listIssues = async (params: unknown) => {
  const error = await refusal(() => connector.execute('books', 'list', params));
  expect(error).toMatchObject({ code: 'invalid_params', docs: 'actions.books.list', retryable: false });
  return error.issues!;
};

test('a long list of invalid items is not validated to its end', () => {
  let checked = 0;
  const item = z.string().refine(() => {
    checked += 1;
    return false;
  }, 'must be something else');
  const schema = z.strictObject({ nested: z.strictObject({ names: z.array(item) }) });
  const names = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);
  const check = (count: number) => checkParams(schema, { nested: { names: names(count) } }, 'books.list');
  expect(() => check(100_000)).toThrow(/^books\.list: nested\.names\.0 must be something else; .*; and more\.$/);
  expect(checked).toBeLessThan(200);
  checked = 0;
  expect(() => check(40)).toThrow(/nested\.names\.39 must be something else\.$/);
  expect(checked).toBe(40);
});

describe('parameters', () => {
  it('reports all faults together, each with its path, and lists them all in the message', async () => {
    const error = await refusal(() =>
      linear.execute('issues', 'create', { title: '', priority: 9, teamID: 'x', stateId: 4 }),
    );
    expect(error.code).toBe('invalid_params');
    expect(error.issues!.map(({ path }) => path).sort()).toEqual(['priority', 'stateId', 'teamID', 'teamId', 'title']);
    for (const { path } of error.issues!) expect(error.message).toContain(path);
    expect(error.message).toContain('issues.create');
    expect(error.docs).toBe('actions.issues.create');
  });

  it('are captured when the call is made, whatever the caller does with them later', async () => {
    const { fetch: own, sent: requests } = fakeFetch(() => json({ data: { issues: { nodes: [], pageInfo: {} } } }));
    const calling = new LinearConnector({ credentials: { api_key: 'lin_api_0123456789' }, fetch: own });
    const params = { first: 1 };
    const calls = [calling.execute('issues', 'list', params)];
    params.first = 2;
    calls.push(calling.execute('issues', 'list', params));
    params.first = 999;
    await Promise.allSettled(calls);
    expect(requests.map((one) => one.json.variables.first)).toEqual([1, 2]);
  });

  it('says that a parameter is required', async () => {
    const { issues } = await refusal(() => linear.execute('issues', 'get', {}));
    expect(issues).toEqual([{ path: 'id', message: 'is required (string)' }]);
  });

  it('says that a nested parameter is required, with its dotted path', async () => {
    expect(await listIssues({ within: {} })).toEqual([{ path: 'within.from', message: 'is required (number)' }]);
  });

  it('says which type is required', async () => {
    expect(await listIssues({ size: '10', tags: 'a', within: 3 })).toEqual([
      { path: 'size', message: 'must be a number' },
      { path: 'tags', message: 'must be an array' },
      { path: 'within', message: 'must be an object' },
    ]);
  });

  it('says which array element is invalid', async () => {
    expect(await listIssues({ tags: ['a', 2] })).toEqual([{ path: 'tags.1', message: 'must be a string' }]);
  });

  it.each([
    [{ size: 0 }, 'must be at least 1'],
    [{ size: 101 }, 'must be at most 100'],
    [{ size: 1.5 }, 'must be an integer'],
    [{ size: Number.NaN }, 'must be a number'],
    [{ tags: [] }, 'must not be empty'],
    [{ cursor: '' }, 'must not be empty'],
    [{ language: 'fr' }, 'must be one of "de", "en"'],
    [{ since: '2026-02-30' }, 'must be a valid date (YYYY-MM-DD)'],
    [{ since: 'yesterday' }, 'must be a valid date (YYYY-MM-DD)'],
  ])('rejects %j', async (params, message) => {
    expect(await listIssues(params)).toEqual([{ path: Object.keys(params)[0], message }]);
  });

  it('suggests the closest parameter, and lists the valid ones', async () => {
    const [issue] = await listIssues({ sizes: 3 });
    expect(issue).toMatchObject({ path: 'sizes' });
    expect(issue!.message).toContain("Did you mean 'size'?");
    expect(issue!.message).toContain('cursor, size, language, since, tags, within');
  });

  it('suggests the closest nested parameter', async () => {
    const [issue] = await listIssues({ within: { from: 1, unti: 2 } });
    expect(issue).toMatchObject({ path: 'within.unti', message: expect.stringContaining("'until'") });
  });

  it.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf', '__proto__'])(
    'rejects a parameter named %s',
    async (name) => {
      const [issue] = await listIssues(JSON.parse(`{"${name}": {"size": 1}}`));
      expect(issue).toMatchObject({ path: name, message: expect.stringContaining('is unknown') });
    },
  );

  it.each(['text', 7, true, [], [{ size: 1 }], () => 1, 10n])('rejects %o instead of an object', async (params) => {
    const [issue] = await listIssues(params);
    expect(issue).toEqual({ path: '', message: 'must be an object' });
  });

  it('trims ids, and rejects empty ones', async () => {
    expect(await failure(connector.execute('books', 'get', { id: '  ' }))).toMatchObject({
      issues: [{ path: 'id', message: 'must not be empty' }],
    });
    await connector.execute('books', 'get', { id: ' b1 ' }).catch(() => {});
    expect(sent.at(-1)!.url.pathname).toBe('/v1/books/b1');
  });

  it('rejects a null cursor instead of restarting from the first page', async () => {
    const { issues } = await refusal(() => linear.execute('issues', 'list', { after: null }));
    expect(issues).toEqual([{ path: 'after', message: 'must be a string' }]);
  });
});

describe('entity and action names', () => {
  it('suggests the closest entity and lists all valid ones', async () => {
    const error = await refusal(() => linear.execute('Issue', 'list'));
    expect(error.code).toBe('unknown_entity');
    expect(error.message).toContain("Did you mean 'issues'?");
    expect(error.message).toContain('issues, projects, teams, workflow_states, users, comments');
  });

  it('suggests the closest action and lists all valid ones', async () => {
    const error = await refusal(() => linear.execute('workflow_states', 'lists'));
    expect(error.code).toBe('unknown_action');
    expect(error.message).toContain("Did you mean 'list'?");
    expect(error.message).toContain('list, context_store_search');
  });

  it('suggests nothing if nothing is close', async () => {
    const error = await refusal(() => linear.execute('quaternions', 'list'));
    expect(error.message).not.toContain('Did you mean');
    expect(error.message).toContain('issues, projects');
  });

  const strange = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'prototype', '', ' ', 'x'.repeat(100_000)];
  it.each(strange)('rejects the entity %.20s', async (name) => {
    expect(await refusal(() => connector.execute(name, 'list'))).toMatchObject({ code: 'unknown_entity' });
  });

  it.each(strange)('rejects the action %.20s', async (name) => {
    expect(await refusal(() => connector.execute('books', name))).toMatchObject({ code: 'unknown_action' });
  });

  it.each([null, undefined, 7, {}, [], Symbol('books'), Object.create(null)])(
    'rejects an entity that is not a string (%#)',
    async (name) => {
      expect(await refusal(() => connector.execute(name, 'list'))).toMatchObject({ code: 'unknown_entity' });
      expect(await refusal(() => connector.execute('books', name))).toMatchObject({ code: 'unknown_action' });
    },
  );

  it('rejects an array containing one name', async () => {
    expect(await refusal(() => connector.execute(['books'], 'list'))).toMatchObject({ code: 'unknown_entity' });
    expect(await refusal(() => connector.execute('books', ['list']))).toMatchObject({ code: 'unknown_action' });
  });

  it('does not quote an extremely long name in its message', async () => {
    const error = await refusal(() => connector.execute('y'.repeat(100_000), 'list'));
    expect(error.message.length).toBeLessThan(1_000);
  });
});
