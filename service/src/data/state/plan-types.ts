import type { Plan } from 'agent-connectors';
import type { PlanStatus } from 'agent-connectors/wire';
import type { ConnectorRow, PageOf, Scope } from './rows.js';

/** A decision on a plan. */
export type PlanDecision = 'approved' | 'refused';

/** A prepared write; times are milliseconds since 1970. */
export interface PlanRow {
  readonly id: string;
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly connectorId: string;
  readonly entity: string;
  readonly action: string;
  readonly effect: string;
  readonly status: PlanStatus;
  /** The client that prepared it. */
  readonly requestedBy: string;
  /** The client's name; null if the client was deleted. */
  readonly requesterName: string | null;
  /** The interface: `http`, `mcp` or `console`. */
  readonly requestedVia: string;
  readonly requestedAt: number;
  readonly expiresAt: number;
  readonly decision: PlanDecision | null;
  /** The client that decided. */
  readonly decidedBy: string | null;
  readonly deciderName: string | null;
  readonly decidedAt: number | null;
  /** When execution started. */
  readonly executedAt: number | null;
}

/** The sealed part of a plan: the request may contain private data. */
export interface PlanContent {
  readonly params: Readonly<Record<string, unknown>>;
  readonly plan: Plan;
  /** The app that prepared it, by its grant; undefined for the client itself. */
  readonly grantId?: string | undefined;
  /** The requester's stated reason. */
  readonly intent: string | null;
  /** Reason for the decision. */
  readonly reason: string | null;
}

export interface NewPlan extends Pick<PlanRow, 'id' | 'entity' | 'action' | 'effect' | 'requestedBy' | 'requestedVia'> {
  readonly paramsDigest: string;
  readonly lifetimeMs: number;
  readonly content: PlanContent;
  /** Reject the plan if the requester already has an open one for the same write. */
  readonly isOnly?: boolean;
}

/** Which plans to list, newest first. */
export interface PlanFilter extends PageOf {
  readonly connectorId?: string | undefined;
  readonly status?: PlanStatus | undefined;
}

/** Identifies a plan. */
export type PlanKey = Pick<PlanRow, 'id' | 'organizationId'>;

/** Identifies a plan by its request. */
export interface PlannedRequest extends Pick<NewPlan, 'entity' | 'action' | 'requestedBy' | 'paramsDigest'> {
  readonly organizationId: string;
  readonly connectorId: string;
}

/** Plans for writes; they expire when their connector gets new credentials. */
export interface Plans {
  /**
   * Throws `StateConflict` if the connector has changed since `row`, has too many plans, or already has an identical
   * one and `isOnly` is set.
   */
  create(row: ConnectorRow, plan: NewPlan): Promise<PlanRow>;
  list(scope: Scope, filter: PlanFilter): Promise<{ readonly rows: PlanRow[]; readonly next: string | null }>;
  get(scope: Scope, id: string): Promise<PlanRow | undefined>;
  /** The newest plan for exactly this request that has neither expired nor been executed. */
  findOpen(request: PlannedRequest): Promise<PlanRow | undefined>;
  content(plan: PlanKey): Promise<PlanContent | undefined>;
  /** Approves a pending plan, or refuses one that has not been executed yet; returns false if it is too late. */
  decide(plan: PlanKey, decision: PlanDecision, clientId: string, reason: string | null): Promise<boolean>;
  /** Claims a plan for execution; false if it was refused, has expired or was already claimed, unless `isResumed`. */
  claim(plan: PlanKey, isResumed: boolean): Promise<boolean>;
  /** Releases a claimed plan if nothing was executed. */
  release(plan: PlanKey): Promise<void>;
  /** Deletes plans that expired more than a week ago. */
  sweep(): Promise<void>;
}
