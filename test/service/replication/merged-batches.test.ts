import { expect, test } from 'vitest';
import { startDepot } from './depot.js';
import { waitForNewestJob } from './setup.js';

const row = (id: number) => ({ id: `${id}`, updatedAt: new Date(id * 1000).toISOString() });
const page = (cursor: string | undefined, size: number) =>
  Array.from({ length: size }, (_, index) => row(Number(cursor ?? 0) * size + index));

test('pages that arrive together are stored, and counted, like single ones', async () => {
  const whole = ({ cursor }: Readonly<Record<string, string>>) => {
    const number = Number(cursor ?? 0);
    return { rows: page(cursor, 30), ...(number < 39 && { next: `${number + 1}` }) };
  };
  const { tenant, id, search } = await startDepot(['whole', 'changed'], { whole, changed: whole });
  const job = await waitForNewestJob(tenant, id);
  expect(job).toMatchObject({ status: 'done', counts: { read: 2400, inserted: 2400, updated: 0, failed: 0 } });
  for (const entity of ['whole', 'changed']) {
    expect((await search(entity)).meta).toMatchObject({ complete: true, total: 1200 });
  }
});

test('pages before one that is late are searchable meanwhile', async () => {
  let arrive = () => {};
  const isLate = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const answers = {
    whole: async ({ cursor }: Readonly<Record<string, string>>) => {
      if (cursor === '2') await isLate;
      return { rows: page(cursor, 2), ...(cursor !== '2' && { next: `${Number(cursor ?? 0) + 1}` }) };
    },
  };
  const { tenant, id, stored } = await startDepot(['whole'], answers, false);
  await expect.poll(() => stored('whole').catch(() => []), { timeout: 20_000 }).toEqual(['0', '1', '2', '3']);
  arrive();
  await waitForNewestJob(tenant, id);
  expect(await stored('whole')).toEqual(['0', '1', '2', '3', '4', '5']);
});

test('pages before one that fails are stored', async () => {
  const answers = {
    whole: ({ cursor }: Readonly<Record<string, string>>) =>
      cursor === '2'
        ? Response.json({ code: 'broken' }, { status: 400 })
        : { rows: page(cursor, 2), next: `${Number(cursor ?? 0) + 1}` },
  };
  const { tenant, id, stored } = await startDepot(['whole'], answers);
  expect((await waitForNewestJob(tenant, id)).counts).toMatchObject({ read: 4, inserted: 4 });
  expect(await stored('whole')).toEqual(['0', '1', '2', '3']);
});
