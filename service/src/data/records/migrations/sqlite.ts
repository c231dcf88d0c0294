import type { Migration } from './types.js';

/** Migrations of the SQLite tables except the entities' own, oldest first. */
export const sqliteMigrations: readonly Migration[] = [
  {
    version: 1,
    name: 'baseline',
    sql: `
      create table connectors (number integer primary key autoincrement, connector_id text unique);
      create table entities (name text primary key, shape text not null) without rowid;
      create table terms (n integer primary key, scope text not null, term text not null, unique (scope, term));
      create table passage_fields (
        number integer primary key autoincrement, connector integer not null, entity text, field text not null,
        passages integer not null default 0, words integer not null default 0, unique (connector, entity, field));
      create table passages (
        passage integer primary key autoincrement, field integer not null, rid integer not null,
        "start" integer not null, "end" integer not null, words integer not null, attribution text);
      create index passages_of_record on passages (field, rid);
      create table passage_texts (
        field integer not null, rid integer not null, digest text not null, length integer not null, body text,
        primary key (field, rid));
      create virtual table passage_words using fts5 (
        terms, content = '', contentless_delete = 1, tokenize = 'ascii');
      create table embedders (
        number integer primary key autoincrement, id text not null unique,
        dimensions integer not null, done integer not null default 0);
      create table vectors (
        n integer primary key autoincrement, embedder integer not null, field integer not null, rid integer not null,
        passage integer not null, scale real not null, coarse blob not null, fine blob not null);
      create unique index vectors_of_passage on vectors (passage, embedder);
      create index vectors_of_field on vectors (embedder, field, n);
      create table embedded (
        embedder integer not null, field integer not null, passages integer not null,
        primary key (embedder, field)) without rowid;
      create trigger passage_added after insert on passages begin
        update passage_fields set passages = passages + 1, words = words + new.words where number = new.field;
      end;
      create trigger passage_removed after delete on passages begin
        update passage_fields set passages = passages - 1, words = words - old.words where number = old.field;
        delete from passage_words where rowid = old.passage;
        delete from vectors where passage = old.passage;
      end;
      create trigger vector_added after insert on vectors begin
        insert into embedded values (new.embedder, new.field, 1)
          on conflict (embedder, field) do update set passages = passages + 1;
      end;
      create trigger vector_removed after delete on vectors begin
        update embedded set passages = passages - 1 where embedder = old.embedder and field = old.field;
      end;
    `,
  },
  {
    version: 4,
    name: 'history of changes',
    addsHistory: true,
    sql: `
      create table changes (
        n integer primary key autoincrement, connector integer not null, entity text not null, id text not null,
        at integer not null, content text not null, visible text not null, unique (connector, entity, id));
      create index changes_in_order on changes (connector, entity, n);
      create index deletions_in_order on changes (connector, entity, n) where content = '';
      create table change_moves (
        connector integer not null, entity text not null, n integer not null, id text not null,
        at integer not null, moved integer not null);
      create index moves_in_order on change_moves (connector, entity, n);
      create index moves_by_end on change_moves (connector, entity, moved);
      create table change_feeds (
        connector integer not null, entity text not null, forgotten integer not null,
        primary key (connector, entity));
      create table change_openings (number integer primary key autoincrement, id text not null unique, newest integer not null);
    `,
  },
];
