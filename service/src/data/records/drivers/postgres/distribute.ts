import { quoteIdentifier } from '../../schema.js';
import type { NodeCounts } from '../../types.js';
import { connectTo, type RunStatement } from './connection.js';
import { acrossOrganizations, protectTables } from './row-security.js';

/** Tables with the history of changes, by connector. */
export const historyTables = ['changes', 'change_moves', 'change_feeds'];

/**
 * Tables shared by all connectors, except entity and vector tables. The first one determines where a connector's rows
 * are placed.
 */
const ownTables = ['terms', 'passage_fields', 'field_texts', 'passages', 'passage_terms', 'embedded', ...historyTables];

/** Whether the tables are distributed across a Citus cluster. */
export async function isDistributed(query: RunStatement): Promise<boolean> {
  const [citus] = await query(`select 1 from pg_extension where extname = 'citus'`);
  if (!citus) return false;
  const [row] = await query(`select 1 from pg_dist_partition where logicalrelid = to_regclass('terms')`);
  return row !== undefined;
}

/** Maximum time to connect to a node when checking it, in milliseconds. */
const nodeTimeoutMs = 2_000;

/** How many nodes of a cluster store records, and how many of them can be reached; undefined without a cluster. */
export async function countNodes(query: RunStatement): Promise<NodeCounts | undefined> {
  if (!(await isDistributed(query))) return undefined;
  await query(`set local citus.node_connection_timeout = ${nodeTimeoutMs}`);
  const [row] = await query<NodeCounts>(
    `select count(*) filter (where is_available)::int as available, count(*)::int as total from (
        select citus_check_connection_to_node(nodename, nodeport) as is_available from pg_dist_node
          where isactive and shouldhaveshards and noderole = 'primary'
      ) nodes`,
  );
  return row;
}

/** Distributes an empty or locked table by its `connector` column, so all rows of a connector are on one node. */
export async function distributeTable(query: RunStatement, table: string): Promise<void> {
  const name = quoteIdentifier(table);
  // Writes flush the GIN pending list on this node only, so distributed tables must not have one.
  const indexes = await query<{ name: string }>(
    `select indexrelid::regclass::text as name from pg_index
        join pg_class on pg_class.oid = indexrelid join pg_am on pg_am.oid = relam
      where indrelid = $1::regclass and amname = 'gin'`,
    [name],
  );
  for (const index of indexes) await query(`alter index ${index.name} set (fastupdate = off)`);
  // Citus copies rows with COPY, which Postgres rejects on tables with row policies.
  await query(`alter table ${name} disable row level security`);
  await query(`select create_distributed_table($1, 'connector', colocate_with => $2)`, [
    name,
    table === ownTables[0] ? 'none' : ownTables[0],
  ]);
  await query(`alter table ${name} enable row level security`);
}

/**
 * Distributes all records across the workers of a Citus cluster; returns the newly distributed tables. Primary keys
 * change first, one table at a time, without downtime; then all tables move in one transaction, which blocks writes and
 * searches. Safe to call again after an interruption.
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
    // The copied rows are still on this node's disk, hidden by Citus.
    await pool.withConnection!(async (query) => {
      for (const table of moved)
        await query('select truncate_local_data_after_distributing_table($1)', [quoteIdentifier(table)]);
    });
    return moved;
  } finally {
    await pool.close();
  }
}

async function requireCluster(query: RunStatement): Promise<void> {
  const [citus] = await query(`select 1 from pg_extension where extname = 'citus'`);
  if (!citus) {
    throw new Error(
      'The database does not have the citus extension: install Citus on this server and its workers, run "create extension citus" on each ' +
        'in the database of the same name, and add the workers with citus_add_node.',
    );
  }
  const [worker] = await query('select 1 from pg_dist_node where isactive and shouldhaveshards limit 1');
  if (!worker) throw new Error('The Citus cluster has no worker that stores records: add one with citus_add_node.');
}

/** Makes the connector the first column of an entity table's primary key, while the table stays in use. */
async function changePrimaryKey(query: RunStatement, table: string): Promise<void> {
  const [key] = await query<{ name: string }>(
    `select conname as name from pg_constraint where conrelid = $1::regclass and contype = 'p'
      and not exists (select 1 from pg_attribute
        where attrelid = conrelid and attname = 'connector' and attnum = any(conkey))`,
    [quoteIdentifier(table)],
  );
  if (!key) return;
  const index = quoteIdentifier(`${table}_by_connector`.slice(-60));
  // An interrupted build leaves an unusable index behind.
  await query(`drop index concurrently if exists ${index}`);
  await query(`create unique index concurrently ${index} on ${quoteIdentifier(table)} (connector, rid)`);
  const name = quoteIdentifier(key.name);
  await query(`alter table ${quoteIdentifier(table)}
    drop constraint ${name}, add constraint ${name} primary key using index ${index}`);
}

async function move(query: RunStatement, tables: readonly string[]): Promise<string[]> {
  await acrossOrganizations(query);
  // Every writer takes this lock first.
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
