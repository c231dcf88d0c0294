import { createSandbox, type Sandbox } from 'agent-connectors-sandbox';
import type { RunningService } from 'agent-connectors-service';
import { type ApiResponse, readResponse, serveTestService } from '../http/setup.js';

/** A listening service with one client in its own organization. */
export interface ConsoleService {
  readonly service: RunningService;
  readonly sandbox: Sandbox;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly organizationId: string;
  /** Sends a real HTTP request, by default with the headers of a service page. */
  ask(method: string, path: string, sent?: RequestOptions): Promise<ApiResponse>;
  /** Signs in and returns the cookie. */
  signIn(): Promise<string>;
  /** Creates a connector through the API. */
  connect(cookie: string, name: string): Promise<string>;
}

interface RequestOptions {
  readonly json?: unknown;
  readonly cookie?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Headers that the console sends with requests. */
export const consoleHeaders = { 'x-console': '1', 'sec-fetch-site': 'same-origin' } as const;

export async function startConsoleService(
  options: Parameters<typeof serveTestService>[0] = {},
): Promise<ConsoleService> {
  const sandbox = createSandbox({ seed: 7, scale: 0.2 });
  const service = await serveTestService({ fetch: sandbox.fetch, ...options });
  const { id: organizationId } = await service.state.organizations.create('Acme');
  await service.state.workspaces.create(organizationId, 'main');
  const { client, secret } = await service.state.clients.create('Acme program', [organizationId]);
  const ask: ConsoleService['ask'] = async (method, path, { json, cookie, headers = consoleHeaders } = {}) =>
    readResponse(
      await fetch(service.url + path, {
        method,
        headers: {
          ...headers,
          ...(cookie !== undefined && { cookie }),
          ...(json !== undefined && { 'content-type': 'application/json' }),
        },
        ...(json !== undefined && { body: JSON.stringify(json) }),
      }),
    );
  return {
    service,
    sandbox,
    organizationId,
    ask,
    clientId: client.id,
    clientSecret: secret,
    async signIn() {
      const response = await ask('POST', '/console/session', {
        json: { client_id: client.id, client_secret: secret },
      });
      return cookieOf(response);
    },
    async connect(cookie, name) {
      const credentials = sandbox.vendors.linear.credentials.api_key;
      const json = { workspace_name: 'main', connector_type: 'linear', name, credentials };
      const { body } = await ask('POST', '/api/v1/integrations/connectors', { json, cookie });
      return body.id;
    },
  };
}

/** The cookie set by a response, as sent with the next request. */
export const cookieOf = ({ headers }: ApiResponse): string => headers.getSetCookie()[0]?.split(';')[0] ?? '';
