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

/** One step from a version of the database to the next. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  up(schema: Schema): Promise<void>;
}

/** Makes and changes tables in the terms of one engine. */
export interface Schema extends Pick<SchemaModule, 'alterTable' | 'createIndex'> {
  /** Sorted by its bytes in both engines. */
  readonly text: DataType;
  /** Up to 64 bits. */
  readonly integer: DataType;
  readonly bytes: DataType;
  /** In SQLite the rows are kept by their primary key unless `rowid` says otherwise. */
  createTable(name: string, options?: { readonly rowid?: boolean }): CreateTableBuilder<string>;
  /** Carries out a statement in Postgres, and nothing in SQLite. */
  inPostgres(statement: string): Promise<unknown>;
}

/** The types and tables of an engine, made through the schema module of a connection. */
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
  };
}

type Column = ColumnDefinitionBuilder;

/** A column that is the primary key. */
export const primaryKey = (column: Column): Column => column.primaryKey();

/** A column that is never null. */
export const required = (column: Column): Column => column.notNull();

/** A column with the id of a row elsewhere, such as `workspaces.id`, which is deleted with that row. */
export const ownedBy =
  (target: string) =>
  (column: Column): Column =>
    column.notNull().references(target).onDelete('cascade');

/** A foreign key over several columns, whose rows are deleted with those that they refer to. */
export const cascade = (constraint: ForeignKeyConstraintBuilder): ForeignKeyConstraintBuilder =>
  constraint.onDelete('cascade');
