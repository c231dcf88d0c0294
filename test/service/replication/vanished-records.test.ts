import { describe, expect, test } from 'vitest';
import { type DepotAnswers, startDepot } from './depot.js';
import { syncAndWait } from './setup.js';

const named = (...ids: string[]) => ids.map((id) => ({ id, updatedAt: '2026-01-01T00:00:00Z' }));
const numbered = (count: number) => named(...Array.from({ length: count }, (_, index) => `r${index + 100}`));
const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id).sort();

/** A list read by offset, or a page of it: the given rows, and those that are left once the first page was read. */
function byOffset(before: readonly object[], after: readonly object[]): NonNullable<DepotAnswers['paged']> {
  let rows = before;
  return ({ offset = '0' }) => {
    const page = rows.slice(Number(offset), Number(offset) + 2);
    if (offset === '0') rows = after;
    return { rows: page };
  };
}

test('a record that a list skipped because it shrank while it was read is not removed', async () => {
  const rows = named('a', 'b', 'c', 'd', 'e');
  const depot = await startDepot(['paged'], { paged: byOffset(rows, rows) });
  depot.answers.paged = byOffset(rows, rows.slice(1));
  const job = await syncAndWait(depot.tenant, depot.id);
  expect([job.status, job.counts.removed]).toEqual(['done', 0]);
  expect(await depot.stored('paged')).toEqual(idsOf(rows));
  await syncAndWait(depot.tenant, depot.id);
  expect(await depot.stored('paged')).toEqual(idsOf(rows.slice(1)));
});

test('a record that a list skipped is stored as the second reading of the list has it', async () => {
  const rows = named('a', 'b', 'c', 'd');
  const depot = await startDepot(['paged'], { paged: byOffset(rows, rows) });
  const renamed = rows.slice(1).map((row) => ({ ...row, label: 'renamed' }));
  depot.answers.paged = byOffset(rows, renamed);
  await syncAndWait(depot.tenant, depot.id);
  const { data } = await depot.search('paged');
  expect(data.find(({ id }: any) => id === 'c').label).toBe('renamed');
});

describe.each(['whole', 'changed'] as const)('when most records of `%s` vanish', (entity) => {
  const all = numbered(30);
  const listed = (rows: readonly object[]) => () => ({ rows });

  test('they stay until a second sync agrees, and searches say so', async () => {
    const depot = await startDepot([entity], { [entity]: listed(all) });
    depot.answers[entity] = listed([]);
    const first = await syncAndWait(depot.tenant, depot.id);
    expect([first.status, first.counts.removed]).toEqual(['done', 0]);
    const { data, meta } = await depot.search(entity);
    expect(data).toHaveLength(30);
    expect(meta).toMatchObject({
      complete: false,
      total_is_exact: false,
      missing: [{ reason: 'unlisted_records', entity, count: 30 }],
    });
    expect((await depot.readiness(entity)).complete).toBe(false);
    const second = await syncAndWait(depot.tenant, depot.id);
    expect(second.counts.removed).toBe(30);
    expect((await depot.search(entity)).meta).toMatchObject({ complete: true, missing: [], total: 0 });
  });

  test('they stay if the second sync lists them again', async () => {
    const depot = await startDepot([entity], { [entity]: listed(all) });
    depot.answers[entity] = listed(all.slice(0, 3));
    await syncAndWait(depot.tenant, depot.id);
    expect((await depot.search(entity)).meta.missing).toMatchObject([{ count: 27 }]);
    depot.answers[entity] = listed(all);
    const again = await syncAndWait(depot.tenant, depot.id);
    expect(again.counts.removed).toBe(0);
    expect((await depot.search(entity)).meta).toMatchObject({ complete: true, missing: [], total: 30 });
  });

  test.each([
    ['they are at most 20', 20, 0],
    ['they are at most half', 60, 30],
  ])('they are removed at once if %s', async (_, count, left) => {
    const many = numbered(count);
    const depot = await startDepot([entity], { [entity]: listed(many) });
    depot.answers[entity] = listed(many.slice(0, left));
    expect((await syncAndWait(depot.tenant, depot.id)).counts.removed).toBe(count - left);
    expect((await depot.search(entity)).meta).toMatchObject({ complete: true, total: left });
  });
});
