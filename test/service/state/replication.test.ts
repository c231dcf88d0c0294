import { describe, expect, it } from 'vitest';
import { initial } from '../../../service/src/data/state/migrations/0001-initial.js';
import { newKey } from '../keys.js';
import { describeOnBothEngines, executeAll, newFolder, newState, openTestDatabase, policiesIn } from './fixtures.js';
import { planned, setting, types } from './job-fixtures.js';

describeOnBothEngines(() => {
  describe('a database from a release that predates replication', () => {
    it('is migrated with all its contents, and every connector is replicated', async () => {
      const folder = newFolder();
      const keys = [newKey()];
      await (await newState({ folder, keys })).close();
      const database = await openTestDatabase(folder);
      const { schema } = database.query;
      const later = [
        'jobs',
        'replicas',
        'written_records',
        'rate_limits',
        'vendor_limits',
        'audit',
        'policies',
        'setups',
        'console_sessions',
        'console_links',
        'audit_checkpoints',
        'plans',
        'oauth_apps',
        'oauth_grants',
        'connect_clients',
        'webhook_deliveries',
        'webhooks',
      ];
      // The migrator's tables did not exist either.
      for (const table of [...later, 'kysely_migration', 'kysely_migration_lock']) {
        await schema.dropTable(table).execute();
      }
      if (database.engine === 'postgres') {
        for (const { table } of await policiesIn(database)) {
          const undone = `drop policy tenant on ${table}; alter table ${table} no force row level security`;
          await executeAll(database, `${undone}; alter table ${table} disable row level security`);
        }
      }
      await schema.dropIndex('connectors_by_sync').execute();
      for (const column of ['sync_at', 'account', 'health']) {
        await schema.alterTable('connectors').dropColumn(column).execute();
      }
      for (const column of ['scopes', 'previous_secret_hash', 'previous_secret_until', 'as_user']) {
        await schema.alterTable('clients').dropColumn(column).execute();
      }
      for (const index of ['keys_by_organization', 'keys_by_wrapping']) await schema.dropIndex(index).execute();
      await schema.alterTable('processes').dropColumn('reloads').execute();
      const columns = ['organization_id', 'wrapped_by', 'created_at', 'retired'];
      for (const column of columns) await schema.alterTable('keys').dropColumn(column).execute();
      await database.query.deleteFrom('versions').where('version', '>', initial.version).execute();
      await executeAll(
        database,
        `INSERT INTO organizations VALUES ('org_1', 'Acme', '2026-01-01T00:00:00.000Z');
        INSERT INTO workspaces VALUES ('ws_1', 'org_1', 'default', '2026-01-01T00:00:00.000Z');
        INSERT INTO connectors VALUES ('con_1', 'org_1', 'ws_1', 'Old', 'linear', '{"interval":"1d"}', '{}',
          '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z')`,
      );
      await database.close();
      const state = await newState({ folder, keys });
      const row = await state.connectors.get({ organizationId: 'org_1' }, 'con_1');
      expect(row).toMatchObject({ name: 'Old', replicationConfig: { interval: '1d' } });
      expect(await state.replicas.list('con_1')).toEqual([]);
      expect(await state.jobs.plan(types, 10)).toBe(0);
      await state.credentials.save('con_1', { api_key: 'lin_api_1' });
      expect(await planned(state)).toMatchObject({ row: { id: 'con_1' }, job: { reason: 'first' } });
    });
  });

  describe('records written through the service', () => {
    it('are recorded for every process until their last write is confirmed, and deleted with their connector', async () => {
      const { state, connect, other, scope } = await setting();
      const [{ id }, { id: another }] = [await connect(), await connect({ name: 'another' })];
      const { replicas } = await other();
      await state.replicas.markWritten(id, 'issues', ['a', 'b']);
      const first = await replicas.written(id, 'issues');
      expect([...first.keys()].sort()).toEqual(['a', 'b']);
      expect([(await replicas.written(id, 'comments')).size, (await replicas.written(another, 'issues')).size]).toEqual(
        [0, 0],
      );
      await replicas.markWritten(id, 'issues', ['a']);
      await state.replicas.confirmWritten(id, 'issues', [...first.values()]);
      expect([...(await state.replicas.written(id, 'issues')).keys()]).toEqual(['a']);
      await state.connectors.delete(scope, id);
      expect((await state.replicas.written(id, 'issues')).size).toBe(0);
    });
  });
});
