import { type Kysely, type Migration as KyselyMigration, Migrator, sql } from 'kysely';
import { acrossOrganizations, type Database } from './database.js';
import { initial } from './migrations/0001-initial.js';
import { replication } from './migrations/0002-replication.js';
import { audit } from './migrations/0003-audit.js';
import { setups } from './migrations/0004-setups.js';
import { consoleSessions } from './migrations/0005-console.js';
import { auditAddress } from './migrations/0006-audit-address.js';
import { auditByTime } from './migrations/0007-audit-by-time.js';
import { clientScopes } from './migrations/0008-client-scopes.js';
import { dataKeys } from './migrations/0009-data-keys.js';
import { plans } from './migrations/0010-plans.js';
import { rowSecurity } from './migrations/0011-row-security.js';
import { oauth } from './migrations/0012-oauth.js';
import { connect } from './migrations/0013-connect.js';
import { boundClients } from './migrations/0014-bound-clients.js';
import { writtenRecords } from './migrations/0015-written-records.js';
import { rateLimits } from './migrations/0016-rate-limits.js';
import { vendorLimits } from './migrations/0017-vendor-limits.js';
import { replicaRuns } from './migrations/0018-replica-runs.js';
import { repeatedJobs } from './migrations/0019-repeated-jobs.js';
import { type Migration, primaryKey, required, schemaFor } from './migrations/types.js';
import type { Tables } from './tables.js';

const migrations: readonly Migration[] = [
  initial,
  replication,
  audit,
  setups,
  consoleSessions,
  auditAddress,
  auditByTime,
  clientScopes,
  dataKeys,
  plans,
  rowSecurity,
  oauth,
  connect,
  boundClients,
  writtenRecords,
  rateLimits,
  vendorLimits,
  replicaRuns,
  repeatedJobs,
];

/** Migrates the database to this version; a newer one is rejected and left untouched. */
export async function migrate(database: Database, now: () => number): Promise<void> {
  const latest = migrations.at(-1)!.version;
  // In one transaction: if two processes start together, the second finds nothing to do.
  const atomically = (work: () => Promise<void>) => acrossOrganizations(() => database.transaction(work));
  await atomically(async () => {
    await database.lock('migrations');
    const current = await currentVersion(database);
    if (current > latest) {
      throw new Error(
        `The database is at version ${current}, but this release supports versions up to ${latest}: ` +
          'run the newer release of agent-connectors-service, or restore a backup made before the upgrade.',
      );
    }
    // To find its own two tables, Kysely would read the columns of every table in the database.
    if (current === latest) return;
    const migrator = new Migrator({
      db: database.query,
      provider: { getMigrations: async () => migrationsFrom(current, database.engine, now) },
      ...(database.schema !== undefined && { migrationTableSchema: database.schema }),
      // Migrations are ordered by name: with timestamps, setting the clock back would make the database unusable.
      allowUnorderedMigrations: true,
      disableTransactions: true,
    });
    const { error } = await migrator.migrateToLatest();
    if (error) throw error;
  });
}

/**
 * The newest version in `versions`, or 0.
 *
 * Databases in the first format (`test/fixtures/0.1`) have only this table. It is kept up to date alongside Kysely's
 * own table, so that releases that know only this one also reject a newer database.
 */
async function currentVersion({ engine, query }: Database): Promise<number> {
  const { text, integer } = schemaFor(engine, query.schema, (statement) => sql.raw(statement).execute(query));
  await query.schema
    .createTable('versions')
    .ifNotExists()
    .addColumn('version', integer, primaryKey)
    .addColumn('name', text, required)
    .addColumn('applied_at', text, required)
    .execute();
  const newest = await query.selectFrom('versions').select('version').orderBy('version', 'desc').executeTakeFirst();
  return newest?.version ?? 0;
}

/** All migrations for Kysely; those already applied by release 0.1 are only recorded. */
function migrationsFrom(current: number, engine: Database['engine'], now: () => number) {
  const upFrom = ({ version, name, up }: Migration): KyselyMigration['up'] => {
    if (version <= current) return async () => {};
    return async (db: Kysely<Tables>) => {
      await up(schemaFor(engine, db.schema, (statement) => sql.raw(statement).execute(db)));
      const applied_at = new Date(now()).toISOString();
      await db.insertInto('versions').values({ version, name, applied_at }).execute();
    };
  };
  return Object.fromEntries(
    migrations.map((migration): [string, KyselyMigration] => [
      `${String(migration.version).padStart(4, '0')}-${migration.name}`,
      { up: upFrom(migration) },
    ]),
  );
}
