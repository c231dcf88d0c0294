import { describe, expect, test } from 'vitest';
import { contents, createWorkspace } from './linear-setup.js';

const minute = 60_000;
const idsOf = (replica: Parameters<typeof contents>[0], entity: string) => Object.keys(contents(replica, entity));

/** A replica that has read everything in these entities once, ten minutes before the test starts. */
async function settled(...entities: string[]) {
  const world = createWorkspace();
  const replica = world.recordingReplica();
  for (const entity of entities) await replica.run(entity);
  world.sandbox.clock.advance(10 * minute);
  world.reads.length = 0;
  world.sandbox.requests.clear();
  return { ...world, watch: replica };
}

/** The contents of a replica that starts now. */
async function anew({ replica }: ReturnType<typeof createWorkspace>, entity: string) {
  const fresh = replica();
  await fresh.run(entity);
  return contents(fresh, entity);
}

describe('a later run', () => {
  test('reads what was changed and created, and little else', async () => {
    const world = await settled('issues', 'comments', 'projects');
    const { watch, linear, reads } = world;
    const [, second, third] = [...watch.records('issues').values()];
    await linear.issues.update({ id: String(third!.id), title: 'Renamed' });
    const { data } = await linear.issues.create({ teamId: String(second!.teamId), title: 'New' });
    await linear.comments.create({ issueId: data.issue.id, body: 'Mine' });
    for (const entity of ['issues', 'comments', 'projects']) {
      await watch.run(entity);
      expect(contents(watch, entity), entity).toEqual(await anew(world, entity));
    }
    expect(watch.records('issues').get(String(third!.id))).toMatchObject({ title: 'Renamed' });
    expect(reads).toContain(data.issue.id);
    expect(reads.length).toBeLessThan(30);
  });

  test('reads changes although a record bears a date in the future', async () => {
    const world = await settled();
    const { alter, linear, replica, sandbox } = world;
    alter('issues', ([first]) => {
      first.updatedAt = '2099-01-01T00:00:00.000Z';
    });
    const watch = replica();
    await watch.run('issues');
    sandbox.clock.advance(10 * minute);
    const [, second] = idsOf(watch, 'issues');
    await linear.issues.update({ id: second!, title: 'Renamed' });
    await watch.run('issues');
    expect(watch.records('issues').get(second!)).toMatchObject({ title: 'Renamed' });
  });

  test('makes only two small requests besides the sweep if nothing has changed', async () => {
    const { watch, sandbox } = await settled('comments');
    await watch.run('comments', { batches: 1 });
    expect(sandbox.requests.map(({ rootField }) => rootField)).toEqual(['comments', 'comments']);
  });

  test('removes archived, trashed and deleted issues, and deleted comments', async () => {
    const { watch, ask, reads, ...world } = await settled('issues', 'comments');
    const [archived, trashed, deleted, restored] = idsOf(watch, 'issues');
    const [comment] = idsOf(watch, 'comments');
    await ask(`mutation { issueArchive(id: "${archived}") { success } }`);
    await ask(`mutation { issueArchive(id: "${restored}") { success } }`);
    await ask(`mutation { issueDelete(id: "${trashed}") { success } }`);
    await ask(`mutation { issueDelete(id: "${deleted}", permanentlyDelete: true) { success } }`);
    await ask(`mutation { commentDelete(id: "${comment}") { success } }`);
    await watch.run('issues');
    await watch.run('comments');
    for (const id of [archived, trashed, restored]) expect(reads).toContain(id);
    for (const id of [archived, trashed, deleted, restored]) expect(watch.records('issues').has(id!)).toBe(false);
    expect(watch.records('comments').has(comment!)).toBe(false);
    await ask(`mutation { issueUnarchive(id: "${restored}") { success } }`);
    await watch.run('issues');
    expect(watch.records('issues').has(restored!)).toBe(true);
    for (const entity of ['issues', 'comments']) {
      expect(contents(watch, entity)).toEqual(await anew(world as never, entity));
    }
  });

  test('uses a sweep to find issues that became visible without a trace', async () => {
    const { watch, alter, ...world } = await settled('issues');
    const [id] = idsOf(watch, 'issues');
    const setArchived = (archivedAt: string | null) =>
      alter('issues', (rows) => {
        rows.find((row) => row.id === id).archivedAt = archivedAt;
      });
    setArchived('2026-05-01T00:00:00.000Z');
    await watch.run('issues');
    expect(watch.records('issues').has(id!)).toBe(false);
    setArchived(null);
    await watch.run('issues');
    expect(watch.records('issues').has(id!)).toBe(true);
    expect(contents(watch, 'issues')).toEqual(await anew(world as never, 'issues'));
  });

  test('uses a sweep to remove issues that were archived without a trace', async () => {
    const { watch, alter } = await settled('issues');
    const [id] = idsOf(watch, 'issues');
    alter('issues', (rows) => {
      rows.find((row) => row.id === id).archivedAt = '2026-05-01T00:00:00.000Z';
    });
    await watch.run('issues');
    expect(watch.records('issues').has(id!)).toBe(false);
  });

  test('finds a change that became visible slightly after its timestamp', async () => {
    const { watch, alter, linear, sandbox } = await settled('issues');
    const [early, late] = idsOf(watch, 'issues');
    await linear.issues.update({ id: early!, title: 'Seen at once' });
    await watch.run('issues');
    alter('issues', (rows) => {
      const dated = new Date(sandbox.clock.now() - 4 * minute).toISOString();
      Object.assign(
        rows.find((row) => row.id === late),
        { title: 'Seen late', updatedAt: dated },
      );
    });
    await watch.run('issues');
    expect(watch.records('issues').get(late!)).toMatchObject({ title: 'Seen late' });
  });

  test('reads everything once a week to find changes that leave the timestamp unchanged', async () => {
    const { watch, alter, sandbox } = await settled('issues');
    const [id] = idsOf(watch, 'issues');
    alter('issues', (rows) => {
      rows.find((row) => row.id === id).subscriberIds = [];
    });
    sandbox.clock.advance(6 * 24 * 60 * minute);
    await watch.run('issues');
    expect(watch.records('issues').get(id!)!.subscriberIds).not.toEqual([]);
    sandbox.clock.advance(24 * 60 * minute);
    await watch.run('issues');
    expect(watch.records('issues').get(id!)!.subscriberIds).toEqual([]);
  });

  test('reads everything again if the clock has been set back by more than a week', async () => {
    const world = createWorkspace();
    const { alter, sandbox } = world;
    const clock = { ahead: 365 * 24 * 60 * minute };
    const watch = world.replica(undefined, () => sandbox.clock.now() + clock.ahead);
    await watch.run('issues');
    const [id] = idsOf(watch, 'issues');
    clock.ahead = 0;
    alter('issues', (rows) => {
      rows.find((row) => row.id === id).subscriberIds = [];
    });
    await watch.run('issues');
    expect(watch.records('issues').get(id!)!.subscriberIds).toEqual([]);
  });

  test('removes users who have left, and any other record missing from a short list', async () => {
    const { watch, alter } = await settled('users');
    const [id] = idsOf(watch, 'users');
    alter('users', (rows) => {
      rows.find((row) => row.id === id).active = false;
    });
    await watch.run('users');
    expect(watch.records('users').has(id!)).toBe(false);
  });
});

describe('a run during which records change', () => {
  test('neither skips nor duplicates a record', async () => {
    const world = createWorkspace();
    const { linear, reads, ask } = world;
    const listed: string[] = [];
    for await (const { id } of linear.paginate('issues', 'list', { first: 250 })) listed.push(id);
    const watch = world.recordingReplica();
    await watch.run('issues', { batches: 2 });
    const read = reads.length;
    expect(reads).toEqual(listed.slice(0, read));
    expect(read).toBeLessThan(listed.length / 2);
    world.sandbox.clock.advance(minute);
    // The last record read, which a cursor would point to.
    await ask(`mutation { issueDelete(id: "${listed[read - 1]}", permanentlyDelete: true) { success } }`);
    await linear.issues.update({ id: listed[10]!, title: 'Read already' });
    await linear.issues.update({ id: listed[150]!, title: 'Not read yet' });
    await linear.issues.create({ teamId: String(watch.records('issues').get(listed[0]!)!.teamId), title: 'New' });
    await watch.run('issues');
    expect(reads).toEqual(listed);
    expect(watch.records('issues').get(listed[150]!)).toMatchObject({ title: 'Not read yet' });
    await watch.run('issues');
    expect(contents(watch, 'issues')).toEqual(await anew(world, 'issues'));
  });

  test('reads all records with the same timestamp, even if they do not fit on a page', async () => {
    const world = createWorkspace();
    const { recordingReplica, alter, reads } = world;
    alter('issues', (rows) => {
      for (const row of rows.slice(100, 230)) row.createdAt = rows[100].createdAt;
    });
    const watch = recordingReplica();
    for (let run = 0; run < 12; run += 1) await watch.run('issues', { batches: 1 });
    const once = reads.slice(0, new Set(reads).size);
    expect(new Set(once).size).toBe(once.length);
    await watch.run('issues');
    expect(contents(watch, 'issues')).toEqual(await anew(world, 'issues'));
  });

  test('fails if a list claims to have more pages but does not', async () => {
    const { recordingReplica, sandbox } = createWorkspace();
    sandbox.faults.add({ kind: 'endless_cursor', rootField: 'teams', count: Number.POSITIVE_INFINITY });
    await expect(recordingReplica().run('teams')).rejects.toMatchObject({ code: 'invalid_response' });
  });
});

describe('the names of related records', () => {
  /** The first record in a replica that has a value at a dotted path. */
  const recordWith = (records: ReadonlyMap<string, any>, path: string) => {
    const valueIn = (record: any) => path.split('.').reduce((value, name) => value?.[name], record);
    const found = [...records.values()].find((record) => valueIn(record)?.id);
    return { record: found, related: valueIn(found) };
  };

  test.for([
    ['issues', 'assignee', 'users', { name: 'Renamed', email: 'renamed@fernhill.example' }],
    ['issues', 'creator', 'users', { displayName: 'renamed', active: false }],
    ['issues', 'subscribers.nodes.0', 'users', { name: 'Renamed' }],
    ['issues', 'state', 'workflowStates', { name: 'Renamed' }],
    ['issues', 'team', 'teams', { name: 'Renamed' }],
    ['issues', 'project', 'projects', { name: 'Renamed' }],
    ['issues', 'projectMilestone', 'projectMilestones', { name: 'Renamed' }],
    ['issues', 'cycle', 'cycles', { name: 'Renamed' }],
    ['issues', 'labels.nodes.0', 'issueLabels', { name: 'Renamed', color: '#123456' }],
    ['issues', 'attachments.nodes.0', 'attachments', { title: 'Renamed' }],
    ['issues', 'parent', 'issues', { title: 'Renamed' }],
    ['issues', 'relations.nodes.0.relatedIssue', 'issues', { title: 'Renamed' }],
    ['projects', 'lead', 'users', { name: 'Renamed' }],
    ['projects', 'creator', 'users', { name: 'Renamed' }],
    ['projects', 'status', 'projectStatuses', { name: 'Renamed' }],
    ['projects', 'teams.nodes.0', 'teams', { name: 'Renamed' }],
    ['comments', 'issue', 'issues', { title: 'Renamed' }],
    ['comments', 'user', 'users', { name: 'Renamed' }],
  ] as const)('%s: %s is current after the next run', async ([entity, path, table, change]) => {
    const world = await settled(entity);
    const { watch, alter, reads, sandbox } = world;
    const { related } = recordWith(watch.records(entity), path);
    const updatedAt = new Date(sandbox.clock.now()).toISOString();
    alter(table, (rows) =>
      Object.assign(
        rows.find(({ id }) => id === related.id),
        change,
        { updatedAt },
      ),
    );
    await watch.run(entity);
    expect(contents(watch, entity)).toEqual(await anew(world as never, entity));
    expect(JSON.stringify([...watch.records(entity).values()])).toMatch(/renamed/i);
    expect(reads.length).toBeLessThan(watch.records(entity).size);
    sandbox.clock.advance(10 * minute);
    const before = reads.length;
    await watch.run(entity);
    expect(reads.length - before).toBeLessThan(5);
  });

  test('are looked for on every page of related records', async () => {
    const world = await settled('issues');
    const { watch, alter, sandbox } = world;
    const updatedAt = new Date(sandbox.clock.now()).toISOString();
    for (const table of ['users', 'issueLabels', 'attachments']) {
      alter(table, (rows) => {
        for (const [index, row] of rows.entries()) {
          Object.assign(row, { [table === 'attachments' ? 'title' : 'name']: `Renamed ${index}`, updatedAt });
        }
      });
    }
    await watch.run('issues');
    expect(contents(watch, 'issues')).toEqual(await anew(world as never, 'issues'));
  });

  test('cost no records if a related record has changed, but not its names', async () => {
    const { watch, alter, reads, sandbox } = await settled('issues');
    alter('users', (rows) => {
      for (const row of rows) row.updatedAt = new Date(sandbox.clock.now()).toISOString();
    });
    await watch.run('issues');
    // Issues that changed shortly before the first run are read again in any case.
    expect(reads.length).toBeLessThan(5);
  });

  test('include the identifiers of a team with a new key', async () => {
    const { watch, alter, sandbox } = await settled('issues');
    const { related } = recordWith(watch.records('issues'), 'team');
    const ofTeam = () => [...watch.records('issues').values()].filter(({ teamId }) => teamId === related.id);
    expect(ofTeam().length).toBeGreaterThan(1);
    const updatedAt = new Date(sandbox.clock.now()).toISOString();
    alter('teams', (rows) =>
      Object.assign(
        rows.find(({ id }) => id === related.id),
        { key: 'REN', updatedAt },
      ),
    );
    await watch.run('issues');
    for (const { identifier, url } of ofTeam()) {
      expect(identifier).toMatch(/^REN-/);
      expect(url).toContain(identifier);
    }
  });

  test('are compared again if the run was interrupted', async () => {
    const world = await settled('issues');
    const { watch, alter, sandbox } = world;
    const updatedAt = new Date(sandbox.clock.now()).toISOString();
    alter('users', (rows) => {
      for (const row of rows) Object.assign(row, { name: `${row.name} II`, updatedAt });
    });
    await watch.run('issues', { batches: 1 });
    await watch.run('issues');
    expect(contents(watch, 'issues')).toEqual(await anew(world as never, 'issues'));
  });
});
