import { expect, test } from 'vitest';
import { groupEntries } from '../../../service/console/src/data/audit.js';
import type { AuditEntry } from '../../../service/src/data/state/audit/types.js';

const entry = (seq: number, own: Partial<AuditEntry> = {}): AuditEntry => ({
  seq,
  at: new Date(seq).toISOString(),
  event: 'execute',
  entity: 'issues',
  action: 'list',
  effect: 'read',
  organization_id: 'o',
  workspace_id: 'w',
  connector_id: 'c',
  connector_type: 'linear',
  client_id: 'p',
  via: 'http',
  params_digest: String(seq),
  intent: null,
  outcome: 'success',
  begun_as: null,
  duration_ms: seq,
  request_id: null,
  address: null,
  subject: null,
  previous: '',
  digest: '',
  ...own,
});
const groupsOf = (entries: readonly AuditEntry[]) => groupEntries(entries).map((group) => group.map(({ seq }) => seq));

test('identical consecutive entries form one group', () => {
  expect(groupsOf([])).toEqual([]);
  const failed = { outcome: 'not_found' };
  expect(groupsOf([entry(5), entry(4), entry(3, failed), entry(2), entry(1)])).toEqual([[5, 4], [3], [2, 1]]);
});

test.each([{ client_id: 'q' }, { via: 'mcp' }, { connector_id: 'd' }, { intent: 'weekly report' }, { address: '::1' }])(
  'entries that differ in %o are separate',
  (own) => expect(groupsOf([entry(2), entry(1, own)])).toEqual([[2], [1]]),
);

test.each(['write', 'destroy'])('a %s is never grouped', (effect) => {
  expect(groupsOf([entry(2, { effect }), entry(1, { effect })])).toEqual([[2], [1]]);
});

const pageRead = (seq: number, own: Partial<AuditEntry> = {}) =>
  entry(seq, { via: 'console', action: 'context_store_search', at: new Date(1000 * seq).toISOString(), ...own });

test('the reads that a page of the console sends at once form one group', () => {
  const [issues, notes] = [{ entity: 'issues' }, { entity: 'notes', connector_id: 'd' }];
  expect(groupsOf([pageRead(60, issues), pageRead(7, notes), pageRead(5, issues), pageRead(4, notes)])).toEqual([
    [60],
    [7, 5, 4],
  ]);
});

test.each([{ via: 'mcp' }, { outcome: 'not_found' }, { client_id: 'q' }, { effect: 'write' }, { intent: 'report' }])(
  'an entry with %o is not part of a page of the console',
  (own) => {
    const other = pageRead(2, { entity: 'notes', ...own });
    expect(groupsOf([pageRead(3), other, pageRead(1)])).toEqual([[3], [2], [1]]);
  },
);
