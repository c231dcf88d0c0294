import type { PlannedRequest } from '../call/plan.js';

/** A write to prepare, so that somebody else can approve it. */
export interface PrepareWrite {
  /** Name of the entity. */
  entity: string;
  /** Name of the action. */
  action: string;
  /** Parameters of the action. */
  params?: object | undefined;
  /** Why it is to be done, for whoever approves it and for the audit log; at most 512 characters. */
  intent?: string | undefined;
  /** Seconds that the plan is good for, 60 to 86,400; 3600 when left out. */
  expires_in?: number | undefined;
}

/** How far a plan is. */
export type PlanStatus = 'pending' | 'approved' | 'refused' | 'expired' | 'executed';

/** A write that the service has prepared; times are ISO 8601. */
export interface PlanSummary {
  /** Id of the plan. */
  id: string;
  /** How far it is. */
  status: PlanStatus;
  /** Connector that it is for. */
  connector_id: string;
  /** Name of the workspace. */
  workspace_name: string;
  /** Entity of the write. */
  entity: string;
  /** Action of the write. */
  action: string;
  /** What the action does: `write` or `destroy`. */
  effect: string;
  /** Id of the client that prepared it; only this client can execute it. */
  requested_by: string;
  /** Name of that client; null where it is gone. */
  requested_by_name: string | null;
  /** `http`, `mcp` or `console`. */
  requested_via: string;
  /** When it was prepared. */
  requested_at: string;
  /** When it can no longer be executed. */
  expires_at: string;
  /** Id of the client that approved it; null otherwise. */
  approved_by: string | null;
  /** When it was approved; null otherwise. */
  approved_at: string | null;
  /** Id of the client that refused it; null otherwise. */
  refused_by: string | null;
  /** When it was refused; null otherwise. */
  refused_at: string | null;
  /** Name of the client that decided; null before. */
  decided_by_name: string | null;
  /** When it was executed; null before. */
  executed_at: string | null;
}

/** A plan with what it does. */
export interface PlanDetails extends PlanSummary {
  /** Why it is to be done, in the words of whoever prepared it. */
  intent: string | null;
  /** Why it was approved or refused. */
  reason: string | null;
  /** What it does. */
  preview: {
    /** In words. */
    summary: string;
    /** Parameters of the action. */
    params: Record<string, unknown>;
    /** The first request that changes data, without credentials. */
    request: PlannedRequest;
  };
}

/** Which plans to list. */
export interface ListPlans {
  /** Only those that are this far. */
  status?: PlanStatus | undefined;
  /** Only those of this connector. */
  connector_id?: string | undefined;
  /** Page size, 1 to 500; 100 when left out. */
  limit?: number | undefined;
  /** `next` of the page before. */
  cursor?: string | undefined;
}

/** What may be done through a connector, or through all connectors of a workspace. */
export interface Policy {
  /** Name of the workspace. */
  workspace_name: string;
  /** Id of the connector; null for every connector of the workspace. */
  connector_id: string | null;
  /** Refuses whatever changes data. */
  read_only: boolean;
  /** What may be done, as `entity.action` or `type:entity.action` with `*` for any; null for everything. */
  allow: string[] | null;
  /** Writes that need an approved plan, by the same patterns; null for none. */
  approval: string[] | null;
  /** Whether the client that prepared a plan may approve it (`any`) or not (`other`). */
  approval_by: 'any' | 'other';
  /** When it was last changed; ISO 8601. */
  updated_at: string;
}

/** A policy to put in place of the one that there is; without a limit, the policy is removed. */
export interface PutPolicy extends Partial<Omit<Policy, 'connector_id' | 'updated_at'>> {
  /** Name of the workspace. */
  workspace_name: string;
  /** Id of the connector; every connector of the workspace when left out. */
  connector_id?: string | undefined;
}

/** Which entries of the audit log to list. */
export interface ListAudit {
  /** Only those of this connector. */
  connector_id?: string | undefined;
  /** Only entries from this moment on; ISO 8601 with an offset. */
  from?: string | undefined;
  /** Page size, 1 to 1000; 100 when left out. */
  limit?: number | undefined;
  /** `next` of the page before. */
  cursor?: string | undefined;
}

/** One entry of the audit log. */
export interface AuditEntry {
  /** Position in the log of the organization, without a gap. */
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
  /** The same for the same parameters. */
  params_digest: string | null;
  /** Why, in the caller's words. */
  intent: string | null;
  /** `begun`, `success`, or the code of an error. */
  outcome: string;
  /** `seq` of the entry that this is the outcome of. */
  begun_as: number | null;
  /** Milliseconds that it took. */
  duration_ms: number | null;
  /** Id of the request. */
  request_id: string | null;
  /** Where the request came from. */
  address: string | null;
  /** Id of a plan or of a client that it is about. */
  subject: string | null;
  /** Digest of the entry before. */
  previous: string;
  /** HMAC-SHA-256 of this entry together with the one before. */
  digest: string;
}

/** Whether the audit log is as it was written. */
export interface AuditVerdict {
  /** How many entries were checked. */
  entries: number;
  /** `seq` of the oldest entry that was checked. */
  first: number | null;
  /** `seq` of the first entry whose digest only the service can compute. */
  keyed_from: number | null;
  /** The newest entry; keep it elsewhere to detect later that entries were cut off. */
  head: {
    /** Position of the entry. */
    seq: number;
    /** Its digest. */
    digest: string;
  } | null;
  /** The first entry that does not follow from the one before; null where all do. */
  broken: {
    /** Position of the entry. */
    seq: number;
    /** What is wrong with it. */
    reason: string;
  } | null;
}
