import { sql } from 'kysely';
import { acrossOrganizations, type Database } from './database.js';
import { baseline } from './migrations/0001-baseline.js';
import { replicaGaps } from './migrations/0002-replica-gaps.js';
import { writtenRecords } from './migrations/0003-written-records.js';
import { accessRevision } from './migrations/0004-access-revision.js';
import { ledgerAttempt } from './migrations/0005-ledger-attempt.js';
import { endedAccess } from './migrations/0007-ended-access.js';
import { unreadTexts } from './migrations/0008-unread-texts.js';
import { unlistedRecords } from './migrations/0010-unlisted-records.js';
import { recordPositions } from './migrations/0014-record-positions.js';
import { activity } from './migrations/0016-activity.js';
import { unlistedSince } from './migrations/0018-unlisted-since.js';
import { type Migration, primaryKey, required, schemaFor } from './migrations/types.js';

/** All migrations, oldest first. */
export const releasedMigrations: readonly Migration[] = [
  baseline,
  replicaGaps,
  writtenRecords,
  accessRevision,
  ledgerAttempt,
  endedAccess,
  unreadTexts,
  unlistedRecords,
  recordPositions,
  activity,
  unlistedSince,
];

/** Migrates the database to this version; a newer one is rejected and left untouched. */
export async function migrate(
  database: Database,
  now: () => number,
  migrations: readonly Migration[] = releasedMigrations,
): Promise<void> {
  const latest = migrations.at(-1)!.version;
  // In one transaction: if two processes start together, the second finds nothing to do.
  const atomically = (work: () => Promise<void>) => acrossOrganizations(() => database.transaction(work));
  await atomically(async () => {
    await database.lock('migrations');
    const { query } = database;
    const schema = schemaFor(database.engine, query.schema, (statement) => sql.raw(statement).execute(query));
    await schema
      .createTable('versions')
      .ifNotExists()
      .addColumn('version', schema.integer, primaryKey)
      .addColumn('name', schema.text, required)
      .addColumn('applied_at', schema.text, required)
      .execute();
    const newest = await query.selectFrom('versions').select('version').orderBy('version', 'desc').executeTakeFirst();
    const current = newest?.version ?? 0;
    if (current > latest) {
      throw new Error(
        `The database is at version ${current}, but this release supports versions up to ${latest}: ` +
          'run the newer release of agent-connectors-service, or restore a backup made before the upgrade.',
      );
    }
    for (const { version, name, up } of migrations) {
      if (version <= current) continue;
      await up(schema);
      const applied_at = new Date(now()).toISOString();
      await query.insertInto('versions').values({ version, name, applied_at }).execute();
    }
  });
}
