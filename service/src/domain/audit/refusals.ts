import { ConnectorError, type ErrorCode } from 'agent-connectors';
import type { AuditLog, NewAuditEntry } from '../../data/state/audit/types.js';

const refusalCodes: ReadonlySet<ErrorCode> = new Set([
  'invalid_params',
  'unknown_entity',
  'unknown_action',
  'hosted_only',
  'scope_missing',
  'forbidden',
  'not_found',
  'denied_by_policy',
]);

const denialCodes: ReadonlySet<string> = new Set(['scope_missing', 'forbidden', 'denied_by_policy']);

/** Whether a call was refused before the vendor was asked. */
export const isRefusal = (error: unknown): boolean =>
  ConnectorError.is(error) && error.status === undefined && refusalCodes.has(error.code);

/** Period that shares an entry, in milliseconds. */
const periodMs = 60_000;

/** Refused calls of a client with the same cause, after the first one. */
interface Count {
  calls: number;
  readonly entry: NewAuditEntry;
  readonly timer: NodeJS.Timeout;
}

/** Refused calls per log: the first per client, cause and minute has its own entry, the others share one. */
class Refusals {
  readonly #log: AuditLog;
  readonly #counts = new Map<string, Count>();

  constructor(log: AuditLog) {
    this.#log = log;
  }

  record(entry: NewAuditEntry): void {
    const { organization_id, client_id, outcome, effect, entity, action } = entry;
    // What somebody tried without permission is part of the cause, unless the names are the caller's own.
    const tried = denialCodes.has(outcome) && effect !== null ? [entity, action] : [];
    const key = JSON.stringify([organization_id, client_id, outcome, ...tried]);
    const count = this.#counts.get(key);
    if (count) {
      count.calls += 1;
      return;
    }
    const timer = setTimeout(() => this.#end(key), periodMs).unref();
    this.#counts.set(key, { calls: 0, entry, timer });
    this.#log.recordSoon(entry);
  }

  /** Records all counts now. */
  flush(): void {
    for (const key of this.#counts.keys()) this.#end(key);
  }

  #end(key: string): void {
    const { calls, entry, timer } = this.#counts.get(key)!;
    clearTimeout(timer);
    this.#counts.delete(key);
    if (calls === 0) return;
    this.#log.recordSoon({
      ...entry,
      event: 'execute.refused',
      workspace_id: null,
      connector_id: null,
      connector_type: null,
      entity: null,
      action: null,
      params_digest: null,
      request_id: null,
      duration_ms: null,
      intent: `${calls} more calls`,
    });
  }
}

const refusals = new WeakMap<AuditLog, Refusals>();

/** Records a refused call, or counts it. */
export function recordRefusal(log: AuditLog, entry: NewAuditEntry): void {
  const known = refusals.get(log) ?? new Refusals(log);
  refusals.set(log, known);
  known.record(entry);
}

/** Records the refused calls that have only been counted so far. */
export const flushRefusals = (log: AuditLog): void => refusals.get(log)?.flush();
