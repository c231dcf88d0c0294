import type { Migration } from './types.js';

/** Versions of the tables that SQLite keeps beside those of the entities, oldest first. */
export const sqliteMigrations: readonly Migration[] = [
  {
    version: 1,
    name: 'initial',
    sql: `
      create table connectors (number integer primary key autoincrement, connector_id text unique);
      create table entities (name text primary key, shape text not null) without rowid;
      create table terms (n integer primary key, scope text not null, term text not null, unique (scope, term));
    `,
  },
];
