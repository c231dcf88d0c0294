// The connector and Linear's own client on one sandbox: both see the same records and each other's writes.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { LinearClient } from '@linear/sdk';
import { LinearConnector } from '../../dist/linear.js';
import { serve } from '../../sandbox/dist/server.js';

describe('the connector and @linear/sdk', () => {
  /** @type {Awaited<ReturnType<typeof serve>>} */
  let server;
  /** @type {LinearConnector} */
  let ours;
  /** @type {LinearClient} */
  let theirs;

  before(async () => {
    server = await serve();
    const { api_key } = server.sandbox.vendors.linear.credentials.api_key;
    ours = new LinearConnector({ credentials: { api_key }, endpoints: `${server.url}/linear` });
    theirs = new LinearClient({ apiKey: api_key, apiUrl: `${server.url}/linear/graphql` });
  });

  after(() => server.close());

  const ids = (records) => records.map(({ id }) => id);

  test('list the same issues, page by page', async () => {
    let page = await theirs.issues({ first: 40 });
    const expected = [...ids(page.nodes)];
    while (page.pageInfo.hasNextPage) {
      page = await theirs.issues({ first: 40, after: page.pageInfo.endCursor });
      expected.push(...ids(page.nodes));
    }
    const found = [];
    for await (const { id } of ours.paginate('issues', 'list', { first: 40 })) found.push(id);
    assert.deepEqual(found, expected);
    assert.ok(found.length > 200);
  });

  test('list the same projects, teams, states and users', async () => {
    assert.deepEqual(
      ids((await ours.projects.list({ first: 50 })).data),
      ids((await theirs.projects({ first: 50 })).nodes),
    );
    assert.deepEqual(ids((await ours.teams.list({ first: 50 })).data), ids((await theirs.teams({ first: 50 })).nodes));
    assert.deepEqual(ids((await ours.users.list({ first: 50 })).data), ids((await theirs.users({ first: 50 })).nodes));
    const states = await theirs.workflowStates({ first: 50 });
    assert.deepEqual(ids((await ours.workflow_states.list({ first: 50 })).data), ids(states.nodes));
  });

  test('read the same fields of one issue', async () => {
    const [{ id }] = (await ours.issues.list({ first: 1 })).data;
    const mine = (await ours.issues.get({ id })).data;
    const issue = await theirs.issue(id);
    const [state, assignee, team, project] = await Promise.all([
      issue.state,
      issue.assignee,
      issue.team,
      issue.project,
    ]);
    assert.deepEqual(
      [mine.title, mine.description, mine.priority, mine.createdAt, mine.updatedAt],
      [
        issue.title,
        issue.description ?? null,
        issue.priority,
        issue.createdAt.toISOString(),
        issue.updatedAt.toISOString(),
      ],
    );
    assert.deepEqual(
      [mine.state?.id, mine.assignee?.id, mine.team?.id, mine.project?.id],
      [state?.id, assignee?.id, team?.id, project?.id],
    );
  });

  test("see each other's issues, projects and comments", async () => {
    const [team] = (await ours.teams.list({ first: 1 })).data;
    const { issue } = (await ours.issues.create({ teamId: team.id, title: 'Made by the connector' })).data;
    assert.equal((await theirs.issue(issue.id)).title, 'Made by the connector');

    await theirs.updateIssue(issue.id, { title: 'Changed by the SDK', priority: 1 });
    assert.deepEqual((await ours.issues.get({ id: issue.id }, { selectFields: ['title', 'priority'] })).data, {
      title: 'Changed by the SDK',
      priority: 1,
    });

    const comment = await (await theirs.createComment({ issueId: issue.id, body: 'From the SDK' })).comment;
    await ours.comments.update({ id: comment.id, body: 'Rewritten by the connector' });
    assert.equal((await theirs.comment({ id: comment.id })).body, 'Rewritten by the connector');
    assert.deepEqual(ids((await ours.comments.list({ issueId: issue.id })).data), [comment.id]);

    const made = await (await theirs.createProject({ name: 'From the SDK', teamIds: [team.id] })).project;
    const { project } = (await ours.projects.update({ id: made.id, state: 'completed' })).data;
    assert.equal(project.state, 'completed');
    assert.equal((await (await theirs.project(made.id)).status)?.type, 'completed');
  });
});
