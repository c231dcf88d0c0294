#!/bin/sh
# Creates the service's database, run by the Postgres image at its first start. The owner is not a superuser, for whom
# Postgres would ignore row-level security. The password is DATABASE_PASSWORD.
set -eu
psql --username "${POSTGRES_USER:-postgres}" --dbname postgres --set ON_ERROR_STOP=1 <<'SQL'
\getenv password DATABASE_PASSWORD
create role connectors login password :'password';
create database connectors owner connectors encoding 'UTF8' template template0;
\connect connectors
create extension vector;
SQL
