import type { PlannedRequest } from '../call/plan.js';

/** A write to prepare for approval by someone else. */
export interface PrepareWrite {
  /** Name of the entity. */
  entity: string;
  /** Name of the action. */
  action: string;
  /** Parameters of the action. */
  params?: object | undefined;
  /** The reason, for the approver and the audit log; up to 512 characters. */
  intent?: string | undefined;
  /** Lifetime of the plan in seconds, 60 to 86,400; 3600 by default. */
  expires_in?: number | undefined;
}

/** Status of a plan. */
export type PlanStatus = 'pending' | 'approved' | 'refused' | 'expired' | 'executed';

/** A write that the service has prepared; times are ISO 8601. */
export interface PlanSummary {
  /** Id of the plan. */
  id: string;
  /** Its status. */
  status: PlanStatus;
  /** The connector. */
  connector_id: string;
  /** Name of the workspace. */
  workspace_name: string;
  /** Entity of the write. */
  entity: string;
  /** Action of the write. */
  action: string;
  /** What the action does: `write` or `destroy`. */
  effect: string;
  /** Id of the client that prepared the plan, and the only one that can execute it. */
  requested_by: string;
  /** Name of that client; null if it was deleted. */
  requested_by_name: string | null;
  /** `http`, `mcp` or `console`. */
  requested_via: string;
  /** When it was prepared. */
  requested_at: string;
  /** When it expires and can no longer be executed. */
  expires_at: string;
  /** Id of the client that approved it; null otherwise. */
  approved_by: string | null;
  /** When it was approved; null otherwise. */
  approved_at: string | null;
  /** Id of the client that refused it; null otherwise. */
  refused_by: string | null;
  /** When it was refused; null otherwise. */
  refused_at: string | null;
  /** Name of the client that decided; null until then. */
  decided_by_name: string | null;
  /** When it was executed; null until then. */
  executed_at: string | null;
}

/** A plan with its contents. */
export interface PlanDetails extends PlanSummary {
  /** The requester's stated reason. */
  intent: string | null;
  /** Why it was approved or refused. */
  reason: string | null;
  /** Its effect. */
  preview: {
    /** In words. */
    summary: string;
    /** Parameters of the action. */
    params: Record<string, unknown>;
    /** The first request that changes data, without credentials. */
    request: PlannedRequest;
  };
}

/** Filters for plans. */
export interface ListPlans {
  /** Only plans with this status. */
  status?: PlanStatus | undefined;
  /** Only plans for this connector. */
  connector_id?: string | undefined;
  /** Page size, 1 to 500; 100 by default. */
  limit?: number | undefined;
  /** `next` from the previous page. */
  cursor?: string | undefined;
}

/** What calls through a connector, or through all connectors in a workspace, are allowed to do. */
export interface Policy {
  /** Name of the workspace. */
  workspace_name: string;
  /** Id of the connector; null for every connector in the workspace. */
  connector_id: string | null;
  /** Rejects all calls that change data. */
  read_only: boolean;
  /** Allowed actions, as `entity.action` or `type:entity.action` with `*` for any; null for all. */
  allow: string[] | null;
  /** Writes that need an approved plan, as patterns of the same kind; null for none. */
  approval: string[] | null;
  /** Whether the client that prepared a plan may approve it (`any`) or not (`other`). */
  approval_by: 'any' | 'other';
  /** When it was last changed; ISO 8601. */
  updated_at: string;
}

/** A policy that replaces the current one; if it has no limits, the policy is removed. */
export interface PutPolicy extends Partial<Omit<Policy, 'connector_id' | 'updated_at'>> {
  /** Name of the workspace. */
  workspace_name: string;
  /** Id of the connector; every connector in the workspace by default. */
  connector_id?: string | undefined;
}

/** Filters for the audit log. */
export interface ListAudit {
  /** Only entries for this connector. */
  connector_id?: string | undefined;
  /** Only entries at or after this time; ISO 8601 with an offset. */
  from?: string | undefined;
  /** Page size, 1 to 1000; 100 by default. */
  limit?: number | undefined;
  /** `next` from the previous page. */
  cursor?: string | undefined;
}

/** One audit log entry. */
export interface AuditEntry {
  /** Position in the organization's log; positions have no gaps. */
  seq: number;
  /** When it was written; ISO 8601. */
  at: string;
  /** `execute`, `sign_in`, `sign_out`, `token`, or a change such as `connector.created`. */
  event: string;
  /** Id of the workspace. */
  workspace_id: string | null;
  /** Id of the connector. */
  connector_id: string | null;
  /** Type of the connector. */
  connector_type: string | null;
  /** Id of the client. */
  client_id: string | null;
  /** `http`, `mcp`, `console`, `setup`, `cli` or `service`. */
  via: string;
  /** Name of the entity. */
  entity: string | null;
  /** Name of the action. */
  action: string | null;
  /** `read`, `write` or `destroy`. */
  effect: string | null;
  /** Digest of the parameters, equal for equal parameters. */
  params_digest: string | null;
  /** The caller's stated reason. */
  intent: string | null;
  /** `begun`, `success`, or an error code. */
  outcome: string;
  /** `seq` of the entry whose outcome this one records. */
  begun_as: number | null;
  /** Duration in milliseconds. */
  duration_ms: number | null;
  /** Id of the request. */
  request_id: string | null;
  /** Remote address of the request. */
  address: string | null;
  /** Id of the plan or client that the entry is about. */
  subject: string | null;
  /** Digest of the previous entry. */
  previous: string;
  /** HMAC-SHA-256 of this entry and the previous digest. */
  digest: string;
}

/** Result of verifying the audit log. */
export interface AuditVerdict {
  /** Number of verified entries. */
  entries: number;
  /** `seq` of the oldest verified entry. */
  first: number | null;
  /** The newest entry; store it elsewhere to detect removed entries later. */
  head: {
    /** Position of the entry. */
    seq: number;
    /** Its digest. */
    digest: string;
  } | null;
  /** The first entry that breaks the chain; null if there is none. */
  broken: {
    /** Position of the entry. */
    seq: number;
    /** What is wrong with it. */
    reason: string;
  } | null;
}
