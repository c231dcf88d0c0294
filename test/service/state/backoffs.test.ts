import { expect, it } from 'vitest';
import { newKey } from '../keys.js';
import { describeOnBothEngines, newFolder, newState, noon } from './fixtures.js';

async function twoProcesses() {
  const clock = { time: noon };
  const shared = { folder: newFolder(), keys: [newKey()], now: () => clock.time };
  const [one, other] = [await newState(shared), await newState(shared)];
  return { clock, one: one.backoffs, other: other.backoffs };
}

describeOnBothEngines(() => {
  it('all processes back off from a failed credential, longer after each failure, and only one of them retries it', async () => {
    const { clock, one, other } = await twoProcesses();
    expect(await one.enter(['a', 'b'])).toEqual({ waitMs: 0, failing: false });
    await one.fail('a', 'con_1', 1);
    expect(await other.enter(['a', 'b'])).toEqual({ waitMs: 30_000, failing: true });
    expect(await other.enter(['b'])).toEqual({ waitMs: 0, failing: false });
    clock.time += 30_000;
    expect(await other.enter(['a', 'b'])).toEqual({ waitMs: 0, failing: true });
    expect(await one.enter(['a', 'b'])).toEqual({ waitMs: 60_000, failing: true });
    // The retry fails too.
    await other.fail('a', 'con_1', 1);
    expect((await one.enter(['a'])).waitMs).toBe(60_000);
    for (const pause of [120_000, 240_000, 480_000, 600_000, 600_000]) {
      clock.time += (await one.enter(['a'])).waitMs;
      expect((await one.enter(['a'])).waitMs).toBe(0);
      expect((await other.enter(['a'])).waitMs).toBe(pause);
    }
    await other.succeed(['a', 'b']);
    expect(await one.enter(['a'])).toEqual({ waitMs: 0, failing: false });
  });

  it('a vendor is considered failing after several organizations fail without a success in between', async () => {
    const { one, other } = await twoProcesses();
    for (let turn = 0; turn < 5; turn++) await one.fail('vendor', 'org_hostile', 3);
    await other.fail('vendor', 'org_2', 3);
    expect(await one.enter(['vendor'])).toEqual({ waitMs: 0, failing: true });
    await other.succeed(['vendor']);
    for (const organization of ['org_2', 'org_3']) await one.fail('vendor', organization, 3);
    expect((await one.enter(['vendor'])).waitMs).toBe(0);
    await one.fail('vendor', 'org_4', 3);
    expect((await other.enter(['vendor'])).waitMs).toBe(30_000);
  });

  it('only a success shortens a pause or makes the next ones shorter', async () => {
    const { clock, one, other } = await twoProcesses();
    await one.pause('a', 3_600_000);
    await other.pause('a', 1000);
    await other.fail('a', 'con_1', 1);
    expect((await one.enter(['a'])).waitMs).toBe(3_600_000);
    clock.time += 3_600_000;
    expect((await one.enter(['a'])).waitMs).toBe(0);
    clock.time += 60_000;
    expect((await one.enter(['a'])).waitMs).toBe(0);
    await other.pause('a', 1000);
    expect((await one.enter(['a'])).waitMs).toBe(120_000);
    clock.time += 120_000;
    expect((await one.enter(['a'])).waitMs).toBe(0);
    expect((await one.enter(['a'])).waitMs).toBe(240_000);
    await one.succeed(['a']);
    await other.pause('a', 1000);
    expect((await one.enter(['a'])).waitMs).toBe(1000);
  });

  it('the organizations for which a vendor failed are remembered for a day', async () => {
    const { clock, one, other } = await twoProcesses();
    await one.fail('vendor', 'org_1', 3);
    await one.fail('vendor', 'org_2', 3);
    clock.time += 23 * 3_600_000;
    await other.sweep();
    await one.fail('vendor', 'org_3', 3);
    expect((await one.enter(['vendor'])).waitMs).toBe(30_000);
    await one.succeed(['vendor']);
    for (const organization of ['org_1', 'org_2']) await one.fail('vendor', organization, 3);
    clock.time += 25 * 3_600_000;
    await other.sweep();
    await one.fail('vendor', 'org_3', 3);
    expect((await one.enter(['vendor'])).waitMs).toBe(0);
  });

  it('a pause requested by the vendor lasts as long as requested', async () => {
    const { clock, one, other } = await twoProcesses();
    await one.pause('a', 7_200_000);
    expect((await other.enter(['a'])).waitMs).toBe(7_200_000);
    clock.time += 7_200_000;
    await one.sweep();
    expect(await other.enter(['a'])).toEqual({ waitMs: 0, failing: true });
    clock.time += 48 * 3_600_000;
    await one.sweep();
    expect(await other.enter(['a'])).toEqual({ waitMs: 0, failing: false });
  });
});
