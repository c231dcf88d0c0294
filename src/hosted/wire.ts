import type { Plan } from '../plan.js';

/** A connector that a service holds. */
export interface HostedConnector {
  id: string;
  name: string;
  connector_type: string;
  workspace_name: string;
  replication_config: Record<string, unknown> | null;
  /** Where the type has settings. */
  settings?: Record<string, boolean>;
  created_at: string;
  updated_at: string;
}

/** What a connector is made with: its type by `connector_type` or `definition_id`. */
export interface CreateConnector {
  workspace_name?: string;
  connector_type?: string;
  definition_id?: string;
  name?: string;
  /** Fields of one of the connector's credential modes. */
  credentials?: object;
  replication_config?: object;
  /** The connector's own settings, such as Gong's includePrivate. */
  settings?: Record<string, boolean>;
}

/** What of a connector is to change; what is left out stays. */
export interface UpdateConnector extends Pick<CreateConnector, 'name' | 'credentials' | 'settings'> {
  /** Null for none. */
  replication_config?: object | null;
}

/** Which connectors to list; `cursor` is `next` of the page before. */
export interface ListConnectors {
  workspace_name?: string;
  connector_type?: string;
  definition_id?: string;
  limit?: number;
  cursor?: string;
}

/** An organisation that a client may act in. */
export interface Organization {
  id: string;
  name: string;
  created_at: string;
}

/** A workspace of an organisation. */
export interface Workspace {
  id: string;
  name: string;
  organization_id: string;
  created_at: string;
}

/** Who a token is for. */
export interface WhoAmI {
  client_id: string;
  name: string;
  /** Whether it is good for one workspace alone. */
  token: 'app' | 'scoped';
  /** Null where the client has several and named none. */
  organization_id: string | null;
  organizations: Organization[];
  workspace_name: string | null;
}

/** A token for one workspace. */
export interface ScopedToken {
  token: string;
}

/** Whether a connector's credentials hold. */
export interface ConnectorCheck {
  id: string;
  status: 'succeeded' | 'failed' | 'inconclusive';
  error_message: string | null;
  entity_check_results: Array<{
    entity: string;
    action: string;
    status: ConnectorCheck['status'];
    error_message: string | null;
  }>;
}

/** What a connector is, and how ready its entities are for searching. */
export interface ConnectorInspection {
  connector_id: string;
  name: string;
  connector_type: string;
  definition_id: string;
  workspace_name: string;
  organization_id: string;
  docs_skill_id: string;
  identity: Record<string, unknown> | null;
  context_store_readiness: {
    entities: Array<{
      entity: string;
      status: 'not_configured' | 'initializing' | 'ready' | 'updating' | 'failed';
      ready_for_search: boolean;
      entity_count: number | null;
      synced_at: string | null;
      error: string | null;
      semantic: Array<{ field: string; status: string }>;
    }>;
  };
  warnings: string[];
}

/** An action to run. */
export interface ExecuteBody {
  entity: string;
  action: string;
  params?: object;
  select_fields?: readonly string[];
  exclude_fields?: readonly string[];
  /** False cuts long strings of lists and searches; true when left out. */
  skip_truncation?: boolean;
  /** Adds the vendor's unlisted fields. */
  raw?: boolean;
  /** Why, for the audit log; at most 512 characters. */
  intent?: string;
  /** Makes a write ready and answers with what would be sent, in `plan`. */
  dry_run?: boolean;
  /** Carries out this plan, and nothing else. */
  plan?: Plan;
}

/** What came of it: `result` is a list, a record, or `{ data, meta }` of a search. */
export interface ExecuteAnswer {
  status: 'success';
  result: unknown;
  connector_metadata: Record<string, unknown>;
  execution_metadata: { connector_instance_id: string; execution_id: string; execution_time_ms: number };
}

/** Documentation for agents, in Markdown. */
export interface SkillDocs {
  metadata: { id: string; title: string; version: string; hash: string };
  outline: Array<{ id: string; title: string }>;
  section_id: string | null;
  content: string;
}

/** How many records a run read, and what became of them. */
export interface SyncCounts {
  read: number;
  inserted: number;
  updated: number;
  unchanged: number;
  removed: number;
  failed: number;
}

/** One run that copies a connector's records. */
export interface SyncJob {
  id: string;
  connector_id: string;
  requested: 'first' | 'interval' | 'request';
  status: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  attempts: number;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  next_try_at: string | null;
  /** From 0 to 1, as far as it can be told. */
  progress: number;
  counts: SyncCounts;
  entities: Array<
    SyncCounts & {
      entity: string;
      status: 'waiting' | 'running' | 'done' | 'failed';
      progress: number | null;
      failures: Array<{ id: string; message: string }>;
      error: string | null;
    }
  >;
  error: string | null;
}

/** What to look for in a workspace. */
export interface WorkspaceSearch {
  prompt: string;
  /** 1 to 100; 10 when left out. */
  limit?: number;
  mode?: 'lexical' | 'dense' | 'hybrid';
  /** Characters of text around each hit, at most 2048. */
  context_size?: number;
  connector_ids?: readonly string[];
  entities?: readonly string[];
}

/** What was found, over all connectors. */
export interface WorkspaceHits {
  data: Array<{
    connector: { id: string; name: string; type: string };
    entity_name: string;
    field: string;
    entity: Record<string, unknown>;
    metadata: { score: number; context: string; [name: string]: unknown };
  }>;
  meta: { has_more: boolean; cursor: string | null; took_ms: number; rankers: string[]; skipped: unknown[] };
}
