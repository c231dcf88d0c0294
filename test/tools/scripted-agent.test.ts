import type { AnyConnector } from 'agent-connectors';
import type { AgentTool, ToolConnector } from 'agent-connectors/tools';
import { beforeEach, describe, expect, test } from 'vitest';
import { connectorsOn, insideOf, toolsOf } from './setup.js';
import { shelf } from './shelf.js';

interface Call {
  entity: string;
  action: string;
  params: Record<string, unknown>;
  select_fields?: readonly string[];
}

/** A row of the parameter table in an error. */
function rowOf(text: string, parameter: string): string | undefined {
  return text.split('\n').find((line) => line.startsWith(`| ${parameter} |`));
}

/** The call shown as the example in an error. */
const exampleIn = (text: string): Call => JSON.parse(/^Example: (.+)$/m.exec(text)![1]!);

/** Writes a value into parameters at a dotted path. */
function put(params: Record<string, any>, path: string, value: unknown): void {
  const keys = path.split('.');
  const last = keys.pop()!;
  let at = params;
  for (const key of keys) at = at[key] ??= {};
  if (value === undefined) delete at[last];
  else at[last] = value;
}

/** One step of a reader that knows nothing about vendors: changes the call based on the text, or gives up. */
async function mended(call: Call, text: string, execute: AgentTool): Promise<Call | undefined> {
  const next: Call = structuredClone(call);
  const [, code] = /^Failed: (\w+)/.exec(text)!;
  const meant = /Did you mean '([^']+)'/.exec(text)?.[1];
  if (code === 'unknown_entity') return meant === undefined ? undefined : { ...next, entity: meant };
  if (code === 'unknown_action') return meant === undefined ? undefined : { ...next, action: meant };
  if (code === 'not_found') return withFoundId(next, text, execute);
  if (code !== 'invalid_params') return undefined;
  const problems = text
    .split('\n')[1]!
    .replace(/^[^:]+: /, '')
    .replace(/\.$/, '')
    .split('; ');
  for (const problem of problems) {
    const [path = '', ...words] = problem.split(' ');
    const said = words.join(' ');
    const field = /^'([^']+)' is not a field/.exec(said)?.[1];
    if (path === 'select_fields:' && field !== undefined && meant !== undefined) {
      next.select_fields = next.select_fields!.map((one) => (one === field ? meant : one));
      continue;
    }
    const most = /must be at most (\d+)/.exec(said)?.[1];
    const choice = /must be one of ("[^"]+")/.exec(said)?.[1];
    if (said.startsWith('is required')) put(next.params, path, exampleIn(text).params[path]);
    else if (said.includes('is unknown')) {
      if (meant !== undefined) put(next.params, meant, next.params[path]);
      put(next.params, path, undefined);
    } else if (most !== undefined) put(next.params, path, Number(most));
    else if (choice !== undefined) put(next.params, path, JSON.parse(choice));
    else if (/must be an? (integer|number)/.test(said)) put(next.params, path, Number(next.params[path]));
    else if (/must be a string/.test(said) && rowOf(text, path)?.includes('string'))
      put(next.params, path, String(next.params[path]));
    else return undefined;
  }
  return next;
}

/** Gets an id from the list that the error names. */
async function withFoundId(call: Call, text: string, execute: AgentTool): Promise<Call | undefined> {
  const [, entity, action] = /Get ids from (\w+)\.(\w+)/.exec(text) ?? [];
  if (entity === undefined) return undefined;
  const listed = await execute.run({ entity, action, select_fields: ['id'] });
  const [, id] = insideOf(listed.text).inside.split('\n');
  const idName = Object.keys(exampleIn(text).params)[0]!;
  return { ...call, params: { ...call.params, [idName]: id } };
}

/** Repeats the call until it succeeds or the reader gives up; returns every text. */
async function persist(execute: AgentTool, call: Call): Promise<{ texts: string[]; succeeded: boolean }> {
  const texts: string[] = [];
  for (let next: Call | undefined = call; next && texts.length < 5; ) {
    const { text, isError } = await execute.run(next);
    texts.push(text);
    // A result without a value at a path says so, and names the intended path.
    const [, missing, near] = isError
      ? []
      : (/'([^']+)' has no value in [^;"]+; did you mean '([^']+)'\?/.exec(text) ?? []);
    if (missing !== undefined) {
      next = { ...next, select_fields: next.select_fields!.map((one) => (one === missing ? near! : one)) };
      continue;
    }
    if (!isError) return { texts, succeeded: true };
    next = await mended(next, text, execute);
  }
  return { texts, succeeded: false };
}

let connectors: ReturnType<typeof connectorsOn>;
beforeEach(() => {
  connectors = connectorsOn();
});

describe('a reader that sees only text recovers from', () => {
  test.each([
    ['a misspelled entity', { entity: 'isues', action: 'list', params: { first: 2 } }],
    ['a singular', { entity: 'issue', action: 'list', params: { first: 2 } }],
    ['a wrong action', { entity: 'issues', action: 'lists', params: { first: 2 } }],
    ['a missing parameter', { entity: 'comments', action: 'list', params: {} }],
    ['a wrong type', { entity: 'issues', action: 'list', params: { first: '3' } }],
    ['a wrong value', { entity: 'projects', action: 'update', params: { id: '$project', state: 'doing' } }],
    ['an unknown parameter', { entity: 'users', action: 'list', params: { frist: 2 } }],
    ['an excessive page size', { entity: 'teams', action: 'list', params: { first: 5_000 } }],
    ['several faults at once', { entity: 'workflow_state', action: 'list', params: { first: '900', aftr: undefined } }],
    ['an unknown id', { entity: 'issues', action: 'get', params: { id: 'ENG-99999' } }],
    ['a misspelled field', { entity: 'issues', action: 'list', params: { first: 2 }, select_fields: ['titel'] }],
    [
      'a misspelled field within an object',
      { entity: 'issues', action: 'list', params: { first: 2 }, select_fields: ['id', 'assignee.nam'] },
    ],
    [
      'a misspelled field within a list',
      { entity: 'issues', action: 'list', params: { first: 2 }, select_fields: ['labels.nmae'] },
    ],
    [
      'a path in another style',
      { entity: 'issues', action: 'list', params: { first: 2 }, select_fields: ['state_name'] },
    ],
  ] as const)('%s, with one extra call per kind of fault', async (mistake, call) => {
    const { linear } = connectors;
    const { execute } = toolsOf(linear);
    const params: Record<string, unknown> = JSON.parse(JSON.stringify(call.params));
    if (params.id === '$project') params.id = (await linear.projects.list({ first: 1 })).data[0]!.id;
    const { texts, succeeded } = await persist(execute, { ...call, params });
    expect(succeeded, texts.join('\n\n')).toBe(true);
    // Parameters are checked once the entity is known, and numeric bounds once the values are numbers.
    expect(texts).toHaveLength(mistake === 'several faults at once' ? 4 : 2);
  });

  test('a field that no record has, if only the vendor knows which exist', async () => {
    const { connector } = shelf(() => ({ id: '1', text: null, size: 1, extra: { stage: 'won' } }));
    const raw: ToolConnector = {
      describe: () => connector.describe(),
      execute: (entity, action, params, options) =>
        (connector as AnyConnector).execute(entity, action, params, { ...options, raw: true }),
    };
    const { execute } = toolsOf(raw);
    const call = { entity: 'things', action: 'get', params: { id: '1' }, select_fields: ['id', 'extra.stag'] };
    const { texts, succeeded } = await persist(execute, call);
    expect([succeeded, texts.length]).toEqual([true, 2]);
    expect(texts[1]).toContain('won');
  });

  test('a section without its prefix, and a misspelled one', async () => {
    const { docs } = toolsOf(connectors.linear);
    expect((await docs.run({ section: 'issues.list' })).text).toMatch(/^# issues\.list/);
    const { text } = await docs.run({ section: 'issue.lists' });
    const meant = /Did you mean '([^']+)'/.exec(text)![1];
    expect((await docs.run({ section: meant })).text).toMatch(/^# issues\.list/);
  });

  test('an unknown id at another vendor', async () => {
    const { execute } = toolsOf(connectors.granola);
    const call = { entity: 'notes', action: 'get', params: { note_id: 'not_aaaaaaaaaaaaaa' } };
    const { texts, succeeded } = await persist(execute, call);
    expect(succeeded, texts.join('\n\n')).toBe(true);
  });
});

test('a denied write is reported as such, and the reader stops', async () => {
  const { linear, sandbox } = connectors;
  const { execute } = toolsOf(linear, { readOnly: true });
  const { texts, succeeded } = await persist(execute, { entity: 'issues', action: 'create', params: { title: 'x' } });
  expect(succeeded).toBe(false);
  expect(texts).toEqual([expect.stringMatching(/^Failed: denied_by_policy[\s\S]+read-only/)]);
  expect(sandbox.requests).toHaveLength(0);
});
