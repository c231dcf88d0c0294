import { setTimeout as wait } from 'node:timers/promises';
import { expressionBuilder, type NotNull } from 'kysely';
import { createCipher, type KeyRing } from '../vault/keys.js';
import { connectKeyContext } from './connect-clients.js';
import { acrossOrganizations, type Database } from './database.js';
import { ledgerContext } from './ledger-rows.js';
import { openDatabase, type StateLocation } from './location.js';
import { migrate } from './migrate.js';
import { planContext } from './plans.js';
import { otherKeys, processTimeoutMs } from './processes.js';
import {
  checkKeys,
  openSealing,
  type SealedColumns,
  type Sealing,
  type TenantContext,
  usedMasters,
  wrapContext,
} from './sealing.js';
import { draftContext } from './setups.js';
import type { Tables } from './tables.js';
import { webhookContext } from './webhooks/endpoints.js';

/** What to re-encrypt and with which keys. */
export interface Rotation extends StateLocation {
  readonly database?: Database | undefined;
  /** The newest key encrypts; the others decrypt existing values. */
  readonly keys: KeyRing;
  /** Also creates new data keys and re-encrypts every value with them. */
  readonly renewDataKeys?: boolean | undefined;
  /** Called after all checks, before the newest key is first used. */
  readonly onReady?: (() => void) | undefined;
  readonly now?: (() => number) | undefined;
}

/** How much was re-encrypted. */
export interface Rotated {
  /** Data keys rewrapped with the newest master key. */
  readonly rewrapped: number;
  /** Values re-encrypted with their organization's data key. */
  readonly resealed: number;
}

const batchSize = 100;
/** How long running services have to load the newest key, in milliseconds; killed ones will have expired by then. */
const patienceMs = 3 * processTimeoutMs;

/** Switches to the newest master key while services are running; resumes an interrupted rotation. */
export const rotate = (rotation: Rotation): Promise<Rotated> => acrossOrganizations(() => rotateAll(rotation));

async function rotateAll(rotation: Rotation): Promise<Rotated> {
  const { keys, renewDataKeys, onReady, now = Date.now } = rotation;
  const database = rotation.database ?? (await openDatabase(rotation, rotation.now));
  const newest = keys.newest.id;
  try {
    await migrate(database, now);
    await checkKeys(database, keys);
    if ((await otherKeys(database, newest)).some(({ reloads }) => reloads === 0)) throw otherKeyError();
    onReady?.();
    const sealing = await openSealing(database, keys, now);
    await underLock(database, () => sealing.registerMaster());
    await waitForServices(database, newest);
    if (renewDataKeys) await retireDataKeys(database);
    let resealed = 0;
    for (const reseal of resealers) {
      // One transaction per batch, short enough not to delay running services.
      const resealBatch = () => database.transaction(() => reseal(database, sealing));
      for (let count = await resealBatch(); count > 0; count = await resealBatch()) resealed += count;
    }
    let rewrapped = 0;
    // No other process wraps keys meanwhile, so the old key is no longer needed when it is deleted.
    const rewrapBatch = () =>
      underLock(database, async () => {
        const count = await rewrapDataKeys(database, keys);
        if (count === 0) await deleteUnusedKeys(database, newest);
        return count;
      });
    for (let count = await rewrapBatch(); count > 0; count = await rewrapBatch()) rewrapped += count;
    return { rewrapped, resealed };
  } finally {
    // Otherwise, values encrypted with the old key would stay in the WAL until overwritten.
    await database.close();
  }
}

const underLock = <T>(database: Database, work: () => Promise<T>): Promise<T> =>
  database.transaction(async () => {
    await database.lock('keys');
    return work();
  });

const otherKeyError = () =>
  new Error(
    'A service that uses this data is encrypting with a different key: make it load the new one (SIGHUP, with a key file or ' +
      '--key-command), stop it, or restart it with both the new and the old key. ' +
      `(A killed process counts as running for ${processTimeoutMs / 1000} seconds.)`,
  );

/** Services see the announced key in the database within five seconds and reload their keys. */
async function waitForServices(database: Database, newest: string): Promise<void> {
  const started = performance.now();
  while ((await otherKeys(database, newest)).length > 0) {
    if (performance.now() - started > patienceMs) throw otherKeyError();
    await wait(100);
  }
}

const retireDataKeys = ({ query }: Database) =>
  query.updateTable('keys').set({ retired: 1 }).where('organization_id', 'is not', null).execute();

async function rewrapDataKeys({ query }: Database, keys: KeyRing): Promise<number> {
  const rows = await query
    .selectFrom('keys')
    .select(['id', 'sealed', 'organization_id', 'wrapped_by'])
    .where('wrapped_by', '<>', keys.newest.id)
    .$narrowType<{ wrapped_by: NotNull }>()
    .limit(batchSize)
    .forNoKeyUpdate('keys')
    .execute();
  const cipher = createCipher(keys);
  for (const row of rows) {
    const context = wrapContext(row);
    const { keyId, bytes } = cipher.seal(context, cipher.open(context, { keyId: row.wrapped_by, bytes: row.sealed }));
    await query.updateTable('keys').set({ wrapped_by: keyId, sealed: bytes }).where('id', '=', row.id).execute();
  }
  return rows.length;
}

/** Deletes master keys that encrypt nothing, and data keys that were replaced or whose organization was deleted. */
async function deleteUnusedKeys(database: Database, newest: string): Promise<void> {
  const used = usedMasters(database).select('keys.id');
  await database.query
    .deleteFrom('keys')
    .where('id', '<>', newest)
    .where(({ eb, or }) =>
      or([
        eb('wrapped_by', 'is', null),
        eb('retired', '=', 1),
        eb('organization_id', 'not in', ({ selectFrom }) => selectFrom('organizations').select('organizations.id')),
      ]),
    )
    .where('id', 'not in', used)
    .where('id', 'not in', ({ selectFrom }) => selectFrom('credentials').select('key_id'))
    .where('id', 'not in', ({ selectFrom }) => selectFrom('ledger').select('key_id'))
    .where('id', 'not in', ({ selectFrom }) => selectFrom('plans').select('key_id'))
    .where('id', 'not in', ({ selectFrom }) => selectFrom('webhooks').select('key_id'))
    .where('id', 'not in', ({ selectFrom }) => selectFrom('setups').select('key_id').where('key_id', 'is not', null))
    .where('id', 'not in', ({ selectFrom }) =>
      selectFrom('connect_clients').select('key_id').where('key_id', 'is not', null),
    )
    .execute();
}

/** Current data keys: values encrypted with any other key are re-encrypted. */
const currentKeys = () =>
  expressionBuilder<Tables, never>()
    .selectFrom('keys')
    .select('keys.id')
    .where('keys.organization_id', 'is not', null)
    .where('keys.retired', '=', 0);

async function sealAnew(sealing: Sealing, context: TenantContext, row: SealedColumns): Promise<SealedColumns> {
  const { keyId, bytes } = await sealing.seal(context, await sealing.open(context, row));
  return { key_id: keyId, sealed: bytes };
}

async function resealCredentials({ query }: Database, sealing: Sealing): Promise<number> {
  const rows = await query
    .selectFrom('credentials')
    .innerJoin('connectors', 'connectors.id', 'credentials.connector_id')
    .select(['connector_id', 'field', 'key_id', 'sealed', 'organization_id as organization'])
    .where('key_id', 'not in', currentKeys())
    .limit(batchSize)
    .forNoKeyUpdate('credentials')
    .execute();
  for (const row of rows) {
    const { organization, connector_id, field } = row;
    const update = query
      .updateTable('credentials')
      .set(await sealAnew(sealing, { organization, owner: connector_id, field }, row));
    await update.where('connector_id', '=', connector_id).where('field', '=', field).execute();
  }
  return rows.length;
}

async function resealLedger({ query }: Database, sealing: Sealing): Promise<number> {
  const rows = await query
    .selectFrom('ledger')
    .innerJoin('connectors', 'connectors.id', 'ledger.connector_id')
    .select(['ledger.id', 'connector_id', 'key_id', 'sealed', 'organization_id as organization'])
    .where('key_id', 'not in', currentKeys())
    .limit(batchSize)
    .forNoKeyUpdate('ledger')
    .execute();
  for (const row of rows) {
    const { id, organization, connector_id } = row;
    const context = ledgerContext(organization, connector_id, id);
    await query
      .updateTable('ledger')
      .set(await sealAnew(sealing, context, row))
      .where('id', '=', id)
      .execute();
  }
  return rows.length;
}

async function resealDrafts({ query }: Database, sealing: Sealing): Promise<number> {
  const rows = await query
    .selectFrom('setups')
    .select(['id', 'organization_id', 'key_id', 'sealed'])
    .where('key_id', 'is not', null)
    .where('key_id', 'not in', currentKeys())
    .$narrowType<{ key_id: NotNull; sealed: NotNull }>()
    .limit(batchSize)
    .forNoKeyUpdate('setups')
    .execute();
  for (const row of rows) {
    const sealed = await sealAnew(sealing, draftContext(row), row);
    await query.updateTable('setups').set(sealed).where('id', '=', row.id).execute();
  }
  return rows.length;
}

async function resealPlans({ query }: Database, sealing: Sealing): Promise<number> {
  const rows = await query
    .selectFrom('plans')
    .select(['id', 'organization_id', 'connector_id', 'key_id', 'sealed'])
    .where('key_id', 'not in', currentKeys())
    .limit(batchSize)
    .forNoKeyUpdate('plans')
    .execute();
  for (const row of rows) {
    const sealed = await sealAnew(sealing, planContext(row), row);
    await query.updateTable('plans').set(sealed).where('id', '=', row.id).execute();
  }
  return rows.length;
}

async function resealConnectKeys({ query }: Database, sealing: Sealing): Promise<number> {
  const rows = await query
    .selectFrom('connect_clients')
    .select(['organization_id', 'client_id', 'key_id', 'sealed'])
    .where('key_id', 'is not', null)
    .where('key_id', 'not in', currentKeys())
    .$narrowType<{ key_id: NotNull; sealed: NotNull }>()
    .limit(batchSize)
    .forNoKeyUpdate('connect_clients')
    .execute();
  for (const row of rows) {
    const { organization_id, client_id } = row;
    const update = query.updateTable('connect_clients').set(await sealAnew(sealing, connectKeyContext(row), row));
    await update.where('organization_id', '=', organization_id).where('client_id', '=', client_id).execute();
  }
  return rows.length;
}

async function resealWebhooks({ query }: Database, sealing: Sealing): Promise<number> {
  const rows = await query
    .selectFrom('webhooks')
    .select(['id', 'organization_id', 'key_id', 'sealed'])
    .where('key_id', 'not in', currentKeys())
    .limit(batchSize)
    .forNoKeyUpdate('webhooks')
    .execute();
  for (const row of rows) {
    const sealed = await sealAnew(sealing, webhookContext(row), row);
    await query.updateTable('webhooks').set(sealed).where('id', '=', row.id).execute();
  }
  return rows.length;
}

/** All columns encrypted with data keys. */
const resealers = [
  resealCredentials,
  resealLedger,
  resealDrafts,
  resealPlans,
  resealConnectKeys,
  resealWebhooks,
] as const;
