import { readdirSync, readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { acrossOrganizations, type Database } from '../../../service/src/data/state/database.js';
import { migrate, releasedMigrations } from '../../../service/src/data/state/migrate.js';
import { type Migration, primaryKey } from '../../../service/src/data/state/migrations/types.js';
import { describeOnBothEngines, newFolder, openTestDatabase } from './fixtures.js';

/** A migration of a later release. */
const later: Migration = {
  version: 99,
  name: 'later',
  async up({ alterTable, createTable, text }) {
    await createTable('additions').addColumn('id', text, primaryKey).execute();
    await alterTable('organizations').addColumn('note', text).execute();
  },
};
const migrations = [...releasedMigrations, later];

async function open(folder: string): Promise<Database> {
  const database = await openTestDatabase(folder);
  onTestFinished(() => database.close());
  return database;
}

const versionsIn = async ({ query }: Database) =>
  (await query.selectFrom('versions').select(['version', 'name', 'applied_at']).orderBy('version').execute()).map(
    (row) => ({ ...row }),
  );

const releasedRows = releasedMigrations.map(({ version, name }) => ({
  version,
  name,
  applied_at: '2026-01-01T00:00:00.000Z',
}));
const laterRow = { version: 99, name: 'later', applied_at: '2026-02-01T00:00:00.000Z' };
const january = () => Date.UTC(2026, 0, 1);
const february = () => Date.UTC(2026, 1, 1);

describeOnBothEngines(() => {
  it('a later migration is applied to the baseline once and keeps the data', async () => {
    const database = await open(newFolder());
    await migrate(database, january);
    expect(await versionsIn(database)).toEqual(releasedRows);
    const row = { id: 'org_1', name: 'Acme', created_at: '2026' };
    await acrossOrganizations(() => database.query.insertInto('organizations').values(row).execute());
    for (const now of [february, Date.now]) await migrate(database, now, migrations);
    expect(await versionsIn(database)).toEqual([...releasedRows, laterRow]);
    const { rows } = await acrossOrganizations(() => sql`select * from organizations`.execute(database.query));
    expect(rows).toEqual([{ ...row, note: null }]);
  });

  it('a failed migration leaves nothing behind', async () => {
    const database = await open(newFolder());
    await migrate(database, january);
    const failing: Migration = {
      ...later,
      async up(schema) {
        await later.up(schema);
        throw new Error('The disk is full.');
      },
    };
    await expect(migrate(database, february, [...releasedMigrations, failing])).rejects.toThrow('The disk is full.');
    expect(await versionsIn(database)).toEqual(releasedRows);
    await migrate(database, february, migrations);
    expect(await versionsIn(database)).toEqual([...releasedRows, laterRow]);
  });

  it('a database from a newer release is rejected and left untouched', async () => {
    const database = await open(newFolder());
    await migrate(database, january, migrations);
    await expect(migrate(database, Date.now)).rejects.toThrow(/version 99, but .* up to \d+: run the newer release/);
    expect(await versionsIn(database)).toHaveLength(migrations.length);
  });
});

it('migrations after the baseline only add tables, columns and indexes, so processes of an older release keep running', () => {
  const folder = new URL('../../../service/src/data/state/migrations/', import.meta.url);
  const files = readdirSync(folder).filter((name) => /^\d{4}-/.test(name));
  expect(files[0]).toBe('0001-baseline.ts');
  for (const file of files) {
    const source = readFileSync(new URL(file, folder), 'utf8');
    expect(source, file).not.toMatch(/\b(drop\w*|rename\w*|alter ?column|setNotNull)\b/i);
  }
});
