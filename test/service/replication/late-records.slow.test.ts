import { GongConnector } from 'agent-connectors/gong';
import { expect, test } from 'vitest';
import { hitsOf, searchEntity, smallSandbox, startReplicatingService, syncAndWait, waitForNewestJob } from './setup.js';

const day = 86_400_000;

test('a sweep reads listed records that the replica does not have, and those that changed', async () => {
  const sandbox = smallSandbox();
  const { acme } = await startReplicatingService({ sandbox, now: sandbox.clock.now });
  const { gong } = sandbox.vendors;
  const credentials = gong.credentials.basic;
  const dayBefore = (days: number) => new Date(sandbox.clock.now() - days * day).toISOString().slice(0, 10);
  const direct = new GongConnector({ credentials, fetch: sandbox.fetch });
  const { data } = await direct.call_transcripts.list({
    filter: { fromDateTime: dayBefore(80), toDateTime: dayBefore(10) },
  });
  const [late, renamed] = data.map(({ callId }) => callId);
  gong.changeCall(late!, { listedAt: sandbox.clock.now() + day });

  const id = await acme.connect('gong', credentials, {
    replication_config: {
      start_date: dayBefore(90),
      interval: '24h',
      entities: ['calls', 'calls_extensive', 'call_transcripts'],
    },
  });
  expect(await waitForNewestJob(acme, id)).toMatchObject({ status: 'done' });
  const all = async (entity: string) => hitsOf(await searchEntity(acme, id, entity));
  const transcripts = async () => (await all('call_transcripts')).map(({ callId }) => callId);
  const before = await transcripts();
  expect([before.includes(late), before.includes(renamed)]).toEqual([false, true]);
  gong.changeCall(renamed!, { title: 'Renewal with Halden Works' });
  sandbox.clock.advance(day);
  expect(await syncAndWait(acme, id)).toMatchObject({ status: 'done', counts: { failed: 0 } });
  expect(await transcripts()).toEqual(expect.arrayContaining([...before, late]));
  const calls = await all('calls');
  expect(calls.map((call) => call.id)).toContain(late);
  const titles = { title: 'Renewal with Halden Works' };
  expect(calls.find((call) => call.id === renamed)).toMatchObject(titles);
  expect((await all('calls_extensive')).find((call) => call.id === renamed)).toMatchObject({ metaData: titles });
});
