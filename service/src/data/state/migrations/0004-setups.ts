import type { Migration } from './types.js';

/** Setups: addresses at which a person connects an account, each for half an hour. */
export const setups: Migration = {
  version: 4,
  name: 'setups',
  sql: `
    CREATE TABLE setups (
      id TEXT PRIMARY KEY,
      token_hash BLOB NOT NULL UNIQUE,
      organization_id TEXT NOT NULL,
      workspace_id TEXT NOT NULL,
      client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      type TEXT,
      status TEXT NOT NULL,
      connector_id TEXT,
      error TEXT,
      tries INTEGER NOT NULL DEFAULT 0,
      expires_at INTEGER NOT NULL,
      state_hash BLOB UNIQUE,
      browser_hash BLOB,
      asked_until INTEGER,
      key_id TEXT REFERENCES keys (id),
      sealed BLOB,
      FOREIGN KEY (organization_id, workspace_id) REFERENCES workspaces (organization_id, id) ON DELETE CASCADE
    ) STRICT;
    CREATE INDEX setups_by_name ON setups (workspace_id, name);
    CREATE INDEX setups_by_client ON setups (client_id);
    CREATE INDEX setups_by_expiry ON setups (expires_at);
    CREATE INDEX setups_by_key ON setups (key_id) WHERE key_id IS NOT NULL;
  `,
};
