import { createSandbox } from 'agent-connectors-sandbox';
import { beforeEach, describe, expect, it } from 'vitest';
import { createRequester, noon, type Reply } from './requester.js';

let sandbox = createSandbox({ now: () => noon });
let ask = createRequester(sandbox);

beforeEach(() => {
  sandbox = createSandbox({ now: () => noon });
  ask = createRequester(sandbox);
});

const write = (root: string, type: string, selection: string) => (input: object, id?: string) =>
  ask(
    id === undefined
      ? `mutation($input: ${type}CreateInput!) { ${root}Create(input: $input) { success lastSyncId ${root} { ${selection} } } }`
      : `mutation($id: String!, $input: ${type}UpdateInput!) { ${root}Update(id: $id, input: $input) { success lastSyncId ${root} { ${selection} } } }`,
    { input, id },
  );
const issue = write(
  'issue',
  'Issue',
  'id identifier title description priority createdAt updatedAt completedAt state { id type } assignee { id } team { id } project { id } projectMilestone { id }',
);
const project = write(
  'project',
  'Project',
  'id name description startDate targetDate status { id type } state lead { id } teams { nodes { key } }',
);
const comment = write('comment', 'Comment', 'id body editedAt user { isMe } issue { identifier } parent { id }');
const teamId = async (key = 'ENG') => (await ask(`{ team(id: "${key}") { id } }`)).data.team.id as string;
const checks = (answer: Reply) =>
  answer.errors?.[0]?.extensions.validationErrors.map((check: { property: string }) => check.property);

describe('issues', () => {
  it('are created with defaults, get the next identifier and are listed first', async () => {
    const team = (await ask('{ team(id: "ENG") { id issueCount(includeArchived: true) } }')).data.team;
    const answer = await issue({ teamId: team.id, title: 'Überprüfen 🧾', description: '' });
    const made = answer.data.issueCreate.issue;
    expect(answer.data.issueCreate.success).toBe(true);
    expect(made).toMatchObject({
      identifier: `ENG-${team.issueCount + 1}`,
      title: 'Überprüfen 🧾',
      description: null,
      priority: 0,
      state: { type: 'backlog' },
      assignee: null,
      createdAt: new Date(noon).toISOString(),
    });
    const { data } = await ask('{ issues(first: 1) { nodes { id } } }');
    expect(data.issues.nodes[0].id).toBe(made.id);
  });

  it('keep what an update omits and clear what it sets to null', async () => {
    const users = (await ask('{ users(first: 1) { nodes { id } } }')).data.users.nodes;
    const made = (await issue({ teamId: await teamId(), title: 'One', description: 'text', assigneeId: users[0].id }))
      .data.issueCreate.issue;
    sandbox.clock.advance(1000);
    const renamed = (await issue({ title: 'Two' }, made.identifier)).data.issueUpdate.issue;
    expect(renamed).toMatchObject({ title: 'Two', description: 'text', assignee: { id: users[0].id } });
    expect(Date.parse(renamed.updatedAt) - Date.parse(made.updatedAt)).toBe(1000);
    const cleared = (await issue({ assigneeId: null, description: null }, made.id)).data.issueUpdate.issue;
    expect(cleared).toMatchObject({ title: 'Two', description: null, assignee: null });
  });

  it('lose their milestone with their project', async () => {
    const query = '{ projects { nodes { id teams { nodes { id } } projectMilestones(first: 1) { nodes { id } } } } }';
    const found = (await ask(query)).data.projects.nodes.find((one: any) => one.projectMilestones.nodes.length > 0);
    const milestone = found.projectMilestones.nodes[0].id;
    const made = await issue({
      teamId: found.teams.nodes[0].id,
      title: 'In a project',
      projectId: found.id,
      projectMilestoneId: milestone,
    });
    expect(made.data.issueCreate.issue).toMatchObject({
      project: { id: found.id },
      projectMilestone: { id: milestone },
    });
    const cleared = await issue({ projectId: null }, made.data.issueCreate.issue.id);
    expect(cleared.data.issueUpdate.issue).toMatchObject({ project: null, projectMilestone: null });
  });

  it('record their completion and clear it when reopened', async () => {
    const states = (await ask('{ team(id: "ENG") { states { nodes { id type } } } }')).data.team.states.nodes;
    const stateId = (type: string) => states.find((state: { type: string }) => state.type === type).id;
    const made = (await issue({ teamId: await teamId(), title: 'Soon done' })).data.issueCreate.issue;
    const done = (await issue({ stateId: stateId('completed') }, made.id)).data.issueUpdate.issue;
    expect(done).toMatchObject({ state: { type: 'completed' }, completedAt: new Date(noon).toISOString() });
    const again = (await issue({ stateId: stateId('unstarted') }, made.id)).data.issueUpdate.issue;
    expect(again.completedAt).toBeNull();
  });

  it('move to another team with a new identifier and can still be found with the old one', async () => {
    const made = (await issue({ teamId: await teamId(), title: 'Moves' })).data.issueCreate.issue;
    const moved = (await issue({ teamId: await teamId('MOB') }, made.id)).data.issueUpdate.issue;
    expect(moved.identifier).toMatch(/^MOB-/);
    expect((await ask(`{ issue(id: "${made.identifier}") { identifier } }`)).data.issue).toEqual({
      identifier: moved.identifier,
    });
  });

  it('accept a client-generated id only once', async () => {
    const id = 'aaaaaaaa-0000-4000-8000-000000000001';
    const first = await issue({ id, teamId: await teamId(), title: 'Once' });
    expect(first.data.issueCreate.issue.id).toBe(id);
    const second = await issue({ id, teamId: await teamId(), title: 'Twice' });
    expect(second).toMatchObject({ status: 200, data: null });
    expect(second.errors?.[0]?.extensions.code).toBe('INPUT_ERROR');
  });

  it('are rejected with an error that names the violated rule', async () => {
    const id = await teamId();
    expect(checks(await issue({ teamId: 'ENG', title: 'x' }))).toEqual(['teamId']);
    expect(checks(await issue({ teamId: id, title: 'x', stateId: 'Todo' }))).toEqual(['stateId']);
    expect(checks(await issue({ teamId: id, title: 'x', priority: 5 }))).toEqual(['priority']);
    expect(checks(await issue({ teamId: id, title: 'x', assigneeId: 'me', id: '1' }))).toEqual(['id', 'assigneeId']);
    expect(checks(await issue({ teamId: id }))).toEqual(['title']);
    expect(checks(await issue({ title: '' }, 'ENG-1'))).toEqual(['title']);
    const wrongType = await issue({ teamId: id, title: 'x', priority: 2.5 });
    expect(wrongType.status).toBe(400);
    expect(wrongType.errors?.[0]?.message).toMatch(/Int cannot represent non-integer value/);
    expect((await ask('{ issues(first: 1) { nodes { title } } }')).data.issues.nodes[0].title).not.toBe('x');
  });

  it('reject a state or a project from another team', async () => {
    const states = (await ask('{ team(id: "MOB") { states(first: 1) { nodes { id } } } }')).data.team.states.nodes;
    const foreign = await issue({ teamId: await teamId(), title: 'x', stateId: states[0].id });
    expect(foreign).toMatchObject({ status: 200, data: null });
    expect(foreign.errors?.[0]?.message).toBe('Discrepancy between issue team and state, cycle or project');
    const { data } = await ask('{ projects(filter: { name: { eq: "Ledger core rewrite" } }) { nodes { id } } }');
    const outside = await issue({ teamId: await teamId('DES'), title: 'x', projectId: data.projects.nodes[0].id });
    expect(outside.errors?.[0]?.message).toMatch(/^Discrepancy/);
  });

  it('cannot be assigned to a user who has left', async () => {
    const { data } = await ask(
      '{ users(includeDisabled: true, filter: { active: { eq: false } }, first: 1) { nodes { id } } }',
    );
    const answer = await issue({ assigneeId: data.users.nodes[0].id }, 'ENG-1');
    expect(answer.errors?.[0]?.extensions.code).toBe('INPUT_ERROR');
  });
});

describe('projects', () => {
  it('are created in the backlog with an empty description and found by their slug', async () => {
    const made = (await project({ name: 'Neu', teamIds: [await teamId()] })).data.projectCreate.project;
    expect(made).toMatchObject({ description: '', status: { type: 'backlog' }, state: 'backlog', lead: null });
    expect(made.teams.nodes).toEqual([{ key: 'ENG' }]);
    const { data } = await ask(`{ project(id: "${made.id}") { slugId } }`);
    const changed = await project({ startDate: '2026-06-01' }, data.project.slugId);
    expect(changed.data.projectUpdate.project).toMatchObject({ id: made.id, startDate: '2026-06-01' });
    const cleared = await project({ startDate: null }, made.id);
    expect(cleared.data.projectUpdate.project.startDate).toBeNull();
  });

  it('require a team and reject long descriptions, a field named state and archived statuses', async () => {
    const id = await teamId();
    expect(checks(await project({ name: 'x', teamIds: [id], description: 'd'.repeat(256) }))).toEqual(['description']);
    const longest = await project({ name: 'x', teamIds: [id], description: 'd'.repeat(255) });
    expect(longest.data.projectCreate.success).toBe(true);
    expect(checks(await project({ name: 'x', teamIds: [] }))).toEqual(['teamIds']);
    expect(checks(await project({ name: 'x', teamIds: ['ENG'] }))).toEqual(['teamIds']);
    const state = await project({ name: 'x', teamIds: [id], state: 'started' });
    expect(state.status).toBe(400);
    expect(state.errors?.[0]?.message).toMatch(/Field "state" is not defined by type "ProjectCreateInput"/);
    expect((await project({ name: 'x', teamIds: [id], startDate: '1 June' })).status).toBe(400);
    const { data } = await ask('{ projectStatuses(includeArchived: true) { nodes { id archivedAt } } }');
    const archived = data.projectStatuses.nodes.find((status: any) => status.archivedAt !== null);
    const refused = await project({ name: 'x', teamIds: [id], statusId: archived.id });
    expect(refused.errors?.[0]?.extensions.code).toBe('INPUT_ERROR');
  });
});

describe('comments', () => {
  it('belong to an issue by identifier, or to another comment, and can be edited', async () => {
    const made = (await comment({ issueId: 'ENG-1', body: '# Titel\n\n👋' })).data.commentCreate.comment;
    expect(made).toMatchObject({ body: '# Titel\n\n👋', user: { isMe: true }, issue: { identifier: 'ENG-1' } });
    const reply = (await comment({ parentId: made.id, body: 'Reply' })).data.commentCreate.comment;
    expect(reply).toMatchObject({ parent: { id: made.id }, issue: { identifier: 'ENG-1' } });
    const edited = (await comment({ body: 'Other' }, made.id)).data.commentUpdate.comment;
    expect(edited).toMatchObject({ body: 'Other', editedAt: new Date(noon).toISOString() });
    const { data } = await ask('{ issue(id: "ENG-1") { comments(first: 2) { nodes { id } } } }');
    expect(data.issue.comments.nodes.map((one: { id: string }) => one.id)).toEqual([reply.id, made.id]);
  });

  it("can be signed with a display name that is not a user's", async () => {
    const signed =
      'mutation { commentCreate(input: { issueId: "ENG-1", body: "x", createAsUser: "Deploy 🤖" }) { comment { user { id } botActor { name } } } }';
    expect((await ask(signed)).data.commentCreate.comment).toEqual({ user: null, botActor: { name: 'Deploy 🤖' } });
  });

  it('require a body and a parent', async () => {
    expect(checks(await comment({ issueId: 'ENG-1' }))).toEqual(['body']);
    expect((await comment({ body: 'Lost' })).errors?.[0]?.extensions.code).toBe('INPUT_ERROR');
    const missing = await comment({ issueId: 'ENG-99999', body: 'x' });
    expect(missing).toMatchObject({ status: 200, data: null });
    expect(missing.errors?.[0]?.message).toMatch(/^Entity not found: Issue/);
  });
});
