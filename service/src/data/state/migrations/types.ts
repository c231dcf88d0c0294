import {
  type ColumnDataType,
  type ColumnDefinitionBuilder,
  type CreateTableBuilder,
  type Expression,
  type ForeignKeyConstraintBuilder,
  type SchemaModule,
  sql,
} from 'kysely';
import type { Database } from '../database.js';

type DataType = ColumnDataType | Expression<unknown>;

/** A migration to the next schema version. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  up(schema: Schema): Promise<void>;
}

/** Creates and alters tables for one engine. */
export interface Schema extends Pick<SchemaModule, 'alterTable' | 'createIndex'> {
  /** Sorts in byte order in both engines. */
  readonly text: DataType;
  /** Up to 64 bits. */
  readonly integer: DataType;
  readonly bytes: DataType;
  /** In SQLite, rows are clustered by primary key unless `rowid` is set. */
  createTable(name: string, options?: { readonly rowid?: boolean }): CreateTableBuilder<string>;
  /** Runs a statement in Postgres; does nothing in SQLite. */
  inPostgres(statement: string): Promise<unknown>;
  /** Runs a statement in SQLite; does nothing in Postgres. */
  inSqlite(statement: string): Promise<unknown>;
}

/** An engine's column types and tables, using a connection's schema module. */
export function schemaFor(
  engine: Database['engine'],
  module: SchemaModule,
  run: (statement: string) => Promise<unknown>,
): Schema {
  const sqlite = engine === 'sqlite';
  return {
    text: sqlite ? 'text' : sql`text collate "C"`,
    integer: sqlite ? 'integer' : 'bigint',
    bytes: sqlite ? 'blob' : 'bytea',
    createTable(name, { rowid = false } = {}) {
      const table = module.createTable(name);
      if (!sqlite) return table;
      return table.modifyEnd(rowid ? sql`strict` : sql`strict, without rowid`);
    },
    createIndex: (name) => module.createIndex(name),
    alterTable: (name) => module.alterTable(name),
    inPostgres: async (statement) => (sqlite ? undefined : run(statement)),
    inSqlite: async (statement) => (sqlite ? run(statement) : undefined),
  };
}

type Column = ColumnDefinitionBuilder;

export const primaryKey = (column: Column): Column => column.primaryKey();

export const required = (column: Column): Column => column.notNull();

/** A foreign key such as `workspaces.id`; the row is deleted along with the row it refers to. */
export const ownedBy =
  (target: string) =>
  (column: Column): Column =>
    column.notNull().references(target).onDelete('cascade');

/** Cascading deletes for a multi-column foreign key. */
export const cascade = (constraint: ForeignKeyConstraintBuilder): ForeignKeyConstraintBuilder =>
  constraint.onDelete('cascade');

const setting = (name: string): string => `current_setting('agent_connectors.${name}', true)`;
/** Whether a column is the id of the statement's organization. */
export const isOrganization = (column: string): string => `${column} = ${setting('organization')}`;
/** Whether a column is the id of the statement's connector. */
export const isConnector = (column: string): string => `${column} = ${setting('connector')}`;
/** Whether a row with a `connector_id` belongs to the statement's connector, or to a connector of its organization. */
export const isOfConnector = (table: string): string =>
  `${isConnector('connector_id')} or exists (
    select 1 from connectors where connectors.id = ${table}.connector_id and ${isOrganization('connectors.organization_id')})`;

/** Restricts each statement in Postgres to the rows of a table that meet a condition; see `database.ts`. */
export async function restrictRows({ inPostgres }: Schema, table: string, condition: string): Promise<void> {
  await inPostgres(`alter table ${table} enable row level security`);
  // Table owners, such as the service, would be exempt otherwise.
  await inPostgres(`alter table ${table} force row level security`);
  await inPostgres(`create policy tenant on ${table} using (${setting('scope')} = 'all' or ${condition})`);
}
