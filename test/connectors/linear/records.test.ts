import { expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { collect, connectorOnSandbox } from './setup.js';

const { linear } = connectorOnSandbox();

test('lists return records and the next page', async () => {
  const first = await linear.issues.list({ first: 2 });
  expect(first.data).toHaveLength(2);
  expect(first.meta).toEqual({ hasNextPage: true, endCursor: expect.any(String) });
  const second = await linear.issues.list({ first: 2, after: first.meta.endCursor! });
  expect(second.data.map(({ id }) => id)).not.toEqual(first.data.map(({ id }) => id));
  expect(first.data[0]!.createdAt! >= second.data[0]!.createdAt!).toBe(true);
});

test('every list pages through all records without duplicates', async () => {
  for (const entity of ['issues', 'projects', 'teams', 'workflow_states', 'users'] as const) {
    const whole = await collect(linear.paginate(entity, 'list', { first: 250 }));
    const pieces = await collect(linear.paginate(entity, 'list', { first: 7 }));
    expect(whole.length, entity).toBeGreaterThan(3);
    expect(new Set(pieces.map(({ id }) => id)).size).toBe(whole.length);
    expect(pieces.map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
  }
});

test('get returns the same record as the list', async () => {
  const [issue] = (await linear.issues.list({ first: 1 })).data;
  expect(await linear.issues.get({ id: issue!.id })).toEqual({ data: issue, meta: {} });
  const [project] = (await linear.projects.list({ first: 1 })).data;
  expect((await linear.projects.get({ id: project!.id })).data).toEqual(project);
  const [team] = (await linear.teams.list()).data;
  expect((await linear.teams.get({ id: team!.key! })).data).toEqual(team);
  const [user] = (await linear.users.list()).data;
  expect((await linear.users.get({ id: user!.id })).data).toEqual(user);
});

test('finds an issue by its identifier, with its comments', async () => {
  const seen = await collect(linear.paginate('issues', 'list', { first: 250 }, { raw: true }));
  const withComments = [];
  for (const { id } of seen.slice(0, 30)) {
    const { data } = await linear.comments.list({ issueId: id });
    if (data.length > 0) withComments.push(data);
    if (withComments.length === 3) break;
  }
  const [comment] = withComments[0]!;
  expect(Object.keys(comment!)).toEqual(
    expect.arrayContaining(['id', 'body', 'user', 'issue', 'createdAt', 'updatedAt']),
  );
  expect((await linear.comments.get({ id: comment!.id })).data).toEqual(comment);
  const { identifier } = comment!.issue!;
  expect((await linear.issues.get({ id: String(identifier) })).data.id).toBe(comment!.issue!.id);
});

test('also pages through comments', async () => {
  const { data } = await linear.issues.list({ first: 100 });
  let longest = { id: '', count: 0 };
  for (const { id } of data) {
    const count = (await linear.comments.list({ issueId: id, first: 250 })).data.length;
    if (count > longest.count) longest = { id, count };
  }
  expect(longest.count).toBeGreaterThan(4);
  const paged = await collect(linear.paginate('comments', 'list', { issueId: longest.id, first: 2 }));
  expect(new Set(paged.map(({ id }) => id)).size).toBe(longest.count);
});

test("a project's state is the type of its status", async () => {
  const { data } = await linear.projects.list({}, { raw: true });
  for (const project of data) {
    expect(project.state).toBe((project as unknown as { status: { type: string } }).status.type);
  }
  expect(new Set(data.map(({ state }) => state)).size).toBeGreaterThan(2);
});

test('fields that the vendor leaves empty are null for issues and an empty string for projects', async () => {
  const team = (await linear.teams.list()).data[0]!;
  const issue = (await linear.issues.create({ teamId: team.id, title: 'Bare' })).data.issue;
  expect(issue).toMatchObject({ description: null, assignee: null, project: null, priority: 0 });
  const project = (await linear.projects.create({ name: 'Bare', teamIds: [team.id] })).data.project;
  expect(project).toMatchObject({ description: '', lead: null, startDate: null, targetDate: null });
});

test('a search in local mode says that it requires a service', async () => {
  const error = await failure(linear.execute('issues', 'context_store_search', { query: {} }));
  expect(error).toMatchObject({ code: 'hosted_only', docs: 'search' });
  expect(error.hint).toContain('hosted');
});

test('a key limited to certain teams sees fewer teams, without an error', async () => {
  const { linear: restricted } = connectorOnSandbox({ mode: 'team_restricted' });
  const few = await restricted.teams.list();
  const many = await linear.teams.list();
  expect(few.data.length).toBeGreaterThan(0);
  expect(few.data.length).toBeLessThan(many.data.length);
});
