import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { collect, connectorOnSandbox, connectorWithReplies, listOf } from './setup.js';

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const day = /^\d{4}-\d\d-\d\d$/;

const { linear, sandbox } = connectorOnSandbox();

describe('a list', () => {
  test('has fifty records by default', async () => {
    expect((await linear.issues.list()).data).toHaveLength(50);
  });

  test('is sorted newest first, for issues and comments', async () => {
    const descending = (records: ReadonlyArray<{ createdAt: string | null }>) => {
      const times = records.map(({ createdAt }) => createdAt!);
      expect(times).toEqual([...times].sort().reverse());
    };
    const { data } = await linear.issues.list({ first: 250 });
    descending(data);
    let longest = 0;
    for (const { id } of data.slice(0, 50)) {
      const comments = (await linear.comments.list({ issueId: id, first: 250 })).data;
      descending(comments);
      longest = Math.max(longest, comments.length);
    }
    expect(longest).toBeGreaterThan(2);
  });

  test('excludes deactivated users; get still finds them', async () => {
    const users = await collect(linear.paginate('users', 'list', { first: 250 }));
    expect(users.every(({ active }) => active)).toBe(true);
    const { workspace } = (sandbox.dump() as { vendors: { linear: { workspace: object } } }).vendors.linear;
    const gone = rows(workspace, (row) => row.active === false && typeof row.email === 'string');
    expect(gone.length).toBeGreaterThan(0);
    expect(users.map(({ id }) => id)).not.toContain(gone[0]!.id);
    expect((await linear.users.get({ id: String(gone[0]!.id) })).data.active).toBe(false);
  });

  test('excludes archived issues; get still finds them', async () => {
    const issues = await collect(linear.paginate('issues', 'list', { first: 250 }));
    const { workspace } = (sandbox.dump() as { vendors: { linear: { workspace: object } } }).vendors.linear;
    const archived = rows(
      workspace,
      (row) => typeof row.archivedAt === 'string' && 'priority' in row && 'stateId' in row,
    );
    expect(archived.length).toBeGreaterThan(0);
    expect(issues.map(({ id }) => id)).not.toContain(archived[0]!.id);
    expect((await linear.issues.get({ id: String(archived[0]!.id) })).data.id).toBe(archived[0]!.id);
  });

  test('also has a cursor on its last page, but still ends', async () => {
    const { meta } = await linear.teams.list({ first: 250 });
    expect(meta).toEqual({ hasNextPage: false, endCursor: expect.any(String) });
    expect((await collect(linear.paginate('teams', 'list', { first: 250 }))).length).toBeGreaterThan(1);
  });

  test('that is empty has no cursor', async () => {
    const { linear: bare } = connectorWithReplies(listOf('teams', []));
    expect(await bare.teams.list()).toEqual({ data: [], meta: { hasNextPage: false, endCursor: null } });
    expect(await collect(bare.paginate('teams', 'list'))).toEqual([]);
  });

  test('at its largest page size is not too complex for Linear', async () => {
    for (const entity of ['issues', 'projects', 'teams', 'workflow_states', 'users'] as const) {
      expect((await linear.execute(entity, 'list', { first: 250 })).data.length).toBeGreaterThan(0);
    }
    const [issue] = (await linear.issues.list({ first: 1 })).data;
    await linear.comments.list({ issueId: issue!.id, first: 250 });
  });
});

describe('a record', () => {
  test('has timestamps with milliseconds in UTC, and dates without a time', async () => {
    const issues = await collect(linear.paginate('issues', 'list', { first: 250 }));
    for (const { createdAt, updatedAt } of issues) {
      expect(createdAt).toMatch(instant);
      expect(updatedAt).toMatch(instant);
    }
    const days = (await linear.projects.list({ first: 250 })).data.flatMap(({ startDate, targetDate }) =>
      [startDate, targetDate].filter((value) => value !== null),
    );
    expect(days.length).toBeGreaterThan(0);
    for (const value of days) expect(value).toMatch(day);
  });

  test('for a state includes its team, since teams share state names', async () => {
    const states = await collect(linear.paginate('workflow_states', 'list', { first: 250 }));
    const named = states.filter(({ name }) => name === states[0]!.name);
    expect(named.length).toBeGreaterThan(1);
    expect(new Set(named.map(({ team }) => team!.id)).size).toBe(named.length);
  });

  test('for a state can have an unknown type and a fractional position', async () => {
    const node = { id: 's', name: 'New', type: 'sleeping', position: 1.25, color: '#fff', team: null };
    const times = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };
    const { linear: bare, mismatches } = connectorWithReplies(listOf('workflowStates', [{ ...node, ...times }]));
    expect((await bare.workflow_states.list()).data).toEqual([{ ...node, ...times }]);
    expect(mismatches).toEqual([]);
  });

  test('for a comment has no user if an integration wrote it, and no issue if it belongs to a project', async () => {
    const { workspace } = (sandbox.dump() as { vendors: { linear: { workspace: object } } }).vendors.linear;
    const comments = rows(workspace, (row) => typeof row.body === 'string' && 'userId' in row && 'issueId' in row);
    const byRobot = comments.find(({ userId, issueId }) => userId === null && issueId !== null)!;
    expect((await linear.comments.get({ id: String(byRobot.id) })).data).toMatchObject({ user: null });
    const onProject = comments.find(({ issueId }) => issueId === null)!;
    expect((await linear.comments.get({ id: String(onProject.id) })).data).toMatchObject({ issue: null });
  });

  test('for an issue keeps its Markdown unchanged', async () => {
    const { linear: own } = connectorOnSandbox();
    const [team] = (await own.teams.list({ first: 1 })).data;
    const description = '# Head\n\n- [ ] one\n- **two** `code`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n';
    const { issue } = (await own.issues.create({ teamId: team!.id, title: 'T', description })).data;
    expect((await own.issues.get({ id: issue.id })).data.description).toBe(description);
  });

  test('for a project sets a lead by id and clears it with null', async () => {
    const { linear: own } = connectorOnSandbox();
    const [project] = (await own.projects.list({ first: 1 })).data;
    const [user] = (await own.users.list({ first: 1 })).data;
    const led = (await own.projects.update({ id: project!.id, leadId: user!.id })).data.project;
    expect(led.lead).toMatchObject({ id: user!.id, name: user!.name });
    expect((await own.projects.update({ id: project!.id, leadId: null })).data.project.lead).toBeNull();
  });

  test('that the key cannot access looks like one that does not exist', async () => {
    const { linear: restricted } = connectorOnSandbox({ mode: 'team_restricted' });
    const seen = new Set((await restricted.teams.list()).data.map(({ id }) => id));
    const hidden = (await linear.issues.list({ first: 250 })).data.find(({ team }) => !seen.has(team!.id))!;
    const error = await failure(restricted.issues.get({ id: hidden.id }));
    expect(error.code).toBe('not_found');
    expect(error.hint).toContain('not visible to this key');
  });
});

type Row = Record<string, unknown>;

/** The matching rows in a dumped state, at any depth. */
function rows(state: unknown, wanted: (row: Row) => boolean): Row[] {
  if (typeof state !== 'object' || state === null) return [];
  const inner = Object.values(state).flatMap((value) => rows(value, wanted));
  return !Array.isArray(state) && wanted(state as Row) ? [state as Row, ...inner] : inner;
}
