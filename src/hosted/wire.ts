import type { Plan } from '../call/plan.js';

/** Types of connectors that come with this version, by name; the build adds them, since this module knows no connector. */
// biome-ignore lint/suspicious/noEmptyInterface: see above.
interface KnownTypes {}

/** Name of a type of connectors, such as `google-drive`; a service may know others. */
export type ConnectorType = keyof KnownTypes | (string & {});

/** A connector that a service holds. */
export interface HostedConnector {
  /** Id of the connector. */
  id: string;
  /** Name, unique in the workspace. */
  name: string;
  /** Name of the type, such as `google-drive`. */
  connector_type: string;
  /** Name of the workspace. */
  workspace_name: string;
  /** What is replicated, and how often. */
  replication_config: Record<string, unknown> | null;
  /** Where the type has settings. */
  settings?: Record<string, boolean>;
  /** When it was made; ISO 8601. */
  created_at: string;
  /** When it was last changed; ISO 8601. */
  updated_at: string;
  /** `ok` until the vendor refuses the credentials, or syncs keep failing; absent from older services. */
  status?: 'ok' | 'needs_reauthorization' | 'failing';
}

/** What a connector is made with: its type by `connector_type` or `definition_id`. */
export interface CreateConnector {
  /** Name of the workspace. */
  workspace_name?: string | undefined;
  /** Name of the type, such as `google-drive`. */
  connector_type?: ConnectorType | undefined;
  /** Id of the type. */
  definition_id?: string | undefined;
  /** Name, unique in the workspace; the type’s title when left out. */
  name?: string | undefined;
  /** Fields of one of the connector's credential modes. */
  credentials?: object | undefined;
  /** What is replicated, and how often. */
  replication_config?: object | undefined;
  /** The connector's own settings, such as Gong's includePrivate. */
  settings?: Record<string, boolean> | undefined;
}

/** What of a connector is to change; what is left out stays. */
export interface UpdateConnector extends Pick<CreateConnector, 'name' | 'credentials' | 'settings'> {
  /** Null for none. */
  replication_config?: object | null | undefined;
}

/** Which connectors to list; `cursor` is `next` of the page before. */
export interface ListConnectors {
  /** Name of the workspace. */
  workspace_name?: string | undefined;
  /** Name of the type, such as `google-drive`. */
  connector_type?: ConnectorType | undefined;
  /** Id of the type. */
  definition_id?: string | undefined;
  /** How many at most. */
  limit?: number | undefined;
  /** Where the page begins; from `next` of the one before. */
  cursor?: string | undefined;
}

/** An organisation that a client may act in. */
export interface Organization {
  /** Id of the organization. */
  id: string;
  /** Name of the organization. */
  name: string;
  /** When it was made; ISO 8601. */
  created_at: string;
}

/** A workspace of an organisation. */
export interface Workspace {
  /** Id of the workspace. */
  id: string;
  /** Name, unique in the organization. */
  name: string;
  /** Organization that it belongs to. */
  organization_id: string;
  /** When it was made; ISO 8601. */
  created_at: string;
}

/** What a token may do: read data, write it, manage connectors, or administer clients, policies and the audit log. */
export type TokenScope = 'read' | 'write' | 'manage' | 'admin';

/** Who a token is for. */
export interface WhoAmI {
  /** Id of the client. */
  client_id: string;
  /** Name of the client. */
  name: string;
  /** Whether it is good for one workspace alone. */
  token: 'app' | 'scoped';
  /** What it may do; absent from services older than scopes. */
  scopes?: TokenScope[];
  /** Null where the client has several and named none. */
  organization_id: string | null;
  /** Organizations that it may act in. */
  organizations: Organization[];
  /** Name of the workspace. */
  workspace_name: string | null;
}

/** What a token for one workspace is made with. */
export interface ScopedTokenOptions {
  /** What it may do, as far as the client may: `read` and `write` when left out; `manage` makes connectors. */
  scopes?: readonly TokenScope[] | undefined;
  /** Seconds that it is good for, 60 to 1200; 1200 when left out. */
  expires_in?: number | undefined;
  /** E-mail address of a person: the token reads only what this person could open at the vendor, and writes nothing. */
  as_user?: string | undefined;
  /** E-mail addresses of the groups that this person is in, nested ones too; others count as closed. */
  as_groups?: readonly string[] | undefined;
}

/** A token for one workspace. */
export interface ScopedToken {
  /** The token; hand it to the program of one customer. */
  token: string;
  /** Seconds until it expires; absent from older services. */
  expires_in?: number;
  /** What it may do; absent from older services. */
  scopes?: TokenScope[];
}

/** Whether a connector's credentials hold. */
export interface ConnectorCheck {
  /** Id of the connector. */
  id: string;
  /** What the vendor made of the credentials; `inconclusive` where it could not be asked. */
  status: 'succeeded' | 'failed' | 'inconclusive';
  /** Why it failed; null otherwise. */
  error_message: string | null;
  /** What was tried. */
  entity_check_results: Array<{
    /** Entity that was read. */
    entity: string;
    /** Action that was run. */
    action: string;
    /** What became of it. */
    status: ConnectorCheck['status'];
    /** Why it failed; null otherwise. */
    error_message: string | null;
  }>;
}

/** What a connector is, and how ready its entities are for searching. */
export interface ConnectorInspection {
  /** Id of the connector. */
  connector_id: string;
  /** Name of the connector. */
  name: string;
  /** Name of the type, such as `google-drive`. */
  connector_type: string;
  /** Id of the type. */
  definition_id: string;
  /** Name of the workspace. */
  workspace_name: string;
  /** Organization that it belongs to. */
  organization_id: string;
  /** Id of its documentation for agents. */
  docs_skill_id: string;
  /** Whose account it is, where the vendor tells. */
  identity: Record<string, unknown> | null;
  /** How far its records can be searched. */
  context_store_readiness: {
    /** Each entity that can be searched. */
    entities: Array<{
      /** Name of the entity. */
      entity: string;
      /** How far it is. */
      status: 'not_configured' | 'initializing' | 'ready' | 'updating' | 'failed';
      /** Whether all of it is there. */
      ready_for_search: boolean;
      /** How many records there are. */
      entity_count: number | null;
      /** When it was complete; ISO 8601, null before. */
      synced_at: string | null;
      /** Why it failed; null otherwise. */
      error: string | null;
      /** Fields that are searched by meaning. */
      semantic: Array<{
        /** Name of the field. */
        field: string;
        /** How far its passages are. */
        status: string;
      }>;
    }>;
  };
  /** What somebody should know or mend. */
  warnings: string[];
  /** Values that the connector is set up with, by the parameter that takes them; absent from older services. */
  known_parameters?: Record<string, string[]>;
}

/** An action to run. */
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
  /** How much of each record: `concise` is what a person would read first; `full` when left out. */
  view?: 'concise' | 'full' | undefined;
  /** False cuts long strings of lists and searches; true when left out. */
  skip_truncation?: boolean | undefined;
  /** Adds the vendor's unlisted fields. */
  raw?: boolean | undefined;
  /** Why, for the audit log; at most 512 characters. */
  intent?: string | undefined;
  /** Makes a write ready and answers with what would be sent, in `plan`. */
  dry_run?: boolean | undefined;
  /** Carries out this plan, and nothing else. */
  plan?: Plan | undefined;
  /** Carries out a plan that the service holds, once; see `prepare`. */
  plan_id?: string | undefined;
}

/** What came of it: `result` is a list, a record, or `{ data, meta }` of a search. */
export interface ExecuteAnswer {
  /** That it was done; failures are errors. */
  status: 'success';
  /** What the action gave. */
  result: unknown;
  /** Meta of a list. */
  connector_metadata: Record<string, unknown>;
  /** How the service ran it. */
  execution_metadata: {
    /** Id of the connector. */
    connector_instance_id: string;
    /** Id of the call, as the audit log has it. */
    execution_id: string;
    /** Milliseconds that it took. */
    execution_time_ms: number;
  };
}

/** Documentation for agents, in Markdown. */
export interface SkillDocs {
  /** What the documentation is. */
  metadata: {
    /** Id of the documentation. */
    id: string;
    /** Its title. */
    title: string;
    /** Version of the connector. */
    version: string;
    /** SHA-256 of all of it, in hex. */
    hash: string;
  };
  /** Sections that can be asked for. */
  outline: Array<{
    /** Id of the section. */
    id: string;
    /** Title of the section. */
    title: string;
  }>;
  /** Section that came; null for the overview. */
  section_id: string | null;
  /** Markdown. */
  content: string;
}
