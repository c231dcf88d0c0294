import { ConnectorError } from 'agent-connectors';
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
import type { ConnectorRow } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import { denialOf, requireTokenScope, scopeOfEffect } from '../accounts/permissions.js';
import { currentActor, withAudit } from '../audit/record-audit.js';
import type { Definitions } from './definitions.js';

/**
 * Leave to read the data of one connector, or to change it at the vendor.
 *
 * The gate alone issues it, once a policy has allowed the call and the audit log knows of it.
 */
class Permit {
  readonly #connectorId: string;

  constructor(connectorId: string) {
    this.#connectorId = connectorId;
  }

  static check(permit: Permit, connectorId: string): void {
    if (!(#connectorId in permit) || permit.#connectorId !== connectorId)
      throw new Error('The data of a connector was asked for without a permit for it.');
  }
}

// Its type alone: nobody else can make one.
export type { Permit };

/** Throws unless this is a permit for the connector. */
export const checkPermit = Permit.check;

/** Reads the replica for callers, each time with a permit for the connector. */
export interface RecordReader {
  search(permit: Permit, request: SearchRequest): Promise<SearchResult>;
  semanticSearch(permit: Permit, request: SemanticSearchRequest): Promise<SemanticSearchResult>;
  get(permit: Permit, collection: Collection, ids: readonly string[]): Promise<IdentifiedRecord[]>;
  readonly idOf: Store['idOf'];
}

/** What of a store callers may be given. */
export function openReader(store: Store): RecordReader {
  const checked = (permit: Permit, { connectorId }: Collection): Store => {
    Permit.check(permit, connectorId);
    return store;
  };
  return {
    search: async (permit, request) => checked(permit, request).search(request),
    semanticSearch: async (permit, request) => checked(permit, request).semanticSearch(request),
    get: async (permit, collection, ids) => checked(permit, collection).get(collection, ids),
    idOf: (...record) => store.idOf(...record),
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
}

/** The one way to the data of connectors: scopes and policies allow it or not, and the audit log has an entry of it. */
export interface Gate {
  /** Does work that needs a permit; without the scope for the action's effect it throws `forbidden`, denied by a policy `denied_by_policy`. */
  pass<T>(call: GatedCall, work: (permit: Permit) => Promise<T>): Promise<T>;
  /** Records a call that was refused before it came here. */
  recordDenial(call: Pick<GatedCall, 'row' | 'entity' | 'action'>): void;
  /** Those of the entities of which an action is allowed; no data is reached, and nothing recorded. */
  allowedEntities(row: ConnectorRow, entities: readonly string[], action: string): Promise<string[]>;
}

/** What the gate works with. */
export interface GateDependencies {
  readonly state: Pick<State, 'audit' | 'policies'>;
  readonly definitions: Definitions;
  readonly telemetry: Telemetry;
  readonly report: (error: unknown, requestId: string) => void;
}

/** Opens the gate of a service. */
export function openGate({ state, definitions, telemetry, report }: GateDependencies): Gate {
  const { audit, policies } = state;
  return {
    async pass({ row, entity, action, params, intent, isDryRun }, work) {
      const definition = await definitions.of(row.type);
      const effect = definition.action(entity, action)?.effect ?? null;
      const auditedCall = { row, entity, action, effect: isDryRun ? 'read' : effect, params, intent };
      const permitted = async () => {
        // What the service does by itself needs no scope.
        const actor = currentActor();
        if (actor) requireTokenScope(actor.scopes, scopeOfEffect(effect));
        const denial = denialOf(await policies.applicableTo(row), definition, entity, action);
        if (denial) throw denial;
        return work(new Permit(row.id));
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
    async allowedEntities(row, entities, action) {
      const [definition, rules] = [await definitions.of(row.type), await policies.applicableTo(row)];
      return entities.filter((entity) => !denialOf(rules, definition, entity, action));
    },
  };
}
