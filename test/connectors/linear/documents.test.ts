import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LinearConnector } from 'agent-connectors/linear';

import {
  buildSchema,
  coerceInputValue,
  type GraphQLInputType,
  type GraphQLSchema,
  NoDeprecatedCustomRule,
  parse,
  specifiedRules,
  typeFromAST,
  validate,
} from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { linearSchema } from '../../../sandbox/src/linear/schema.js';

interface Sent {
  query: string;
  variables: Record<string, unknown>;
}

/** Every document that the connector sends, collected by running each action once with all its parameters. */
async function documents(): Promise<Map<string, Sent[]>> {
  const sent = new Map<string, Sent[]>();
  let current: Sent[] = [];
  const page = {
    nodes: [{ id: 's1', name: 'Planned', type: 'planned', position: 1, archivedAt: null }],
    pageInfo: { hasNextPage: false, endCursor: null },
  };
  const record = { id: 'r1', comments: page, status: { id: 's0', type: 'backlog' } };
  const fetch = async (_url: unknown, init?: RequestInit) => {
    const body = JSON.parse(String(init?.body)) as Sent;
    current.push(body);
    const field = /\{ (\w+)/.exec(body.query)![1]!;
    const answer = /^mutation/.test(body.query)
      ? { success: true, [field.replace(/Create|Update/, '')]: record }
      : field.endsWith('s') || field === 'projectStatuses'
        ? page
        : record;
    return Response.json({ data: { [field]: answer } });
  };
  const linear = new LinearConnector({ credentials: { api_key: 'lin_api_test' }, fetch });
  const page20 = { first: 20, after: 'x', orderBy: 'updatedAt', includeArchived: true };
  const created = { eq: '2026-01-01', lt: '-P2W', in: ['2026-01-01T00:00:00Z'] };
  const number = { eq: 1, neq: 2, in: [1], nin: [2], lt: 9, lte: 9, gt: 0, gte: 0, null: false };
  const word = { eq: 'a', neq: 'b', in: ['a'], nin: ['b'], eqIgnoreCase: 'A', contains: 'a', containsIgnoreCase: 'A' };
  const text = { ...word, startsWith: 'a', endsWith: 'a' };
  const id = { eq: 'i', neq: 'j', in: ['i'], nin: ['j'] };
  const person = { id, name: text, email: text, isMe: { eq: true }, null: false };
  const issueFilter = {
    id,
    number: { eq: 1 },
    title: text,
    description: { ...text, null: true },
    priority: number,
    estimate: number,
    dueDate: { ...created, null: true },
    state: { id, name: text, type: text },
    assignee: person,
    team: { id, key: text, name: text },
    project: { id, name: text, null: false },
    parent: { id, number: { eq: 1 }, title: text, null: true },
    labels: { id, name: text, null: false, some: { id, name: text }, every: { id, name: text } },
    createdAt: created,
    updatedAt: created,
    completedAt: { null: true },
    archivedAt: { null: true },
  };
  const projectFilter = {
    id,
    name: text,
    slugId: text,
    status: { id, name: text, type: text },
    lead: person,
    priority: number,
    startDate: { null: true },
    targetDate: { null: true },
    createdAt: created,
    updatedAt: created,
    completedAt: { null: true },
  };
  const more = { labelIds: ['l'], dueDate: '2026-01-01', parentId: 'i' };
  const all: Record<string, object> = {
    'issues.list': { ...page20, filter: { ...issueFilter, and: [issueFilter], or: [issueFilter] } },
    'projects.list': { ...page20, filter: { ...projectFilter, and: [projectFilter], or: [projectFilter] } },
    'issues.create': {
      teamId: 't',
      title: 'T',
      description: 'd',
      stateId: 's',
      priority: 1,
      projectId: 'p',
      assigneeId: 'u',
      ...more,
    },
    'issues.update': {
      id: 'ENG-1',
      title: 'T',
      description: null,
      stateId: 's',
      priority: 0,
      assigneeId: null,
      projectId: null,
    },
    'projects.create': {
      name: 'P',
      teamIds: ['t'],
      description: 'd',
      state: 'planned',
      startDate: '2026-01-01',
      targetDate: '2026-02-01',
      leadId: 'u',
    },
    'projects.update': {
      id: 'p',
      name: 'P',
      description: 'd',
      state: 'planned',
      startDate: null,
      targetDate: null,
      leadId: null,
    },
  };
  for (const { name: entity, actions } of linear.describe().entities) {
    for (const { name: action, example, hosted_only } of actions) {
      if (hosted_only) continue;
      current = [];
      const where = `${entity}.${action}`;
      const params = all[where] ?? { ...(example as object), ...(action === 'list' && { first: 5, after: 'x' }) };
      await (linear.execute as (...call: unknown[]) => Promise<unknown>)(entity, action, params);
      sent.set(where, current);
    }
  }
  return sent;
}

let sent: Map<string, Sent[]>;
beforeAll(async () => {
  sent = await documents();
});

function check(schema: GraphQLSchema): void {
  expect(sent.size).toBe(17);
  for (const [where, bodies] of sent) {
    expect(bodies.length, where).toBeGreaterThan(0);
    for (const { query, variables } of bodies) {
      const document = parse(query);
      expect(
        validate(schema, document, [...specifiedRules, NoDeprecatedCustomRule]).map(({ message }) => message),
        where,
      ).toEqual([]);
      for (const definition of document.definitions) {
        if (definition.kind !== 'OperationDefinition') continue;
        for (const variable of definition.variableDefinitions ?? []) {
          const type = typeFromAST(schema, variable.type as never) as GraphQLInputType;
          const value = variables[variable.variable.name.value];
          const faults: string[] = [];
          if (value !== undefined)
            coerceInputValue(value, type, (path, _value, error) => faults.push(`${path.join('.')} ${error.message}`));
          expect(faults, where).toEqual([]);
        }
      }
    }
  }
}

describe('every document and its variables are valid', () => {
  test("against the sandbox's schema", () => check(linearSchema()));

  const folder = process.env.VENDOR_SCHEMAS;
  const file = folder === undefined ? '' : join(folder, 'linear.schema.graphql');
  test.skipIf(!existsSync(file))("against Linear's own schema (VENDOR_SCHEMAS)", () => {
    // Added in version 98, which the published file may precede.
    const newer = 'extend type ProjectStatus { team: Team }';
    check(buildSchema(`${readFileSync(file, 'utf8')}\n${newer}`, { assumeValidSDL: true }));
  });
});

test('sends only the keys that the caller passed, including nulls', () => {
  const [update] = sent.get('issues.update')!;
  expect(update!.variables).toEqual({
    id: 'ENG-1',
    input: { title: 'T', description: null, stateId: 's', priority: 0, assigneeId: null, projectId: null },
  });
  const [list] = sent.get('teams.list')!;
  expect(Object.keys(list!.variables)).toEqual(['first', 'after']);
});

test('converts a project state to a status id before sending', () => {
  for (const action of ['projects.create', 'projects.update']) {
    const input = sent.get(action)!.at(-1)!.variables.input as object;
    expect(input).toMatchObject({ statusId: 's1' });
    expect(input).not.toHaveProperty('state');
  }
});
