import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { ConnectorError } from 'agent-connectors';
import type { ApprovalBy } from 'agent-connectors/wire';
import type { Telemetry } from '../../common/telemetry.js';
import type { PlanRow } from '../../data/state/plan-types.js';
import type { PolicyRule } from '../../data/state/policy-types.js';
import type { Client, ConnectorRow, Person, TokenScope } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import { type Actor, type CallerToken, currentActor, type WriteRecord, withAudit } from '../audit/record-audit.js';
import type { StorageLimits } from '../limits/storage.js';
import { hiddenFields, requireBoundAction } from './access.js';
import { matchesPattern } from './action-pattern.js';
import { requireApproval } from './approval.js';
import { type Definition, type Definitions, searchAction } from './definitions.js';
import { isReadable } from './readiness.js';

/**
 * Permission to read or change the data of one connector.
 *
 * Only the gate issues it, after a policy has allowed the call and the audit log has recorded it.
 */
class Permit {
  readonly #connectorId: string;
  /** The user whose access limits the records. */
  readonly asUser: Person | null;
  /** Fields of an entity that the user does not see. */
  readonly hiddenFields: (entity: string) => readonly string[];
  /** Whether the policies allow searching an entity of the connector. */
  readonly maySearch: (entity: string) => boolean;
  /** Whether an entity's stored records belong to the connector's current configuration and credentials. */
  readonly mayRead: (entity: string) => Promise<boolean>;
  /**
   * Throws if the call is no longer allowed: its token, client, grant or connector has ended, the scope was removed, the
   * credentials were replaced, or a policy now denies it or requires an approval that it does not have. It reads cached
   * rows, so it is cheap enough for every request to the vendor.
   */
  readonly check: () => Promise<void>;
  /** Does the same right before a request to the vendor, which the audit log then counts as sent. */
  readonly beforeAttempt: () => Promise<void>;

  constructor(connectorId: string, terms: PermitTerms) {
    const { check, beforeAttempt, asUser, hiddenFields, maySearch, mayRead } = terms;
    this.#connectorId = connectorId;
    this.check = check;
    this.beforeAttempt = beforeAttempt;
    this.asUser = asUser;
    this.hiddenFields = hiddenFields;
    this.maySearch = maySearch;
    this.mayRead = mayRead;
  }

  static check(permit: Permit, connectorId: string): void {
    if (!(#connectorId in permit) || permit.#connectorId !== connectorId)
      throw new Error('Connector data was requested without a permit.');
  }
}

type PermitTerms = Pick<Permit, 'check' | 'beforeAttempt' | 'asUser' | 'hiddenFields' | 'maySearch' | 'mayRead'>;

// Exported only as a type, so that only the gate can create one.
export type { Permit };

/** Throws unless the permit is for this connector. */
export const checkPermit = Permit.check;

/** One action call, from any interface. */
export interface GatedCall {
  readonly row: ConnectorRow;
  readonly entity: string;
  readonly action: string;
  readonly params?: unknown;
  readonly intent?: string | undefined;
  /** Whether the call sends no write: it prepares one or replays the response to an earlier one. */
  readonly sendsNothing?: boolean | undefined;
  /** The event to record instead of executing the action, such as `plan.approved`. */
  readonly event?: string | undefined;
  /** The plan that the call executes or relates to. */
  readonly subject?: string | undefined;
  /** The plan being executed. */
  readonly plan?: PlanRow | undefined;
  /** What a write stores along with its audit entries. */
  readonly record?: WriteRecord | undefined;
}

/** The only path to connector data: checks scopes and policies, and records calls in the audit log. */
export interface Gate {
  /** Runs work with a permit. Throws `forbidden`, `denied_by_policy`, or `not_found` for a deleted connector. */
  pass<T>(call: GatedCall, work: (permit: Permit) => Promise<T>): Promise<T>;
  /** Records a call rejected before it reached the gate. */
  recordDenial(call: Pick<GatedCall, 'row' | 'entity' | 'action'>): void;
  /** Who must approve an action; undefined if approval is not required. */
  approvalOf(row: ConnectorRow, entity: string, action: string): Promise<ApprovalBy | undefined>;
  /** Entities for which an action is allowed; none if the connector was deleted. Records nothing. */
  allowedEntities(row: ConnectorRow, entities: readonly string[], action: string): Promise<string[]>;
}

/** Dependencies of the gate. */
export interface GateDependencies {
  readonly state: Pick<State, 'access' | 'audit' | 'plans' | 'replicas'>;
  readonly definitions: Definitions;
  readonly telemetry: Telemetry;
  readonly storage: StorageLimits;
  readonly report: (error: unknown, requestId: string) => void;
}

/** A known name, or the digest of an unknown one, which is caller input of any length. */
const nameOf = (name: string, known: ReadonlyArray<{ readonly name: string }>): string =>
  known.some((entity) => entity.name === name)
    ? name
    : `sha256:${createHash('sha256').update(name).digest('base64url').slice(0, 22)}`;

/** Creates a service's gate. */
export function openGate({ state, definitions, telemetry, storage, report }: GateDependencies): Gate {
  const { access, audit } = state;
  // The row may be stale: if the connector was deleted, so were its policies.
  const rulesOf = async (row: ConnectorRow): Promise<readonly PolicyRule[]> => {
    const rules = await access.policies(row);
    if (!rules) throw new ConnectorError('not_found', `Connector '${row.id}' was deleted.`);
    return rules;
  };
  return {
    async pass({ row, entity, action, params, intent, sendsNothing, event, subject, plan, record }, work) {
      const definition = definitions.of(row.type);
      const effect = definition.action(entity, action)?.effect ?? null;
      // The service's own work does not need a scope.
      const actor = currentActor();
      if (actor) {
        const { clientId, scopes } = actor;
        const caller = { clientId, organizationId: row.organizationId, isAdmin: scopes.includes('admin') };
        const isWrite = !sendsNothing && effect !== null && effect !== 'read';
        // 512 characters of an intent can take 1,536 bytes, and more as stored.
        const entrySize = 1 + Math.ceil(Buffer.byteLength(intent ?? '') / 512);
        await storage.admit(caller, (isWrite ? 2 : 1) * entrySize, isWrite);
      }
      const requireAllowed = async () => {
        if (actor) await requireAccess(actor, row, scopeOfEffect(effect), access);
        const rules = await rulesOf(row);
        const denial = denialOf(rules, definition, entity, action);
        if (denial) throw denial;
        return rules;
      };
      const requireApproved = async (rules: readonly PolicyRule[]) => {
        const approvalBy = sendsNothing || event ? undefined : approvalOf(rules, definition, entity, action);
        if (approvalBy) await requireApproval({ row, entity, action, plan, approvalBy }, state);
      };
      const check = async () => {
        await requireApproved(await requireAllowed());
        await requireSameCredentials(row, access);
      };
      let isSent = false;
      const beforeAttempt = async () => {
        try {
          await check();
        } catch (error) {
          if (ConnectorError.is(error)) throw error;
          report(error, actor?.requestId ?? '');
          throw new ConnectorError('network', 'The database could not be reached, so the request was not sent.');
        }
        isSent = true;
      };
      const permitted = async () => {
        const rules = await requireAllowed();
        if (actor?.asUser) requireBoundAction(row, definition, entity, action);
        await requireApproved(rules);
        const maySearch = (other: string) => !denialOf(rules, definition, other, searchAction);
        const mayRead = (other: string) => isReadable(row, other, { definitions, state });
        const asUser = actor?.asUser ?? null;
        const hidden = (other: string) => (asUser ? hiddenFields(definition, other) : []);
        const terms = { check, beforeAttempt, asUser, hiddenFields: hidden, maySearch, mayRead };
        const result = await work(new Permit(row.id, terms));
        // Whoever has lost access in the meantime does not get what was read.
        const denial = effect === 'read' ? await denialBy(requireAllowed) : undefined;
        if (denial) throw denial;
        return result;
      };
      const audited = {
        row,
        entity: nameOf(entity, definition.description.entities),
        action: effect === null ? nameOf(action, []) : action,
        effect: sendsNothing ? 'read' : effect,
        params,
        intent,
        event,
        subject,
        record,
        endEvent: async () => (isSent && !sendsNothing && (await denialBy(check)) ? 'execute.access_ended' : undefined),
      };
      // Unknown names are caller input.
      const knownNames = effect === null ? { entity: 'unknown', action: 'unknown' } : { entity, action };
      return telemetry.call({ type: row.type, ...knownNames }, () =>
        withAudit(audit, audited, permitted, (error) => report(error, 'audit')),
      );
    },
    recordDenial({ row, entity, action }) {
      const call = { row, entity, action, effect: null, params: undefined, intent: undefined };
      const denied = () => Promise.reject(new ConnectorError('denied_by_policy', `${entity}.${action} was rejected.`));
      withAudit(audit, call, denied, (error) => report(error, 'audit')).catch(() => {});
    },
    async approvalOf(row, entity, action) {
      const definition = definitions.of(row.type);
      if (definition.action(entity, action)?.effect === 'read') return undefined;
      return approvalOf(await rulesOf(row), definition, entity, action);
    },
    async allowedEntities(row, entities, action) {
      const [definition, rules] = [definitions.of(row.type), await access.policies(row)];
      return entities.filter((entity) => rules && !denialOf(rules, definition, entity, action));
    },
  };
}

/** The error with which a check denies access; undefined if it does not, or if the database cannot be reached. */
const denialBy = (check: () => Promise<unknown>): Promise<ConnectorError | undefined> =>
  check().then(
    () => undefined,
    (error: unknown) => (ConnectorError.is(error) ? error : undefined),
  );

/** Rejects a call if its token does not have the required scope. */
export function requireTokenScope(granted: readonly TokenScope[], needed: TokenScope): void {
  if (granted.includes(needed)) return;
  throw new ConnectorError(
    'forbidden',
    `The '${needed}' scope is required; this token has ${granted.join(', ') || 'none'}.`,
    {
      hint: `Request a token with "scopes" that include ${needed}. A client's scopes are set with create-client --scopes.`,
    },
  );
}

/** Rejects a call whose token, client or grant does not have the scope, or has lost access to the connector. */
async function requireAccess(
  { clientId, grantId, scopes, asUser, token }: Actor,
  { id, organizationId }: ConnectorRow,
  needed: TokenScope,
  access: State['access'],
): Promise<void> {
  requireTokenScope(scopes, needed);
  const client = await access.client(clientId);
  if (!client?.organizationIds.includes(organizationId)) throw revoked('client');
  if (token && hasEnded(token, client)) throw revoked('token');
  if (client.asUser && !isSamePerson(client.asUser, asUser)) throw changed('The user or groups of this client');
  requireTokenScope(client.scopes, needed);
  if (grantId === undefined) return;
  const grant = await access.grant(organizationId, grantId);
  if (!grant || grant.connectorIds?.includes(id) === false) throw revoked('grant');
  requireTokenScope(grant.scopes, needed);
}

/** Whether a token was revoked, or its client's tokens ended after it was issued. */
export const hasEnded = (token: CallerToken, { tokenGeneration, revokedTokens }: Client): boolean =>
  token.generation !== tokenGeneration || (token.id !== undefined && revokedTokens.includes(token.id));

const revoked = (what: 'client' | 'grant' | 'token') =>
  new ConnectorError(
    'forbidden',
    what === 'token'
      ? 'The token has been revoked.'
      : `The ${what} behind this token no longer has access to the connector.`,
  );

/** Rejects a call that was made with credentials or settings that have been replaced since. */
async function requireSameCredentials(row: ConnectorRow, access: State['access']): Promise<void> {
  const { id, organizationId, workspaceId, updatedAt, credentialsVersion, settings } = row;
  const current = await access.connector({ organizationId, workspaceId }, id);
  if (!current) throw new ConnectorError('not_found', `Connector '${id}' was deleted.`);
  // The cached row may be older.
  if (current.updatedAt <= updatedAt) return;
  if (current.credentialsVersion === credentialsVersion && isDeepStrictEqual(current.settings, settings)) return;
  throw changed("The connector's credentials or settings");
}

const isSamePerson = (one: Person, other: Person | null | undefined): boolean =>
  one.email === other?.email && isDeepStrictEqual([...one.groups].sort(), [...other.groups].sort());

const changed = (what: string) =>
  new ConnectorError('conflict', `${what} changed during the call, so nothing more was sent.`, {
    retryable: true,
    hint: 'Retry the call.',
  });

/** The scope that an action needs; planning a write requires the same scope as executing it. */
const scopeOfEffect = (effect: string | null | undefined): TokenScope =>
  effect === 'write' || effect === 'destroy' ? 'write' : 'read';

/** Who must approve an action; undefined if approval is not required. Reads never need it. */
function approvalOf(
  rules: readonly PolicyRule[],
  definition: Definition,
  entity: string,
  action: string,
): ApprovalBy | undefined {
  if (definition.action(entity, action)?.effect === 'read') return undefined;
  const asking = rules.filter(({ approval }) =>
    approval?.some((text) => matchesPattern(text, definition.manifest.name, entity, action)),
  );
  if (asking.length === 0) return undefined;
  return asking.some(({ approvalBy }) => approvalBy === 'other') ? 'other' : 'any';
}

/** Why rules deny an action; undefined if all of them allow it. Actions that the type does not have are also denied. */
export function denialOf(
  rules: readonly PolicyRule[],
  definition: Definition,
  entity: string,
  action: string,
): ConnectorError | undefined {
  for (const { readOnly, allow } of rules) {
    if (readOnly && definition.action(entity, action)?.effect !== 'read') {
      return new ConnectorError(
        'denied_by_policy',
        `${entity}.${action} is a write, and a policy of this workspace or connector is read-only.`,
      );
    }
    if (allow && !allow.some((text) => matchesPattern(text, definition.manifest.name, entity, action))) {
      return new ConnectorError(
        'denied_by_policy',
        `${entity}.${action} is not allowed by a policy of this workspace or connector (allowed: ${allow.slice(0, 20).join(', ') || 'nothing'}).`,
      );
    }
  }
  return undefined;
}
