import type { Migration } from './types.js';

/** Versions of the tables that Postgres keeps beside those of the entities, oldest first. */
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
];
