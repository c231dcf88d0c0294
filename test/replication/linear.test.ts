import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Search } from 'agent-connectors';
import { LinearConnector } from 'agent-connectors/linear';
import type { Passage, StoredRecord } from 'agent-connectors/replication';
import { buildSchema, type GraphQLSchema, NoDeprecatedCustomRule, parse, specifiedRules, validate } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { compile } from '../../sandbox/src/linear/document.js';
import { linearSchema } from '../../sandbox/src/linear/schema.js';
import { contents, createWorkspace, replication } from './linear-setup.js';
import { replicaOf } from './replica.js';

const entities = Object.keys(replication.entities);
const searchOf = (entity: string) => LinearConnector.manifest.entities[entity as 'issues'].search!;

describe('the documents sent to Linear', () => {
  const documents = Object.entries(replication.calls!).map(([name, { request }]): [string, string] => [
    name,
    (request({}, { id: '', settings: {}, signal: new AbortController().signal }) as any).json.query,
  ]);
  const check = (schema: GraphQLSchema) => {
    const faults = documents.flatMap(([name, text]) =>
      validate(schema, parse(text), [...specifiedRules, NoDeprecatedCustomRule]).map((fault) => `${name}: ${fault}`),
    );
    expect(faults).toEqual([]);
  };

  test("are valid against the sandbox's schema, and ask for no deprecated fields", () => check(linearSchema()));

  const file = join(process.env.VENDOR_SCHEMAS ?? '', 'linear.schema.graphql');
  test.skipIf(!process.env.VENDOR_SCHEMAS || !existsSync(file))(
    "are valid against Linear's own schema (VENDOR_SCHEMAS)",
    () => check(buildSchema(readFileSync(file, 'utf8'), { assumeValidSDL: true })),
  );

  test('cost at most half of what Linear allows', () => {
    const costs = documents.map(([, text]) => compile(text).operation(undefined)!.cost({}));
    expect(Math.max(...costs)).toBeLessThan(5000);
    expect(Math.min(...costs)).toBeGreaterThan(0);
  });
});

describe('a first run', () => {
  const { replica, linear, ask, sandbox } = createWorkspace();
  const whole = replica();
  const records = (entity: string) => [...whole.records(entity).values()];
  beforeAll(async () => {
    // Every canceled issue in the sandbox is archived, too.
    const { data } = await linear.projects.list({ first: 1 });
    await linear.projects.update({ id: data[0]!.id, state: 'canceled' });
    for (const entity of entities) expect(await whole.run(entity)).toBe(true);
  });

  test('stores what deprecated fields contained', () => {
    const states = new Map(records('workflow_states').map((state) => [state.id, state]));
    expect(records('teams').length).toBeGreaterThan(0);
    for (const team of records('teams')) {
      expect(team).toMatchObject({ inviteHash: '', private: false, visibility: 'public' });
      const id = team.markedAsDuplicateWorkflowStateId as string;
      expect(states.get(id)).toMatchObject({ type: 'duplicate', teamId: team.id });
      expect(team.markedAsDuplicateWorkflowState).toMatchObject({ id, type: 'duplicate' });
    }
    for (const user of records('users')) expect(user.inviteHash).toBe('');
  });

  test('reads what the lists return', async () => {
    for (const entity of ['issues', 'projects', 'teams', 'workflow_states', 'users'] as const) {
      const listed: string[] = [];
      for await (const { id } of linear.paginate(entity, 'list', { first: 250 })) listed.push(id);
      expect([...whole.records(entity).keys()].sort(), entity).toEqual(listed.sort());
    }
    for (const { id } of records('issues').slice(0, 5)) {
      const { data } = await linear.comments.list({ issueId: String(id), first: 250 });
      for (const comment of data)
        expect(whole.records('comments').get(comment.id)).toMatchObject({ body: comment.body });
    }
  });

  const is: Record<string, (value: unknown) => boolean> = {
    string: (value) => typeof value === 'string',
    number: (value) => typeof value === 'number',
    boolean: (value) => typeof value === 'boolean',
    object: (value) => typeof value === 'object' && !Array.isArray(value),
    array: Array.isArray,
  };

  test.each(entities)('fills every searchable field of %s, each with its declared type', (entity) => {
    const { fields } = searchOf(entity);
    const names = Object.values(fields).flat();
    expect(Object.keys(records(entity)[0]!).sort()).toEqual([...names].sort());
    for (const [type, ofType] of Object.entries(fields)) {
      for (const name of ofType) {
        const values = records(entity).map((record) => record[name]);
        const filled = values.filter((value) => value !== null);
        expect(filled.length, name).toBeGreaterThan(0);
        expect(filled.every(is[type]!), name).toBe(true);
      }
    }
  });

  test.each(entities)('stores valid timestamps in the timestamp fields of %s', (entity) => {
    const { dateTimes = [] }: Search = searchOf(entity);
    for (const name of dateTimes) {
      const values = records(entity).flatMap((record) => record[name] ?? []);
      expect(
        values.every((value) => !Number.isNaN(Date.parse(String(value)))),
        name,
      ).toBe(true);
    }
  });

  test('stores ids alongside the objects they belong to, and always leaves invitation hashes empty', () => {
    for (const { inviteHash } of [...records('teams'), ...records('users')]) expect(inviteHash).toBe('');
    for (const issue of records('issues') as any[]) {
      expect(issue.assigneeId).toBe(issue.assignee?.id ?? null);
      expect(issue.milestoneId).toBe(issue.projectMilestone?.id ?? null);
      expect(issue.labelIds.toSorted()).toEqual(issue.labels.nodes.map(({ id }: any) => id).toSorted());
      expect(issue.attachmentIds).toEqual(issue.attachments.nodes.map(({ id }: any) => id));
    }
  });

  test('completes nested lists that are truncated in a page of records', async () => {
    const issues = records('issues') as any[];
    const crowded = issues.reduce((most, issue) =>
      issue.attachmentIds.length > most.attachmentIds.length ? issue : most,
    );
    expect(crowded.attachmentIds.length).toBeGreaterThanOrEqual(60);
    expect(new Set(crowded.attachmentIds).size).toBe(crowded.attachmentIds.length);
    const { data } = await ask(`{ issue(id: "${crowded.id}") { subscribers(first: 250) { nodes { id } } } }`);
    expect(crowded.subscriberIds).toEqual(data.issue.subscribers.nodes.map(({ id }: any) => id));
    expect(crowded.subscriberIds.length).toBeGreaterThan(10);
  });

  test('converts reactions, which Linear groups by emoji, to a list', async () => {
    expect(records('issues').every(({ reactionData }) => Array.isArray(reactionData))).toBe(true);
    const reactions = (data: object) => async (input: any, init: any) => {
      const text = await (await sandbox.fetch(input, init)).text();
      return new Response(text.replaceAll('"reactionData":{}', `"reactionData":${JSON.stringify(data)}`));
    };
    const read = async (data: object) => {
      const options = { credentials: sandbox.vendors.linear.credentials.api_key, fetch: reactions(data) };
      const other = replicaOf(LinearConnector, replication, options);
      await other.run('issues', { batches: 1 });
      return [...other.records('issues').values()][0]!.reactionData;
    };
    expect(await read({ '+1': [{ id: 'r1' }] })).toEqual([{ emoji: '+1', reactions: [{ id: 'r1' }] }]);
    expect(await read([{ emoji: '+1' }])).toEqual([{ emoji: '+1' }]);
  });

  test('includes comments that do not belong to an issue', () => {
    const comments = records('comments') as any[];
    const elsewhere = comments.filter(({ issueId }) => issueId === null);
    expect(elsewhere.length).toBeGreaterThan(0);
    expect(elsewhere.every(({ issue }) => issue === null)).toBe(true);
    expect(comments.every(({ issueId, issue }) => issueId === (issue?.id ?? null))).toBe(true);
  });

  test('splits descriptions and comments', () => {
    const long = records('issues').find(({ description }) => String(description).length > 3000)!;
    const pieces = [...replication.entities.issues!.segments!.description!(long)];
    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.map(({ text }) => text).join('\n')).toBe(long.description);
    expect([...replication.entities.issues!.segments!.description!({ description: null })]).toEqual([]);
    const [comment] = records('comments');
    expect([...replication.entities.comments!.segments!.body!(comment!)].map(({ text }) => text)).toEqual([
      comment!.body,
    ]);
  });

  test('takes names from known users, or from the record for users who have left', async () => {
    const passage = (record: StoredRecord): Passage => ({ record, attribution: {} });
    const users = new Map(records('users').map((user) => [String(user.id), user]));
    const look = async (_: string, ids: readonly string[]) =>
      new Map(
        ids.flatMap((id) => (users.has(id) ? [[id, { ...users.get(id)!, name: `${users.get(id)!.name}!` }]] : [])),
      );
    const issues = records('issues') as any[];
    const known = issues.find(({ assigneeId, creatorId }) => users.has(assigneeId) && users.has(creatorId));
    const left = issues.find(({ assigneeId }) => assigneeId !== null && !users.has(assigneeId));
    const nobody = issues.find(({ assigneeId }) => assigneeId === null);
    const names = await replication.entities.issues!.enrich!([known, left, nobody].map(passage), look);
    expect(names[0]).toEqual({ assigneeName: `${known.assignee.name}!`, creatorName: `${known.creator.name}!` });
    expect(names[1]!.assigneeName).toBe(left.assignee.name);
    expect(names[2]!.assigneeName).toBeNull();
    const comment = (records('comments') as any[]).find(({ userId }) => users.has(userId));
    const [author] = await replication.entities.comments!.enrich!([passage(comment)], look);
    expect(author).toEqual({ authorName: `${comment.user.name}!` });
  });
});

describe('an interrupted run', () => {
  test.each(entities)('resumes %s where it stopped', async (entity) => {
    const { replica } = createWorkspace();
    const undisturbed = replica();
    await undisturbed.run(entity);
    for (const batches of [1, 2, 3]) {
      const interrupted = createWorkspace().replica();
      for (let runs = 0; runs < 8; runs += 1) await interrupted.run(entity, { batches });
      expect(await interrupted.run(entity)).toBe(true);
      expect(contents(interrupted, entity)).toEqual(contents(undisturbed, entity));
    }
  });
});
