import { ConnectorError } from 'agent-connectors';
import { newId } from '../../data/state/database.js';
import type { PlanRow } from '../../data/state/plan-types.js';
import { type ConnectorRow, StateConflict } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import { currentActor } from '../audit/record-audit.js';
import { type ExecuteDependencies, type PrepareInput, prepare } from '../connectors/execute.js';

/** Dependencies of plan creation. */
export interface PlanDependencies extends ExecuteDependencies {
  readonly state: Pick<State, 'plans' | 'audit' | 'webhooks'>;
}

/** A write to prepare. */
export interface PlanRequest extends Omit<PrepareInput, 'id'> {
  /** Validity in seconds; one hour by default. */
  readonly expiresIn?: number | undefined;
}

/** Maximum validity of a plan in seconds, during which repeated executions are recognized. */
export const maxPlanSeconds = 86_400;
/** Default validity of a plan in seconds. */
export const defaultPlanSeconds = 3_600;
/** Maximum size of a plan's parameters and request as JSON, in characters. */
const maxPlanLength = 262_144;

/** Prepares a write on behalf of the caller and stores its plan. */
export async function preparePlan(
  row: ConnectorRow,
  request: PlanRequest,
  dependencies: PlanDependencies,
  isOnly = false,
): Promise<PlanRow> {
  const { entity, action, params = {}, intent = null, expiresIn = defaultPlanSeconds } = request;
  const { definitions, state } = dependencies;
  const effect = definitions.of(row.type).action(entity, action)?.effect ?? '';
  const { clientId = '', via = '' } = currentActor() ?? {};
  const id = newId('pln');
  return prepare(row, { ...request, id }, dependencies, async (plan) => {
    const content = { params, plan, intent, reason: null };
    if (JSON.stringify(content).length > maxPlanLength) {
      throw new ConnectorError('too_large', `${entity}.${action} is too large to prepare.`, {
        hint: `The parameters and request together are limited to ${maxPlanLength} characters of JSON.`,
      });
    }
    return state.plans.create(row, {
      id,
      entity,
      action,
      effect,
      content,
      lifetimeMs: expiresIn * 1000,
      requestedBy: clientId,
      requestedVia: via,
      paramsDigest: state.audit.digestOf(params),
      isOnly,
    });
  });
}

/** The caller's open plan for the same write, or a new one, so a repeated call does not create a second plan. */
export async function planOf(
  row: ConnectorRow,
  request: PlanRequest,
  dependencies: PlanDependencies,
): Promise<PlanRow> {
  const { entity, action, params = {} } = request;
  const { plans, audit } = dependencies.state;
  const requestedBy = currentActor()?.clientId ?? '';
  const paramsDigest = audit.digestOf(params);
  const { id: connectorId, organizationId } = row;
  const wanted = { organizationId, connectorId, entity, action, requestedBy, paramsDigest };
  const found = await plans.findOpen(wanted);
  if (found) return found;
  try {
    return await preparePlan(row, request, dependencies, true);
  } catch (error) {
    // A concurrent call may have created it.
    const other = error instanceof StateConflict && (await plans.findOpen(wanted));
    if (!other) throw error;
    return other;
  }
}
