import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { State } from 'agent-connectors-service';
import { describe, expect, it } from 'vitest';
import { newKey } from '../keys.js';
import { childProcesses } from './children.js';
import { createTenant, newFolder, newState, rotateKeys } from './fixtures.js';

const start = childProcesses();

/** A connector on disk, and the arguments with which a child finds it; `now` is this process's clock. */
async function onDisk(credentials: Record<string, string>, now = Date.now) {
  const folder = newFolder();
  const key = newKey();
  const state = await newState({ folder, keys: [key], now });
  const { connect } = await createTenant(state);
  const { id } = await connect({ credentials });
  return { folder, key, state, connect, id };
}

describe('an exclusive lock', () => {
  it('lets one process at a time work on a connector without losing updates', async () => {
    const { folder, key, state, id } = await onDisk({ count: '0' });
    const log = join(folder, 'log');
    const both = [start('turns', folder, key, id, log), start('turns', folder, key, id, log)];
    expect(await Promise.all(both.map((child) => child.exited()))).toEqual([0, 0]);
    expect(await state.credentials.load(id)).toEqual({ count: '30' });
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    expect(lines).toHaveLength(60);
    for (let index = 0; index < lines.length; index += 2) {
      expect(lines[index + 1]).toBe(lines[index]!.replace('in', 'out'));
    }
    const changes = lines.filter((line, index) => index > 0 && line.startsWith('in') && line !== lines[index - 2]);
    expect(changes.length).toBeGreaterThanOrEqual(1);
  });

  it('waits for a killed holder no longer than its lease', async () => {
    // This process's clock is frozen, so the other process does not appear silent for long.
    const began = Date.now();
    const { folder, key, state, id } = await onDisk({ api_key: 'x' }, () => began);
    const child = start('hold', folder, key, id);
    expect(await child.line()).toBe('held');
    await child.kill();
    let entered = false;
    const waiting = state.credentials.alone(id, async () => {
      entered = true;
    });
    await wait(300);
    expect(entered).toBe(false);
    await state.close();
    await expect(waiting).rejects.toThrow('closed');
    const later = await newState({ folder, keys: [key], now: () => Date.now() + 15_000 });
    expect(await later.credentials.alone(id, async () => 'mine')).toBe('mine');
  });

  it('lets only one process claim periodic work per interval', async () => {
    let time = Date.now();
    const { folder, key, state } = await onDisk({ api_key: 'x' }, () => time);
    const other = await newState({ folder, keys: [key], now: () => time });
    const both = await Promise.all([state.claim('sweep', 1000), other.claim('sweep', 1000)]);
    expect(both.sort()).toEqual([false, true]);
    expect([await state.claim('sweep', 1000), await other.claim('sweep', 1000)]).toEqual([false, false]);
    expect(await other.claim('something else', 1000)).toBe(true);
    time += 1000;
    expect([await other.claim('sweep', 1000), await state.claim('sweep', 1000)]).toEqual([true, false]);
  });

  it('keeps the order of waiters within a process, and continues after one fails', async () => {
    const { state, id } = await onDisk({ api_key: 'x' });
    const order: number[] = [];
    let inside = 0;
    const turn = (number: number) =>
      state.credentials.alone(id, async () => {
        inside += 1;
        expect(inside).toBe(1);
        await wait(1);
        order.push(number);
        inside -= 1;
        if (number === 2) throw new Error('the second fails');
        return number;
      });
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(turn));
    expect(order).toEqual([1, 2, 3, 4]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  });

  it('does not block other connectors', async () => {
    const { state, connect, id } = await onDisk({ api_key: 'x' });
    const other = await connect({ name: 'other' });
    await state.credentials.alone(id, () => state.credentials.alone(other.id, async () => {}));
  });
});

describe('a killed process', () => {
  it('leaves a write that is in flight at first, and can be resumed once the process has been silent long enough', async () => {
    // This process's clock is frozen, so the other process does not appear silent for long.
    const began = Date.now();
    const { folder, key, state, id } = await onDisk({ api_key: 'x' }, () => began);
    const child = start('hold', folder, key, id);
    await child.line();
    await child.kill();
    const write = { clientId: 'cli_1', connectorId: id, entity: 'issues', action: 'create', key: 'once' };
    expect(await state.ledger.begin(write, 'hash')).toEqual({ state: 'in_flight' });
    const later = await newState({ folder, keys: [key], now: () => Date.now() + 15_001 });
    expect(await later.ledger.begin(write, 'hash')).toMatchObject({ state: 'begun' });
  });

  it('loses nothing that it reported as saved, and leaves nothing partially saved', async () => {
    const { folder, key, state, id } = await onDisk({ client_id: 'id' });
    for (const lines of [1, 7, 20]) {
      const child = start('save', folder, key, id);
      let said = 0;
      for (let count = 0; count < lines; count += 1) said = Number(await child.line());
      await child.kill();
      const { client_id, access_token = '', refresh_token = '' } = (await state.credentials.load(id))!;
      expect(client_id).toBe('id');
      expect(refresh_token.replace('refresh', 'access')).toBe(access_token);
      expect(Number(access_token.split(' ')[1])).toBeGreaterThanOrEqual(said);
    }
  });

  it('has saved neither of two related values if killed between them', async () => {
    const { folder, key, state, id } = await onDisk({ access_token: 'old', refresh_token: 'old' });
    const child = start('halfway', folder, key, id);
    expect(await child.line()).toBe('middle');
    expect(await state.credentials.load(id)).toEqual({ access_token: 'old', refresh_token: 'old' });
    await child.kill();
    expect(await state.credentials.load(id)).toEqual({ access_token: 'old', refresh_token: 'old' });
    await state.credentials.save(id, { access_token: 'newer' });
    expect(await state.credentials.load(id)).toEqual({ access_token: 'newer', refresh_token: 'old' });
  });

  it('has lost nothing if killed during a rotation, and the next rotation finishes the work', async () => {
    const { folder, key, state, connect } = await onDisk({ api_key: 'first' });
    // A data key per organization, and the audit log's.
    const ids = await state.atomically('many', async () => {
      const rows = [await connect({ name: 'another' })];
      for (let index = 0; index < 298; index += 1) rows.push(await (await createTenant(state, `${index}`)).connect());
      return rows.map(({ id }) => id);
    });
    const credentialsOf = async (opened: State) =>
      new Set(await Promise.all(ids.map(async (id) => JSON.stringify(await opened.credentials.load(id)))));
    const credentials = await credentialsOf(state);
    await state.close();
    const fresh = newKey();
    const child = start('rotate', folder, `${fresh},${key}`);
    expect(await child.line()).toBe('middle');
    await child.kill();
    await expect(newState({ folder, keys: [key] })).rejects.toThrow(/wrong key/);
    const between = await newState({ folder, keys: [fresh, key] });
    expect(await credentialsOf(between)).toEqual(credentials);
    await between.close();
    expect(await rotateKeys(folder, [fresh, key])).toEqual({ rewrapped: 199, resealed: 0 });
    expect(await credentialsOf(await newState({ folder, keys: [fresh] }))).toEqual(credentials);
  });
});
