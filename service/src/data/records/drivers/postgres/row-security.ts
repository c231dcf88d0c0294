import { quoteIdentifier } from '../../schema.js';
import type { Query } from './connection.js';

const setting = (name: string): string => `nullif(current_setting('agent_connectors.${name}', true), '')`;
const ownConnector = setting('connector_number');

/** Has statements find the rows of one connector until the transaction ends. */
export async function enterNumber(query: Query, connector: number): Promise<void> {
  // Not by a function: a statement of this kind is one that Citus can be told to hand to its workers.
  await query(`set local agent_connectors.connector_number = '${connector}'`);
}

/** The same by the connector's id; gives its number, if records were ever written for it. */
export async function enterConnector(query: Query, connectorId: string): Promise<number | undefined> {
  const [row] = await query<{ number: number }>('select number from connectors where connector_id = $1', [connectorId]);
  if (row) await enterNumber(query, row.number);
  return row?.number;
}

/** Has statements find the rows of all connectors until the transaction ends: for the service itself, never for a tenant. */
export async function acrossOrganizations(query: Query): Promise<void> {
  await query(`set local agent_connectors.scope = 'all'`);
}

/**
 * What a search reads of a table whose rows a full-text index leads to.
 *
 * Policies would keep Postgres from using such an index, since its operator is not marked as leakproof. This condition
 * does not: it is not there for whoever writes SQL, but for statements that forget theirs.
 */
export const ownRows = (table: string): string =>
  `(select * from ${quoteIdentifier(table)} where connector = ${ownConnector}::integer)`;

/** Puts policies on all tables with records that have none yet: what a statement has not entered it does not find. */
export async function protectTables(query: Query): Promise<void> {
  const tables = await query<{ table: string; searched: boolean }>(
    `select relname as table, exists (
          select 1 from pg_attribute where attrelid = pg_class.oid and atttypid = 'tsvector'::regtype) as searched
      from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
        and relname in (
          select unnest(array['terms', 'passage_fields', 'field_texts', 'passages', 'passage_terms', 'embedded'])
          union all select name from entities union all select kept_in from embedders)
        and not exists (select 1 from pg_policy where polrelid = pg_class.oid)`,
  );
  for (const { table, searched } of tables) {
    const name = quoteIdentifier(table);
    await query(
      `create policy tenant on ${name} using (${setting('scope')} = 'all' or connector = ${ownConnector}::integer)`,
    );
    // Searches read these through `ownRows`.
    if (searched) await query(`create policy searches on ${name} for select using (true)`);
    await query(`alter table ${name} enable row level security`);
    // The service owns its tables, and owners are exempt otherwise.
    await query(`alter table ${name} force row level security`);
  }
}
