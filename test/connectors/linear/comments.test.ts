import type { Comment } from 'agent-connectors/linear';
import { createAgentTools } from 'agent-connectors/tools';
import { beforeAll, describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { connectorOnSandbox, connectorWithReplies, listOf } from './setup.js';

const { linear, sandbox } = connectorOnSandbox();
let all: Comment[];
let author: NonNullable<Comment['user']>;

beforeAll(async () => {
  all = [];
  for await (const comment of linear.paginate('comments', 'list', { from: '2000-01-01', first: 250 }))
    all.push(comment);
  author = all.find(({ user }) => user !== null)!.user!;
});

const by = (id: string) => all.filter(({ user }) => user?.id === id);

describe('comments.list without an issue', () => {
  test('lists the comments of the workspace, newest first, including those on projects', () => {
    const times = all.map(({ createdAt }) => createdAt!);
    expect(times).toEqual(times.toSorted().reverse());
    expect(new Set(all.map(({ issue }) => issue === null))).toEqual(new Set([true, false]));
  });

  test.each<[string, (user: typeof author) => string]>([
    ['id', ({ id }) => id],
    ['email address', ({ email }) => email.toUpperCase()],
    ['name', ({ name }) => name.toLowerCase()],
  ])('filters by author, given as %s', async (_, value) => {
    const { data } = await linear.comments.list({ author: value(author), first: 250 });
    expect(data.map(({ id }) => id)).toEqual(by(author.id).map(({ id }) => id));
  });

  test('filters by time', async () => {
    const [from, to] = [all[40]!.createdAt!, all[10]!.createdAt!];
    const { data } = await linear.comments.list({ from, to, first: 250 });
    expect(data.map(({ id }) => id)).toEqual(all.slice(11, 41).map(({ id }) => id));
    const day = from.slice(0, 10);
    const { data: since } = await linear.comments.list({ from: day, first: 250 });
    expect(since.map(({ id }) => id)).toEqual(all.filter(({ createdAt }) => createdAt! >= day).map(({ id }) => id));
  });

  test('filters the comments on an issue', async () => {
    const onIssue = all.find(({ issue, user }) => issue && user)!;
    const { data } = await linear.comments.list({ issueId: onIssue.issue!.identifier, author: onIssue.user!.id });
    expect(data.map(({ id }) => id)).toEqual(
      by(onIssue.user!.id).flatMap(({ id, issue }) => (issue?.id === onIssue.issue!.id ? id : [])),
    );
  });

  test('is rejected without any of them, which the description names', async () => {
    const error = await failure(linear.execute('comments', 'list', {} as never));
    expect(error.message).toContain('issueId is required unless author, from or to is set');
    const { params } = linear
      .describe()
      .entities.find(({ name }) => name === 'comments')!
      .actions.find(({ name }) => name === 'list')!;
    expect(params.required).toEqual(['issueId']);
    expect((params.properties as any).issueId.requiredUnless).toEqual(['author', 'from', 'to']);
  });
});

describe('count', () => {
  test('returns the exact number of matching records', async () => {
    sandbox.requests.clear();
    const { data, meta } = await linear.comments.list({ author: author.id, count: true });
    expect([data, meta.count, meta.countIsExact]).toEqual([[], by(author.id).length, true]);
    expect(sandbox.requests).toHaveLength(1);
    const whole = await linear.comments.list({ from: '2000-01-01', count: true });
    expect([all.length > 250, whole.meta.count]).toEqual([true, all.length]);
    const onIssue = await linear.comments.list({ issueId: 'ENG-1', count: true });
    expect(onIssue.meta.count).toBe((await linear.comments.list({ issueId: 'ENG-1' })).data.length);
    const filter = { assignee: { null: true } };
    const issues = await linear.issues.list({ filter, count: true });
    const listed: unknown[] = [];
    for await (const issue of linear.paginate('issues', 'list', { filter, first: 250 })) listed.push(issue);
    expect(issues.meta).toMatchObject({ count: listed.length, notes: [expect.stringContaining('Archived')] });
  });

  test('stops after 10,000 records and says so', async () => {
    const nodes = Array.from({ length: 250 }, (_, id) => ({ id }));
    const { linear: replying, sent } = connectorWithReplies(listOf('comments', nodes, 'next', true));
    const { meta } = await replying.comments.list({ author: 'me', count: true });
    expect([meta.count, meta.countIsExact, sent.length]).toEqual([10_000, false, 40]);
  });

  test('takes an agent a single short call', async () => {
    const [, , execute] = createAgentTools(linear);
    const params = { author: author.name, count: true };
    const { text } = await execute.run({ entity: 'comments', action: 'list', params });
    expect(text).toContain(`"count":${by(author.id).length}`);
    expect(text).not.toMatch(/accessible|Nothing matches/);
    expect(text.length).toBeLessThan(400);
  });
});

test('records say whether a person is active, and when something was archived', async () => {
  const { data } = await linear.issues.list({ first: 250, includeArchived: true });
  expect(new Set(data.map(({ archivedAt }) => archivedAt === null))).toEqual(new Set([true, false]));
  for (const { assignee } of data) if (assignee) expect(typeof assignee.active).toBe('boolean');
});
