import type { Database } from './database.js';
import { initial } from './migrations/0001-initial.js';
import { replication } from './migrations/0002-replication.js';
import { audit } from './migrations/0003-audit.js';
import { setups } from './migrations/0004-setups.js';
import { consoleSessions } from './migrations/0005-console.js';
import { auditAddress } from './migrations/0006-audit-address.js';
import type { Migration } from './migrations/types.js';

const versions =
  'CREATE TABLE IF NOT EXISTS versions (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL)';

const migrations: readonly Migration[] = [initial, replication, audit, setups, consoleSessions, auditAddress];

/** Brings the database to the version that this code knows; one that is newer is refused, and nothing in it touched. */
export async function migrate(database: Database, now: () => number): Promise<void> {
  const latest = migrations.at(-1)!.version;
  // In one transaction, so that of two processes that start at once the second finds the work done.
  await database.transaction(async () => {
    await database.lock('migrations');
    await database.exec(database.dialect.translateSchema(versions));
    const found = await database.get<{ version: number | null }>('SELECT max(version) AS version FROM versions');
    const current = found?.version ?? 0;
    if (current > latest) {
      throw new Error(
        `The database has version ${current}, and this release knows versions up to ${latest}: ` +
          'run the newer release of agent-connectors-service, or restore a backup made before it.',
      );
    }
    for (const { version, name, sql } of migrations.filter(({ version }) => version > current)) {
      await database.exec(database.dialect.translateSchema(sql));
      const applied = new Date(now()).toISOString();
      await database.run('INSERT INTO versions (version, name, applied_at) VALUES (?, ?, ?)', version, name, applied);
    }
  });
}
