import type { Migration } from './types.js';

/** The audit log, and what callers may do. Entries outlive what they tell of, and so refer to nothing. */
export const audit: Migration = {
  version: 3,
  name: 'audit',
  sql: `
    CREATE TABLE audit (
      organization_id TEXT NOT NULL,
      seq INTEGER NOT NULL,
      at TEXT NOT NULL,
      event TEXT NOT NULL,
      workspace_id TEXT,
      connector_id TEXT,
      connector_type TEXT,
      client_id TEXT,
      via TEXT NOT NULL,
      entity TEXT,
      action TEXT,
      effect TEXT,
      params_digest TEXT,
      intent TEXT,
      outcome TEXT NOT NULL,
      begun_as INTEGER,
      duration_ms INTEGER,
      request_id TEXT,
      previous TEXT NOT NULL,
      digest TEXT NOT NULL,
      PRIMARY KEY (organization_id, seq)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX audit_by_connector ON audit (organization_id, connector_id, seq);

    CREATE TABLE policies (
      workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
      connector_id TEXT REFERENCES connectors (id) ON DELETE CASCADE,
      read_only INTEGER NOT NULL,
      allow TEXT,
      updated_at TEXT NOT NULL,
      UNIQUE (workspace_id, connector_id)
    ) STRICT;
    CREATE UNIQUE INDEX policy_of_workspace ON policies (workspace_id) WHERE connector_id IS NULL;
  `,
};
