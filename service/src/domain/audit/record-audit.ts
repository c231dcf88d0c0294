import { AsyncLocalStorage } from 'node:async_hooks';
import { ConnectorError } from 'agent-connectors';
import type { AuditLog, NewAuditEntry } from '../../data/state/audit/types.js';
import type { Client, ConnectorRow, Person, TokenScope } from '../../data/state/rows.js';
import { httpError } from '../http-error.js';

/** One call of an action. */
export interface AuditedCall {
  readonly row: ConnectorRow;
  readonly entity: string;
  readonly action: string;
  /** Null where the type knows no such action. */
  readonly effect: string | null;
  readonly params: unknown;
  readonly intent: string | undefined;
  /** `execute` when left out. */
  readonly event?: string | undefined;
  /** Id of the plan that it is about. */
  readonly subject?: string | undefined;
}

/** Whether a call leaves data as it is, so that its entry may wait. */
const isRead = ({ effect }: AuditedCall): boolean => effect === 'read' || effect === null;

/** Runs an action and puts down what became of it; a change is put down before it is begun, or not begun. */
export async function withAudit<T>(
  log: AuditLog,
  call: AuditedCall,
  work: () => Promise<T>,
  report: (error: unknown) => void,
): Promise<T> {
  const entryBase = entryOf(log, call);
  const begunAs = isRead(call) ? null : await begin(log, entryBase, report);
  const started = performance.now();
  const end = async (outcome: string) => {
    const duration_ms = Math.round(performance.now() - started);
    const entry = { ...entryBase, outcome, begun_as: begunAs, duration_ms };
    if (begunAs === null) log.recordSoon(entry);
    // It is done by now: its answer is worth more than the entry, and the beginning has been put down.
    else await log.record(entry).catch(report);
  };
  try {
    const result = await work();
    await end('success');
    return result;
  } catch (error) {
    await end(ConnectorError.is(error) ? error.code : 'failed');
    throw error;
  }
}

async function begin(log: AuditLog, entryBase: EntryBase, report: (error: unknown) => void): Promise<number> {
  try {
    return (await log.record({ ...entryBase, outcome: 'begun', begun_as: null, duration_ms: null })).seq;
  } catch (error) {
    report(error);
    throw httpError(503, 'network', 'The audit log cannot be written, so nothing was changed.', {
      retryable: true,
      retryAfterMs: 10_000,
      hint: 'The service’s disk may be full; its operator can find the cause in the log.',
    });
  }
}

/** What is put down of a change in what the service holds. */
export interface AuditedChange {
  readonly event: string;
  readonly organizationId: string;
  readonly workspaceId?: string | undefined;
  readonly row?: ConnectorRow | undefined;
  /** Id of the client that it is about. */
  readonly subject?: string | undefined;
  /** What it was changed to, of which a digest is kept. */
  readonly params?: object | undefined;
  /** `success` when left out. */
  readonly outcome?: string | undefined;
}

/** Puts down a change of what the service holds; it has been made. */
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

/** Puts a change of a client down in the log of each of its organizations. */
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

/** Names that no type has are the caller's own words, and may be long. */
const truncateName = (name: string): string => name.slice(0, 200);

/** What is known of a call before it is made. */
type EntryBase = Omit<NewAuditEntry, 'outcome' | 'begun_as' | 'duration_ms'>;

function entryOf(log: AuditLog, call: AuditedCall): EntryBase {
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
    params_digest: log.digestOf(params ?? {}),
    intent: intent ?? null,
    subject,
  };
}

/** On whose behalf something is done. */
export interface Actor {
  readonly clientId: string;
  /** What may be done on their behalf. */
  readonly scopes: readonly TokenScope[];
  /** The person on whose behalf alone records are read; null or left out where there is none. */
  readonly asUser?: Person | null | undefined;
  /** The way in: `http`, `mcp`, `console`, `setup` or `oauth`. */
  readonly via: string;
  readonly requestId: string | null;
  /** Where the request came from, as far as that is known. */
  readonly address: string | undefined;
  /** The OAuth grant of whoever asks. */
  readonly grantId?: string | undefined;
}

const actors = new AsyncLocalStorage<Actor>();

/** Does work on behalf of somebody, for calls that pass through what knows nothing of callers. */
export const runAs = <T>(actor: Actor, work: () => T): T => actors.run(actor, work);

/** On whose behalf work is done here; nobody's where the service does it by itself. */
export const currentActor = (): Actor | undefined => actors.getStore();

/** Somebody who has shown who they are, or has not. */
export interface SignIn {
  readonly event: 'sign_in' | 'sign_out' | 'token';
  /** Of a refusal, the one that was claimed to be; of none there is no log to put it down in. */
  readonly client: Client | undefined;
  readonly via: 'http' | 'console';
  readonly outcome: 'success' | 'unauthorized';
  readonly requestId: string;
  readonly address: string | undefined;
}

/** Puts a sign-in down in the log of each of the client's organisations. */
export async function recordSignIn(log: AuditLog, signIn: SignIn): Promise<void> {
  const { event, client, via, outcome, requestId, address } = signIn;
  for (const organizationId of client?.organizationIds ?? []) {
    await log.recordSoon({
      ...{ organization_id: organizationId, event, client_id: client?.id ?? null, via, outcome },
      ...{ request_id: requestId, address: address ?? null },
      ...{ workspace_id: null, connector_id: null, connector_type: null, entity: null, action: null, effect: null },
      ...{ params_digest: null, intent: null, subject: null, begun_as: null, duration_ms: null },
    });
  }
}
