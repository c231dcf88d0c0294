import { checkOptions, type HostedOptions } from '../call/options.js';
import { ConnectorError } from '../errors/connector-error.js';
import type { Lifetime } from '../http/lifetime.js';
import type { ConnectorDescription } from '../manifest/describe.js';
import type {
  AuditEntry,
  AuditVerdict,
  ChangesPage,
  ConnectorCheck,
  ConnectorInspection,
  ConnectorType,
  CreateConnector,
  ExecuteAnswer,
  ExecuteBody,
  HostedConnector,
  List,
  ListAudit,
  ListConnectors,
  ListPlans,
  Organization,
  Page,
  PlanDetails,
  PlanSummary,
  Policy,
  PrepareWrite,
  PutPolicy,
  ReadChanges,
  ScopedToken,
  ScopedTokenOptions,
  SkillDocs,
  SyncJob,
  UpdateConnector,
  WhoAmI,
  Workspace,
  WorkspaceHits,
  WorkspaceSearch,
} from '../wire/index.js';
import { type FollowChanges, followChanges } from './changes.js';
import { sessionsOf } from './connect.js';
import { hostedTarget } from './options.js';
import { fetchAllPages } from './pages.js';
import { connectorPath, lifetimeOf, Service, type ServiceRequest, type ServiceSettings } from './service.js';
import { webhooksOf } from './webhooks.js';

/** Client options; missing ones are read from the environment. */
export interface AgentConnectorsOptions
  extends Pick<
      HostedOptions,
      'baseUrl' | 'token' | 'clientId' | 'clientSecret' | 'asUser' | 'asGroups' | 'organizationId' | 'workspace'
    >,
    ServiceSettings {
  /** Timeout of a call in milliseconds; 120,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** Aborts every call of this client. */
  readonly signal?: AbortSignal | undefined;
}

const optionKinds = {
  baseUrl: 'text',
  token: 'text',
  clientId: 'text',
  clientSecret: 'text',
  asUser: 'text',
  asGroups: 'strings',
  organizationId: 'text',
  workspace: 'text',
  fetch: 'function',
  attemptTimeoutMs: 'ms',
  retries: 'count',
  userAgent: 'text',
  timeoutMs: 'ms',
  signal: 'signal',
} as const;

/** A connector class, such as `LinearConnector`. */
interface HostedClass<C> {
  new (options: ServiceSettings & { readonly hosted: HostedOptions; readonly timeoutMs?: number | undefined }): C;
}

/** Returns a client's service; not exported from the package. */
export let serviceOf: (client: AgentConnectors) => Service;

/** A client for a service: its workspaces, connectors and everything else in it. */
export class AgentConnectors {
  /** Gives the command line access to the client's service. */
  static {
    serviceOf = (client) => client.#service;
  }

  readonly #service: Service;
  readonly #options: AgentConnectorsOptions;
  readonly #workspace: string;

  constructor(options: AgentConnectorsOptions = {}) {
    checkOptions(options, optionKinds, 'Options for AgentConnectors');
    const target = hostedTarget(options);
    this.#options = options;
    this.#workspace = target.workspace;
    this.#service = new Service(target, options);
  }

  /** The client that the token belongs to, and what it can access. */
  me(): Promise<WhoAmI> {
    return this.#get('/account/me');
  }

  /** A token for one workspace, valid for at most 20 minutes; creates the workspace if it does not exist. */
  scopedToken(workspace_name: string = this.#workspace, options: ScopedTokenOptions = {}): Promise<ScopedToken> {
    const json = { workspace_name, ...options };
    return this.#request({ method: 'POST', path: '/account/applications/scoped-token', json });
  }

  /** Organizations that the client can access. */
  organizations(): Promise<List<Organization>> {
    return this.#get('/organizations');
  }

  /** Workspaces in the organization. */
  readonly workspaces = {
    /** All workspaces in the organization, or those whose names contain the given text. */
    list: async (
      filter: {
        /** Ignores ASCII case. */
        name_contains?: string | undefined;
      } = {},
    ): Promise<List<Workspace>> => ({
      data: await fetchAllPages(this.#service, '/workspaces', { ...filter }, this.#lifetime()),
    }),
    /** Creates a workspace; throws `conflict` if the name is taken. */
    create: (name: string): Promise<Workspace> =>
      this.#request({ method: 'POST', path: '/workspaces', json: { name }, change: 'workspaces.create' }),
    /** Deletes the workspace along with its connectors and their credentials. */
    delete: (name: string): Promise<void> =>
      this.#remove(`/workspaces/${encodeURIComponent(name)}`, 'workspaces.delete'),
  };

  /** Connectors in the service. */
  readonly connectors = {
    /** Created in the client's workspace unless another is specified. */
    create: <const T extends ConnectorType = ConnectorType>(
      connector: CreateConnector<T>,
    ): Promise<HostedConnector> => {
      const json = { ...connector, workspace_name: connector.workspace_name ?? this.#workspace };
      return this.#request({ method: 'POST', path: '/integrations/connectors', json, change: 'connectors.create' });
    },
    /** Lists connectors, page by page. */
    list: (filter: ListConnectors = {}): Promise<Page<HostedConnector>> =>
      this.#get('/integrations/connectors', { ...filter }),
    /** One connector. */
    get: (id: string): Promise<HostedConnector> => this.#get(connectorPath(id)),
    /** Updates the given fields. */
    update: (id: string, changes: UpdateConnector): Promise<HostedConnector> =>
      this.#request({
        method: 'PUT',
        path: connectorPath(id),
        json: changes,
        idempotent: true,
        change: 'connectors.update',
      }),
    /** Deletes the connector, its credentials and its stored records. */
    delete: (id: string): Promise<void> => this.#remove(connectorPath(id), 'connectors.delete'),
    /** Checks the credentials with the vendor. */
    check: (id: string): Promise<ConnectorCheck> =>
      this.#request({ method: 'POST', path: `${connectorPath(id)}/check`, json: {}, idempotent: true }),
    /** The connector and the search readiness of its entities. */
    inspect: (id: string): Promise<ConnectorInspection> => this.#get(`${connectorPath(id)}/inspect`),
    /** The entities, the actions and their JSON Schemas. */
    describe: (id: string): Promise<ConnectorDescription> => this.#get(`${connectorPath(id)}/describe`),
    /** Syncs the connector's records to the service now; if a run is already in progress, returns its id. */
    sync: (
      id: string,
      body: { entities?: readonly string[] | undefined } = {},
    ): Promise<{
      /** Id of the run. */
      job_id: string;
    }> => this.#request({ method: 'POST', path: `${connectorPath(id)}/sync`, json: body, idempotent: true }),
    /** Sync runs, newest first. */
    jobs: (id: string, page: Pick<ListConnectors, 'limit' | 'cursor'> = {}): Promise<Page<SyncJob>> =>
      this.#get(`${connectorPath(id)}/jobs`, { ...page }),
    /**
     * Changes of an entity's replicated records, page by page: store each page together with its `meta.cursor`, and pass
     * that to continue. It ends with the newest change, unless `follow` is set: then it asks for more every `intervalMs`,
     * 10 seconds by default. Throws `cursor_expired` if changes since the cursor may have been forgotten.
     */
    changes: (id: string, options: FollowChanges): AsyncGenerator<ChangesPage, void, undefined> =>
      followChanges((query: ReadChanges) => this.#get(`${connectorPath(id)}/changes`, { ...query }), {
        signal: this.#options.signal,
        ...options,
      }),
    /** Runs an action in wire format; for typed calls, use `connect`. */
    execute: (id: string, body: ExecuteBody): Promise<ExecuteAnswer> =>
      this.#request({
        method: 'POST',
        path: `${connectorPath(id)}/execute`,
        json: body,
        // The key identifies a write if it is sent again.
        headers: { 'idempotency-key': crypto.randomUUID() },
        idempotent: true,
        change: readActions.has(body.action) ? undefined : `${body.entity}.${body.action}`,
      }),
    /** Prepares a write and stores its plan for approval; `execute` with `plan_id` runs it. */
    prepare: (id: string, write: PrepareWrite): Promise<PlanDetails> =>
      this.#request({ method: 'POST', path: `${connectorPath(id)}/execute/prepare`, json: write }),
    ...sessionsOf(
      (request) => this.#request(request),
      () => this.#workspace,
    ),
  };

  /** Plans for writes, and decisions on them. */
  readonly plans = {
    /** Plans, newest first, page by page. */
    list: (filter: ListPlans = {}): Promise<Page<PlanSummary>> => this.#get('/plans', { ...filter }),
    /** One plan with its contents. */
    get: (id: string): Promise<PlanDetails> => this.#get(planPath(id)),
    /** Approves a pending plan; a policy may require a client other than the requester. */
    approve: (id: string, reason?: string): Promise<PlanDetails> => this.#decide(id, 'approve', reason),
    /** Refuses a plan that has not been executed. */
    refuse: (id: string, reason?: string): Promise<PlanDetails> => this.#decide(id, 'refuse', reason),
  };

  /** Policies that limit what can be done through connectors. */
  readonly policies = {
    /** All of the organization's policies. */
    list: (): Promise<List<Policy>> => this.#get('/policies'),
    /** Replaces a policy, or removes it if there are no limits. Returns the workspace's policies. */
    put: (policy: PutPolicy): Promise<List<Policy>> =>
      this.#request({ method: 'PUT', path: '/policies', json: policy, idempotent: true, change: 'policies.put' }),
  };

  /** Endpoints that receive events about connectors. */
  readonly webhooks = webhooksOf((request) => this.#request(request));

  /** The audit log. */
  readonly audit = {
    /** Entries, newest first, page by page. */
    list: (filter: ListAudit = {}): Promise<Page<AuditEntry>> => this.#get('/audit', { ...filter }),
    /** Verifies that the log has not been altered. */
    verify: (): Promise<AuditVerdict> => this.#get('/audit/verify'),
  };

  /** Runs a semantic search across everything a workspace's connectors have replicated, best hits first. */
  search(query: WorkspaceSearch, workspace: string = this.#workspace): Promise<WorkspaceHits> {
    const path = `/workspaces/${encodeURIComponent(workspace)}/search`;
    return this.#request({ method: 'POST', path, json: query, idempotent: true });
  }

  /** A connector's documentation for agents: the outline, or one section. */
  skillDocs(id: string, section?: string): Promise<SkillDocs> {
    return this.#get('/skills/docs', { id, section });
  }

  /** A typed connector that runs through the service: by id, by name, or the only one of its type in the workspace. */
  connect<C>(Connector: HostedClass<C>, which: Pick<HostedOptions, 'connectorId' | 'workspace' | 'name'> = {}): C {
    const { fetch, attemptTimeoutMs, retries, userAgent, timeoutMs, signal: _, ...hosted } = this.#options;
    return new Connector({
      fetch,
      attemptTimeoutMs,
      retries,
      userAgent,
      timeoutMs,
      hosted: { ...hosted, ...which, workspace: which.workspace ?? this.#workspace },
    });
  }

  #decide(id: string, decision: 'approve' | 'refuse', reason?: string): Promise<PlanDetails> {
    const json = reason === undefined ? {} : { reason };
    return this.#request({ method: 'POST', path: `${planPath(id)}/${decision}`, json, change: `plans.${decision}` });
  }

  #lifetime(): Lifetime {
    return lifetimeOf(this.#options.timeoutMs, this.#options.signal);
  }

  #get<T>(path: string, query?: ServiceRequest['query']): Promise<T> {
    return this.#request({ method: 'GET', path, query, idempotent: true });
  }

  async #request<T>(request: Pick<ServiceRequest, 'method' | 'path'> & Partial<ServiceRequest>): Promise<T> {
    return this.#service.json({ idempotent: false, ...request, lifetime: this.#lifetime() });
  }

  async #remove(path: string, change: string): Promise<void> {
    try {
      await this.#request({ method: 'DELETE', path, idempotent: true, change });
    } catch (error) {
      // The first attempt's response was lost; if the second finds nothing, the deletion succeeded.
      const last = ConnectorError.is(error) && error.code === 'unknown_outcome' ? error.cause : undefined;
      if (!ConnectorError.is(last) || last.code !== 'not_found') throw error;
    }
  }
}

const planPath = (id: string): string => `/plans/${encodeURIComponent(id)}`;

/** Actions without side effects. */
const readActions: ReadonlySet<string> = new Set(['list', 'get', 'download', 'context_store_search']);
