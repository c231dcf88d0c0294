import { AsyncLocalStorage } from 'node:async_hooks';
import { ConnectorError } from 'agent-connectors';
import type { AuditLog, NewAuditEntry } from '../../data/state/audit/types.js';
import type { WrittenRecords } from '../../data/state/replication-types.js';
import type { Client, ConnectorRow, Person, TokenScope } from '../../data/state/rows.js';
import { httpError } from '../http-error.js';
import { isRefusal, recordRefusal } from './refusals.js';

/** One action call. */
export interface AuditedCall {
  readonly row: ConnectorRow;
  readonly entity: string;
  readonly action: string;
  /** Null if the type has no such action. */
  readonly effect: string | null;
  readonly params: unknown;
  readonly intent: string | undefined;
  /** `execute` by default. */
  readonly event?: string | undefined;
  /** Id of the related plan. */
  readonly subject?: string | undefined;
  /** What a write stores along with its entries. */
  readonly record?: WriteRecord | undefined;
  /** The event to record at the end, if it differs. */
  readonly endEvent?: (() => Promise<string | undefined>) | undefined;
}

/** Collects what a write stores, so that it is stored together: before the write is sent, and once it is done. */
export interface WriteRecord {
  /** Whether the idempotency ledger stores the entries, along with its own row. */
  readonly isInLedger: boolean;
  /** The entry to store before the write is sent, if it has not been stored. */
  opening?: NewAuditEntry | undefined;
  /** Number of the opening entry, once it has been stored. */
  begunAs?: number | undefined;
  /** The entry for the outcome. */
  entry?: NewAuditEntry | undefined;
  /** The records that it has written. */
  written: readonly WrittenRecords[];
  /** Called once the written records have been marked. */
  onStored?: (() => void) | undefined;
}

/** Nothing to store yet. */
export const newWriteRecord = (isInLedger: boolean): WriteRecord => ({ isInLedger, written: [] });

/** Whether a call is read-only, in which case its entry can be deferred. */
const isRead = ({ effect }: AuditedCall): boolean => effect === 'read' || effect === null;

/** Runs an action and records its outcome. A change is recorded first and does not start if that fails. */
export async function withAudit<T>(
  log: AuditLog,
  call: AuditedCall,
  work: () => Promise<T>,
  report: (error: unknown) => void,
): Promise<T> {
  const entryBase = await entryOf(log, call);
  const { record } = call;
  const opening = { ...entryBase, outcome: 'begun', begun_as: null, duration_ms: null };
  const isDeferred = record?.isInLedger && !isRead(call);
  if (isDeferred) record.opening = opening;
  const begunAs = isRead(call) || isDeferred ? null : await begin(log, opening, report);
  const started = performance.now();
  const end = async (outcome: string, isRefused = false) => {
    const duration_ms = Math.round(performance.now() - started);
    const event = (await call.endEvent?.()) ?? entryBase.event;
    const entry = { ...entryBase, event, outcome, begun_as: begunAs, duration_ms };
    if (isRead(call)) return isRefused ? recordRefusal(log, entry) : log.recordSoon(entry);
    if (isDeferred) {
      record.entry = { ...entry, begun_as: record.begunAs ?? null };
      return;
    }
    // The action is done: its result matters more than this entry, and the start is on record.
    await log.record(entry, record && { written: record.written }).then(record?.onStored, report);
  };
  try {
    const result = await work();
    await end('success');
    return result;
  } catch (error) {
    await end(ConnectorError.is(error) ? error.code : 'failed', isRefusal(error));
    throw error;
  }
}

async function begin(log: AuditLog, opening: NewAuditEntry, report: (error: unknown) => void): Promise<number> {
  try {
    return (await log.record(opening)).seq;
  } catch (error) {
    report(error);
    throw httpError(503, 'network', 'The audit log cannot be written, so nothing was changed.', {
      retryable: true,
      retryAfterMs: 10_000,
      hint: 'The service’s disk may be full. The service operator can find the cause in the log.',
    });
  }
}

/** An audited change of the service's own data. */
export interface AuditedChange {
  readonly event: string;
  readonly organizationId: string;
  readonly workspaceId?: string | undefined;
  readonly row?: ConnectorRow | undefined;
  /** Id of the affected client. */
  readonly subject?: string | undefined;
  /** The new values, stored only as a digest. */
  readonly params?: object | undefined;
  /** `success` by default. */
  readonly outcome?: string | undefined;
}

/** Records a completed change of the service's own data. */
export function recordChange(
  log: AuditLog,
  { event, organizationId, workspaceId, row, subject, params, outcome = 'success' }: AuditedChange,
): void {
  log.recordSoon({
    ...emptyCallFields,
    ...actorFields(),
    event,
    organization_id: organizationId,
    workspace_id: workspaceId ?? row?.workspaceId ?? null,
    connector_id: row?.id ?? null,
    connector_type: row?.type ?? null,
    ...(params && { params_digest: log.digestOf(params) }),
    subject: subject ?? null,
    outcome,
  });
}

/** Records a client's change in the log of each of its organizations. */
export function recordClientChange(
  log: AuditLog,
  event: string,
  { id, organizationIds }: Pick<Client, 'id' | 'organizationIds'>,
  params?: object,
): void {
  for (const organizationId of organizationIds) recordChange(log, { event, organizationId, subject: id, params });
}

const emptyCallFields = {
  entity: null,
  action: null,
  effect: null,
  params_digest: null,
  intent: null,
  begun_as: null,
  duration_ms: null,
} as const;

function actorFields() {
  const { clientId = null, via = 'service', requestId = null, address = null } = currentActor() ?? {};
  return { client_id: clientId, via, request_id: requestId, address };
}

/** Unknown names come from the caller and may be long. */
const truncateName = (name: string): string => name.slice(0, 200);

/** The fields known before a call. */
type EntryBase = Omit<NewAuditEntry, 'outcome' | 'begun_as' | 'duration_ms'>;

async function entryOf(log: AuditLog, call: AuditedCall): Promise<EntryBase> {
  const {
    row,
    entity,
    action,
    effect,
    params,
    intent,
    event = 'execute',
    subject = currentActor()?.grantId ?? null,
  } = call;
  return {
    ...actorFields(),
    organization_id: row.organizationId,
    event,
    workspace_id: row.workspaceId,
    connector_id: row.id,
    connector_type: row.type,
    entity: truncateName(entity),
    action: truncateName(action),
    effect,
    params_digest: await log.digestOfInput(params ?? {}),
    intent: intent ?? null,
    subject,
  };
}

/** On whose behalf an action is performed. */
export interface Actor {
  readonly clientId: string;
  /** Scopes that apply. */
  readonly scopes: readonly TokenScope[];
  /** The user, if any, whose permissions determine which records are read. */
  readonly asUser?: Person | null | undefined;
  /** The interface: `http`, `mcp`, `console`, `setup` or `oauth`. */
  readonly via: string;
  readonly requestId: string | null;
  /** Remote address of the request, if known. */
  readonly address: string | undefined;
  /** The caller's OAuth grant. */
  readonly grantId?: string | undefined;
  /** The caller's token; undefined for a grant's token and for the service's own work. */
  readonly token?: CallerToken | undefined;
}

/** What decides whether a token has ended. */
export interface CallerToken {
  /** Undefined for a console session and a token from an earlier release. */
  readonly id: string | undefined;
  readonly generation: number;
}

const actors = new AsyncLocalStorage<Actor>();

/** Runs work on behalf of an actor, for code that does not pass the actor as a parameter. */
export const runAs = <T>(actor: Actor, work: () => T): T => actors.run(actor, work);

/** The current actor; undefined for the service's own work. */
export const currentActor = (): Actor | undefined => actors.getStore();

/** A successful or failed sign-in. */
export interface SignIn {
  readonly event: 'sign_in' | 'sign_out' | 'token';
  /** For a failure, the claimed client; without one, there is no log to record it in. */
  readonly client: Client | undefined;
  readonly via: 'http' | 'console';
  readonly outcome: 'success' | 'unauthorized';
  readonly requestId: string;
  readonly address: string | undefined;
  /** The person, as the identity provider names it. */
  readonly subject?: string | undefined;
}

/** Records a sign-in in the log of each of the client's organizations. */
export async function recordSignIn(log: AuditLog, signIn: SignIn): Promise<void> {
  const { event, client, via, outcome, requestId, address, subject = null } = signIn;
  for (const organizationId of client?.organizationIds ?? []) {
    await log.recordSoon({
      organization_id: organizationId,
      event,
      client_id: client?.id ?? null,
      via,
      outcome,
      request_id: requestId,
      address: address ?? null,
      workspace_id: null,
      connector_id: null,
      connector_type: null,
      entity: null,
      action: null,
      effect: null,
      params_digest: null,
      intent: null,
      subject,
      begun_as: null,
      duration_ms: null,
    });
  }
}
