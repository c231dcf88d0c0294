import type { Migration } from './types.js';

/** A migration of the records in Postgres. */
export interface PostgresMigration extends Migration {
  /**
   * Whether `sql` runs once for each connector, whose number is `$1`: on a cluster, a statement that names no connector
   * is sent to every worker.
   */
  readonly perConnector?: boolean;
  /** Statements that run only if a table exists. */
  readonly ifExists?: { readonly table: string; readonly sql: string };
}

/** Migrations for the Postgres tables other than the entity tables, oldest first. */
export const postgresMigrations: readonly PostgresMigration[] = [
  {
    version: 1,
    name: 'baseline',
    // Row policies are created on every start so that new tables get them too.
    sql: `
      create table connectors (
        number integer generated always as identity primary key, connector_id text collate "C" unique);
      create table entities (name text collate "C" primary key, shape text not null);
      create table terms (
        connector integer not null, n bigint generated always as identity,
        scope text collate "C" not null, term text collate "C" not null,
        primary key (connector, scope, n), unique (connector, scope, term));
      create table passage_fields (
        connector integer not null, number integer generated always as identity,
        entity text collate "C" not null, field text collate "C" not null,
        passages bigint not null default 0, tokens bigint not null default 0,
        primary key (connector, number), unique (connector, entity, field));
      create table field_texts (
        connector integer not null, field integer not null, record bigint not null,
        hash text not null, body text not null, primary key (connector, field, record));
      create table passages (
        connector integer not null, number bigint generated always as identity,
        field integer not null, record bigint not null, first integer not null, behind integer not null,
        length integer not null, attribution jsonb not null, terms tsvector not null, primary key (connector, number));
      create index passages_of_records on passages (connector, field, record);
      create index passages_by_age on passages (number);
      create index passages_terms on passages using gin (terms) with (fastupdate = off);
      create table passage_terms (
        connector integer not null, field integer not null, term text collate "C" not null,
        passages bigint not null, primary key (connector, field, term)) with (fillfactor = 80);
      create table embedders (
        number integer generated always as identity primary key, id text collate "C" not null unique,
        dimensions integer not null, kept_in text not null);
      create table embedded (
        connector integer not null, field integer not null, embedder integer not null, passages bigint not null,
        up_to bigint not null default 0, primary key (connector, field, embedder));
    `,
  },
  {
    version: 2,
    name: 'one vocabulary',
    // The words of passages are in the vocabulary of their column, as in SQLite, and are added while they are indexed.
    sql: `delete from terms where connector = $1 and strpos(scope, 'z\u00b7') > 0`,
    perConnector: true,
  },
  {
    version: 4,
    name: 'history of changes',
    addsHistory: true,
    // The counter is on this node, and its row is locked by `lockForWriting`: positions are in the order of commits.
    sql: `
      create table change_counter (n bigint not null);
      insert into change_counter values (0);
      create table changes (
        connector integer not null, entity text collate "C" not null, id text collate "C" not null, n bigint not null,
        at bigint not null, content text not null, visible text not null, primary key (connector, entity, id));
      create index changes_in_order on changes (connector, entity, n);
      create index deletions_in_order on changes (connector, entity, n) where content = '';
      create table change_moves (
        connector integer not null, entity text collate "C" not null, n bigint not null, id text collate "C" not null,
        at bigint not null, moved bigint not null, primary key (connector, entity, n));
      create index moves_by_end on change_moves (connector, entity, moved);
      create table change_feeds (
        connector integer not null, entity text collate "C" not null, forgotten bigint not null,
        primary key (connector, entity));
      create table change_openings (
        number integer generated always as identity primary key, id text not null unique, newest bigint not null);
    `,
  },
  {
    version: 6,
    name: 'revisions of vectors',
    sql: 'alter table embedded add column revision bigint not null default 0',
    // Created with the first vector in a database without pgvector.
    ifExists: {
      table: 'vectors_bytes',
      sql: `
        alter table vectors_bytes add column revision bigint not null default 0;
        create index vectors_bytes_by_revision on vectors_bytes (connector, field, embedder, revision, passage)`,
    },
  },
];
