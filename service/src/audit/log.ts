import { createHmac } from 'node:crypto';
import { canonicalJson } from '../canonical.js';
import type { Database, Value } from '../state/database.js';
import type { KeyRing } from '../vault/keys.js';
import { auditColumns, beginning, entryDigest, faultOf } from './chain.js';
import type { AuditEntry, AuditFilter, AuditLog, AuditVerdict, NewAuditEntry } from './types.js';

/** What the log is made with. */
export interface AuditOptions {
  readonly keys: KeyRing;
  readonly now: () => number;
  /** Told when entries that could wait could not be written. */
  readonly report: (error: unknown) => void;
}

/** Milliseconds that entries of reads wait for others to share a transaction with. */
const gathering = 50;
/** So many are written at once without waiting. */
const mostWaiting = 500;
const page = 1000;

const insert = `INSERT INTO audit (${auditColumns.join(', ')}) VALUES (${auditColumns.map(() => '?').join(', ')})`;

/** The log in the database. */
export function openAudit(database: Database, { keys, now, report }: AuditOptions): AuditLog {
  let waiting: Array<readonly [entry: NewAuditEntry, at: string]> = [];
  let timer: NodeJS.Timeout | undefined;

  const append = (entry: NewAuditEntry, at: string): AuditEntry => {
    // Asked each time: another process may have written since.
    const last = database.get<{ seq: number; digest: string }>(
      'SELECT seq, digest FROM audit WHERE organization_id = ? ORDER BY seq DESC LIMIT 1',
      entry.organization_id,
    );
    const linked = { ...entry, at, seq: (last?.seq ?? 0) + 1, previous: last?.digest ?? beginning };
    const whole: AuditEntry = { ...linked, digest: entryDigest(linked) };
    database.run(insert, ...auditColumns.map((name): Value => whole[name]));
    return whole;
  };
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length === 0) return;
    const entries = waiting;
    waiting = [];
    database.transaction(() => {
      for (const [entry, at] of entries) append(entry, at);
    });
  };
  const flushLater = (): void => {
    try {
      flush();
    } catch (error) {
      report(error);
    }
  };
  const stamp = () => new Date(now()).toISOString();

  return {
    record: (entry) =>
      database.transaction(() => {
        flush();
        return append(entry, stamp());
      }),
    recordSoon(entry) {
      waiting.push([entry, stamp()]);
      if (waiting.length >= mostWaiting) flushLater();
      else timer ??= setTimeout(flushLater, gathering).unref();
    },
    flush,
    list(filter) {
      flush();
      const { where, values } = conditions(filter);
      return database.all<AuditEntry>(
        `SELECT ${auditColumns.join(', ')} FROM audit WHERE ${where} ORDER BY seq DESC LIMIT ?`,
        ...values,
        filter.limit,
      );
    },
    verify(organizationId, head) {
      flush();
      return verdictOf(database, organizationId, head);
    },
    digestOf: (params) =>
      createHmac('sha256', keys.newest.derive('audit')).update(canonicalJson(params)).digest('base64url'),
    close: flushLater,
  };
}

function conditions({ organizationId, workspaceId, connectorId, from, before }: AuditFilter) {
  const parts: ReadonlyArray<readonly [sql: string, value: Value | undefined]> = [
    ['organization_id = ?', organizationId],
    ['workspace_id = ?', workspaceId],
    ['connector_id = ?', connectorId],
    ['at >= ?', from],
    ['seq < ?', before],
  ];
  const given = parts.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  return { where: given.map(({ sql }) => sql).join(' AND '), values: given.map(({ value }) => value) };
}

function verdictOf(database: Database, organizationId: string, head: AuditVerdict['head'] | undefined): AuditVerdict {
  let before = { seq: 0, digest: beginning };
  let broken: AuditVerdict['broken'] = null;
  const verdict = () => ({
    organization_id: organizationId,
    entries: before.seq,
    head: before.seq === 0 ? null : before,
    broken,
  });
  for (;;) {
    const entries = database.all<AuditEntry>(
      `SELECT ${auditColumns.join(', ')} FROM audit WHERE organization_id = ? AND seq > ? ORDER BY seq LIMIT ${page}`,
      organizationId,
      before.seq,
    );
    for (const entry of entries) {
      const reason = faultOf(entry, before) ?? (isOther(entry, head) ? 'is not the one that was noted' : undefined);
      if (reason !== undefined) {
        broken = { seq: before.seq + 1, reason };
        return verdict();
      }
      before = { seq: entry.seq, digest: entry.digest };
    }
    if (entries.length < page) break;
  }
  if (head && head.seq > before.seq) broken = { seq: before.seq + 1, reason: 'is missing' };
  return verdict();
}

const isOther = ({ seq, digest }: AuditEntry, head: AuditVerdict['head'] | undefined): boolean =>
  head?.seq === seq && head.digest !== digest;
