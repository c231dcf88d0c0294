import { ConnectorError } from './errors.js';

/** A prepared write that was not sent; pass it to `execute` to send exactly this write. */
export interface Plan {
  /** Type of the connector that prepared it; only this type can execute it. */
  readonly connector: string;
  /** Entity of the write. */
  readonly entity: string;
  /** Action of the write. */
  readonly action: string;
  /** The first request that changes data, as it would be sent; credentials are no part of it. */
  readonly request: PlannedRequest;
  /** For records whose id the client chooses: the plan is carried out with the same. */
  readonly id: string;
  /** SHA-256, in hexadecimal, of the parameters, the request and whose credentials it is for. */
  readonly digest: string;
}

/** A request that would change data. */
export interface PlannedRequest {
  /** HTTP method. */
  readonly method: string;
  /** Address, with its query. */
  readonly url: string;
  /** JSON; of bytes their type, number and SHA-256; null for none. */
  readonly body: unknown;
}

/** Thrown in place of a write that is only planned. */
export class PlanCreated extends Error {
  readonly plan: Plan;

  constructor(plan: Plan) {
    super('The write is planned.');
    this.plan = plan;
  }
}

/** What one call intends: a plan to be made, or one to be held to. */
export type PlanMode = { readonly dryRun: true; readonly id: string } | { readonly expected: Plan };

/** Refuses a plan that is none, or one of something else. */
export function checkPlan(plan: Plan, connector: string, entity: string, action: string): Plan {
  const { id, digest } = plan;
  const isSameAction = plan.connector === connector && plan.entity === entity && plan.action === action;
  if (isSameAction && typeof id === 'string' && /^[\da-f]{64}$/.test(digest)) return plan;
  throw new ConnectorError(
    'invalid_params',
    `plan: it must come from plan('${entity}', '${action}', …) of a connector of type ${connector}.`,
  );
}

/** Throws `conflict` unless a write is the one that was planned. */
export function assertSamePlan(plan: Plan, now: Plan): void {
  if (plan.digest === now.digest) return;
  throw new ConnectorError('conflict', `${now.entity}.${now.action} differs from the plan; nothing was changed.`, {
    hint: 'Its data, parameters or credentials have changed: create a new plan.',
  });
}
