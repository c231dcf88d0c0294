import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { NewAuditEntry } from '../../../service/src/audit/types.js';
import { openState } from '../../../service/src/state/open.js';
import { openSqlite } from '../../../service/src/state/sqlite.js';
import { keyRing, randomKey } from '../../../service/src/vault/keys.js';
import { finished } from '../cli/terminal.js';
import { newFolder } from '../state/fixtures.js';

const entry = (organization_id: string, more: Partial<NewAuditEntry> = {}): NewAuditEntry => ({
  ...{ organization_id, event: 'execute', workspace_id: 'ws_1', connector_id: 'con_1', connector_type: 'linear' },
  ...{ client_id: 'cli_1', via: 'http', entity: 'issues', action: 'list', effect: 'read', params_digest: 'd' },
  ...{ intent: null, outcome: 'success', begun_as: null, duration_ms: 3, request_id: 'r', address: null },
  ...more,
});

/** A data folder with ten entries in the log of one organization. */
async function logged() {
  const folder = join(newFolder(), 'data');
  const key = randomKey();
  const state = await openState({ folder, keys: keyRing([key]) });
  const { id } = await state.organizations.create('acme');
  for (let number = 0; number < 10; number += 1) {
    const address = number < 5 ? null : '203.0.113.7';
    state.audit.recordSoon(entry(id, { duration_ms: number, address }));
  }
  await state.close();
  const verify = (...heads: string[]) =>
    finished(['verify-audit', ...heads, '--data', folder, '--json'], { environment: { AGENT_CONNECTORS_KEY: key } });
  const change = async (sql: string) => {
    const database = openSqlite(folder);
    await database.exec(sql);
    await database.close();
  };
  return { id, verify, change };
}

test('a log that nobody has touched is as it was written, and its head is told', async () => {
  const { id, verify } = await logged();
  const { code, out } = await verify();
  const verdict = JSON.parse(out);
  expect(code).toBe(0);
  expect(verdict).toMatchObject({ organization_id: id, entries: 10, head: { seq: 10 }, broken: null });
  const again = await verify(`${id}:10:${verdict.head.digest}`);
  expect(again.code).toBe(0);
});

test.each([
  ['an entry that was altered', "UPDATE audit SET outcome = 'failed' WHERE seq = 4", 4, 'has been altered'],
  ['a reason that was added', "UPDATE audit SET intent = 'x' WHERE seq = 7", 7, 'has been altered'],
  ['an address that was altered', "UPDATE audit SET address = '203.0.113.8' WHERE seq = 7", 7, 'has been altered'],
  ['an address that was added', "UPDATE audit SET address = '203.0.113.7' WHERE seq = 3", 3, 'has been altered'],
  ['an address that was taken out', 'UPDATE audit SET address = NULL WHERE seq = 9', 9, 'has been altered'],
  ['an entry that was taken out', 'DELETE FROM audit WHERE seq = 5', 5, 'is missing'],
  ['the first one taken out', 'DELETE FROM audit WHERE seq = 1', 1, 'is missing'],
  [
    'two that changed places',
    'UPDATE audit SET seq = 99 WHERE seq = 2; UPDATE audit SET seq = 2 WHERE seq = 3; UPDATE audit SET seq = 3 WHERE seq = 99',
    2,
    'does not follow from the entry before it',
  ],
])('%s is found', async (_, sql, seq, reason) => {
  const { verify, change } = await logged();
  await change(sql);
  const { code, out } = await verify();
  expect([code, JSON.parse(out).broken]).toEqual([1, { seq, reason }]);
});

test('a log whose end was cut off, or that was written anew, is found by a head that was kept', async () => {
  const { id, verify, change } = await logged();
  const { head } = JSON.parse((await verify()).out);
  await change('DELETE FROM audit WHERE seq > 8');
  expect((await verify()).code).toBe(0);
  const cut = await verify(`${id}:${head.seq}:${head.digest}`);
  expect([cut.code, JSON.parse(cut.out).broken]).toEqual([1, { seq: 9, reason: 'is missing' }]);
  const other = await verify(`${id}:8:${'0'.repeat(64)}`);
  expect(JSON.parse(other.out).broken).toEqual({ seq: 8, reason: 'is not the one that was noted' });
});

test('what is no head is refused in words', async () => {
  const { verify } = await logged();
  const { code, error } = await verify('10:abc');
  expect([code, error]).toEqual([1, expect.stringContaining('is no head')]);
});
