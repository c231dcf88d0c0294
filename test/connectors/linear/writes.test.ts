import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { collect, connectorOnSandbox } from './setup.js';

const lostReplies = ['reset_after', 'truncated_body', 'truncated_json', 'wrong_content_type'] as const;

async function titles(linear: ReturnType<typeof connectorOnSandbox>['linear'], title: string): Promise<number> {
  const issues = await collect(linear.paginate('issues', 'list', { first: 250 }));
  return issues.filter((issue) => issue.title === title).length;
}

test('creates, updates and clears an issue, changing only the specified fields', async () => {
  const { linear } = connectorOnSandbox();
  const team = (await linear.teams.list()).data[0]!;
  const user = (await linear.users.list()).data[0]!;
  const states = await collect(linear.paginate('workflow_states', 'list', { first: 250 }));
  const done = states.find((state) => state.team?.id === team.id && state.type === 'completed')!;
  const project = (await linear.projects.create({ name: 'Home', teamIds: [team.id] })).data.project;

  const created = await linear.issues.create({
    teamId: team.id,
    title: 'Ümlauts & emoji 🚀',
    description: '# Heading\n\n- [ ] one\n',
    priority: 2,
    projectId: project.id,
  });
  expect(created.data.success).toBe(true);
  const { issue } = created.data;
  expect(issue).toMatchObject({ title: 'Ümlauts & emoji 🚀', priority: 2, project: { id: project.id, name: 'Home' } });
  expect(issue).not.toHaveProperty('team');

  const assigned = (await linear.issues.update({ id: issue.id, assigneeId: user.id, stateId: done.id })).data.issue;
  expect(assigned).toMatchObject({
    title: issue.title,
    priority: 2,
    assignee: { id: user.id },
    state: { type: 'completed' },
  });
  const untouched = (await linear.issues.update({ id: issue.id, priority: 0 })).data.issue;
  expect(untouched.assignee?.id).toBe(user.id);
  const cleared = (await linear.issues.update({ id: issue.id, assigneeId: null, projectId: null })).data.issue;
  expect(cleared).toMatchObject({ assignee: null, project: null, priority: 0, title: issue.title });
  expect((await linear.issues.get({ id: issue.id })).data).toMatchObject(cleared);
});

test('creates and edits a comment', async () => {
  const { linear } = connectorOnSandbox();
  const [issue] = (await linear.issues.list({ first: 1 })).data;
  const made = (await linear.comments.create({ issueId: issue!.id, body: 'First' })).data.comment;
  const changed = (await linear.comments.update({ id: made.id, body: '**Second**' })).data.comment;
  expect(changed).toMatchObject({ id: made.id, body: '**Second**', issue: { id: issue!.id } });
});

describe("a project's state", () => {
  test('becomes the first status of that type, even if there are several', async () => {
    const { linear, sandbox } = connectorOnSandbox();
    const team = (await linear.teams.list()).data[0]!;
    const { project } = (await linear.projects.create({ name: 'New', teamIds: [team.id], state: 'started' })).data;
    expect(project.state).toBe('started');
    for (const state of ['backlog', 'planned', 'paused', 'completed', 'canceled'] as const) {
      expect((await linear.projects.update({ id: project.id, state })).data.project.state).toBe(state);
    }
    const inputs = sandbox.requests.filter(({ rootField }) => rootField === 'projectUpdate').map(({ body }) => body);
    expect(JSON.stringify(inputs)).not.toContain('"state"');
  });

  test('that already applies is left alone', async () => {
    const { linear, sandbox } = connectorOnSandbox();
    const started = (await collect(linear.paginate('projects', 'list', {}, { raw: true }))).filter(
      ({ state }) => state === 'started',
    );
    for (const project of started) {
      const before = (project as unknown as { status: { id: string } }).status.id;
      await linear.projects.update({ id: project.id, state: 'started', description: 'Same state' });
      const after = (await linear.projects.get({ id: project.id }, { raw: true })).data as unknown as {
        status: { id: string };
      };
      expect(after.status.id).toBe(before);
    }
    expect(started.length).toBeGreaterThan(1);
    expect(sandbox.requests.some(({ rootField }) => rootField === 'projectStatuses')).toBe(false);
  });

  test('is looked up with retries, although the action is a write', async () => {
    const { linear } = connectorOnSandbox({ faults: [{ kind: '503', rootField: 'projectStatuses' }] });
    const team = (await linear.teams.list()).data[0]!;
    const made = await linear.projects.create({ name: 'Patient', teamIds: [team.id], state: 'paused' });
    expect(made.data.project.state).toBe('paused');
  });
});

describe('a lost response', () => {
  test.each(lostReplies)('still creates only one issue (%s)', async (kind) => {
    const { linear, sandbox } = connectorOnSandbox({ faults: [{ kind, rootField: 'issueCreate' }] });
    const team = (await linear.teams.list()).data[0]!;
    const made = await linear.issues.create({ teamId: team.id, title: `Only once: ${kind}` });
    expect(made.data.issue.title).toBe(`Only once: ${kind}`);
    expect(await titles(linear, `Only once: ${kind}`)).toBe(1);
    expect(sandbox.requests.filter(({ rootField }) => rootField === 'issueCreate').length).toBe(2);
  });

  test('is resolved by a lookup if it keeps happening', async () => {
    const { linear } = connectorOnSandbox({ faults: [{ kind: 'reset_after', rootField: 'issueCreate', count: 9 }] });
    const team = (await linear.teams.list()).data[0]!;
    const made = await linear.issues.create({ teamId: team.id, title: 'Stubborn' });
    expect(made.data.issue.title).toBe('Stubborn');
    expect(await titles(linear, 'Stubborn')).toBe(1);
  });

  test('still creates only one comment and one project', async () => {
    const { linear } = connectorOnSandbox({
      faults: [
        { kind: 'reset_after', rootField: 'commentCreate' },
        { kind: '504', applied: true, rootField: 'projectCreate' },
      ],
    });
    const [issue] = (await linear.issues.list({ first: 1 })).data;
    const team = (await linear.teams.list()).data[0]!;
    const before = (await collect(linear.paginate('comments', 'list', { issueId: issue!.id }))).length;
    await linear.comments.create({ issueId: issue!.id, body: 'Once' });
    expect(await collect(linear.paginate('comments', 'list', { issueId: issue!.id }))).toHaveLength(before + 1);
    await linear.projects.create({ name: 'Once', teamIds: [team.id] });
    const projects = await collect(linear.paginate('projects', 'list'));
    expect(projects.filter(({ name }) => name === 'Once')).toHaveLength(1);
  });

  test('to an update, which has no id of its own, leaves the outcome unknown and is not retried', async () => {
    const { linear, sandbox } = connectorOnSandbox({ faults: [{ kind: 'reset_after', rootField: 'issueUpdate' }] });
    const [issue] = (await linear.issues.list({ first: 1 })).data;
    const error = await failure(linear.issues.update({ id: issue!.id, title: 'Once' }));
    expect(error).toMatchObject({ code: 'unknown_outcome', retryable: false });
    expect(error.hint).toContain('Before you retry');
    expect(sandbox.requests.filter(({ rootField }) => rootField === 'issueUpdate')).toHaveLength(1);
  });

  test('that cannot be resolved causes an error that names the id to look up', async () => {
    const { linear } = connectorOnSandbox({
      faults: [
        { kind: 'reset_before', rootField: 'issueCreate', count: 9 },
        { kind: '500', rootField: 'issue', count: 9 },
      ],
    });
    const team = (await linear.teams.list()).data[0]!;
    const error = await failure(linear.issues.create({ teamId: team.id, title: 'Lost' }));
    expect(error.code).toBe('unknown_outcome');
    expect(error.hint).toMatch(/the assigned id [0-9a-f-]{36}/);
  });
});

test('a write rejected by the rate limit is retried once', async () => {
  const { linear, sandbox } = connectorOnSandbox({
    faults: [{ kind: 'rate_limited', rootField: 'issueUpdate', retryAfter: 0 }],
  });
  const [issue] = (await linear.issues.list({ first: 1 })).data;
  await linear.issues.update({ id: issue!.id, title: 'Again' });
  expect(sandbox.requests.filter(({ rootField }) => rootField === 'issueUpdate')).toHaveLength(2);
});

test('a read-only connector never sends writes', async () => {
  const { linear, sandbox } = connectorOnSandbox({ readOnly: true });
  const error = await failure(linear.issues.create({ teamId: 't', title: 'No' }));
  expect(error.code).toBe('denied_by_policy');
  expect(sandbox.requests).toHaveLength(0);
});
