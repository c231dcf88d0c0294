import { appendFileSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runToEnd } from '../cli/terminal.js';
import { newKey } from '../keys.js';
import { describeOnBothEngines, executeAll, newFolder, newState, noon, openTestDatabase } from '../state/fixtures.js';
import { auditEntry } from './entry.js';

const day = 24 * 60 * 60 * 1000;
const dayOf = (days: number) => new Date(noon + days * day).toISOString();

/** A log with entries from ten days. */
async function tenDays() {
  const folder = join(newFolder(), 'data');
  const clock = { time: noon };
  const report = vi.fn();
  const keys = [newKey()];
  const state = await newState({ folder, keys, now: () => clock.time, report });
  const { id } = await state.organizations.create('acme');
  for (let number = 0; number < 10; number += 1) {
    clock.time = noon + number * day;
    await state.audit.record(auditEntry(id, { duration_ms: number }));
  }
  const database = await openTestDatabase(folder);
  onTestFinished(() => database.close());
  const days = async () =>
    (await state.audit.list({ organizationId: id, limit: 20 })).map(({ duration_ms }) => duration_ms).reverse();
  const change = (sql: string) => executeAll(database, sql);
  return { id, state, folder, key: keys[0]!, clock, report, days, change };
}

describeOnBothEngines(() => {
  test('removes old entries; the rest still verifies, even with earlier heads', async () => {
    const { id, state, days } = await tenDays();
    const { head } = await state.audit.verify(id);
    expect(await state.audit.prune(dayOf(3.5))).toBe(4);
    expect(await days()).toEqual([4, 5, 6, 7, 8, 9]);
    expect(await state.audit.verify(id, head)).toEqual({
      organization_id: id,
      entries: 6,
      first: 5,
      head,
      broken: null,
    });
    expect(await state.audit.prune(dayOf(3.5))).toBe(0);
    await state.audit.record(auditEntry(id));
    expect(await state.audit.verify(id, head)).toMatchObject({ entries: 7, first: 5, broken: null });
  });

  test('keeps the newest entry so that the next one can link to it', async () => {
    const { id, state, days } = await tenDays();
    expect(await state.audit.prune(dayOf(100))).toBe(9);
    expect(await days()).toEqual([9]);
    await state.audit.record(auditEntry(id));
    expect(await state.audit.verify(id)).toMatchObject({ entries: 2, first: 10, broken: null });
  });

  test.each([
    ['backdated', "UPDATE audit SET at = '2020-01-01T00:00:00.000Z' WHERE seq <= 7"],
    ['altered', "UPDATE audit SET outcome = 'forged' WHERE seq = 2"],
    ['deleted', 'DELETE FROM audit WHERE seq = 2'],
  ])('an entry that was %s is reported instead of being pruned as genuine', async (_, sql) => {
    const { id, state, report, change } = await tenDays();
    await change(sql);
    expect(await state.audit.prune(dayOf(3.5))).toBe(0);
    expect(report.mock.calls[0]?.[0].message).toMatch(/was not pruned: entry \d/);
    expect((await state.audit.verify(id)).broken).not.toBeNull();
  });

  test.each([
    ['a pruned entry was restored', 'UPDATE audit SET seq = 2 WHERE seq = 10', 2],
    ['more entries are missing than were pruned', 'DELETE FROM audit WHERE seq <= 6', 5],
    ['a checkpoint was moved', 'DELETE FROM audit WHERE seq <= 6; UPDATE audit_checkpoints SET removed_seq = 6', 1],
    ['a checkpoint was deleted', 'DELETE FROM audit_checkpoints', 1],
  ])('detects that %s', async (_, sql, seq) => {
    const { id, state, change } = await tenDays();
    await state.audit.prune(dayOf(3.5));
    await change(sql);
    expect((await state.audit.verify(id)).broken?.seq).toBe(seq);
  });
});

test('the command exports the log as JSON Lines, oldest first, for the requested days', async () => {
  const { state, folder, key, id } = await tenDays();
  await state.organizations.create('globex');
  await state.close();
  const environment = { AGENT_CONNECTORS_KEY: key };
  const days = ['--from', dayOf(2), '--until', dayOf(5)];
  const { code, out } = await runToEnd(['export-audit', '--data', folder, ...days], { environment });
  const entries = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect([code, entries.map(({ seq, organization_id }) => [organization_id, seq])]).toEqual([
    0,
    [
      [id, 3],
      [id, 4],
      [id, 5],
    ],
  ]);
  expect(entries[0]).toMatchObject({ event: 'execute', digest: expect.any(String) });
  const wrong = await runToEnd(['export-audit', '--data', folder, '--from', 'yesterday'], { environment });
  expect([wrong.code, wrong.error]).toEqual([1, expect.stringContaining('--from must be a date')]);
});

const hidden = 'x\u007f\u009b31m\u2028\u202e\u200b\u{e0041}é';
const shown = 'x\\u007f\\u009b31m\\u2028\\u202e\\u200b\\udb40\\udc41é';

test("control and invisible characters are escaped in the command's output and in the file", async () => {
  const folder = join(newFolder(), 'data');
  const auditFile = join(newFolder(), 'audit.jsonl');
  const key = newKey();
  const state = await newState({ folder, keys: [key], auditFile });
  const { id } = await state.organizations.create('acme');
  await state.audit.record(auditEntry(id, { intent: hidden }));
  await state.close();
  const { out } = await runToEnd(['export-audit', '--data', folder], { environment: { AGENT_CONNECTORS_KEY: key } });
  for (const line of [out, readFileSync(auditFile, 'utf8')]) {
    expect(line).toContain(`"intent":"${shown}"`);
    expect(JSON.parse(line).intent).toBe(hidden);
  }
});

test('every entry is written to the file before its caller continues, and the file can be rotated', async () => {
  const folder = newFolder();
  const auditFile = join(folder, 'audit.jsonl');
  const state = await newState({ auditFile });
  const { id } = await state.organizations.create('acme');
  const linesIn = (path: string) =>
    readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const first = await state.audit.record(auditEntry(id, { intent: 'two\nlines' }));
  expect(linesIn(auditFile)).toEqual([first]);
  renameSync(auditFile, `${auditFile}.1`);
  const second = await state.audit.record(auditEntry(id));
  await state.audit.reopen();
  const third = await state.audit.record(auditEntry(id));
  expect([linesIn(`${auditFile}.1`), linesIn(auditFile)]).toEqual([[first, second], [third]]);
  // Another process can append to the file as well.
  appendFileSync(auditFile, '{}\n');
  await state.audit.record(auditEntry(id));
  expect(linesIn(auditFile)).toHaveLength(3);
});
