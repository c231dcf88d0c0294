import { createSandbox } from 'agent-connectors-sandbox';
import { expect, test } from 'vitest';
import { connectorPath, execute } from '../http/setup.js';
import { openEndpoint, type Received, register } from '../webhooks.js';
import { smallSandbox, startReplicatingService, syncAndWait, waitForNewestJob } from './setup.js';

const eventsOf = (messages: readonly Received[], entity = 'issues') =>
  messages.filter(({ data }) => data.entity === entity);
const idsOf = (messages: readonly Received[]): string[] =>
  messages.flatMap(({ data }) => data.records.map(({ id }: { id: string }) => id));

test('endpoints get batches of created, updated and deleted records, in order, at least once', async () => {
  const sandbox = smallSandbox();
  let isDown = false;
  const endpoint = await openEndpoint(() => (isDown ? 500 : 204));
  const all = await openEndpoint();
  const { service, acme, linear } = await startReplicatingService({
    sandbox,
    allowHosts: ['127.0.0.1'],
    fetch: (input, init) =>
      String(input).startsWith('http://127.0.0.1') ? fetch(input, init) : sandbox.fetch(input, init),
  });
  const events = ['record.created', 'record.updated', 'record.deleted'];
  const { id: webhook } = await register(acme, endpoint.url, { events });
  await register(acme, all.url);
  const id = await linear();
  await waitForNewestJob(acme, id);
  const feed = async (cursor?: string) => {
    const query = new URLSearchParams({ entity: 'issues', limit: '500', ...(cursor && { cursor }) });
    return (await acme.ask('GET', connectorPath(id, `/changes?${query}`))).body;
  };
  const listed = (await feed()).data.map((change: { id: string }) => change.id);
  await expect.poll(() => idsOf(eventsOf(endpoint.accepted)).sort()).toEqual([...listed].sort());
  const first = eventsOf(endpoint.accepted).at(-1)!;
  expect(first.type).toBe('record.created');
  expect(first.data).toMatchObject({ connector_id: id, connector_type: 'linear', workspace_name: 'main' });
  // The cursor in a message is one of the feed.
  expect((await feed(first.data.cursor)).data).toEqual([]);

  // A failing message delays those behind it.
  await expect
    .poll(async () => {
      const { body } = await acme.ask('GET', `/api/v1/webhooks/${webhook}/deliveries?limit=500`);
      return body.data.every(({ status }: { status: string }) => status === 'delivered');
    })
    .toBe(true);
  isDown = true;
  await execute(acme, id, 'issues', 'update', { id: listed[0], title: 'Renamed' });
  await expect.poll(() => endpoint.received.some(({ type }) => type === 'record.updated')).toBe(true);
  isDown = false;
  const failed = endpoint.received.find(({ type }) => type === 'record.updated')!;
  await acme.ask('POST', `/api/v1/webhooks/${webhook}/deliveries/${failed.id}/replay`);
  await expect
    .poll(() => endpoint.accepted.find(({ id: message }) => message === failed.id)?.data.records)
    .toMatchObject([{ id: listed[0] }]);
  await sandbox.fetch('https://api.linear.app/graphql', {
    method: 'POST',
    headers: { authorization: sandbox.vendors.linear.credentials.api_key.api_key, 'content-type': 'application/json' },
    body: JSON.stringify({ query: `mutation { issueDelete(id: "${listed[0]}") { success } }` }),
  });
  await syncAndWait(acme, id);
  await expect
    .poll(() => idsOf(endpoint.accepted.filter(({ type }) => type === 'record.deleted')))
    .toContain(listed[0]);
  expect(all.received.map(({ type }) => type).filter((type) => type.startsWith('record.'))).toEqual([]);
  expect(await service.state.webhooks.recordFeeds()).not.toEqual([]);
});

test('changes of several connectors take turns, so that none waits for all those of another', {
  timeout: 60_000,
}, async () => {
  const sandbox = createSandbox({ seed: 7, scale: 1 });
  const endpoint = await openEndpoint();
  // Every reading is later than the one before, so that messages have an order.
  const clock = { ahead: 3_600_000, readings: 0 };
  const { acme, linear } = await startReplicatingService({
    sandbox,
    allowHosts: ['127.0.0.1'],
    now: () => Date.now() + clock.ahead + clock.readings++,
    fetch: (input, init) =>
      String(input).startsWith('http://127.0.0.1') ? fetch(input, init) : sandbox.fetch(input, init),
  });
  const replication_config = { entities: ['issues'] };
  const ids = [await linear({ replication_config }), await linear({ name: 'Second', replication_config })];
  for (const id of ids) await waitForNewestJob(acme, id);
  // Registered before the connectors: all their records are new, and both have many.
  clock.ahead = -3_600_000;
  await register(acme, endpoint.url, { events: ['record.created'] });
  const timesOf = (id: string) =>
    endpoint.accepted.flatMap(({ body, data }) =>
      data.connector_id === id && data.entity === 'issues' ? [Date.parse(JSON.parse(body).timestamp)] : [],
    );
  const { body } = await acme.ask('GET', connectorPath(ids[0]!, '/changes?entity=issues&limit=500'));
  const pages = Math.ceil(body.data.length / 100);
  expect(pages).toBeGreaterThan(1);
  await expect.poll(() => ids.map((id) => timesOf(id).length)).toEqual([pages, pages]);
  const [first, second] = ids.map(timesOf) as [number[], number[]];
  expect(first[0]).toBeLessThan(second.at(-1)!);
  expect(second[0]).toBeLessThan(first.at(-1)!);
});
