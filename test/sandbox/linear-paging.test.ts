import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, it } from 'vitest';
import { createRequester, noon } from './requester.js';

const sandbox = createSandbox({ now: () => noon });
const ask = createRequester(sandbox);
const paged = `query($first: Int, $after: String, $last: Int, $before: String) {
  issues(first: $first, after: $after, last: $last, before: $before) {
    nodes { id createdAt } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;
const page = async (variables: Record<string, unknown>) => (await ask(paged, variables)).data.issues;

describe('paging', () => {
  it('walks backwards with last and before', async () => {
    const forward = await page({ first: 10 });
    const back = await page({ last: 4, before: forward.pageInfo.endCursor });
    expect(back.nodes).toEqual(forward.nodes.slice(5, 9));
    expect(back.pageInfo).toMatchObject({ hasPreviousPage: true, hasNextPage: true });
    const end = await page({ last: 3 });
    expect(end.nodes).toHaveLength(3);
    expect(end.pageInfo.hasNextPage).toBe(false);
  });

  it('has no cursors in an empty list', async () => {
    const empty = createSandbox({ scale: 0, now: () => noon });
    const { data } = await createRequester(empty)(
      '{ issues { nodes { id } pageInfo { hasNextPage endCursor startCursor } } }',
    );
    expect(data.issues).toEqual({ nodes: [], pageInfo: { hasNextPage: false, endCursor: null, startCursor: null } });
  });

  it('uses different cursor formats in different lists', async () => {
    const { data } = await ask(
      '{ issues(first: 1) { edges { cursor node { id } } } users(first: 1) { edges { cursor node { id } } } }',
    );
    const [issue] = data.issues.edges;
    const [user] = data.users.edges;
    expect(user.cursor).toBe(user.node.id);
    expect(issue.cursor).not.toContain(issue.node.id);
    expect(atob(issue.cursor)).toContain(issue.node.id);
  });

  it('continues at the same row when a newer one is inserted', async () => {
    const own = createSandbox({ now: () => noon });
    const tell = createRequester(own);
    const before = (await tell(paged, { first: 6 })).data.issues;
    const first = (await tell(paged, { first: 3 })).data.issues;
    const { data } = await tell('{ team(id: "ENG") { id } }');
    await tell('mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success } }', {
      input: { teamId: data.team.id, title: 'In between' },
    });
    const second = (await tell(paged, { first: 3, after: first.pageInfo.endCursor })).data.issues;
    expect(second.nodes).toEqual(before.nodes.slice(3));
  });

  it.each([
    ['first', 0, 'first must not be less than 1'],
    ['first', 251, 'first must not be greater than 250'],
    ['last', 251, 'last must not be greater than 250'],
  ])('rejects %s: %i with HTTP 200 and the violated rule', async (name, size, rule) => {
    const answer = await ask(paged, { [name]: size });
    expect(answer).toMatchObject({ status: 200, data: null });
    expect(answer.errors?.[0]).toMatchObject({
      message: 'Argument Validation Error',
      extensions: { code: 'INVALID_INPUT', validationErrors: [{ property: name }] },
    });
    expect(Object.values(answer.errors?.[0]?.extensions.validationErrors[0].constraints)).toEqual([rule]);
  });

  it('rejects a foreign cursor', async () => {
    expect((await ask(paged, { after: 'nonsense!' })).errors?.[0]?.extensions.code).toBe('INVALID_INPUT');
    expect((await ask('{ users(after: "nonsense") { nodes { id } } }')).errors?.[0]?.extensions.code).toBe(
      'INVALID_INPUT',
    );
  });

  it('can sort by updatedAt and filter', async () => {
    const updated = (await ask('{ issues(orderBy: updatedAt) { nodes { updatedAt } } }')).data.issues.nodes;
    const times = updated.map((node: { updatedAt: string }) => node.updatedAt);
    expect(times).toEqual([...times].sort().reverse());

    const sorted = await ask('{ users(sort: [{ name: { order: Ascending } }]) { nodes { name } } }');
    const names = sorted.data.users.nodes.map((user: { name: string }) => user.name);
    expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b)));

    const filtered = await ask(
      `query($filter: IssueFilter) { issues(filter: $filter, first: 250) { nodes { priority team { key } assignee { id } } } }`,
      { filter: { team: { key: { eq: 'MOB' } }, or: [{ priority: { lte: 1 } }, { assignee: { null: true } }] } },
    );
    const found = filtered.data.issues.nodes;
    expect(found.length).toBeGreaterThan(0);
    for (const issue of found) {
      expect(issue.team.key).toBe('MOB');
      expect(issue.priority <= 1 || issue.assignee === null).toBe(true);
    }
  });

  it('paginates twelve thousand issues', async () => {
    const large = createSandbox({ scale: 40, now: () => noon });
    const tell = createRequester(large);
    let count = 0;
    let after: string | undefined;
    do {
      const { nodes, pageInfo } = (await tell(paged, { first: 250, after })).data.issues;
      count += nodes.length;
      after = pageInfo.hasNextPage ? pageInfo.endCursor : undefined;
    } while (after);
    expect(count).toBeGreaterThan(10_000);
  });
});
