import { ConnectorError } from 'agent-connectors';
import type { Telemetry } from '../../common/telemetry.js';
import { Permit } from '../../data/permit.js';
import type { PlanRow } from '../../data/state/plan-types.js';
import type { ApprovalBy } from '../../data/state/policy-types.js';
import type { ConnectorRow } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import { requireTokenScope, scopeOfEffect } from '../accounts/scopes.js';
import { currentActor, withAudit } from '../audit/record-audit.js';
import { requireApproval } from '../policies/approval.js';
import { approvalOf, denialOf } from '../policies/check.js';
import type { Definitions } from './definitions.js';

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
  /** Does work that needs a permit; without the scope for the action's effect it throws `forbidden`, denied by a policy `denied_by_policy`. */
  pass<T>(call: GatedCall, work: (permit: Permit) => Promise<T>): Promise<T>;
  /** Records a call that was refused before it came here. */
  recordDenial(call: Pick<GatedCall, 'row' | 'entity' | 'action'>): void;
  /** Who has to approve an action before it is carried out; nothing where nobody has to. */
  approvalOf(row: ConnectorRow, entity: string, action: string): Promise<ApprovalBy | undefined>;
  /** Those of the entities of which an action is allowed; no data is reached, and nothing recorded. */
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
  return {
    async pass({ row, entity, action, params, intent, isDryRun, event, subject, plan }, work) {
      const definition = await definitions.of(row.type);
      const effect = definition.action(entity, action)?.effect ?? null;
      const auditedCall = { row, entity, action, effect: isDryRun ? 'read' : effect, params, intent, event, subject };
      const permitted = async () => {
        // What the service does by itself needs no scope.
        const actor = currentActor();
        if (actor) requireTokenScope(actor.scopes, scopeOfEffect(effect));
        const rules = await policies.applicableTo(row);
        const denial = denialOf(rules, definition, entity, action);
        if (denial) throw denial;
        const approvalBy = isDryRun || event ? undefined : approvalOf(rules, definition, entity, action);
        if (approvalBy) await requireApproval({ row, entity, action, plan, approvalBy }, state);
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
    async approvalOf(row, entity, action) {
      const definition = await definitions.of(row.type);
      if (definition.action(entity, action)?.effect === 'read') return undefined;
      return approvalOf(await policies.applicableTo(row), definition, entity, action);
    },
    async allowedEntities(row, entities, action) {
      const [definition, rules] = [await definitions.of(row.type), await policies.applicableTo(row)];
      return entities.filter((entity) => !denialOf(rules, definition, entity, action));
    },
  };
}
