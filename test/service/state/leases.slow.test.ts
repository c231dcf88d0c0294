import { describe, expect, it, onTestFinished } from 'vitest';
import { openLeases } from '../../../service/src/data/state/leases.js';
import { createTenant, describeOnBothEngines, newFolder, newState, noon, openTestDatabase } from './fixtures.js';

/** Two processes on one database whose clock the test controls; the first holds a lease until `finish` is called. */
async function setting() {
  const clock = { time: noon };
  const folder = newFolder();
  await newState({ folder });
  const open = async () => {
    const database = await openTestDatabase(folder, () => clock.time);
    onTestFinished(() => database.close());
    return database;
  };
  const [one, other] = [await open(), await open()];
  const order: string[] = [];
  let finish = (_failure?: Error) => {};
  let held: Promise<void> | undefined;
  await new Promise<void>((entered) => {
    held = openLeases(one).withLease('con_1', async () => {
      entered();
      await new Promise<void>((resolve, reject) => {
        finish = (failure) => (failure ? reject(failure) : resolve());
      });
      order.push('holder');
    });
  });
  const wait = () => openLeases(other).withLease('con_1', async () => void order.push('waiter'));
  return { clock, order, held, one, other, wait, finish };
}

describeOnBothEngines(() => {
  describe('a lease that expired', () => {
    it('stays with a holder that renews it shortly afterwards, as after an outage of the database', async () => {
      const { clock, order, held, other, wait, finish } = await setting();
      clock.time += 60_000;
      const waiting = wait();
      const lease = () => other.query.selectFrom('leases').select('expires_at').executeTakeFirstOrThrow();
      await expect.poll(lease).toEqual({ expires_at: clock.time + 10_000 });
      clock.time += 9_000;
      finish();
      await Promise.all([held, waiting]);
      expect(order).toEqual(['holder', 'waiter']);
    });

    it('goes to a waiter if its holder stays silent', async () => {
      const { clock, order, one, other, wait } = await setting();
      await one.close();
      clock.time += 10_000;
      const waiting = wait();
      const lease = () => other.query.selectFrom('leases').select('expires_at').executeTakeFirstOrThrow();
      await expect.poll(lease).toEqual({ expires_at: clock.time + 5_000 });
      expect(order).toEqual([]);
      clock.time += 5_000;
      await waiting;
      expect(order).toEqual(['waiter']);
    });

    it('and was taken over makes a failure of its first holder one that a retry may fix', async () => {
      const { held, other, finish } = await setting();
      await other.query.updateTable('leases').set({ holder: 'another' }).execute();
      finish(new Error('invalid_grant'));
      await expect(held).rejects.toThrow('Another process took over');
    });
  });

  it('credentials are replaced only if the stored ones are those that the caller expects', async () => {
    const state = await newState();
    const { connect } = await createTenant(state);
    const { id } = await connect({ credentials: { refresh_token: 'first' } });
    const replace = (by: string) =>
      state.credentials.save(id, { refresh_token: by }, (stored) => stored?.refresh_token === 'first');
    expect(await Promise.all(['second', 'third'].map(replace))).toEqual([true, false]);
    expect(await state.credentials.load(id)).toEqual({ refresh_token: 'second' });
  });
});
