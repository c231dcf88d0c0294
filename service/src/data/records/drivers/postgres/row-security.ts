import { type Layout, quoteIdentifier, requireFit } from '../../schema.js';
import type { RunStatement } from './connection.js';

const setting = (name: string): string => `nullif(current_setting('agent_connectors.${name}', true), '')`;
const ownConnector = setting('connector_number');

/**
 * The end of an insert of selected rows: there is never a conflict, but without this clause Citus sends rows with COPY,
 * which Postgres rejects on tables with row policies.
 */
export const forCitus = 'on conflict do nothing';

/** Limits statements to the rows of one connector until the transaction ends. */
export async function enterNumber(query: RunStatement, connector: number): Promise<void> {
  // A plain `set local` rather than a function, because Citus can propagate it to workers.
  await query(`set local agent_connectors.connector_number = '${connector}'`);
}

/**
 * Limits statements to the connector with the given id; returns the connector's number if it ever had records. Throws
 * if the layout's table, if given, has been replaced.
 */
export async function enterConnector(
  query: RunStatement,
  connectorId: string,
  layout?: Layout,
): Promise<number | undefined> {
  const [row] = await query<{ number: number; shape: string | null }>(
    'select number, (select shape from entities where name = $2) as shape from connectors where connector_id = $1',
    [connectorId, layout?.table ?? null],
  );
  if (!row) return undefined;
  if (layout) requireFit(layout, row.shape);
  await enterNumber(query, row.number);
  return row.number;
}

/**
 * Makes the rows of all connectors visible to statements until the transaction ends; for use by the service itself,
 * never for a tenant.
 */
export async function acrossOrganizations(query: RunStatement): Promise<void> {
  await query(`set local agent_connectors.scope = 'all'`);
}

/**
 * Restricts a search to the connector's own rows, on tables that are searched through a full-text index.
 *
 * With row policies, Postgres would not use the index, because its operator is not leakproof. This condition protects
 * against statements that omit their own connector condition, not against arbitrary SQL.
 */
export const ownRows = (table: string): string =>
  `(select * from ${quoteIdentifier(table)} where connector = ${ownConnector}::integer)`;

/** Adds row policies to record tables that have none: a statement sees only the connector it is limited to. */
export async function protectTables(query: RunStatement): Promise<void> {
  const tables = await query<{ table: string; searched: boolean }>(
    `select relname as table, exists (
          select 1 from pg_attribute where attrelid = pg_class.oid and atttypid = 'tsvector'::regtype) as searched
      from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
        and relname in (
          select unnest(array['terms', 'passage_fields', 'field_texts', 'passages', 'passage_terms', 'embedded',
            'changes', 'change_moves', 'change_feeds'])
          union all select name from entities union all select kept_in from embedders)
        and not exists (select 1 from pg_policy where polrelid = pg_class.oid)`,
  );
  for (const { table, searched } of tables) {
    const name = quoteIdentifier(table);
    await query(
      `create policy tenant on ${name} using (${setting('scope')} = 'all' or connector = ${ownConnector}::integer)`,
    );
    // Searches read these tables through `ownRows`.
    if (searched) await query(`create policy searches on ${name} for select using (true)`);
    await query(`alter table ${name} enable row level security`);
    // Table owners, such as the service, would be exempt otherwise.
    await query(`alter table ${name} force row level security`);
  }
}
