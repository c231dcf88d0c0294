import type { Migration } from './types.js';

/** Accounts, connectors, sealed credentials, leases and the ledger of writes. */
export const initial: Migration = {
  version: 1,
  name: 'initial',
  sql: `
    CREATE TABLE organizations (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      created_at TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE workspaces (
      id TEXT PRIMARY KEY,
      organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      created_at TEXT NOT NULL,
      UNIQUE (organization_id, name),
      UNIQUE (organization_id, id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE clients (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      secret_hash BLOB NOT NULL,
      created_at TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE client_organizations (
      client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
      PRIMARY KEY (client_id, position),
      UNIQUE (client_id, organization_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE connectors (
      id TEXT PRIMARY KEY,
      organization_id TEXT NOT NULL,
      workspace_id TEXT NOT NULL,
      name TEXT NOT NULL,
      type TEXT NOT NULL,
      replication_config TEXT,
      settings TEXT NOT NULL,
      created_at TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      UNIQUE (workspace_id, name),
      FOREIGN KEY (organization_id, workspace_id) REFERENCES workspaces (organization_id, id) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX connectors_by_organization ON connectors (organization_id, created_at, id);
    CREATE INDEX connectors_by_workspace ON connectors (workspace_id, created_at, id);

    CREATE TABLE keys (
      id TEXT PRIMARY KEY,
      sealed BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE credentials (
      connector_id TEXT NOT NULL REFERENCES connectors (id) ON DELETE CASCADE,
      field TEXT NOT NULL,
      key_id TEXT NOT NULL REFERENCES keys (id),
      sealed BLOB NOT NULL,
      PRIMARY KEY (connector_id, field)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX credentials_by_key ON credentials (key_id);

    CREATE TABLE processes (
      id TEXT PRIMARY KEY,
      key_id TEXT NOT NULL,
      seen_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE leases (
      connector_id TEXT PRIMARY KEY,
      holder TEXT NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE ledger (
      id TEXT PRIMARY KEY,
      connector_id TEXT NOT NULL REFERENCES connectors (id) ON DELETE CASCADE,
      process_id TEXT NOT NULL,
      begun_at INTEGER NOT NULL,
      done INTEGER NOT NULL DEFAULT 0,
      key_id TEXT NOT NULL REFERENCES keys (id),
      sealed BLOB NOT NULL
    ) STRICT;
    CREATE INDEX ledger_by_connector ON ledger (connector_id);
    CREATE INDEX ledger_by_time ON ledger (begun_at);
    CREATE INDEX ledger_by_key ON ledger (key_id);
  `,
};
