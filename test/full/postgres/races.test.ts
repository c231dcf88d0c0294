import type { State } from 'agent-connectors-service';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { openState } from '../../../service/src/data/state/open.js';
import { keyRing } from '../../../service/src/data/vault/keys.js';
import { newKey } from '../../service/keys.js';
import { createTenant } from '../../service/state/fixtures.js';
import { query, startServer, withClient } from './server.js';

const server = await startServer();
afterAll(() => server?.stop());

/** The states of two processes on a new database. */
async function twoStates() {
  const databaseUrl = await server!.database();
  const keys = keyRing([newKey()]);
  const open = () => openState({ folder: '/proc/none/data', databaseUrl, keys });
  const [one, other] = [await open(), await open()];
  onTestFinished(async () => void (await Promise.all([one.close(), other.close()])));
  return { databaseUrl, one, other };
}

/** Waits until `count` of the database's sessions wait for a lock, or until the last of `works` has ended. */
async function blocked(databaseUrl: string, count: number, ...works: Promise<unknown>[]): Promise<void> {
  let ended = false;
  void Promise.allSettled(works).then(() => {
    ended = true;
  });
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await expect
    .poll(async () => ended || (await query(databaseUrl, waiting)).length >= count, { timeout: 30_000 })
    .toBe(true);
}

/** An endpoint and two connectors, each with a message that is being sent. */
async function sendingToEndpoint(state: State) {
  const { scope, connect } = await createTenant(state);
  const { row } = await state.webhooks.create(scope, { url: 'https://x.example/', events: null, workspaceId: null });
  const connectors = [await connect({ name: 'one' }), await connect({ name: 'two' })];
  const claims = await state.webhooks.claim(10, []);
  const claimOf = (index: number) => claims.find(({ delivery }) => delivery.connectorId === connectors[index]!.id)!;
  const [first, second] = [claimOf(0), claimOf(1)];
  const reconnect = (through: State) =>
    through.connectors.update(scope, connectors[1]!.id, { credentials: { api_key: 'lin_api_2' } });
  const statuses = async () =>
    (await state.webhooks.deliveries(scope, row.id, { limit: 10 })).rows.map(({ status }) => status);
  /** Enables the endpoint again, and returns how many messages are sent after a new event of the second connector. */
  const sentAfterRepair = async () => {
    await state.webhooks.update(scope, row.id, { disabled: null });
    await reconnect(state);
    return (await state.webhooks.claim(10, [])).length;
  };
  return { first, second, reconnect, statuses, sentAfterRepair };
}

const gone = { responseStatus: 410, error: 'gone', retryInMs: null, disable: 'gone' };

describe.skipIf(!server)("a connector's event while a delivery for another connector disables the endpoint", () => {
  it('does not block later events if it is emitted first', async () => {
    const { databaseUrl, one, other } = await twoStates();
    const { first, reconnect, statuses, sentAfterRepair } = await sendingToEndpoint(one);
    let finish: Promise<boolean> | undefined;
    await other.atomically('test', async () => {
      await reconnect(other);
      finish = one.webhooks.finish(first, gone);
      await blocked(databaseUrl, 1, finish);
    });
    expect(await finish).toBe(true);
    expect(await statuses()).toEqual(['failed', 'failed', 'failed']);
    expect(await sentAfterRepair()).toBe(1);
  });

  it('does not block later events if it is emitted last', async () => {
    const { databaseUrl, one, other } = await twoStates();
    const { first, second, reconnect, statuses, sentAfterRepair } = await sendingToEndpoint(one);
    await withClient(databaseUrl, async (run) => {
      await run('begin');
      const lock = 'select 1 from agent_connectors_state.webhook_deliveries where id = $1 for update';
      await run(lock, [second.delivery.id]);
      const finish = one.webhooks.finish(first, gone);
      await blocked(databaseUrl, 1, finish);
      const emit = reconnect(other);
      await blocked(databaseUrl, 2, emit);
      await run('commit');
      await Promise.all([finish, emit]);
    });
    expect(await statuses()).toEqual(['failed', 'failed']);
    expect(await sentAfterRepair()).toBe(1);
  });
});
