import type { Migration } from './types.js';

/** When connectors are to be replicated, how far each entity has come, and the jobs that do it. */
export const replication: Migration = {
  version: 2,
  name: 'replication',
  sql: `
    ALTER TABLE connectors ADD COLUMN sync_at INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX connectors_by_sync ON connectors (sync_at);

    CREATE TABLE replicas (
      connector_id TEXT NOT NULL REFERENCES connectors (id) ON DELETE CASCADE,
      entity TEXT NOT NULL,
      status TEXT NOT NULL,
      config_hash TEXT NOT NULL,
      state TEXT,
      records INTEGER NOT NULL,
      synced_at INTEGER,
      swept_at INTEGER,
      renew INTEGER NOT NULL DEFAULT 0,
      error TEXT,
      PRIMARY KEY (connector_id, entity)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE jobs (
      id TEXT PRIMARY KEY,
      connector_id TEXT NOT NULL REFERENCES connectors (id) ON DELETE CASCADE,
      requested TEXT NOT NULL,
      wanted TEXT,
      status TEXT NOT NULL,
      owner TEXT,
      lease_until INTEGER,
      not_before INTEGER NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      started_at INTEGER,
      finished_at INTEGER,
      entities TEXT NOT NULL,
      error TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX open_job ON jobs (connector_id) WHERE status IN ('queued', 'running');
    CREATE INDEX open_jobs ON jobs (created_at) WHERE status IN ('queued', 'running');
    CREATE INDEX jobs_by_connector ON jobs (connector_id, created_at, id);
  `,
};
