import type { Migration } from './types.js';

/** Migrations for the Postgres tables other than the entity tables, oldest first. */
export const postgresMigrations: readonly Migration[] = [
  {
    version: 1,
    name: 'initial',
    sql: `
      create table connectors (
        number integer generated always as identity primary key, connector_id text collate "C" unique);
      create table entities (name text collate "C" primary key, shape text not null);
      create table terms (
        n bigint generated always as identity primary key,
        scope text collate "C" not null, term text collate "C" not null, unique (scope, term));
    `,
  },
  {
    version: 2,
    name: 'passages',
    sql: `
      create index terms_numbers on terms (n);
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
        dimensions integer not null, kept_in text not null, embedded_up_to bigint not null default 0);
      create table embedded (
        connector integer not null, field integer not null, embedder integer not null, passages bigint not null,
        primary key (connector, field, embedder));
    `,
  },
  {
    version: 3,
    name: 'indexes',
    // The primary key already indexes the numbers.
    sql: 'drop index terms_numbers',
    // Adds an index of long texts next to each index of short ones, and sizes the GIN pending lists to fit a whole
    // write.
    found: `
      select format('create index on %s (connector, id) where (octet_length(%I) > 1000)::integer = 1',
          short.indrelid::regclass, texts.attname) as statement
        from pg_index short
        join pg_class tables on tables.oid = short.indrelid and tables.relnamespace = current_schema()::regnamespace
        join entities on entities.name = tables.relname
        join pg_attribute texts on texts.attrelid = short.indrelid and texts.attnum = short.indkey[1]
        where pg_get_expr(short.indpred, short.indrelid) like '%octet_length%<= 1000%'
          and entities.shape::jsonb #>> array['fields', substr(texts.attname, 3), '0'] <> 'date-time'
      union all
      select format('alter index %s set (gin_pending_list_limit = 262144)', words.indexrelid::regclass)
        from pg_index words
        join pg_class tables on tables.oid = words.indrelid and tables.relnamespace = current_schema()::regnamespace
        join entities on entities.name = tables.relname
        join pg_class indexes on indexes.oid = words.indexrelid
        join pg_am on pg_am.oid = indexes.relam and pg_am.amname = 'gin'`,
  },
  {
    version: 4,
    name: 'row security',
    // Row policies are created on every start so that new tables get them too. Releases without policies would find
    // nothing, so they are rejected.
    sql: '',
  },
  {
    version: 5,
    name: 'statements that name their connector',
    // Keys words by connector number, which every scope starts with, and tracks the embedding progress of each field.
    sql: `
      alter table terms disable row level security;
      drop policy if exists tenant on terms;
      drop policy if exists searches on terms;
      alter table terms add column connector integer;
      update terms set connector = split_part(scope, 'z', 1)::integer;
      alter table terms alter column connector set not null;
      alter table terms drop constraint terms_pkey;
      alter table terms drop constraint terms_scope_term_key;
      alter table terms add primary key (connector, scope, n);
      alter table terms add unique (connector, scope, term);
      alter table embedded add column up_to bigint not null default 0;
      update embedded set up_to = embedders.embedded_up_to from embedders where embedders.number = embedded.embedder;
      alter table embedders drop column embedded_up_to;
    `,
  },
];
