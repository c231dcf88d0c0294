import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { State } from 'agent-connectors-service';
import { expect, onTestFinished, test } from 'vitest';
import { acrossOrganizations, type Database } from '../../../service/src/data/state/database.js';
import { createCipher, keyRing } from '../../../service/src/data/vault/keys.js';
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

/** The unkeyed digest of an entry as older releases wrote it; anyone can compute it. */
const digestFields = [
  'organization_id',
  'seq',
  'at',
  'event',
  'workspace_id',
  'connector_id',
  'connector_type',
  'client_id',
  'via',
  'entity',
  'action',
  'effect',
  'params_digest',
  'intent',
  'outcome',
  'begun_as',
  'duration_ms',
  'request_id',
  'previous',
];
const unkeyedDigest = (entry: any) =>
  createHash('sha256')
    .update(
      JSON.stringify([...digestFields.map((name) => entry[name]), ...(entry.address === null ? [] : [entry.address])]),
    )
    .digest('hex');

/** Rewrites the log up to an entry, as anyone with the database but without the key can: a changed outcome, valid digests. */
const rewrite = (database: Database, upTo = Number.MAX_SAFE_INTEGER): Promise<void> =>
  acrossOrganizations(() => rewriteAll(database, upTo));

async function rewriteAll({ query }: Database, upTo: number): Promise<void> {
  const entries = await query.selectFrom('audit').selectAll().where('seq', '<=', upTo).orderBy('seq').execute();
  let previous = '0'.repeat(64);
  for (const entry of entries) {
    const changed = { ...entry, outcome: 'forged', previous };
    previous = unkeyedDigest(changed);
    await query
      .updateTable('audit')
      .set({ ...changed, digest: previous })
      .where('seq', '=', entry.seq)
      .execute();
  }
}

/** A folder with unkeyed entries from an older release and entries from this one. */
async function logged({ old = 0, keyed = 10 }) {
  const folder = join(newFolder(), 'data');
  const keys = [newKey()];
  let state = await newState({ folder, keys });
  const { id } = await state.organizations.create('acme');
  const database = await openTestDatabase(folder);
  onTestFinished(() => database.close());
  let previous = '0'.repeat(64);
  for (let seq = 1; seq <= old; seq += 1) {
    const entry = { ...auditEntry(id), seq, at: '2026-01-01T00:00:00.000Z', previous };
    previous = unkeyedDigest(entry);
    const insert = database.query.insertInto('audit').values({ ...entry, digest: previous });
    await acrossOrganizations(() => insert.execute());
  }
  const restart = async (): Promise<State> => {
    await state.close();
    state = await newState({ folder, keys });
    return state;
  };
  await restart();
  for (let number = 0; number < keyed; number += 1) state.audit.recordSoon(auditEntry(id, { duration_ms: number }));
  await state.audit.flush();
  return { id, folder, keys, database, restart, state: () => state, verify: () => state.audit.verify(id) };
}

describeOnBothEngines(() => {
  test('detects a log that was completely rewritten without the key', async () => {
    const { database, verify, restart } = await logged({});
    expect(await verify()).toMatchObject({ entries: 10, first: 1, keyed_from: 1, broken: null });
    await rewrite(database);
    expect((await verify()).broken).toEqual({ seq: 1, reason: 'has been altered' });
    await restart();
    expect((await verify()).broken).toEqual({ seq: 1, reason: 'has been altered' });
  });

  test('entries from a release without a key still verify, and later ones are keyed', async () => {
    const { verify, restart } = await logged({ old: 5, keyed: 3 });
    expect(await verify()).toMatchObject({ entries: 8, first: 1, keyed_from: 6, head: { seq: 8 }, broken: null });
    await restart();
    expect(await verify()).toMatchObject({ entries: 8, keyed_from: 6, broken: null });
  });

  test.each([
    ['the old part was rewritten', 3, (database: Database) => rewrite(database, 5), 5],
    ['the old part was rewritten before any keyed entry exists', 0, (database: Database) => rewrite(database), 5],
    [
      'the end of the old part was truncated',
      0,
      (database: Database) => executeAll(database, 'DELETE FROM audit WHERE seq > 3'),
      4,
    ],
    [
      'the checkpoint at the first keyed entry was removed',
      3,
      (database: Database) => executeAll(database, 'DELETE FROM audit_checkpoints'),
      1,
    ],
    [
      'the whole log was rewritten and declared old',
      3,
      async (database: Database) => {
        await rewrite(database);
        await executeAll(database, 'UPDATE audit_checkpoints SET unkeyed_seq = 8');
      },
      1,
    ],
  ])('detects that %s', async (_, keyed, tamper, seq) => {
    const { database, verify } = await logged({ old: 5, keyed });
    await tamper(database);
    expect((await verify()).broken?.seq).toBe(seq);
  });

  test('removing the key from a fully keyed log does not make it pass as an unkeyed one', async () => {
    const { database, verify, restart, state } = await logged({});
    await (await createTenant(state(), 'globex')).connect();
    await rewrite(database);
    await executeAll(
      database,
      'DELETE FROM audit_checkpoints; DELETE FROM keys WHERE organization_id IS NULL AND wrapped_by IS NOT NULL',
    );
    // Neither the running service nor a restarted one creates another key.
    expect((await verify()).broken?.seq).toBe(1);
    await restart();
    expect((await verify()).broken?.seq).toBe(1);
  });

  test('old entries are still recognized if the key is rotated before this release first starts', async () => {
    const folder = join(newFolder(), 'data');
    const [old, fresh] = [newKey(), newKey()];
    const before = await newState({ folder, keys: [old] });
    const { organization, connect } = await createTenant(before);
    const { id } = await connect();
    await before.close();
    const database = await openTestDatabase(folder);
    const cipher = createCipher(keyRing([old]));
    const { keyId, bytes } = cipher.seal({ owner: id, field: 'api_key' }, 'lin_api_1');
    const entry = { ...auditEntry(organization.id), seq: 1, at: '2026-01-01T00:00:00.000Z', previous: '0'.repeat(64) };
    const update = database.query.updateTable('credentials').set({ key_id: keyId, sealed: bytes });
    await acrossOrganizations(() => update.execute());
    await database.query.deleteFrom('keys').where('wrapped_by', 'is not', null).execute();
    const first = database.query.insertInto('audit').values({ ...entry, digest: unkeyedDigest(entry) });
    await acrossOrganizations(() => first.execute());
    await database.close();
    expect(await rotateKeys(folder, [fresh, old])).toMatchObject({ resealed: 1 });
    const after = await newState({ folder, keys: [fresh] });
    expect(await after.audit.verify(organization.id)).toMatchObject({ entries: 1, keyed_from: 2, broken: null });
  });

  test('a new master key does not change the log', async () => {
    const { folder, keys, id, state } = await logged({ old: 2, keyed: 2 });
    const before = await state().audit.verify(id);
    await state().close();
    const fresh = newKey();
    await rotateKeys(folder, [fresh, ...keys], { renewDataKeys: true });
    const later = await newState({ folder, keys: [fresh] });
    expect(await later.audit.verify(id, before.head)).toEqual(before);
    await later.audit.record(auditEntry(id));
    expect(await later.audit.verify(id, before.head)).toMatchObject({ entries: 5, broken: null });
  });
});
