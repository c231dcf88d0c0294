import { ConnectorError } from '../errors/connector-error.js';

/** A prepared write that has not been sent; pass it to `execute` to send exactly this write. */
export interface Plan {
  /** Type of the connector that prepared it; only this type can execute it. */
  readonly connector: string;
  /** Entity of the write. */
  readonly entity: string;
  /** Action of the write. */
  readonly action: string;
  /** The first request that changes data, as it would be sent but without credentials. */
  readonly request: PlannedRequest;
  /** If the client chooses the record's id: the id to execute the plan with. */
  readonly id: string;
  /** Hexadecimal SHA-256 of the parameters, the request and the credentials' identity. */
  readonly digest: string;
}

/** A request that would change data. */
export interface PlannedRequest {
  /** HTTP method. */
  readonly method: string;
  /** URL with its query. */
  readonly url: string;
  /** JSON, or the type, size and SHA-256 of bytes; null if there is no body. */
  readonly body: unknown;
}

/** Thrown instead of sending a write that is only being planned. */
export class PlanCreated extends Error {
  readonly plan: Plan;

  constructor(plan: Plan) {
    super('The write is planned.');
    this.plan = plan;
  }
}

/** Whether a call creates a plan or executes one. */
export type PlanMode = { readonly dryRun: true; readonly id: string } | { readonly expected: Plan };

/** Rejects an invalid plan, or one for a different write. */
export function checkPlan(plan: Plan, connector: string, entity: string, action: string): Plan {
  const { id, digest } = plan;
  const isSameAction = plan.connector === connector && plan.entity === entity && plan.action === action;
  if (isSameAction && typeof id === 'string' && /^[\da-f]{64}$/.test(digest)) return plan;
  throw new ConnectorError(
    'invalid_params',
    `plan: must be the result of plan('${entity}', '${action}', …) on a ${connector} connector.`,
  );
}

/** Throws `conflict` unless the write equals the planned one. */
export function assertSamePlan(plan: Plan, now: Plan): void {
  if (plan.digest === now.digest) return;
  throw new ConnectorError('conflict', `${now.entity}.${now.action} differs from the plan; nothing was changed.`, {
    hint: 'The data, parameters or credentials have changed: create a new plan.',
  });
}
