import { expect, onTestFinished, test } from 'vitest';
import { openState } from '../../../service/src/data/state/open.js';
import { keyRing } from '../../../service/src/data/vault/keys.js';
import { newKey } from '../keys.js';
import { serveDump } from '../upgrade/postgres-server.js';
import { type Child, childProcesses } from './children.js';
import { createTenant } from './fixtures.js';

const start = childProcesses();

test('processes of two releases share a database in Postgres while it is migrated; killing each loses nothing', {
  timeout: 120_000,
}, async () => {
  const { url, close } = await serveDump('');
  onTestFinished(close);
  const key = newKey();
  const open = () => openState({ folder: ':memory:', keys: keyRing([key]), databaseUrl: url });
  const state = await open();
  onTestFinished(() => state.close());
  const { connect } = await createTenant(state);
  const [{ id: ofOlder }, { id: ofNewer }] = [await connect({ name: 'older' }), await connect({ name: 'newer' })];
  const run = (scenario: string, id: string) => start(scenario, ':memory:', key, id, url);
  /** The number of the pair that a connector has now, 0 before the first. */
  const storedOf = async (id: string) => {
    const { access_token = ' 0', refresh_token = ' 0' } = (await state.credentials.load(id))!;
    expect(refresh_token.replace('refresh', 'access')).toBe(access_token);
    return Number(access_token.split(' ')[1]);
  };
  /** Waits until a process has saved more than is stored now, after what it had reported; returns its last number. */
  const savesMore = async (child: Child, id: string, reported = 0) => {
    const stored = await storedOf(id);
    let last = reported;
    while (last <= stored) {
      const number = Number(await child.line());
      expect(number).toBe(last + 1);
      last = number;
    }
    return last;
  };

  const older = run('save', ofOlder);
  let last = await savesMore(older, ofOlder);
  const killed = run('upgrade', '');
  expect(await killed.line()).toBe('middle');
  await killed.kill();
  // Nothing is left of the migration: the older release goes on, and can start.
  last = await savesMore(older, ofOlder, last);
  await (await open()).close();

  const newer = run('upgrade', ofNewer);
  const first = await savesMore(newer, ofNewer);
  // What both do after the migration.
  last = await savesMore(older, ofOlder, last);
  await older.kill();
  expect(await storedOf(ofOlder)).toBeGreaterThanOrEqual(last);
  await expect(open()).rejects.toThrow(/version 99, but this release supports versions up to/);
  const second = await savesMore(newer, ofNewer, first);
  await newer.kill();
  expect(await storedOf(ofNewer)).toBeGreaterThanOrEqual(second);
  expect(await storedOf(ofOlder)).toBeGreaterThanOrEqual(last);
});
