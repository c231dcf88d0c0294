import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import {
  AuthenticationLinearError,
  ForbiddenLinearError,
  InvalidInputLinearError,
  LinearClient,
  LinearError,
  RatelimitedLinearError,
} from '@linear/sdk';
import { serve } from '../../sandbox/dist/server.js';

let server;
before(async () => {
  server = await serve();
});
after(() => server.close());
beforeEach(() => server.sandbox.reset());

const credentials = () => server.sandbox.vendors.linear.credentials;
const client = (options = { apiKey: credentials().api_key.api_key }) =>
  new LinearClient({ ...options, apiUrl: `${server.url}/linear/graphql` });

describe('reading with @linear/sdk', () => {
  it('identifies the user by key and by token', async () => {
    assert.equal((await client().viewer).email, 'tomas.aguirre@fernhill.example');
    const { access_token: accessToken } = credentials().access_token;
    assert.equal((await client({ accessToken }).viewer).isMe, true);
  });

  it('lists everything', async () => {
    const linear = client();
    for (const list of ['issues', 'projects', 'teams', 'users', 'workflowStates', 'projectStatuses', 'comments']) {
      const connection = await linear[list]();
      assert.ok(connection.nodes.length > 0, list);
      assert.equal(typeof connection.pageInfo.endCursor, 'string', list);
      assert.ok(connection.nodes[0].createdAt instanceof Date, list);
    }
  });

  it('pages with fetchNext to the end', async () => {
    const issues = await client().issues({ first: 100 });
    assert.equal(issues.nodes.length, 100);
    while (issues.pageInfo.hasNextPage) await issues.fetchNext();
    const ids = new Set(issues.nodes.map((issue) => issue.id));
    assert.equal(ids.size, issues.nodes.length);
    const teams = await client().teams();
    assert.equal(
      ids.size,
      teams.nodes.reduce((sum, team) => sum + team.issueCount, 0),
    );
  });

  it('follows an issue to its related records', async () => {
    const linear = client();
    const assigned = await linear.issues({ first: 1, filter: { assignee: { null: false }, project: { null: false } } });
    const issue = await linear.issue(assigned.nodes[0].id);
    assert.equal((await linear.issue(issue.identifier)).id, issue.id);
    assert.match((await issue.state).name, /\w/);
    assert.match((await issue.team).key, /^(ENG|MOB|DES|SUP)$/);
    assert.match((await issue.assignee).email, /@fernhill\.example$/);
    const project = await issue.project;
    assert.equal((await project.status).type, project.state);
    assert.ok((await project.teams()).nodes.length > 0);
    assert.ok((await project.members()).nodes.length > 0);
    assert.ok((await project.issues()).nodes.some((one) => one.id === issue.id));
    assert.ok((await project.comments()).nodes.length > 0);
    await issue.children();
  });

  it('follows teams, users and states to their related records', async () => {
    const linear = client();
    const team = await linear.team('ENG');
    assert.equal((await team.states()).nodes.length, 8);
    assert.equal((await team.defaultIssueState).type, 'backlog');
    assert.ok((await team.members()).nodes.length > 5);
    assert.ok((await team.projects()).nodes.length > 3);
    assert.equal((await team.issues({ first: 5 })).nodes.length, 5);
    const state = await linear.workflowState((await team.states()).nodes[0].id);
    assert.equal((await state.team).id, team.id);
    await state.issues();
    const user = await linear.user((await linear.users()).nodes[0].id);
    await Promise.all([user.assignedIssues(), user.createdIssues(), user.teams()]);
    const status = (await linear.projectStatuses()).nodes[0];
    assert.equal((await linear.projectStatus(status.id)).name, status.name);
  });

  it("reads an issue's comments and single comments", async () => {
    const linear = client();
    const { nodes } = await linear.comments({ first: 50 });
    const comment = nodes.find((one) => one.issueId && one.userId);
    const alone = await linear.comment({ id: comment.id });
    assert.equal(alone.body, comment.body);
    assert.match((await alone.user).name, /\w/);
    const issue = await alone.issue;
    assert.ok((await issue.comments({ first: 200 })).nodes.some((one) => one.id === comment.id));
    await alone.children({ id: alone.id });
  });
});

describe('writing with @linear/sdk', () => {
  it('creates and updates an issue', async () => {
    const linear = client();
    const team = await linear.team('ENG');
    const user = (await linear.users({ first: 1 })).nodes[0];
    const made = await linear.createIssue({ teamId: team.id, title: 'Neu ✅', priority: 2, assigneeId: user.id });
    assert.equal(made.success, true);
    const issue = await made.issue;
    assert.deepEqual([issue.title, issue.priority, issue.assigneeId], ['Neu ✅', 2, user.id]);
    const changed = await linear.updateIssue(issue.identifier, { assigneeId: null, description: '**fett**' });
    const after = await changed.issue;
    assert.deepEqual([after.title, after.assigneeId, after.description], ['Neu ✅', undefined, '**fett**']);
  });

  it('creates and updates a project', async () => {
    const linear = client();
    const team = await linear.team('DES');
    const made = await linear.createProject({ name: 'Fresh', teamIds: [team.id], targetDate: '2027-01-31' });
    const project = await made.project;
    assert.deepEqual([project.name, project.targetDate, project.description], ['Fresh', '2027-01-31', '']);
    const { nodes } = await linear.projectStatuses();
    const planned = nodes.find((status) => status.type === 'planned');
    const changed = await linear.updateProject(project.id, { statusId: planned.id, targetDate: null });
    const after = await changed.project;
    assert.deepEqual([after.statusId, after.targetDate], [planned.id, undefined]);
  });

  it('creates and updates a comment', async () => {
    const linear = client();
    const made = await linear.createComment({ issueId: 'ENG-1', body: 'first' });
    const comment = await made.comment;
    await linear.updateComment(comment.id, { body: 'second' });
    assert.equal((await linear.comment({ id: comment.id })).body, 'second');
  });
});

describe('errors classified by @linear/sdk', () => {
  const thrown = (kind) => (error) => {
    assert.ok(error instanceof kind, `${error?.constructor?.name}: ${error?.message}`);
    return true;
  };

  it('have the right class', async () => {
    const linear = client();
    await assert.rejects(() => client({ apiKey: 'lin_api_wrong' }).viewer, thrown(AuthenticationLinearError));
    await assert.rejects(() => linear.issue('ENG-99999'), thrown(InvalidInputLinearError));
    await assert.rejects(() => linear.issues({ first: 251 }), thrown(InvalidInputLinearError));
    await assert.rejects(() => linear.createIssue({ teamId: 'ENG', title: 'x' }), thrown(InvalidInputLinearError));
    const reader = client({ apiKey: credentials().read_only.api_key });
    await assert.rejects(() => reader.createComment({ issueId: 'ENG-1', body: 'x' }), thrown(ForbiddenLinearError));
    const { api_key: accessToken } = credentials().api_key;
    await assert.rejects(() => client({ accessToken }).viewer, thrown(InvalidInputLinearError));
  });

  it('include the rate-limit numbers', async () => {
    for (const retryAfter of [undefined, 3]) {
      server.sandbox.faults.add({ kind: 'rate_limited', retryAfter });
      await assert.rejects(
        () => client().viewer,
        (error) => {
          assert.ok(error instanceof RatelimitedLinearError);
          assert.equal(error.requestsLimit, 2500);
          if (retryAfter === undefined) assert.equal(error.requestsRemaining, 0);
          else assert.equal(error.retryAfter, retryAfter);
          assert.ok(error.requestsResetAt > Date.now());
          return true;
        },
      );
    }
  });

  it('occur when the vendor is down', async () => {
    for (const kind of ['500', '502', '503', 'internal_error', 'lock_timeout', 'wrong_content_type', 'reset_before']) {
      server.sandbox.faults.add({ kind });
      await assert.rejects(() => client().viewer, thrown(LinearError));
    }
    assert.equal((await client().viewer).active, true);
  });
});

describe('raw documents through @linear/sdk', () => {
  it('return status and headers', async () => {
    const reply = await client().client.rawRequest('query($n: Int) { issues(first: $n) { nodes { id } } }', { n: 2 });
    assert.equal(reply.data.issues.nodes.length, 2);
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('x-complexity'), '4');
  });
});
