import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { openState } from '../../../service/src/data/state/open.js';
import { keyRing } from '../../../service/src/data/vault/keys.js';
import { auditEntry } from '../../service/audit/entry.js';
import { newKey } from '../../service/keys.js';
import { query, startServer, withClient } from './server.js';

const server = await startServer();
afterAll(() => server?.stop());

/** A state with organizations, and a way to hold the locks of their logs, as a frozen process would. */
async function stage(organizations: number) {
  const databaseUrl = await server!.database();
  const state = await openState({ folder: '/proc/none', databaseUrl, keys: keyRing([newKey()]) });
  onTestFinished(() => state.close());
  const ids: string[] = [];
  for (let count = 0; count < organizations; count += 1) ids.push((await state.organizations.create(`${count}`)).id);
  // Each log has an entry, so that the key of the log exists.
  await Promise.all(ids.map((id) => state.audit.record(auditEntry(id))));
  const whileLocked = (locked: readonly string[], work: () => Promise<void>) =>
    withClient(databaseUrl, async (run) => {
      await run('begin');
      const lock = 'select pg_advisory_xact_lock(hashtextextended($1, 711400172))';
      for (const id of locked) await run(lock, [`audit ${id}`]);
      await work();
      await run('commit');
    });
  return { databaseUrl, state, ids, whileLocked };
}

describe.skipIf(!server)('audit logs in Postgres', () => {
  it('are written while those of many other organizations are locked, and none loses an entry or its order', async () => {
    const { state, ids, whileLocked } = await stage(21);
    const [free, ...locked] = ids as [string, ...string[]];
    const waiting: Promise<unknown>[] = [];
    const record = (id: string, request_id: string) => state.audit.record(auditEntry(id, { request_id }));
    await whileLocked(locked, async () => {
      waiting.push(...locked.map((id) => record(id, 'first')));
      for (const id of locked) state.audit.recordSoon(auditEntry(id, { request_id: 'second' }));
      for (let round = 0; round < 5; round += 1) {
        await record(free, `round ${round}`);
        waiting.push(record(locked[0]!, `round ${round}`));
      }
      expect(await state.audit.list({ organizationId: free, limit: 100 })).toHaveLength(6);
      expect(await state.audit.verify(free)).toMatchObject({ entries: 6, broken: null });
      waiting.push(record(locked[0]!, 'last'));
      await record(free, 'last');
    });
    await Promise.all(waiting);
    for (const id of locked) {
      expect(await state.audit.verify(id)).toMatchObject({ entries: id === locked[0] ? 9 : 3, broken: null });
      const oldest = (await state.audit.list({ organizationId: id, limit: 100 })).reverse();
      expect(oldest.slice(1, 3).map(({ request_id }) => request_id)).toEqual(['first', 'second']);
    }
  });

  it('share a transaction for entries that are recorded together', async () => {
    const { databaseUrl, state, ids } = await stage(5);
    for (const id of ids) state.audit.recordSoon(auditEntry(id));
    await state.audit.flush();
    const written = 'select distinct xmin from agent_connectors_state.audit where seq = 2';
    expect(await query(databaseUrl, written)).toHaveLength(1);
  });
});
