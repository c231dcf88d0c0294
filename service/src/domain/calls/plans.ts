import { ConnectorError, type Once, type Plan } from 'agent-connectors';
import { digestOf, digestOfInput } from '../../data/state/canonical-json.js';
import { newId } from '../../data/state/database.js';
import type { PlanContent, PlanRow } from '../../data/state/plan-types.js';
import { type ConnectorRow, StateConflict } from '../../data/state/rows.js';
import type { StartedWrite, State } from '../../data/state/types.js';
import { currentActor, type WriteRecord } from '../audit/record-audit.js';
import type { Definitions } from '../connectors/definitions.js';
import type { Gate } from '../connectors/gate.js';
import type { Instances } from '../connectors/instances.js';
import type { StorageLimits } from '../limits/storage.js';
import {
  type ExecutedWrite,
  ownerOf,
  runIdempotent,
  type StoredResponse,
  type WriteOutcome,
} from './idempotent-write.js';

/** Dependencies of plan creation. */
export interface PlanDependencies {
  readonly definitions: Definitions;
  readonly gate: Gate;
  readonly instances: Instances;
  readonly state: Pick<State, 'plans' | 'audit'>;
  readonly storage: StorageLimits;
}

/** A write, as a plan describes it. */
export interface PlannedCall {
  readonly entity: string;
  readonly action: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly intent?: string | undefined;
}

/** A write to prepare. */
export interface PlanRequest extends PlannedCall {
  /** Validity in seconds; one hour by default. */
  readonly expiresIn?: number | undefined;
}

/** Default validity of a plan in seconds. */
const defaultPlanSeconds = 3_600;
/** Maximum size of a plan's parameters and request as JSON, in characters. */
const maxPlanLength = 262_144;

/** Prepares a write on behalf of the caller and stores its plan. */
export async function preparePlan(
  row: ConnectorRow,
  request: PlanRequest,
  dependencies: PlanDependencies,
  { id = newId('pln'), isOnly = false }: { readonly id?: string; readonly isOnly?: boolean } = {},
): Promise<PlanRow> {
  const { entity, action, params = {}, intent = null, expiresIn = defaultPlanSeconds } = request;
  const { definitions, gate, instances, state, storage } = dependencies;
  const effect = definitions.of(row.type).action(entity, action)?.effect ?? '';
  const { clientId = '', via = '', grantId } = currentActor() ?? {};
  const gated = { row, entity, action, params, intent: request.intent };
  return gate.pass({ ...gated, sendsNothing: true, event: 'plan.prepared', subject: id }, async (permit) => {
    const connector = await instances.get(permit, row);
    const plan: Plan = await connector.plan!(entity, action, params);
    const content = { params, plan, grantId, intent, reason: null };
    const { length } = JSON.stringify(content);
    if (length > maxPlanLength) {
      throw new ConnectorError('too_large', `${entity}.${action} is too large to prepare.`, {
        hint: `The parameters and request together are limited to ${maxPlanLength} characters of JSON.`,
      });
    }
    const created = await state.plans.create(row, {
      id,
      entity,
      action,
      effect,
      content,
      lifetimeMs: expiresIn * 1000,
      requestedBy: clientId,
      requestedVia: via,
      paramsDigest: await openPlanDigest(state.audit, params),
      isOnly,
    });
    storage.count({ clientId, organizationId: row.organizationId }, length);
    return created;
  });
}

/** Identifies a write among the open plans of a client; each of its apps has its own. */
function openPlanDigest(audit: PlanDependencies['state']['audit'], params: object): Promise<string> {
  const grantId = currentActor()?.grantId;
  return audit.digestOfInput(grantId === undefined ? params : [params, grantId]);
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
  const paramsDigest = await openPlanDigest(audit, params);
  const { id: connectorId, organizationId } = row;
  const wanted = { organizationId, connectorId, entity, action, requestedBy, paramsDigest };
  const found = await plans.findOpen(wanted);
  if (found) return found;
  try {
    return await preparePlan(row, request, dependencies, { isOnly: true });
  } catch (error) {
    // A concurrent call may have created it.
    const other = error instanceof StateConflict && (await plans.findOpen(wanted));
    if (!other) throw error;
    return other;
  }
}

/**
 * The plan for the write with an idempotency key. A repeated call finds the same plan even after it was executed: if its
 * outcome is unknown, it is looked up instead of sent again.
 */
export async function planOfKey(
  row: ConnectorRow,
  request: PlanRequest,
  dependencies: PlanDependencies,
  key: string,
): Promise<PlanRow> {
  const { state } = dependencies;
  const { organizationId, workspaceId } = row;
  const { clientId = '', grantId } = currentActor() ?? {};
  // Plans that expired undecided are followed by another one.
  for (let count = 0; ; count++) {
    const digest = digestOf([ownerOf(clientId, grantId), row.id, request.entity, request.action, key, count]);
    const id = `pln_${digest.replaceAll(/[-_]/g, '').slice(0, 22)}`;
    const found = await state.plans.get({ organizationId, workspaceId }, id);
    if (!found) return preparePlan(row, request, dependencies, { id });
    if (found.status !== 'expired') return found;
  }
}

/** A stored plan being executed. */
export interface StoredPlan {
  readonly row: PlanRow;
  /** Claims the plan or throws if it must not be executed; called once the connector is available. */
  claim(): Promise<void>;
}

/** What a plan determines about a call. */
export interface PlannedInput {
  readonly params: Readonly<Record<string, unknown>>;
  readonly intent: string | undefined;
  readonly plan: object;
  readonly stored: StoredPlan;
  /** Idempotency record of the write. */
  readonly once?: Once;
  /** What the write stores along with it. */
  readonly record?: WriteRecord;
}

/** A plan to execute. */
export interface PlanExecution {
  readonly row: PlanRow;
  readonly content: PlanContent;
  /** Whether it needs an approval that it does not have: the gate rejects it. */
  readonly awaitsApproval: boolean;
  /** The requesting client. */
  readonly clientId: string;
  /** The requesting app's grant. */
  readonly grantId: string | undefined;
  readonly requestId: string;
  /** The requested write; omitted parameters come from the plan. */
  readonly call: PlannedCall;
  /** Runs the action. */
  readonly work: (input: PlannedInput) => Promise<WriteOutcome>;
  /** Returns a stored response if the caller is still allowed to run the action. */
  readonly replay: (planned: Pick<PlannedInput, 'params' | 'intent'>, stored: StoredResponse) => Promise<WriteOutcome>;
  /** Called with the size of the response that is stored for replay. */
  readonly onStored: (bytes: number) => void;
  readonly report: (error: unknown) => void;
}

/** Executes a plan once; repeated requests get the stored response. */
export async function carryOut(
  { audit, ledger, plans, atomically }: Pick<State, 'audit' | 'ledger' | 'plans' | 'atomically'>,
  { row, content, awaitsApproval, clientId, grantId, requestId, call, work, replay, onStored, report }: PlanExecution,
): Promise<WriteOutcome> {
  const fault =
    (await faultOf(row, content, call, { clientId, grantId })) ?? (awaitsApproval ? notExecutable(row) : undefined);
  // What was approved.
  const planned = { params: content.params, intent: content.intent ?? call.intent, plan: content.plan };
  // If the request does not match the plan, its outcome must not be stored, and it must not see the plan's response.
  if (fault) {
    const claim = () => Promise.reject(fault);
    return work({ ...planned, stored: { row, claim } });
  }
  const { connectorId, entity, action } = row;
  const alone = <T>(change: () => Promise<T>) => atomically(`plan ${row.id}`, change);
  /** Whether this request or one that it resumes may have claimed the plan. */
  let mayBeClaimed = false;
  const run = ({ once, record, begun: { write, isResumed } }: ExecutedWrite) => {
    mayBeClaimed = isResumed;
    const claim = () =>
      alone(async () => {
        await ledger.hold(write);
        if (!(await plans.claim(row, isResumed))) throw notExecutable(row);
        mayBeClaimed = true;
      });
    return work({ ...planned, once, record, stored: { row, claim } });
  };
  const planLedger = {
    ...ledger,
    async forget(write: StartedWrite) {
      if (!mayBeClaimed) return ledger.forget(write);
      // Together: without its entry in the ledger, a claimed plan could not be executed again.
      return alone(async () => {
        const isOwn = await ledger.forget(write);
        if (isOwn) await plans.release(row);
        return isOwn;
      });
    },
  };
  return runIdempotent(
    { audit, ledger: planLedger },
    {
      // Headers contain no line breaks, so no idempotency key can collide with this.
      key: { clientId: ownerOf(clientId, grantId), connectorId, entity, action, key: `plan\n${row.id}` },
      bodyHash: row.id,
      requestId,
      work: run,
      replay: (stored) => replay(planned, stored),
      onStored,
      report,
    },
  );
}

async function faultOf(
  row: PlanRow,
  { params, grantId }: PlanContent,
  call: PlannedCall,
  caller: Pick<PlanExecution, 'clientId' | 'grantId'>,
): Promise<ConnectorError | undefined> {
  const isOtherApp = caller.grantId !== undefined && caller.grantId !== grantId;
  if (caller.clientId !== row.requestedBy || isOtherApp) {
    return new ConnectorError('forbidden', `Plan ${row.id} was prepared by another ${isOtherApp ? 'app' : 'client'}.`, {
      hint: 'Only the client or app that prepared a plan can execute it.',
    });
  }
  const isSameAction = call.entity === row.entity && call.action === row.action;
  const isSame = isSameAction && (call.params === undefined || (await isSameInput(call.params, params)));
  if (isSame) return undefined;
  return conflict(
    `Plan ${row.id} is for ${row.entity}.${row.action}; this call has a different action or different parameters.`,
    'Omit params, or prepare a plan for this write.',
  );
}

const isSameInput = async (one: unknown, another: unknown) =>
  (await digestOfInput(one)) === (await digestOfInput(another));

const notExecutable = ({ id }: PlanRow) =>
  conflict(
    `Plan ${id} cannot be executed: it has expired, was refused or already executed, or its connector’s credentials have changed.`,
    `GET /api/v1/plans/${id} returns the plan’s status. Check what the plan changed before preparing it again.`,
  );

const conflict = (message: string, hint: string) => new ConnectorError('conflict', message, { hint });
