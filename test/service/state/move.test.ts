import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { openActivity } from '../../../service/src/data/state/activity.js';
import { acrossOrganizations, type Database } from '../../../service/src/data/state/database.js';
import { migrate } from '../../../service/src/data/state/migrate.js';
import { moveDatabase } from '../../../service/src/data/state/move.js';
import { openPostgres } from '../../../service/src/data/state/postgres.js';
import { openSqlite } from '../../../service/src/data/state/sqlite.js';
import { executeAll, newFolder } from './fixtures.js';
import { connectionsFor } from './pglite.js';

const numbers = (most: number) =>
  `WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${most})`;
const stayBehind = ['access_revision', 'leases', 'processes', 'rate_limits', 'vendor_limits', 'versions'];

/** Rows in every table, with more than one batch in most of them, and some rows sharing the first part of their key. */
const filled = `
  INSERT INTO organizations ${numbers(450)} SELECT 'org_' || i, 'Name ' || i, '2026' FROM numbers;
  INSERT INTO workspaces ${numbers(450)} SELECT 'ws_' || i, 'org_1', 'Name ' || i, '2026' FROM numbers;
  INSERT INTO clients ${numbers(201)} SELECT 'cli_' || i, 'Name ' || i, x'0102', '2026', '["read"]', x'03', i, NULL, 0 FROM numbers;
  INSERT INTO client_organizations ${numbers(450)} SELECT 'cli_1', i, 'org_' || i FROM numbers;
  INSERT INTO connectors ${numbers(450)}
    SELECT 'con_' || i, 'org_1', 'ws_1', 'Name ' || i, 'gong', NULL, '{}', '2026', '2026', 0, 'account', NULL, 0 FROM numbers;
  INSERT INTO keys (id, sealed) VALUES ('key_1', x'00ff');
  INSERT INTO keys ${numbers(450)} SELECT 'data_' || i, x'00ff', 'org_' || i, 'key_1', '2026', 0 FROM numbers;
  INSERT INTO credentials ${numbers(450)} SELECT 'con_1', 'field ' || i, 'key_1', x'00ff' FROM numbers;
  INSERT INTO ledger (id, connector_id, process_id, begun_at, key_id, sealed)
    ${numbers(450)} SELECT 'call_' || i, 'con_1', 'pro_1', 1767225600000 + i, 'key_1', x'00ff' FROM numbers;
  INSERT INTO replicas (connector_id, entity, status, config_hash, records)
    ${numbers(450)} SELECT 'con_2', 'entity ' || i, 'ready', '', 5 FROM numbers;
  INSERT INTO written_records ${numbers(450)}
    SELECT 'con_2', 'issues', 'record ' || i, 'write', 'stored', '' FROM numbers;
  INSERT INTO unread_records ${numbers(450)} 
    SELECT 'con_2', 'entity 1', 'record ' || i, 'content', 'message', 'not_read', 'format', 1 FROM numbers;
  INSERT INTO jobs (id, connector_id, organization_id, reason, status, next_attempt_at, created_at, entities)
    ${numbers(450)} SELECT 'job_' || i, 'con_2', 'org_1', 'interval', 'done', 0, 1, '[]' FROM numbers;
  INSERT INTO audit (organization_id, seq, at, event, via, outcome, previous, digest)
    ${numbers(900)} SELECT 'org_' || (i % 2), i, '2026', 'execute', 'http', 'success', '', '' FROM numbers;
  INSERT INTO audit_checkpoints ${numbers(450)} SELECT 'org_' || i, 2, 'b', 'mac' FROM numbers;
  INSERT INTO call_hours ${numbers(450)} SELECT 'org_1', 'con_' || (i % 2), '2026-05-04T' || i, 12, i, 1 FROM numbers;
  INSERT INTO sync_hours ${numbers(450)}
    SELECT 'org_1', 'con_1', 'entity ' || (i % 2), '2026-05-04T' || i, 1, 0, i, 1, 0, 5 FROM numbers;
  INSERT INTO counted_calls ${numbers(450)} SELECT 'org_' || i, i FROM numbers;
  INSERT INTO policies ${numbers(450)} SELECT 'ws_' || i, NULL, 1, NULL, '2026', '["*.*"]', 'any' FROM numbers;
  INSERT INTO policies ${numbers(450)} SELECT 'ws_1', 'con_' || i, 0, '["*.list"]', '2026', NULL, NULL FROM numbers;
  INSERT INTO setups (id, token_hash, organization_id, workspace_id, client_id, name, status, expires_at)
    ${numbers(450)} SELECT 'set_' || i, CAST(i AS BLOB), 'org_1', 'ws_1', 'cli_1', 'Name', 'pending', 1 FROM numbers;
  INSERT INTO plans (id, organization_id, workspace_id, connector_id, entity, action, effect, params_digest, status,
      requested_by, requested_via, requested_at, expires_at, key_id, sealed)
    ${numbers(450)} SELECT 'pln_' || i, 'org_1', 'ws_1', 'con_1', 'issues', 'update', 'write', '', 'pending',
      'cli_1', 'http', 1, 2, 'key_1', x'00ff' FROM numbers;
  INSERT INTO oauth_apps ${numbers(450)} SELECT 'oap_' || i, x'00ff', '{}', '10.0.0.1', 1, 2 FROM numbers;
  INSERT INTO oauth_grants (id, organization_id, workspace_id, client_id, app_id, app_name, redirect_uri, resource,
      scopes, challenge, code_hash, code_until, created_at, expires_at)
    ${numbers(450)} SELECT 'grt_' || i, 'org_1', 'ws_1', 'cli_1', 'oap_1', 'Name', 'https://app.example/', 'mcp',
      '["read"]', '', CAST(i AS BLOB), 1, 1, 2 FROM numbers;
  INSERT INTO connect_clients ${numbers(201)} SELECT 'org_1', 'cli_' || i, '[]', 'key_1', x'00ff' FROM numbers;
  INSERT INTO webhooks ${numbers(450)}
    SELECT 'whk_' || i, 'org_1', NULL, 'https://x.example/', NULL, NULL, NULL, i, 'key_1', x'00ff' FROM numbers;
  INSERT INTO webhook_deliveries ${numbers(450)}
    SELECT 'msg_' || i, 'whk_1', 'org_1', 'con_1', i, 'x', '{}', 'pending', 0, NULL, 0, NULL, 1, NULL, NULL, NULL
      FROM numbers;
  INSERT INTO record_positions ${numbers(450)} SELECT 'whk_' || i, 'org_1', 'con_1', 'issues', 'cursor ' || i FROM numbers;
  INSERT INTO console_sessions ${numbers(450)} SELECT CAST(i AS BLOB), 'cli_1', 1 FROM numbers;
  INSERT INTO console_links ${numbers(450)} SELECT CAST(i AS BLOB), 'cli_1', 1 FROM numbers;
  INSERT INTO access_tokens ${numbers(450)} SELECT 'tok_' || i, 'cli_1', 'org_1', 'ws_1', 1, 2, NULL, i FROM numbers;
`;

/** All rows of a table, sorted. */
async function rowsOf(database: Database, table: string): Promise<string[]> {
  const plain = (_: string, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
  const all = sql<object>`select * from ${sql.table(table)}`;
  const { rows } = await acrossOrganizations(() => all.execute(database.query));
  return rows
    .map((row) => JSON.stringify(Object.entries(row).map(([name, value]) => [name, plain(name, value)])))
    .sort();
}

it('moves a state to Postgres completely, table by table, even with more rows than fit in one batch', async () => {
  const source = openSqlite(newFolder());
  const target = await openPostgres(await connectionsFor(newFolder()));
  onTestFinished(() => Promise.all([source.close(), target.close()]).then(() => undefined));
  await migrate(source, Date.now);
  await executeAll(source, filled);
  const tables = (await source.query.introspection.getTables())
    .map(({ name }) => name)
    .filter((name) => !stayBehind.includes(name));
  await executeAll(source, "UPDATE versions SET applied_at = '2026-01-01T00:00:00.000Z' WHERE version = 16");
  const count = await moveDatabase(source, target, Date.now);
  expect(await openActivity(target, { flush: async () => {}, now: () => Date.UTC(2026, 0, 2) }).since()).toBe(
    Date.UTC(2026, 0, 1),
  );
  let expected = 0;
  for (const table of tables) {
    const rows = await rowsOf(source, table);
    expect(rows.length, table).toBeGreaterThan(0);
    expect(await rowsOf(target, table), table).toEqual(rows);
    expected += rows.length;
  }
  expect(count).toBe(expected);
  await expect(moveDatabase(source, target, Date.now)).rejects.toThrow('The database in DATABASE_URL already');
});
