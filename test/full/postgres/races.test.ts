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

/** Starts works one after another while the entry of `vendor` is locked, so that each reads it before any changes it. */
async function atOnce({ databaseUrl }: { readonly databaseUrl: string }, works: (() => Promise<unknown>)[]) {
  const started: Promise<unknown>[] = [];
  await withClient(databaseUrl, async (run) => {
    await run('begin');
    await run("select 1 from agent_connectors_state.vendor_limits where name = 'vendor' for update");
    for (const work of works) {
      started.push(work());
      await blocked(databaseUrl, started.length, ...started);
    }
    await run('commit');
  });
  await Promise.all(started);
}

describe.skipIf(!server)("failures of a vendor's requests at the same time", () => {
  it('in different organizations are all counted', async () => {
    const at = await twoStates();
    const [one, other] = [at.one.backoffs, at.other.backoffs];
    await one.fail('vendor', 'org_0', 3);
    await one.succeed(['vendor']);
    await atOnce(at, [
      () => one.fail('vendor', 'org_1', 3),
      () => other.fail('vendor', 'org_2', 3),
      () => one.fail('vendor', 'org_3', 3),
    ]);
    expect((await other.enter(['vendor'])).waitMs).toBeGreaterThan(0);
  });

  it('do not end a pause', async () => {
    const at = await twoStates();
    const [one, other] = [at.one.backoffs, at.other.backoffs];
    await one.fail('vendor', 'org_1', 3);
    await atOnce(at, [() => other.pause('vendor', 3_600_000), () => one.fail('vendor', 'org_2', 3)]);
    expect((await one.enter(['vendor'])).waitMs).toBeGreaterThan(3_000_000);
  });

  it('do not start a pause again that has ended with a success', async () => {
    const at = await twoStates();
    const [one, other] = [at.one.backoffs, at.other.backoffs];
    await one.pause('vendor', 0);
    await atOnce(at, [() => other.succeed(['vendor']), () => one.enter(['vendor'])]);
    expect(await one.enter(['vendor'])).toEqual({ waitMs: 0, failing: false });
  });
});
