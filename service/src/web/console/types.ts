/** How a connector does: the worst of what is known of it. */
export type Health =
  | 'ready'
  | 'syncing'
  | 'retrying'
  | 'failing'
  | 'needs_reauthorization'
  | 'no_credentials'
  | 'not_replicated';

/** One entity of a connector in the overview. */
export interface EntityOverview {
  readonly entity: string;
  readonly status: 'not_configured' | 'initializing' | 'ready' | 'updating' | 'failed';
  readonly ready_for_search: boolean;
  readonly entity_count: number | null;
  readonly synced_at: string | null;
  readonly error: string | null;
  readonly semantic: ReadonlyArray<{ readonly field: string; readonly status: string }>;
}

/** The newest job of a connector in the overview. */
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

/** A connector with how it does. */
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
  /** When the entity that is furthest behind was synced; null where one never was. */
  readonly synced_at: string | null;
  readonly entities: readonly EntityOverview[];
  readonly job: JobOverview | null;
}

/** What the stream of events sends: connectors that are new or have changed, and ids of those that are gone. */
export interface OverviewChange {
  /** Whether `changed` is all there is, and what is not in it is gone. */
  readonly whole: boolean;
  readonly changed: readonly ConnectorOverview[];
  readonly removed: readonly string[];
}

/** Who is signed in to the console, and at what. */
export interface SessionResponse {
  readonly client_id: string;
  readonly name: string;
  /** What the client may do. */
  readonly scopes: readonly string[];
  readonly organizations: ReadonlyArray<{ readonly id: string; readonly name: string }>;
  readonly expires_at: string;
  readonly version: string;
  /** The address that programs reach the service at, where it was told it. */
  readonly base_url: string | null;
  readonly mcp_allow_writes: boolean;
}
