import { quoteIdentifier } from '../../schema.js';
import { connectTo, type Query } from './connection.js';
import { acrossOrganizations, protectTables } from './row-security.js';

/** Tables of all connectors beside those of entities and vectors; the first decides where a connector's rows lie. */
const ownTables = ['terms', 'passage_fields', 'field_texts', 'passages', 'passage_terms', 'embedded'];

/** Whether the tables of a database are spread over the nodes of a Citus cluster. */
export async function isDistributed(query: Query): Promise<boolean> {
  const [citus] = await query(`select 1 from pg_extension where extname = 'citus'`);
  if (!citus) return false;
  const [row] = await query(`select 1 from pg_dist_partition where logicalrelid = to_regclass('terms')`);
  return row !== undefined;
}

/** Spreads a table that is empty or locked by its column `connector`; rows of one connector lie on one node. */
export async function distributeTable(query: Query, table: string): Promise<void> {
  const name = quoteIdentifier(table);
  // A list of what is yet to be indexed is worked off at the end of each write, which is not done on other nodes.
  const indexes = await query<{ name: string }>(
    `select indexrelid::regclass::text as name from pg_index
        join pg_class on pg_class.oid = indexrelid join pg_am on pg_am.oid = relam
      where indrelid = $1::regclass and amname = 'gin'`,
    [name],
  );
  for (const index of indexes) await query(`alter index ${index.name} set (fastupdate = off)`);
  // Rows are copied by COPY, which Postgres refuses where there are policies.
  await query(`alter table ${name} disable row level security`);
  await query(`select create_distributed_table($1, 'connector', colocate_with => $2)`, [
    name,
    table === ownTables[0] ? 'none' : ownTables[0],
  ]);
  await query(`alter table ${name} enable row level security`);
}

/**
 * Spreads all records of a database over the workers of its Citus cluster, and gives the tables that were not spread
 * before. Primary keys change first, one after the other, while all goes on; then all tables move at once, in one
 * transaction that writes and searches wait for. What was broken off is taken up again by calling it again.
 */
export async function distribute(databaseUrl: string): Promise<string[]> {
  const pool = await connectTo(databaseUrl);
  try {
    await pool.readTransaction(requireCluster);
    const tables = await pool.readTransaction(async (query) => {
      const rows = await query<{ name: string }>(
        `select name from (select unnest($1::text[]) as name union all select name from entities
            union all select distinct kept_in from embedders) tables
          where to_regclass(quote_ident(name)) is not null`,
        [ownTables],
      );
      return rows.map(({ name }) => name);
    });
    await pool.withConnection!(async (query) => {
      for (const table of tables) await changePrimaryKey(query, table);
    });
    const moved = await pool.writeTransaction((query) => move(query, tables));
    // Rows that were copied are still on disk here, where nothing sees them.
    await pool.withConnection!(async (query) => {
      for (const table of moved)
        await query('select truncate_local_data_after_distributing_table($1)', [quoteIdentifier(table)]);
    });
    return moved;
  } finally {
    await pool.close();
  }
}

async function requireCluster(query: Query): Promise<void> {
  const [citus] = await query(`select 1 from pg_extension where extname = 'citus'`);
  if (!citus) {
    throw new Error(
      'The database has no extension citus: install Citus on this server and its workers, run "create extension citus" ' +
        'in the database of this name on each, and add the workers by citus_add_node.',
    );
  }
  const [worker] = await query('select 1 from pg_dist_node where isactive and shouldhaveshards limit 1');
  if (!worker) throw new Error('The Citus cluster has no worker that takes records: add one by citus_add_node.');
}

/** Has the primary key of an entity's table begin with the connector, while the table is read and written. */
async function changePrimaryKey(query: Query, table: string): Promise<void> {
  const [key] = await query<{ name: string }>(
    `select conname as name from pg_constraint where conrelid = $1::regclass and contype = 'p'
      and not exists (select 1 from pg_attribute
        where attrelid = conrelid and attname = 'connector' and attnum = any(conkey))`,
    [quoteIdentifier(table)],
  );
  if (!key) return;
  const index = quoteIdentifier(`${table}_by_connector`.slice(-60));
  // One that was interrupted stays behind, of no use.
  await query(`drop index concurrently if exists ${index}`);
  await query(`create unique index concurrently ${index} on ${quoteIdentifier(table)} (connector, rid)`);
  const name = quoteIdentifier(key.name);
  await query(`alter table ${quoteIdentifier(table)}
    drop constraint ${name}, add constraint ${name} primary key using index ${index}`);
}

async function move(query: Query, tables: readonly string[]): Promise<string[]> {
  await acrossOrganizations(query);
  // As every writer does first.
  await query('lock table terms in share row exclusive mode');
  const moved: string[] = [];
  for (const table of tables) {
    const [done] = await query('select 1 from pg_dist_partition where logicalrelid = $1::regclass', [
      quoteIdentifier(table),
    ]);
    if (done) continue;
    await distributeTable(query, table);
    moved.push(table);
  }
  await protectTables(query);
  return moved;
}
