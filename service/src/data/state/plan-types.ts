import type { Plan } from 'agent-connectors';
import type { ConnectorRow, PageOf, Scope } from './rows.js';

/** How far a plan is. */
export const planStatuses = ['pending', 'approved', 'refused', 'expired', 'executed'] as const;

/** How far a plan is. */
export type PlanStatus = (typeof planStatuses)[number];

/** What somebody decided on a plan. */
export type PlanDecision = 'approved' | 'refused';

/** A write that was prepared; times are milliseconds since 1970. */
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
  /** Its name; null where the client is gone. */
  readonly requesterName: string | null;
  /** The way in: `http`, `mcp` or `console`. */
  readonly requestedVia: string;
  readonly requestedAt: number;
  readonly expiresAt: number;
  readonly decision: PlanDecision | null;
  /** The client that decided. */
  readonly decidedBy: string | null;
  readonly deciderName: string | null;
  readonly decidedAt: number | null;
  /** When it was begun to be carried out. */
  readonly executedAt: number | null;
}

/** What of a plan is sealed: the request may hold what is private. */
export interface PlanContent {
  readonly params: Readonly<Record<string, unknown>>;
  readonly plan: Plan;
  /** Why it is to be done, in the requester's words. */
  readonly intent: string | null;
  /** Why it was approved or refused. */
  readonly reason: string | null;
}

/** A plan as it is handed in. */
export interface NewPlan extends Pick<PlanRow, 'id' | 'entity' | 'action' | 'effect' | 'requestedBy' | 'requestedVia'> {
  readonly paramsDigest: string;
  readonly lifetimeMs: number;
  readonly content: PlanContent;
  /** Whether it is refused where the requester has an open plan of the same write. */
  readonly isOnly?: boolean;
}

/** Which plans to list, the newest first. */
export interface PlanFilter extends PageOf {
  readonly connectorId?: string | undefined;
  readonly status?: PlanStatus | undefined;
}

/** What a plan is found by. */
export type PlanKey = Pick<PlanRow, 'id' | 'organizationId'>;

/** Which request a plan is looked for by. */
export interface PlannedRequest extends Pick<NewPlan, 'entity' | 'action' | 'requestedBy' | 'paramsDigest'> {
  readonly organizationId: string;
  readonly connectorId: string;
}

/** Plans of writes; new credentials of their connector end them. */
export interface Plans {
  /** A `StateConflict` where the connector is not as in `row` any more, has too many plans, or has another where this one `isOnly`. */
  create(row: ConnectorRow, plan: NewPlan): Promise<PlanRow>;
  list(scope: Scope, filter: PlanFilter): Promise<{ readonly rows: PlanRow[]; readonly next: string | null }>;
  get(scope: Scope, id: string): Promise<PlanRow | undefined>;
  /** The newest of this very request that has neither expired nor been executed. */
  findOpen(request: PlannedRequest): Promise<PlanRow | undefined>;
  content(plan: PlanKey): Promise<PlanContent | undefined>;
  /** Approves a pending plan, or refuses one that has not been executed; false where it is too late. */
  decide(plan: PlanKey, decision: PlanDecision, clientId: string, reason: string | null): Promise<boolean>;
  /** Takes a plan to carry it out; false where it was refused, has expired or was taken. One that was taken and `isResumed` is taken again. */
  claim(plan: PlanKey, isResumed: boolean): Promise<boolean>;
  /** Gives back what was taken: nothing was done. */
  release(plan: PlanKey): Promise<void>;
  /** Takes out what expired a week ago. */
  sweep(): Promise<void>;
}
