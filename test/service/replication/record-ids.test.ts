import { expect, test } from 'vitest';
import { connectorPath } from '../http/setup.js';
import { type DepotAnswers, startDepot } from './depot.js';
import { syncAndWait, waitForNewestJob } from './setup.js';

test.each([
  ['null', { id: null, label: 'draft' }],
  ['empty', { id: '', label: 'draft' }],
  ['missing', { label: 'draft' }],
])('a record whose id is %s is listed as failed, and the others of its page are stored', async (_, draft) => {
  const rows = [{ id: 'a' }, draft, { id: 'b' }];
  const { tenant, id, answers, stored, search } = await startDepot(['whole'], { whole: () => ({ rows }) });
  const job = await waitForNewestJob(tenant, id);
  expect([job.status, job.counts.read, job.counts.failed]).toEqual(['done', 2, 1]);
  const name = { id: expect.stringMatching(/^no id: /), message: expect.stringContaining('Its fields: label.') };
  expect(job.entities[0].failures).toEqual([name]);
  expect(await stored('whole')).toEqual(['a', 'b']);
  const unread = { reason: 'unread_records', entity: 'whole', count: 1 };
  expect((await search('whole')).meta).toMatchObject({ complete: false, missing: [unread] });
  answers.whole = () => ({ rows: [{ id: 'a' }, { id: 'b' }, { id: 'c', label: 'draft' }] });
  await syncAndWait(tenant, id);
  expect((await search('whole')).meta).toMatchObject({ complete: true, missing: [], total: 3 });
});

test('several records without an id are counted one by one', async () => {
  const drafts = [
    { id: null, label: 'one' },
    { id: null, label: 'other' },
  ];
  const { tenant, id, search } = await startDepot(['whole'], { whole: () => ({ rows: [...drafts, { id: 'a' }] }) });
  expect((await waitForNewestJob(tenant, id)).counts.failed).toBe(2);
  expect((await search('whole')).meta.missing).toMatchObject([{ reason: 'unread_records', count: 2 }]);
});

test('a bad record is listed once, even if it is on two pages and the running job is asked to sync again', async () => {
  const drafts = Array.from({ length: 25 }, (_, index) => ({ id: '', label: `draft ${index}` }));
  const running = new EventTarget();
  const emitted = (name: string) => new Promise((resolve) => running.addEventListener(name, resolve, { once: true }));
  const isRunning = emitted('running');
  const isRequested = emitted('requested');
  const answers: DepotAnswers = {
    whole: async ({ cursor }) => {
      if (cursor === undefined) return { rows: [{ id: 'a' }, ...drafts], next: '2' };
      running.dispatchEvent(new Event('running'));
      await isRequested;
      return { rows: [{ id: 'b' }, ...drafts] };
    },
  };
  const { tenant, id } = await startDepot(['whole'], answers, false);
  await isRunning;
  expect((await tenant.ask('POST', connectorPath(id, '/sync'))).status).toBe(200);
  running.dispatchEvent(new Event('requested'));
  const job = await waitForNewestJob(tenant, id);
  expect(job).toMatchObject({ status: 'done', counts: { read: 4, failed: 25 } });
  const ids = job.entities[0].failures.map((failure: any) => failure.id);
  expect([ids.length, new Set(ids).size]).toEqual([20, 20]);
});

test('the number 7 and the text "7" are different records', async () => {
  const both = [
    { id: 7, label: 'number' },
    { id: '7', label: 'text' },
  ];
  const { tenant, id, answers, search } = await startDepot(['whole', 'changed'], {
    whole: () => ({ rows: both }),
    changed: () => ({ rows: both }),
  });
  const labels = async (entity: string) => (await search(entity)).data.map(({ label }: any) => label).sort();
  expect([await labels('whole'), await labels('changed')]).toEqual([
    ['number', 'text'],
    ['number', 'text'],
  ]);
  // A list of ids contains both as texts.
  await syncAndWait(tenant, id);
  expect(await labels('changed')).toEqual(['number', 'text']);
  answers.whole = () => ({ rows: [both[1]!] });
  await syncAndWait(tenant, id);
  expect(await labels('whole')).toEqual(['text']);
});
