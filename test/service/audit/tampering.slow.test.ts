import { join } from 'node:path';
import type { State } from 'agent-connectors-service';
import { expect, test } from 'vitest';
import { runToEnd } from '../cli/terminal.js';
import { newKey } from '../keys.js';
import { describeOnBothEngines, executeAll, newFolder, newState, openTestDatabase } from '../state/fixtures.js';
import { auditEntry } from './entry.js';

type AuditHead = Parameters<State['audit']['verify']>[1];

/** A data folder with ten audit log entries for one organization. */
async function logged() {
  const folder = join(newFolder(), 'data');
  const key = newKey();
  const state = await newState({ folder, keys: [key] });
  const { id } = await state.organizations.create('acme');
  for (let number = 0; number < 10; number += 1) {
    const address = number < 5 ? null : '203.0.113.7';
    // The first entry has only a subject, the last one a subject and an address.
    const subject = number % 9 === 0 ? '203.0.113.9' : null;
    state.audit.recordSoon(auditEntry(id, { duration_ms: number, address, subject }));
  }
  await state.close();
  const verify = async (head?: AuditHead) => (await newState({ folder, keys: [key] })).audit.verify(id, head);
  const command = (...heads: string[]) =>
    runToEnd(['verify-audit', ...heads, '--data', folder, '--json'], { environment: { AGENT_CONNECTORS_KEY: key } });
  const change = async (sql: string) => {
    const database = await openTestDatabase(folder);
    await executeAll(database, sql);
    await database.close();
  };
  return { id, verify, command, change };
}

describeOnBothEngines(() => {
  test('an unmodified log verifies and returns its head', async () => {
    const { id, verify } = await logged();
    const verdict = await verify();
    expect(verdict).toMatchObject({ organization_id: id, entries: 10, head: { seq: 10 }, broken: null });
    expect(await verify(verdict.head)).toEqual(verdict);
  });

  test('an intent with characters that databases reject is recorded in a readable form', async () => {
    const state = await newState();
    const { id } = await state.organizations.create('acme');
    await state.audit.record(auditEntry(id, { intent: 'half \ud800 and none \u0000' }));
    expect((await state.audit.list({ organizationId: id, limit: 1 }))[0]!.intent).toMatch(
      /^half \ufffd+ and none \ufffd$/,
    );
    expect((await state.audit.verify(id)).broken).toBeNull();
  });

  test.each([
    ['an entry was altered', "UPDATE audit SET outcome = 'failed' WHERE seq = 4", 4, 'has been altered'],
    ['a reason was added', "UPDATE audit SET intent = 'x' WHERE seq = 7", 7, 'has been altered'],
    ['an address was altered', "UPDATE audit SET address = '203.0.113.8' WHERE seq = 7", 7, 'has been altered'],
    ['a subject was added', "UPDATE audit SET subject = 'pln_1' WHERE seq = 3", 3, 'has been altered'],
    [
      'an address was moved to the subject',
      'UPDATE audit SET subject = address, address = NULL WHERE seq = 7',
      7,
      'has been altered',
    ],
    ['a subject was moved to the address', 'UPDATE audit SET address = subject, subject = NULL', 1, 'has been altered'],
    ['a subject was removed', 'UPDATE audit SET subject = NULL WHERE seq = 10', 10, 'has been altered'],
    [
      'an address next to a subject was removed',
      'UPDATE audit SET address = NULL WHERE seq = 10',
      10,
      'has been altered',
    ],
    ['an address was added', "UPDATE audit SET address = '203.0.113.7' WHERE seq = 3", 3, 'has been altered'],
    ['an address was removed', 'UPDATE audit SET address = NULL WHERE seq = 9', 9, 'has been altered'],
    ['an entry was deleted', 'DELETE FROM audit WHERE seq = 5', 5, 'is missing'],
    ['the first entry was deleted', 'DELETE FROM audit WHERE seq = 1', 1, 'is missing'],
    [
      'two entries were swapped',
      'UPDATE audit SET seq = 99 WHERE seq = 2; UPDATE audit SET seq = 2 WHERE seq = 3; UPDATE audit SET seq = 3 WHERE seq = 99',
      2,
      'does not follow from the previous entry',
    ],
  ])('detects that %s', async (_, sql, seq, reason) => {
    const { verify, change } = await logged();
    await change(sql);
    expect((await verify()).broken).toEqual({ seq, reason });
  });

  test('a truncated or rewritten log is detected using a stored head', async () => {
    const { verify, change } = await logged();
    const { head } = await verify();
    await change('DELETE FROM audit WHERE seq > 8');
    expect((await verify()).broken).toBeNull();
    expect((await verify(head)).broken).toEqual({ seq: 9, reason: 'is missing' });
    const other = await verify({ seq: 8, digest: '0'.repeat(64) });
    expect(other.broken).toEqual({ seq: 8, reason: 'does not match the recorded digest' });
  });
});

test('the command prints the head, accepts it as input, and exits with 1 if the log was altered', async () => {
  const { id, command, change } = await logged();
  const { code, out } = await command();
  const { head } = JSON.parse(out);
  expect([code, head.seq]).toEqual([0, 10]);
  const noted = `${id}:10:${head.digest}`;
  expect((await command(noted)).code).toBe(0);
  await change('DELETE FROM audit WHERE seq > 8');
  const cut = await command(noted);
  expect([cut.code, JSON.parse(cut.out).broken]).toEqual([1, { seq: 9, reason: 'is missing' }]);
});

test('an invalid head is rejected with an explanation', async () => {
  const { command } = await logged();
  const { code, error } = await command('10:abc');
  expect([code, error]).toEqual([
    1,
    expect.stringContaining('is not a valid head. Pass a head printed by verify-audit'),
  ]);
});

describeOnBothEngines(() => {
  test('verifying a long log yields to other work, and concurrent callers share one verification', async () => {
    const state = await newState();
    const { id } = await state.organizations.create('acme');
    for (let number = 0; number < 2_000; number += 1) state.audit.recordSoon(auditEntry(id));
    await state.audit.flush();
    let turns = 0;
    let counting = true;
    const count = () => {
      turns += 1;
      if (counting) setImmediate(count);
    };
    setImmediate(count);
    const verdicts = await Promise.all(Array.from({ length: 5 }, () => state.audit.verify(id)));
    counting = false;
    expect(verdicts[0]).toMatchObject({ entries: 2_000, broken: null });
    expect(new Set(verdicts).size).toBe(1);
    expect(turns).toBeGreaterThanOrEqual(9);
  });

  test('finds entries since a given time, including those from a process with a slow clock', async () => {
    let at = Date.parse('2026-09-15T10:00:00Z');
    const state = await newState({ now: () => at });
    const { id } = await state.organizations.create('acme');
    const minute = 60_000;
    for (const minutes of [0, 30, 100, 95, 130, 125]) {
      at = Date.parse('2026-09-15T10:00:00Z') + minutes * minute;
      await state.audit.record(auditEntry(id, { duration_ms: minutes }));
    }
    const from = async (minutes: number) => {
      const moment = new Date(Date.parse('2026-09-15T10:00:00Z') + minutes * minute).toISOString();
      return (await state.audit.list({ organizationId: id, from: moment, limit: 10 })).map(
        ({ duration_ms }) => duration_ms,
      );
    };
    expect(await from(0)).toEqual([125, 130, 95, 100, 30, 0]);
    expect(await from(98)).toEqual([125, 130, 100]);
    expect(await from(128)).toEqual([130]);
    expect(await from(131)).toEqual([]);
  });
});
