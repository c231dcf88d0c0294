import type { JsonSchema } from '../form/schema.js';

/** An entity's action, as returned by `describe`. */
export interface ActionDescription {
  readonly name: string;
  readonly description: string;
  readonly effect: 'read' | 'write' | 'destroy';
  readonly paginated: boolean;
  readonly binary: boolean;
  readonly params: JsonSchema;
  readonly example: unknown;
}

/** One entity of a connector. */
export interface EntityDescription {
  readonly name: string;
  readonly description: string;
  readonly search: {
    readonly fields: Readonly<Record<string, string>>;
    readonly semantic: Readonly<Record<string, object>>;
  } | null;
  readonly actions: readonly ActionDescription[];
}

/** Everything a connector type can do. */
export interface ConnectorDescription {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly entities: readonly EntityDescription[];
}

/** A page of a list. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly next: string | null;
}

/** A job's counts, in total or for one entity. */
export interface Counts {
  readonly read: number;
  readonly inserted: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly failed: number;
}

/** A sync job. */
export interface Job {
  readonly id: string;
  readonly requested: string;
  readonly status: string;
  readonly attempts: number;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly next_try_at: string | null;
  readonly progress: number;
  readonly counts: Counts;
  readonly entities: ReadonlyArray<
    Counts & {
      readonly entity: string;
      readonly status: string;
      readonly failures: ReadonlyArray<{ readonly id: string; readonly message: string }>;
      readonly error: string | null;
    }
  >;
  readonly error: string | null;
}

/** A search hit. */
export interface Hit {
  readonly connector: { readonly id: string; readonly name: string; readonly type: string };
  readonly entity_name: string;
  readonly field: string;
  readonly title: string | null;
  readonly url: string | null;
  readonly date: string | null;
  readonly person: string | null;
  readonly entity: Readonly<Record<string, unknown>>;
  readonly metadata: { readonly score: number; readonly context: string; readonly [name: string]: unknown };
}

/** Result of a workspace search. */
export interface WorkspaceSearchResponse {
  readonly data: readonly Hit[];
  readonly meta: {
    readonly took_ms: number;
    readonly rankers: readonly string[];
    readonly skipped: ReadonlyArray<{
      readonly connector: Hit['connector'];
      readonly entity_name: string | null;
      readonly reason: string;
    }>;
  };
}

/** A workspace. */
export interface Workspace {
  readonly id: string;
  readonly name: string;
}

/** The policy for a workspace or one of its connectors. */
export interface PolicyRow {
  readonly workspace_name: string;
  readonly connector_id: string | null;
  readonly read_only: boolean;
  readonly allow: readonly string[] | null;
  readonly approval: readonly string[] | null;
  readonly approval_by: 'any' | 'other';
  readonly updated_at: string;
}

/** An authorized app. */
export interface GrantRow {
  readonly id: string;
  readonly app_name: string;
  readonly redirect_uri: string;
  readonly client_id: string;
  readonly client_name: string | null;
  readonly workspace_name: string;
  readonly scopes: readonly string[];
  readonly connector_ids: readonly string[] | null;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

/** A response from execute. */
export interface ExecuteResponse {
  readonly result: unknown;
  readonly connector_metadata: Readonly<Record<string, unknown>>;
  readonly execution_metadata: { readonly execution_id: string; readonly execution_time_ms: number };
}

/** A connector's rate limit information. */
export interface QuotaResponse {
  readonly reported: ReadonlyArray<{
    readonly name: string;
    readonly remaining: number;
    readonly limit: number | null;
    readonly resets_at: string | null;
    readonly reported_at: string;
  }>;
  readonly limits: ReadonlyArray<{ readonly requests: number; readonly seconds: number; readonly sent: number }>;
  readonly sent: { readonly last_minute: number; readonly last_day: number; readonly since: string };
  readonly refused_at: string | null;
}

/** A prepared write that was not sent. */
export interface Plan {
  readonly request: { readonly method: string; readonly url: string; readonly body: unknown };
  readonly digest: string;
}

/** A plan in a list. */
export interface PlanRow {
  readonly id: string;
  readonly status: 'pending' | 'approved' | 'refused' | 'expired' | 'executed';
  readonly connector_id: string;
  readonly entity: string;
  readonly action: string;
  readonly requested_by: string;
  readonly requested_by_name: string | null;
  readonly requested_via: string;
  readonly requested_at: string;
  readonly expires_at: string;
  readonly approved_by: string | null;
  readonly refused_by: string | null;
  readonly decided_by_name: string | null;
}

/** A plan with its contents. */
export interface PlanDetails extends PlanRow {
  readonly intent: string | null;
  readonly preview: { readonly summary: string; readonly params: object; readonly request: Plan['request'] };
}

/** Documentation for agents. */
export interface SkillDocs {
  readonly metadata: {
    readonly id: string;
    readonly title: string;
    readonly version: string;
    readonly hash: string;
  };
  readonly outline: ReadonlyArray<{ readonly id: string; readonly title: string }>;
  readonly section_id: string | null;
  readonly content: string;
}
