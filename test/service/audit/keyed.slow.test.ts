import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { State } from 'agent-connectors-service';
import { expect, onTestFinished, test } from 'vitest';
import { acrossOrganizations, type Database } from '../../../service/src/data/state/database.js';
import { newKey } from '../keys.js';
import {
  createTenant,
  describeOnBothEngines,
  executeAll,
  newFolder,
  newState,
  openTestDatabase,
  rotateKeys,
} from '../state/fixtures.js';
import { auditEntry } from './entry.js';

/** A digest that anyone can compute. */
const unkeyedDigest = (entry: object) => createHash('sha256').update(JSON.stringify(entry)).digest('hex');

/** Rewrites the log, as anyone with the database but without the key can: a changed outcome, and digests that chain. */
const rewrite = ({ query }: Database): Promise<void> =>
  acrossOrganizations(async () => {
    const entries = await query.selectFrom('audit').selectAll().orderBy('seq').execute();
    let previous = '0'.repeat(64);
    for (const { digest: _, ...entry } of entries) {
      const changed = { ...entry, outcome: 'forged', previous };
      previous = unkeyedDigest(changed);
      const update = query.updateTable('audit').set({ ...changed, digest: previous });
      await update.where('seq', '=', entry.seq).execute();
    }
  });

/** A folder with ten entries. */
async function logged() {
  const folder = join(newFolder(), 'data');
  const keys = [newKey()];
  let state = await newState({ folder, keys });
  const { id } = await state.organizations.create('acme');
  const database = await openTestDatabase(folder);
  onTestFinished(() => database.close());
  const restart = async (): Promise<State> => {
    await state.close();
    state = await newState({ folder, keys });
    return state;
  };
  for (let number = 0; number < 10; number += 1) state.audit.recordSoon(auditEntry(id, { duration_ms: number }));
  await state.audit.flush();
  return { id, folder, keys, database, restart, state: () => state, verify: () => state.audit.verify(id) };
}

describeOnBothEngines(() => {
  test('detects a log that was completely rewritten without the key', async () => {
    const { database, verify, restart } = await logged();
    expect(await verify()).toMatchObject({ entries: 10, first: 1, broken: null });
    await rewrite(database);
    expect((await verify()).broken).toEqual({ seq: 1, reason: 'has been altered' });
    await restart();
    expect((await verify()).broken).toEqual({ seq: 1, reason: 'has been altered' });
  });

  test('removing the key does not make a rewritten log pass', async () => {
    const { database, verify, restart, state } = await logged();
    await (await createTenant(state(), 'globex')).connect();
    await rewrite(database);
    await executeAll(
      database,
      'DELETE FROM audit_checkpoints; DELETE FROM keys WHERE organization_id IS NULL AND wrapped_by IS NOT NULL',
    );
    // Another key does not match the entries.
    expect((await verify()).broken?.seq).toBe(1);
    await restart();
    expect((await verify()).broken?.seq).toBe(1);
  });

  test('a new master key does not change the log', async () => {
    const { folder, keys, id, state } = await logged();
    const before = await state().audit.verify(id);
    await state().close();
    const fresh = newKey();
    await rotateKeys(folder, [fresh, ...keys], { renewDataKeys: true });
    const later = await newState({ folder, keys: [fresh] });
    expect(await later.audit.verify(id, before.head)).toEqual(before);
    await later.audit.record(auditEntry(id));
    expect(await later.audit.verify(id, before.head)).toMatchObject({ entries: 11, broken: null });
  });
});
