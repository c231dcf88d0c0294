import { ConnectorError, suggestion } from 'agent-connectors';
import type { Telemetry } from '../../common/telemetry.js';
import type {
  Collection,
  IdentifiedRecord,
  SearchRequest,
  SearchResult,
  SemanticSearchRequest,
  SemanticSearchResult,
  Store,
} from '../../data/records/index.js';
import type { PlanRow } from '../../data/state/plan-types.js';
import type { ApprovalBy, PolicyRule } from '../../data/state/policy-types.js';
import { type ConnectorRow, type Person, type TokenScope, tokenScopes } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import { readersFor } from '../accounts/person.js';
import { currentActor, withAudit } from '../audit/record-audit.js';
import { requireApproval } from '../policies/approval.js';
import { requireBoundAction } from './access.js';
import type { Definition, Definitions } from './definitions.js';
import type { Reranking, RerankMeta } from './reranking.js';

/**
 * Leave to read the data of one connector, or to change it at the vendor.
 *
 * The gate alone issues it, once a policy has allowed the call and the audit log knows of it.
 */
class Permit {
  readonly #connectorId: string;
  /** On whose behalf alone records are read. */
  readonly asUser: Person | null;

  constructor(connectorId: string, asUser: Person | null) {
    this.#connectorId = connectorId;
    this.asUser = asUser;
  }

  static check(permit: Permit, connectorId: string): void {
    if (!(#connectorId in permit) || permit.#connectorId !== connectorId)
      throw new Error('Connector data was requested without a permit.');
  }
}

// Its type alone: nobody else can make one.
export type { Permit };

/** Throws unless this is a permit for the connector. */
export const checkPermit = Permit.check;

/** Reads the replica for callers, each time with a permit for the connector. */
export interface RecordReader {
  search(permit: Permit, request: SearchRequest): Promise<SearchResult>;
  semanticSearch(
    permit: Permit,
    request: SemanticSearchRequest,
  ): Promise<SemanticSearchResult & { readonly meta: RerankMeta }>;
  wordStatistics(permit: Permit, ...request: Parameters<Store['wordStatistics']>): ReturnType<Store['wordStatistics']>;
  rankEntity(permit: Permit, ...request: Parameters<Store['rankEntity']>): ReturnType<Store['rankEntity']>;
  readHits(permit: Permit, ...request: Parameters<Store['readHits']>): ReturnType<Store['readHits']>;
  get(permit: Permit, collection: Collection, ids: readonly string[]): Promise<IdentifiedRecord[]>;
  countHidden(permit: Permit, collection: Collection): ReturnType<Store['countHidden']>;
  readonly idOf: Store['idOf'];
  readonly reranking: Reranking | undefined;
}

/** What of a store callers may be given: on behalf of a person, what that person may see. */
export function openReader(store: Store, reranking?: Reranking | undefined): RecordReader {
  const visible = <C extends Collection>(permit: Permit, collection: C): C => {
    Permit.check(permit, collection.connectorId);
    return permit.asUser ? { ...collection, readers: readersFor(permit.asUser) } : collection;
  };
  return {
    search: async (permit, request) => store.search(visible(permit, request)),
    semanticSearch: async (permit, request) => {
      const own = visible(permit, request);
      return reranking ? reranking.search(own, (wider) => store.semanticSearch(wider)) : store.semanticSearch(own);
    },
    wordStatistics: async (permit, request) => store.wordStatistics(visible(permit, request)),
    rankEntity: async (permit, request) => store.rankEntity(visible(permit, request)),
    readHits: async (permit, collection, ...passages) => store.readHits(visible(permit, collection), ...passages),
    get: async (permit, collection, ids) => store.get(visible(permit, collection), ids),
    countHidden: async (permit, collection) => store.countHidden(visible(permit, collection)),
    idOf: (...record) => store.idOf(...record),
    reranking,
  };
}

/** One call of an action, by whatever way it has come. */
export interface GatedCall {
  readonly row: ConnectorRow;
  readonly entity: string;
  readonly action: string;
  readonly params?: unknown;
  readonly intent?: string | undefined;
  /** Whether it only makes a write ready. */
  readonly isDryRun?: boolean | undefined;
  /** What is done with the action where it is not carried out, such as `plan.approved`. */
  readonly event?: string | undefined;
  /** The plan that it is about, or that it carries out. */
  readonly subject?: string | undefined;
  /** The plan that it carries out. */
  readonly plan?: PlanRow | undefined;
}

/** The one way to the data of connectors: scopes and policies allow it or not, and the audit log has an entry of it. */
export interface Gate {
  /** Does work that needs a permit; without the scope for the action's effect it throws `forbidden`, denied by a policy `denied_by_policy`, of a connector that was deleted meanwhile `not_found`. */
  pass<T>(call: GatedCall, work: (permit: Permit) => Promise<T>): Promise<T>;
  /** Records a call that was refused before it came here. */
  recordDenial(call: Pick<GatedCall, 'row' | 'entity' | 'action'>): void;
  /** Who has to approve an action before it is carried out; nothing where nobody has to. */
  approvalOf(row: ConnectorRow, entity: string, action: string): Promise<ApprovalBy | undefined>;
  /** Those of the entities of which an action is allowed, none of a connector that was deleted; no data is reached, and nothing recorded. */
  allowedEntities(row: ConnectorRow, entities: readonly string[], action: string): Promise<string[]>;
}

/** What the gate works with. */
export interface GateDependencies {
  readonly state: Pick<State, 'audit' | 'policies' | 'plans' | 'clients'>;
  readonly definitions: Definitions;
  readonly telemetry: Telemetry;
  readonly report: (error: unknown, requestId: string) => void;
}

/** Opens the gate of a service. */
export function openGate({ state, definitions, telemetry, report }: GateDependencies): Gate {
  const { audit, policies } = state;
  // The row may have been read before its connector was deleted, which takes its policies along.
  const rulesOf = async (row: ConnectorRow): Promise<readonly PolicyRule[]> => {
    const rules = await policies.applicableTo(row);
    if (!rules) throw new ConnectorError('not_found', `Connector '${row.id}' was deleted.`);
    return rules;
  };
  return {
    async pass({ row, entity, action, params, intent, isDryRun, event, subject, plan }, work) {
      const definition = await definitions.of(row.type);
      const effect = definition.action(entity, action)?.effect ?? null;
      const auditedCall = { row, entity, action, effect: isDryRun ? 'read' : effect, params, intent, event, subject };
      const permitted = async () => {
        // What the service does by itself needs no scope.
        const actor = currentActor();
        if (actor) requireTokenScope(actor.scopes, scopeOfEffect(effect));
        const rules = await rulesOf(row);
        const denial = denialOf(rules, definition, entity, action);
        if (denial) throw denial;
        if (actor?.asUser) await requireBoundAction(row, definition, entity, action);
        const approvalBy = isDryRun || event ? undefined : approvalOf(rules, definition, entity, action);
        if (approvalBy) await requireApproval({ row, entity, action, plan, approvalBy }, state);
        return work(new Permit(row.id, actor?.asUser ?? null));
      };
      // Names that no type has are the caller's own words.
      const knownNames = effect === null ? { entity: 'unknown', action: 'unknown' } : { entity, action };
      return telemetry.call({ type: row.type, ...knownNames }, () =>
        withAudit(audit, auditedCall, permitted, (error) => report(error, 'audit')),
      );
    },
    recordDenial({ row, entity, action }) {
      const call = { row, entity, action, effect: null, params: undefined, intent: undefined };
      const denied = () => Promise.reject(new ConnectorError('denied_by_policy', `${entity}.${action} was refused.`));
      withAudit(audit, call, denied, (error) => report(error, 'audit')).catch(() => {});
    },
    async approvalOf(row, entity, action) {
      const definition = await definitions.of(row.type);
      if (definition.action(entity, action)?.effect === 'read') return undefined;
      return approvalOf(await rulesOf(row), definition, entity, action);
    },
    async allowedEntities(row, entities, action) {
      const [definition, rules] = [await definitions.of(row.type), await policies.applicableTo(row)];
      return entities.filter((entity) => rules && !denialOf(rules, definition, entity, action));
    },
  };
}

/** Refuses what needs a scope that the token does not have. */
export function requireTokenScope(granted: readonly TokenScope[], needed: TokenScope): void {
  if (granted.includes(needed)) return;
  throw new ConnectorError(
    'forbidden',
    `The scope '${needed}' is required; this token has ${granted.join(', ') || 'none'}.`,
    {
      hint: `Request a token with "scopes" that include ${needed}. A client's scopes are set with create-client --scopes.`,
    },
  );
}

/** The scope that an action needs; planning a write needs what the write needs. */
const scopeOfEffect = (effect: string | null | undefined): TokenScope =>
  effect === 'write' || effect === 'destroy' ? 'write' : 'read';

/** The requested scopes, all of which the requester must have. */
export function narrowScopes(own: readonly TokenScope[], requested: readonly TokenScope[]): TokenScope[] {
  for (const scope of requested) requireTokenScope(own, scope);
  return tokenScopes.filter((scope) => requested.includes(scope));
}

/** What a token for one workspace gets unless its request says otherwise. */
export function defaultScopes(own: readonly TokenScope[]): TokenScope[] {
  const scopes = own.filter((scope) => scope === 'read' || scope === 'write');
  if (scopes.length === 0) requireTokenScope(own, 'read');
  return scopes;
}

interface Pattern {
  /** Null for every type. */
  readonly type: string | null;
  readonly entity: string;
  readonly action: string;
}

const patternForm = /^(?:([a-z][a-z\d-]*):)?([\w*]+)\.([\w*]+)$/;

function patternOf(text: string): Pattern | undefined {
  const [, type, entity, action] = patternForm.exec(text) ?? [];
  return entity === undefined || action === undefined ? undefined : { type: type ?? null, entity, action };
}

const matchesName = (pattern: string, name: string): boolean => pattern === '*' || pattern === name;

/** Says what is wrong with a pattern for connectors of these types; one that names nothing would silently deny. */
export function patternFault(text: string, definitions: readonly Definition[]): string | undefined {
  const pattern = patternOf(text);
  if (!pattern) return 'must be entity.action or type:entity.action, with * as a wildcard';
  const { type, entity, action } = pattern;
  const types = definitions.map(({ manifest }) => manifest.name);
  if (type !== null && !types.includes(type)) return `matches no type. ${suggestion(type, types, 'types')}`;
  const entities = definitions
    .filter(({ manifest }) => type === null || manifest.name === type)
    .flatMap(({ manifest }) => Object.entries(manifest.entities));
  const matchingEntities = entities.filter(([name]) => matchesName(entity, name));
  const entityNames = [...new Set(entities.map(([name]) => name))];
  if (matchingEntities.length === 0) return `matches no entity. ${suggestion(entity, entityNames, 'entities')}`;
  const actions = [...new Set(matchingEntities.flatMap(([, { actions: own }]) => Object.keys(own)))];
  if (actions.some((name) => matchesName(action, name))) return undefined;
  return `matches no action. ${suggestion(action, actions, 'actions')}`;
}

/** Says what is wrong with a pattern of writes that need approval. */
export function approvalFault(text: string, definitions: readonly Definition[]): string | undefined {
  const fault = patternFault(text, definitions);
  if (fault !== undefined) return fault;
  const changesData = definitions.some((definition) =>
    Object.entries(definition.manifest.entities).some(([entity, { actions }]) =>
      Object.keys(actions).some(
        (action) =>
          definition.action(entity, action)?.effect !== 'read' &&
          matches(text, definition.manifest.name, entity, action),
      ),
    ),
  );
  return changesData ? undefined : 'matches no write';
}

/** Who has to approve an action before it is carried out; nothing where nobody has to. Reads need no approval. */
function approvalOf(
  rules: readonly PolicyRule[],
  definition: Definition,
  entity: string,
  action: string,
): ApprovalBy | undefined {
  if (definition.action(entity, action)?.effect === 'read') return undefined;
  const asking = rules.filter(({ approval }) =>
    approval?.some((text) => matches(text, definition.manifest.name, entity, action)),
  );
  if (asking.length === 0) return undefined;
  return asking.some(({ approvalBy }) => approvalBy === 'other') ? 'other' : 'any';
}

/** Why rules deny an action; nothing where all of them let it be done. What the type does not know is denied as well. */
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
    if (allow && !allow.some((text) => matches(text, definition.manifest.name, entity, action))) {
      return new ConnectorError(
        'denied_by_policy',
        `${entity}.${action} is not allowed by a policy of this workspace or connector (allowed: ${allow.slice(0, 20).join(', ') || 'nothing'}).`,
      );
    }
  }
  return undefined;
}

function matches(text: string, type: string, entity: string, action: string): boolean {
  const pattern = patternOf(text);
  if (!pattern) return false;
  return (
    (pattern.type === null || pattern.type === type) &&
    matchesName(pattern.entity, entity) &&
    matchesName(pattern.action, action)
  );
}
