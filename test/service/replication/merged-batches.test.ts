import { expect, test } from 'vitest';
import { deferred } from '../../deferred.js';
import { connectorPath } from '../http/setup.js';
import { startDepot } from './depot.js';
import { jobsOf, waitForNewestJob } from './setup.js';

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
  const { promise: isLate, resolve: arrive } = deferred();
  const answers = {
    whole: async ({ cursor }: Readonly<Record<string, string>>) => {
      if (cursor === '2') await isLate;
      return { rows: page(cursor, 2), ...(cursor !== '2' && { next: `${Number(cursor ?? 0) + 1}` }) };
    },
  };
  const { tenant, id, stored } = await startDepot(['whole'], answers, false);
  await expect.poll(() => stored('whole').catch(() => [])).toEqual(['0', '1', '2', '3']);
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

test('the memory of a page that arrives while others are stored stays reserved', { timeout: 60_000 }, async () => {
  const { promise: isLate, resolve: arrive } = deferred();
  const large = new ReadableStream<Uint8Array>({
    async start(controller) {
      const text = JSON.stringify({ rows: [{ ...row(2), label: 'x'.repeat(300_000) }] });
      controller.enqueue(new TextEncoder().encode(text.slice(0, -1)));
      await isLate;
      controller.enqueue(new TextEncoder().encode(text.slice(-1)));
      controller.close();
    },
  });
  const answers = {
    whole: ({ cursor }: Readonly<Record<string, string>>) =>
      cursor === undefined
        ? { rows: page(cursor, 2), next: '1' }
        : new Response(large, { headers: { 'content-type': 'application/json' } }),
  };
  const limits = { heldBytesOfOrganization: 2_000_000 };
  const { tenant, id, stored } = await startDepot(['whole'], answers, false, { limits });
  try {
    await expect.poll(async () => (await jobsOf(tenant, id))[0]?.counts.inserted).toBe(2);
    // Four bytes per byte of JSON: 1.2 MB for the page, and 0.88 MB for this body.
    const json = { entity: 'whole', action: 'list', params: { since: 'x'.repeat(220_000) } };
    const { status, body } = await tenant.ask('POST', connectorPath(id, '/execute'), { json });
    expect([status, body.code]).toEqual([429, 'rate_limited']);
  } finally {
    arrive();
  }
  await waitForNewestJob(tenant, id);
  expect(await stored('whole')).toEqual(['0', '1', '2']);
});

test('once a run has failed, its reader asks the vendor for nothing more', { timeout: 60_000 }, async () => {
  const { promise: isLate, resolve: arrive } = deferred();
  const list = async ({ cursor, since }: Readonly<Record<string, string>>) => {
    if (since !== undefined) return { rows: [row(Number(since)), row(Number(since) + 1)] };
    if (cursor !== undefined) await isLate;
    return { rows: page(cursor, 2), ...(cursor === undefined && { next: '1' }) };
  };
  const { tenant, id, requests } = await startDepot(['paired', 'whole'], { paired: list }, true, {
    limits: { recordsPerOrganization: 1 },
  });
  expect((await jobsOf(tenant, id))[0]).toMatchObject({ status: 'failed' });
  const before = [...requests];
  expect(before.filter((request) => request.includes('cursor=1'))).toHaveLength(1);
  arrive();
  // Another job gives a reader that is still running all the time it needs.
  await tenant.ask('POST', connectorPath(id, '/sync'), { json: { entities: ['whole'] } });
  await waitForNewestJob(tenant, id, 2);
  expect(requests.slice(before.length)).toEqual(['/v1/whole']);
});

test('a reader that waits until a page is stored ends with its run', { timeout: 60_000 }, async () => {
  const list = ({ cursor, since }: Readonly<Record<string, string>>) =>
    since === undefined
      ? { rows: page(cursor, 2), next: `${Number(cursor ?? 0) + 1}` }
      : { rows: [row(Number(since)), row(Number(since) + 1)] };
  const { tenant, id, requests } = await startDepot(['paired'], { paired: list }, true, {
    limits: { recordsPerOrganization: 1 },
  });
  expect((await jobsOf(tenant, id))[0]).toMatchObject({ status: 'failed', counts: { inserted: 0 } });
  expect(requests).toEqual(['/v1/paired', '/v1/paired?since=0', '/v1/paired?cursor=1']);
});

test('a record without an id is named by its place on its own page', async () => {
  const answers = {
    whole: ({ cursor }: Readonly<Record<string, string>>) =>
      cursor === '1' ? { rows: [{ label: 'nameless' }, row(9)] } : { rows: page(cursor, 3), next: '1' },
  };
  const { tenant, id } = await startDepot(['whole'], answers);
  const { entities } = await waitForNewestJob(tenant, id);
  expect(entities[0].failures.map(({ message }: { message: string }) => message)).toEqual([
    'Record 1 of a page has no id. Its fields: label.',
  ]);
});

test('the progress and total of merged pages are kept', { timeout: 60_000 }, async () => {
  const { promise: isLate, resolve: arrive } = deferred();
  const answers = {
    whole: async ({ cursor }: Readonly<Record<string, string>>) => {
      if (cursor === '2') await isLate;
      // Only the first page tells how many there are.
      return {
        rows: page(cursor, 2),
        ...(cursor === undefined && { total: 8, progress: 0.25 }),
        ...(cursor !== '2' && { next: `${Number(cursor ?? 0) + 1}` }),
      };
    },
  };
  const { tenant, id } = await startDepot(['whole'], answers, false);
  const entity = async () => (await jobsOf(tenant, id))[0]?.entities[0];
  await expect.poll(async () => (await entity())?.read).toBe(4);
  expect(await entity()).toMatchObject({ progress: 0.25, total: 8 });
  arrive();
  await waitForNewestJob(tenant, id);
});
