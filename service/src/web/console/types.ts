/** Health of a connector: its most severe state. */
export type Health =
  | 'ready'
  | 'syncing'
  | 'retrying'
  | 'failing'
  | 'needs_reauthorization'
  | 'no_credentials'
  | 'not_replicated';

/** An entity in the overview. */
export interface EntityOverview {
  readonly entity: string;
  readonly status: 'not_configured' | 'initializing' | 'ready' | 'updating' | 'failed';
  readonly ready_for_search: boolean;
  readonly entity_count: number | null;
  readonly synced_at: string | null;
  readonly error: string | null;
  readonly semantic: ReadonlyArray<{ readonly field: string; readonly status: string }>;
}

/** A connector's newest job in the overview. */
export interface JobOverview {
  readonly id: string;
  readonly status: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  readonly progress: number;
  readonly read: number;
  readonly failed: number;
  readonly attempts: number;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly next_try_at: string | null;
  readonly error: string | null;
}

/** A connector with its status. */
export interface ConnectorOverview {
  readonly id: string;
  readonly name: string;
  readonly connector_type: string;
  readonly title: string;
  readonly workspace_name: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly health: Health;
  readonly records: number;
  /** The oldest sync time among its entities; null if one has never been synced. */
  readonly synced_at: string | null;
  readonly entities: readonly EntityOverview[];
  readonly job: JobOverview | null;
}

/** A stream event: new or changed connectors, and ids of deleted ones. */
export interface OverviewChange {
  /** If true, `changed` lists every connector, so any others have been deleted. */
  readonly whole: boolean;
  readonly changed: readonly ConnectorOverview[];
  readonly removed: readonly string[];
}

/** A connector type that can be added. */
export interface TypeOverview {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Two letters on a tile in the vendor's color, `#rrggbb`. */
  readonly mark: { readonly letters: string; readonly color: string };
}

/** The current console session. */
export interface SessionResponse {
  readonly client_id: string;
  readonly name: string;
  /** Scopes of the client. */
  readonly scopes: readonly string[];
  readonly organizations: ReadonlyArray<{ readonly id: string; readonly name: string }>;
  readonly expires_at: string;
  readonly version: string;
  /** The service's URL for programs, if configured. */
  readonly base_url: string | null;
  readonly mcp_allow_writes: boolean;
  readonly types: readonly TypeOverview[];
}
