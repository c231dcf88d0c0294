import { ConnectorError } from 'agent-connectors';
import { GranolaConnector } from 'agent-connectors/granola';
import { LinearConnector } from 'agent-connectors/linear';
import { describe, expect, test } from 'vitest';
import type { TestedClass } from './subject.js';

interface Limit {
  readonly Connector: TestedClass;
  /** `entity.action`, and the parameters that it needs beside the limited one. */
  readonly actions: Readonly<Record<string, object>>;
  /** Dotted path of the parameter, and what it may be at least and at most. */
  readonly path: string;
  readonly within: readonly [unknown, unknown];
  readonly beyond: readonly unknown[];
}

const searches = { query: {} };
const meaning = { semantic: { prompt: 'outage', field: 'description' } };

const limits: readonly Limit[] = [
  {
    Connector: LinearConnector,
    actions: {
      'issues.list': {},
      'projects.list': {},
      'teams.list': {},
      'workflow_states.list': {},
      'users.list': {},
      'comments.list': { issueId: 'ENG-1' },
    },
    path: 'first',
    within: [1, 250],
    beyond: [0, 251, -1, 2.5, '10'],
  },
  {
    Connector: LinearConnector,
    actions: { 'issues.create': { teamId: 't', title: 'T' }, 'issues.update': { id: 'ENG-1' } },
    path: 'priority',
    within: [0, 4],
    beyond: [-1, 5, 2.5],
  },
  {
    Connector: LinearConnector,
    actions: { 'projects.create': { name: 'P', teamIds: ['t'] }, 'projects.update': { id: 'p' } },
    path: 'description',
    within: ['', 'x'.repeat(255)],
    beyond: ['x'.repeat(256)],
  },
  {
    Connector: GranolaConnector,
    actions: { 'notes.list': {} },
    path: 'page_size',
    within: [1, 30],
    beyond: [0, 31, -1, 2.5, '10'],
  },
  {
    Connector: LinearConnector,
    actions: { 'issues.context_store_search': searches, 'teams.context_store_search': searches },
    path: 'limit',
    within: [1, 10_000],
    beyond: [0, 10_001],
  },
  {
    Connector: LinearConnector,
    actions: { 'issues.context_store_search': meaning },
    path: 'limit',
    within: [1, 100],
    beyond: [0, 101],
  },
  {
    Connector: LinearConnector,
    actions: { 'issues.context_store_search': meaning },
    path: 'semantic.context_size',
    within: [1, 2048],
    beyond: [0, 2049],
  },
];

/** The parameters with one more, at a dotted path. */
function set(params: object, path: string, value: unknown): object {
  const [key, ...rest] = path.split('.') as [string, ...string[]];
  const inner = (params as Record<string, object>)[key] ?? {};
  return { ...params, [key]: rest.length === 0 ? value : set(inner, rest.join('.'), value) };
}

const cases = limits.flatMap(({ Connector, actions, ...limit }) =>
  Object.entries(actions).map(([where, params]) => ({
    name: `${Connector.manifest.name} ${where}${'semantic' in params ? ' by meaning' : ''}: ${limit.path}`,
    Connector,
    where,
    params,
    ...limit,
  })),
);

describe('a limit of the contract', () => {
  test.each(cases.map((found): [string, (typeof cases)[number]] => [found.name, found]))(
    'is held before anything is sent: %s',
    async (_, { Connector, where, params, path, within, beyond }) => {
      let sent = 0;
      const fetch = async () => {
        sent += 1;
        return Response.json({});
      };
      const { fields } = Connector.describe().auth[0]!;
      const credentials = Object.fromEntries(fields.map(({ name }) => [name, 'k3y']));
      const connector = new Connector({ credentials, fetch, retries: 0 });
      const [entity, action] = where.split('.');
      const refusal = async (value: unknown): Promise<ConnectorError> => {
        const error = await connector.execute(entity, action, set(params, path, value)).catch((thrown) => thrown);
        if (!ConnectorError.is(error)) throw new Error('The empty reply was taken for a record.');
        return error;
      };

      for (const value of beyond) {
        const error = await refusal(value);
        expect(error.code).toBe('invalid_params');
        expect(error.issues?.map((issue) => issue.path)).toEqual([path]);
      }
      expect(sent).toBe(0);
      for (const value of within) expect((await refusal(value)).code).not.toBe('invalid_params');
    },
  );
});
