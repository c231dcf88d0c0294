import type { Issue } from 'agent-connectors/linear';
import { beforeAll, describe, expect, test } from 'vitest';
import { createRequester } from '../../sandbox/requester.js';
import { connectorOnSandbox, connectorWithReplies, listOf } from './setup.js';

const { linear, sandbox } = connectorOnSandbox();
let issues: readonly Issue[];

beforeAll(async () => {
  issues = (await linear.issues.list({ first: 250 })).data;
});

describe('an issue', () => {
  test('includes its identifier, URL, labels, parent, due date and estimate', () => {
    for (const { identifier, url, labels, labelIds } of issues) {
      expect(url).toContain(`/issue/${identifier}/`);
      expect(labels!.map(({ id }) => id).sort()).toEqual([...labelIds!].sort());
    }
    expect(issues.some(({ labels }) => labels!.length > 0 && labels![0]!.name !== '')).toBe(true);
    expect(issues.some(({ estimate }) => typeof estimate === 'number')).toBe(true);
    expect(issues.some(({ dueDate }) => /^\d{4}-\d\d-\d\d$/.test(dueDate ?? ''))).toBe(true);
    expect(issues.every(({ parent }) => parent === null || /^[A-Z]+-\d+$/.test(parent.identifier))).toBe(true);
  });

  test('keeps the identifiers of teams that it has left, which still find it', async () => {
    const { data: teams } = await linear.teams.list({});
    const moved = issues.findLast(({ team }) => team!.id !== teams[0]!.id)!;
    await createRequester(sandbox)(
      `mutation { issueUpdate(id: "${moved.id}", input: { teamId: "${teams[0]!.id}" }) { success } }`,
    );
    expect((await linear.issues.get({ id: moved.identifier! })).data).toMatchObject({
      id: moved.id,
      identifier: expect.stringMatching(new RegExp(`^${teams[0]!.key}-`)),
      previousIdentifiers: [moved.identifier],
    });
  });

  test('is created and updated with assignee, labels, due date and parent', async () => {
    const [parent] = issues;
    const labelled = issues.find(({ labelIds }) => labelIds!.length > 0)!;
    const { data: people } = await linear.users.list({ first: 1 });
    const given = {
      assigneeId: people[0]!.id,
      labelIds: labelled.labelIds!,
      dueDate: '2027-03-01',
      parentId: parent!.id,
    };
    const made = (await linear.issues.create({ teamId: parent!.team!.id, title: 'Whole', ...given })).data.issue;
    expect(made).toMatchObject({
      assignee: { id: given.assigneeId },
      labelIds: given.labelIds,
      dueDate: given.dueDate,
      parent: { id: parent!.id, identifier: parent!.identifier },
    });
    const cleared = { labelIds: [], dueDate: null, parentId: null };
    expect((await linear.issues.update({ id: made.id, ...cleared })).data.issue).toMatchObject({
      assignee: { id: given.assigneeId },
      labels: [],
      dueDate: null,
      parent: null,
    });
  });

  test('whose update had an unknown outcome is verified by its labels and parent', async () => {
    const { linear: lost, sandbox: vendor } = connectorOnSandbox({ retries: 0 });
    const [parent, child] = (await lost.issues.list({ first: 2 })).data;
    const labelIds = issues.find(({ labelIds: ids }) => ids!.length > 0)!.labelIds!;
    vendor.faults.add({ kind: 'reset_after', rootField: 'issueUpdate' });
    const { sent, ...noted } = await noteAndLose(lost, { id: child!.id, parentId: parent!.id, labelIds });
    expect(noted.code).toBe('unknown_outcome');
    const { data } = await lost.issues.update({ id: child!.id, parentId: parent!.id, labelIds }, { once: again(sent) });
    expect(data.issue).toMatchObject({ parent: { id: parent!.id } });
    expect(vendor.requests.filter(({ rootField }) => rootField === 'issueUpdate')).toHaveLength(1);
  });
});

interface Sent {
  readonly id: string;
  readonly by: 'id' | 'absence' | 'values' | null;
}
const again = (sent: Sent) => ({ sent, sending: async () => {} });

async function noteAndLose(connector: typeof linear, params: Parameters<typeof linear.issues.update>[0]) {
  let sent: Sent | undefined;
  const once = {
    async sending(noted: Sent) {
      sent = noted;
    },
  };
  const code = await connector.issues.update(params, { once } as never).then(
    () => 'done',
    (error: { code: string }) => error.code,
  );
  return { code, sent: sent! };
}

describe('lists', () => {
  test('of issues can be filtered by any record field', async () => {
    const [one] = issues;
    const cases: Array<[Parameters<typeof linear.issues.list>[0] & object, (issue: Issue) => boolean]> = [
      [{ filter: { priority: { lte: 2, neq: 0 } } }, ({ priority }) => priority! <= 2 && priority !== 0],
      [{ filter: { team: { key: { eq: one!.team!.key } } } }, ({ team }) => team!.id === one!.team!.id],
      [{ filter: { assignee: { null: true } } }, ({ assignee }) => assignee === null],
      [{ filter: { title: { containsIgnoreCase: 'THE' } } }, ({ title }) => /the/i.test(title!)],
      [{ filter: { labels: { null: true } } }, ({ labels }) => labels!.length === 0],
      [{ filter: { estimate: { gte: 3 } } }, ({ estimate }) => estimate! >= 3],
      [
        { filter: { or: [{ priority: { eq: 1 } }, { state: { type: { eq: 'canceled' } } }] } },
        ({ priority, state }) => priority === 1 || state!.type === 'canceled',
      ],
    ];
    for (const [params, passes] of cases) {
      const { data } = await linear.issues.list({ first: 250, ...params });
      expect(data.length, JSON.stringify(params)).toBeGreaterThan(0);
      expect(data.every(passes), JSON.stringify(params)).toBe(true);
    }
    const label = issues.flatMap(({ labels }) => labels!)[0]!;
    const { data } = await linear.issues.list({
      first: 250,
      filter: { labels: { some: { name: { eq: label.name } } } },
    });
    expect(data.every(({ labels }) => labels!.some(({ name }) => name === label.name))).toBe(true);
  });

  test('can be sorted by modification time', async () => {
    const { data } = await linear.issues.list({ first: 50, orderBy: 'updatedAt' });
    const moments = data.map(({ updatedAt }) => updatedAt!);
    expect(moments).toEqual(moments.toSorted().reverse());
  });

  test('of projects can also be filtered', async () => {
    const { data } = await linear.projects.list({ filter: { status: { type: { eq: 'started' } } } });
    expect(data.length).toBeGreaterThan(0);
    expect(data.every(({ state, url }) => state === 'started' && url!.includes('/project/'))).toBe(true);
  });

  test('reject an unknown comparator before anything is sent', async () => {
    const before = sandbox.requests.length;
    const wrong = linear.issues.list({ filter: { priority: { equals: 1 } } } as never);
    await expect(wrong).rejects.toMatchObject({ code: 'invalid_params' });
    expect(sandbox.requests).toHaveLength(before);
  });

  test('note on the last page that archived records are excluded, unless they are included', async () => {
    const said = async (params: object) => (await linear.issues.list({ first: 250, ...params })).meta.notes;
    const narrowed = { filter: { priority: { eq: 1 } } };
    expect(await said(narrowed)).toEqual([expect.stringContaining('includeArchived')]);
    expect(await said({ ...narrowed, includeArchived: true })).toBeUndefined();
    expect((await linear.issues.list({ first: 1 })).meta).not.toHaveProperty('notes');
    const all = await linear.projects.list({ first: 250, includeArchived: true });
    const live = await linear.projects.list({ first: 250 });
    expect(live.meta.notes).toEqual([expect.stringContaining('Archived projects')]);
    expect(all.data.length).toBeGreaterThanOrEqual(live.data.length);
    expect((await linear.users.list({ first: 250 })).meta.notes).toEqual([expect.stringContaining('Deactivated')]);
  });

  test('note if an issue has more labels than returned', async () => {
    const labels = Array.from({ length: 10 }, (_, place) => ({ id: `l${place}`, name: `L${place}` }));
    const node = { id: 'i', labels: { nodes: labels }, labelIds: [...labels.map(({ id }) => id), 'l10'] };
    const { linear: bare } = connectorWithReplies(listOf('issues', [node], 'c', true));
    expect((await bare.issues.list()).meta.notes).toEqual([expect.stringContaining('ten labels')]);
  });
});

test('raw returns unlisted fields', async () => {
  const [id] = issues.map((issue) => issue.id);
  const { data } = await linear.issues.get({ id: id! }, { raw: true });
  expect(data).toMatchObject({ number: expect.any(Number), branchName: expect.any(String) });
  expect(data).toMatchObject({ id, identifier: expect.any(String) });
  for (const entity of ['projects', 'teams', 'workflow_states', 'users'] as const) {
    const plain = (await linear.execute(entity, 'list', { first: 1 })).data[0]!;
    const raw = (await linear.execute(entity, 'list', { first: 1 }, { raw: true })).data[0]!;
    expect(Object.keys(raw).length, entity).toBeGreaterThan(Object.keys(plain).length);
  }
});
