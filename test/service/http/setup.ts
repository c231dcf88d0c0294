import { createSandbox, type Sandbox } from 'agent-connectors-sandbox';
import { type CreateOptions, createService, type RunningService, type Service, serve } from 'agent-connectors-service';
import { onTestFinished } from 'vitest';

/** A response that has been read to the end. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body, if it is JSON. */
  readonly body: any;
}

/** Options for a request. */
export interface RequestOptions {
  readonly json?: unknown;
  /** A body that is sent unchanged. */
  readonly raw?: BodyInit;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export type Requester = (method: string, path: string, sent?: RequestOptions) => Promise<ApiResponse>;

/** A tenant: a client of one organization, with a token and a workspace. */
export interface Tenant {
  readonly organizationId: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly token: string;
  readonly workspace: string;
  /** Sends a request with the token. */
  readonly ask: Requester;
  /** Creates a connector in the workspace and returns its id. */
  connect(type: string, credentials?: object, more?: object): Promise<string>;
}

export interface TestService {
  readonly service: Service;
  readonly sandbox: Sandbox;
  /** Sends a request without a token. */
  readonly ask: Requester;
  tenant(name?: string): Promise<Tenant>;
}

const origin = 'http://service.test';

/** A request to a service, with a JSON body if one is given. */
export function requestTo(
  path: string,
  method: string,
  { json, raw, headers = {}, signal }: RequestOptions = {},
): Request {
  const body = json === undefined ? raw : JSON.stringify(json);
  return new Request(path.startsWith('http') ? path : origin + path, {
    method,
    headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body, duplex: 'half' }),
    ...(signal && { signal }),
  } as RequestInit);
}

export async function readResponse(response: Response): Promise<ApiResponse> {
  const text = await response.text();
  const isJson = text !== '' && response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
}

/** Sends a request with the default headers. */
export const createRequester =
  (service: Service, defaultHeaders: Readonly<Record<string, string>> = {}): Requester =>
  async (method, path, sent = {}) =>
    readResponse(
      await service.fetch(requestTo(path, method, { ...sent, headers: { ...defaultHeaders, ...sent.headers } })),
    );

/** An in-memory service whose vendors are a sandbox. Ranking is lexical unless an embedder is given. */
export async function startTestService(
  options: CreateOptions & { readonly sandbox?: Sandbox } = {},
): Promise<TestService> {
  const { sandbox = createSandbox({ seed: 7, scale: 0.2 }), ...others } = options;
  const service = await createService({
    dataFolder: ':memory:',
    dev: true,
    fetch: sandbox.fetch,
    replicate: false,
    embedders: [],
    ...others,
  });
  onTestFinished(() => service.close());
  const ask = createRequester(service);
  return { service, sandbox, ask, tenant: (name = 'Acme') => tenantOf(service, name) };
}

/** An in-memory service that listens on a free port until the test ends; its vendors are a sandbox. */
export async function serveTestService(options: Parameters<typeof serve>[0] = {}): Promise<RunningService> {
  const server = await serve({
    dataFolder: ':memory:',
    dev: true,
    port: 0,
    fetch: createSandbox({ seed: 7, scale: 0.2 }).fetch,
    replicate: false,
    ...options,
  });
  onTestFinished(() => server.close());
  return server;
}

/** Creates an organization with a client, its token and a workspace named `main`. */
export async function tenantOf(service: Service, name: string): Promise<Tenant> {
  const { id: organizationId } = await service.state.organizations.create(name);
  const { client, secret } = await service.state.clients.create(`${name} program`, [organizationId]);
  const workspace = 'main';
  await service.state.workspaces.create(organizationId, workspace);
  const { body } = await createRequester(service)('POST', '/api/v1/account/applications/token', {
    json: { client_id: client.id, client_secret: secret },
  });
  const ask = createRequester(service, { authorization: `Bearer ${body.access_token}` });
  return {
    organizationId,
    clientId: client.id,
    clientSecret: secret,
    token: body.access_token,
    workspace,
    ask,
    async connect(connector_type, credentials, more = {}) {
      const made = await ask('POST', '/api/v1/integrations/connectors', {
        json: { workspace_name: workspace, connector_type, ...(credentials && { credentials }), ...more },
      });
      if (made.status !== 200) throw new Error(made.text);
      return made.body.id;
    },
  };
}

export const connectorPath = (id: string, rest = '') => `/api/v1/integrations/connectors/${id}${rest}`;

/** Runs an action. */
export const execute = (
  { ask }: Pick<Tenant, 'ask'>,
  id: string,
  entity: string,
  action: string,
  params?: object,
  {
    headers = {},
    ...more
  }: { readonly headers?: Readonly<Record<string, string>>; readonly [key: string]: unknown } = {},
) =>
  ask('POST', connectorPath(id, '/execute'), {
    json: { entity, action, ...(params && { params }), ...more },
    headers,
  });
