import type { Migration } from './types.js';

/** Sessions of the console, and links that begin one; both are known by their digests alone. */
export const consoleSessions: Migration = {
  version: 5,
  name: 'console',
  sql: `
    CREATE TABLE console_sessions (
      digest BLOB PRIMARY KEY,
      client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
      expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE console_links (
      digest BLOB PRIMARY KEY,
      client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
      expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
};
