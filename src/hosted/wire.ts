import type { Plan } from '../call/plan.js';

/** This version's connector types by name; added by the build, since this module does not import any connector. */
// biome-ignore lint/suspicious/noEmptyInterface: see above.
interface KnownTypes {}

/** Connector type, such as `google-drive`; a service may have others. */
export type ConnectorType = keyof KnownTypes | (string & {});

/** A service's connector. */
export interface HostedConnector {
  /** Id of the connector. */
  id: string;
  /** Name, unique in the workspace. */
  name: string;
  /** Connector type, such as `google-drive`. */
  connector_type: string;
  /** Name of the workspace. */
  workspace_name: string;
  /** What to replicate, and how often. */
  replication_config: Record<string, unknown> | null;
  /** Connector-specific settings; undefined for types without any. */
  settings?: Record<string, boolean>;
  /** When it was created; ISO 8601. */
  created_at: string;
  /** When it was last changed; ISO 8601. */
  updated_at: string;
  /** `ok` until the vendor rejects the credentials or syncs keep failing; missing in older services. */
  status?: 'ok' | 'needs_reauthorization' | 'failing';
}

/** A new connector, with its type as `connector_type` or `definition_id`. */
export interface CreateConnector {
  /** Name of the workspace. */
  workspace_name?: string | undefined;
  /** Connector type, such as `google-drive`. */
  connector_type?: ConnectorType | undefined;
  /** Id of the type. */
  definition_id?: string | undefined;
  /** Name, unique in the workspace; the type's title by default. */
  name?: string | undefined;
  /** Fields of one of the connector's auth modes. */
  credentials?: object | undefined;
  /** What to replicate, and how often. */
  replication_config?: object | undefined;
  /** Connector-specific settings, such as Gong's includePrivate. */
  settings?: Record<string, boolean> | undefined;
}

/** Changes to a connector; undefined fields are unchanged. */
export interface UpdateConnector extends Pick<CreateConnector, 'name' | 'credentials' | 'settings'> {
  /** Null for none. */
  replication_config?: object | null | undefined;
}

/** Which connectors to list; `cursor` is `next` from the previous page. */
export interface ListConnectors {
  /** Name of the workspace. */
  workspace_name?: string | undefined;
  /** Connector type, such as `google-drive`. */
  connector_type?: ConnectorType | undefined;
  /** Id of the type. */
  definition_id?: string | undefined;
  /** Page size. */
  limit?: number | undefined;
  /** `next` from the previous page. */
  cursor?: string | undefined;
}

/** An organization that a client can access. */
export interface Organization {
  /** Id of the organization. */
  id: string;
  /** Name of the organization. */
  name: string;
  /** When it was created; ISO 8601. */
  created_at: string;
}

/** An organization's workspace. */
export interface Workspace {
  /** Id of the workspace. */
  id: string;
  /** Name, unique in the organization. */
  name: string;
  /** Organization that it belongs to. */
  organization_id: string;
  /** When it was created; ISO 8601. */
  created_at: string;
}

/** Token scopes: read data, write data, manage connectors, or administer clients, policies and the audit log. */
export type TokenScope = 'read' | 'write' | 'manage' | 'admin';

/** The identity of a token. */
export interface WhoAmI {
  /** Id of the client. */
  client_id: string;
  /** Name of the client. */
  name: string;
  /** Whether it is limited to one workspace. */
  token: 'app' | 'scoped';
  /** Its scopes; undefined for services that predate scopes. */
  scopes?: TokenScope[];
  /** Null if the client has several and none was specified. */
  organization_id: string | null;
  /** Organizations that it can access. */
  organizations: Organization[];
  /** Name of the workspace. */
  workspace_name: string | null;
}

/** Options for a workspace token. */
export interface ScopedTokenOptions {
  /** Its scopes, limited to the client's: `read` and `write` by default; `manage` allows creating connectors. */
  scopes?: readonly TokenScope[] | undefined;
  /** Lifetime in seconds, 60 to 1200; 1200 by default. */
  expires_in?: number | undefined;
  /** Email address of a user: the token can read only what this user can read at the vendor, and cannot write. */
  as_user?: string | undefined;
  /** Email addresses of this user's groups, including nested ones; other groups grant no access. */
  as_groups?: readonly string[] | undefined;
}

/** A token for one workspace. */
export interface ScopedToken {
  /** The token, to be used by one customer's program. */
  token: string;
  /** Seconds until it expires; undefined for older services. */
  expires_in?: number;
  /** Its scopes; undefined for older services. */
  scopes?: TokenScope[];
}

/** Result of checking a connector's credentials. */
export interface ConnectorCheck {
  /** Id of the connector. */
  id: string;
  /** Whether the vendor accepts the credentials; `inconclusive` if they could not be checked. */
  status: 'succeeded' | 'failed' | 'inconclusive';
  /** Why it failed; null otherwise. */
  error_message: string | null;
  /** The checks performed. */
  entity_check_results: Array<{
    /** Entity read. */
    entity: string;
    /** Action run. */
    action: string;
    /** Its result. */
    status: ConnectorCheck['status'];
    /** Why it failed; null otherwise. */
    error_message: string | null;
  }>;
}

/** A connector and the search readiness of its entities. */
export interface ConnectorInspection {
  /** Id of the connector. */
  connector_id: string;
  /** Name of the connector. */
  name: string;
  /** Connector type, such as `google-drive`. */
  connector_type: string;
  /** Id of the type. */
  definition_id: string;
  /** Name of the workspace. */
  workspace_name: string;
  /** Organization that it belongs to. */
  organization_id: string;
  /** Id of its documentation for agents. */
  docs_skill_id: string;
  /** The account, if the vendor reports it. */
  identity: Record<string, unknown> | null;
  /** Search readiness of its records. */
  context_store_readiness: {
    /** Searchable entities. */
    entities: Array<{
      /** Name of the entity. */
      entity: string;
      /** Its status. */
      status: 'not_configured' | 'initializing' | 'ready' | 'updating' | 'failed';
      /** Whether it is complete. */
      ready_for_search: boolean;
      /** Number of records. */
      entity_count: number | null;
      /** When it was last complete; ISO 8601, null until then. */
      synced_at: string | null;
      /** Why it failed; null otherwise. */
      error: string | null;
      /** Fields that support semantic search. */
      semantic: Array<{
        /** Name of the field. */
        field: string;
        /** Status of its passages. */
        status: string;
      }>;
    }>;
  };
  /** Problems to fix or be aware of. */
  warnings: string[];
  /** Configured values by parameter; undefined for older services. */
  known_parameters?: Record<string, string[]>;
}

/** An action call. */
export interface ExecuteBody {
  /** Name of the entity. */
  entity: string;
  /** Name of the action. */
  action: string;
  /** Parameters of the action. */
  params?: object | undefined;
  /** Fields to keep, as dotted paths. */
  select_fields?: readonly string[] | undefined;
  /** Fields to drop, as dotted paths. */
  exclude_fields?: readonly string[] | undefined;
  /** View of each record: `concise` for the main fields; `full` by default. */
  view?: 'concise' | 'full' | undefined;
  /** If false, truncates long strings in lists and searches; true by default. */
  skip_truncation?: boolean | undefined;
  /** Adds vendor fields that are not in the schema. */
  raw?: boolean | undefined;
  /** The reason, for the audit log; up to 512 characters. */
  intent?: string | undefined;
  /** Prepares a write and returns it in `plan`. */
  dry_run?: boolean | undefined;
  /** Executes exactly this plan. */
  plan?: Plan | undefined;
  /** Executes a stored plan once; see `prepare`. */
  plan_id?: string | undefined;
}

/** The outcome: `result` is a list, a record, or `{ data, meta }` for a search. */
export interface ExecuteAnswer {
  /** Always `success`; failures are errors. */
  status: 'success';
  /** The action's result. */
  result: unknown;
  /** Metadata of a list. */
  connector_metadata: Record<string, unknown>;
  /** Execution details. */
  execution_metadata: {
    /** Id of the connector. */
    connector_instance_id: string;
    /** Id of the call, as in the audit log. */
    execution_id: string;
    /** Duration in milliseconds. */
    execution_time_ms: number;
  };
}

/** Documentation for agents, in Markdown. */
export interface SkillDocs {
  /** Metadata of the documentation. */
  metadata: {
    /** Id of the documentation. */
    id: string;
    /** Its title. */
    title: string;
    /** Version of the connector. */
    version: string;
    /** SHA-256 of the whole documentation, in hex. */
    hash: string;
  };
  /** Available sections. */
  outline: Array<{
    /** Id of the section. */
    id: string;
    /** Title of the section. */
    title: string;
  }>;
  /** Returned section; null for the overview. */
  section_id: string | null;
  /** Markdown. */
  content: string;
}
