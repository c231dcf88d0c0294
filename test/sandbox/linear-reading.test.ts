import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, it } from 'vitest';
import { createRequester, noon } from './requester.js';

const sandbox = createSandbox({ now: () => noon });
const ask = createRequester(sandbox);
const all = async (root: string, selection: string, more = '') =>
  (await ask(`{ ${root}(first: 250${more}) { nodes { ${selection} } } }`)).data[root].nodes;

describe('single objects', () => {
  it('are found by UUID and by their short form', async () => {
    const { data } = await ask('{ issues(first: 1) { nodes { id identifier project { id } } } }');
    const { id, identifier } = data.issues.nodes[0];
    expect((await ask(`{ issue(id: "${id}") { identifier } }`)).data.issue).toEqual({ identifier });
    expect((await ask(`{ issue(id: "${identifier.toLowerCase()}") { id } }`)).data.issue).toEqual({ id });

    const [project] = await all('projects', 'id slugId url');
    expect((await ask(`{ project(id: "${project.slugId}") { id } }`)).data.project.id).toBe(project.id);
    expect((await ask(`{ project(id: "${project.url.split('/').at(-1)}") { id } }`)).data.project.id).toBe(project.id);

    const team = (await ask('{ team(id: "ENG") { id name } }')).data.team;
    expect((await ask(`{ team(id: "${team.id}") { key } }`)).data.team.key).toBe('ENG');
  });

  it.each(['issue', 'project', 'team', 'user', 'comment', 'workflowState', 'projectStatus'])(
    'return HTTP 200 with an error and null data for an unknown %s',
    async (root) => {
      const answer = await ask(`{ ${root}(id: "00000000-0000-4000-8000-000000000000") { id } }`);
      const type = root.charAt(0).toUpperCase() + root.slice(1);
      expect(answer).toMatchObject({ status: 200, data: null });
      expect(answer.errors?.[0]?.message).toMatch(new RegExp(`^Entity not found: ${type}`));
      expect(answer.errors?.[0]).toMatchObject({
        path: [root],
        extensions: { code: 'INPUT_ERROR', type: 'invalid input', statusCode: 400 },
      });
    },
  );
});

describe('the company', () => {
  it('has about twenty people, four teams and every workflow state type in each', async () => {
    const users = await all('users', 'active');
    expect(users.length).toBe(20);
    expect(users.every((user: { active: boolean }) => user.active)).toBe(true);
    expect(await all('users', 'id', ', includeDisabled: true')).toHaveLength(22);

    const teams = (await ask('{ teams { nodes { key states { nodes { type } } } } }')).data.teams.nodes;
    expect(teams.map((team: { key: string }) => team.key).sort()).toEqual(['DES', 'ENG', 'MOB', 'SUP']);
    for (const team of teams) {
      expect(new Set(team.states.nodes.map((state: { type: string }) => state.type))).toEqual(
        new Set(['triage', 'backlog', 'unstarted', 'started', 'completed', 'canceled', 'duplicate']),
      );
    }
  });

  it('uses two project statuses of type started and has a third, archived one', async () => {
    const statuses = await all('projectStatuses', 'type position', ', includeArchived: true');
    const started = statuses.filter((status: { type: string }) => status.type === 'started');
    expect(new Set(started.map((status: { position: number }) => status.position)).size).toBe(3);
    const current = await all('projectStatuses', 'type archivedAt');
    expect(current.filter((status: { type: string }) => status.type === 'started')).toHaveLength(2);
  });

  it('has about three hundred issues with common edge cases', async () => {
    const selection = 'id title description assignee { active } project { id } state { type } archivedAt priority';
    const first = await ask(
      `{ issues(first: 250, includeArchived: true) { nodes { ${selection} } pageInfo { endCursor } } }`,
    );
    const rest = await ask(
      `query($after: String) { issues(first: 250, after: $after, includeArchived: true) { nodes { ${selection} } } }`,
      { after: first.data.issues.pageInfo.endCursor },
    );
    const issues = [...first.data.issues.nodes, ...rest.data.issues.nodes];
    expect(issues).toHaveLength(300);
    const some = (found: (issue: any) => boolean) => expect(issues.some(found)).toBe(true);
    some((issue) => issue.description === null);
    some((issue) => issue.description?.length > 3000);
    some((issue) => issue.assignee === null);
    some((issue) => issue.assignee?.active === false);
    some((issue) => issue.project === null);
    some((issue) => issue.archivedAt !== null);
    some((issue) => /\p{Extended_Pictographic}/u.test(issue.title));
    some((issue) => /\p{Script=Han}/u.test(issue.title + issue.description));
    expect(new Set(issues.map((issue) => issue.id)).size).toBe(300);
    expect(new Set(issues.map((issue) => issue.priority))).toEqual(new Set([0, 1, 2, 3, 4]));
  });

  it('has comments by bots, comments on projects and one long thread', async () => {
    const comments = await all('comments', 'user { id } botActor { name } issue { id } project { id }');
    expect(comments.some((comment: any) => comment.user === null && comment.botActor.name === 'GitHub')).toBe(true);
    const { data } = await ask(
      '{ projects(first: 1) { nodes { comments { nodes { issue { id } project { id } } } } } }',
    );
    expect(data.projects.nodes[0].comments.nodes[0].issue).toBeNull();
    const dump = sandbox.dump() as any;
    const perIssue = new Map<string, number>();
    for (const { issueId } of dump.vendors.linear.workspace.tables.comments) {
      perIssue.set(issueId, (perIssue.get(issueId) ?? 0) + 1);
    }
    const [id, length] = [...perIssue].filter(([issue]) => issue).sort((a, b) => b[1] - a[1])[0]!;
    expect(length).toBe(120);
    const thread = await ask(`{ issue(id: "${id}") { comments(first: 250) { nodes { createdAt } } } }`);
    const times = thread.data.issue.comments.nodes.map((comment: { createdAt: string }) => comment.createdAt);
    expect(times).toEqual([...times].sort().reverse());
  });
});

describe('data visible to a credential', () => {
  const { credentials } = sandbox.vendors.linear;

  it('is everything for a plain key and two teams for a restricted one', async () => {
    const restricted = createRequester(sandbox, credentials.team_restricted.api_key);
    const teams = (await restricted('{ teams { nodes { key } } }')).data.teams.nodes;
    expect(teams.map((team: { key: string }) => team.key).sort()).toEqual(['DES', 'MOB']);
    const issues = (await restricted('{ issues(first: 250) { nodes { team { key } } } }')).data.issues.nodes;
    expect(issues.length).toBeGreaterThan(0);
    expect(issues.every((issue: any) => ['DES', 'MOB'].includes(issue.team.key))).toBe(true);
    const hidden = await restricted('{ issue(id: "ENG-1") { id } }');
    expect(hidden.errors?.[0]?.message).toMatch(/^Entity not found: Issue/);
    expect((await ask('{ issue(id: "ENG-1") { id } }')).data.issue.id).toBeTypeOf('string');
  });

  it('includes its own user as viewer', async () => {
    const viewers = await Promise.all(
      [
        credentials.api_key.api_key,
        credentials.read_only.api_key,
        `Bearer ${credentials.access_token.access_token}`,
      ].map(async (key) => (await createRequester(sandbox, key)('{ viewer { email isMe } }')).data.viewer),
    );
    expect(new Set(viewers.map((viewer) => viewer.email)).size).toBe(3);
    expect(viewers.every((viewer) => viewer.isMe)).toBe(true);
  });
});
