import type { Sandbox } from 'agent-connectors-sandbox';
import type { Service } from 'agent-connectors-service';
import type { FixtureClient } from './facts.js';

/** A response that has been read to the end. */
interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: any;
}

/** Sends a request; throws if the status is not the expected one. */
export type Requester = (method: string, path: string, sent?: RequestOptions) => Promise<ApiResponse>;

interface RequestOptions {
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly expected?: number;
}

/** Sends requests to a service with default headers. */
export const createRequester =
  (service: Service, defaultHeaders: Readonly<Record<string, string>> = {}): Requester =>
  async (method, path, { json, headers = {}, expected = 200 } = {}) => {
    const request = new Request(`http://service.test${path}`, {
      method,
      headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...defaultHeaders, ...headers },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    const response = await service.fetch(request);
    const text = await response.text();
    if (response.status !== expected) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    };
  };

/** A client of a service, with a token for its first organization. */
export async function newClient(service: Service, name: string, organizations: string[]): Promise<FixtureClient> {
  const { client, secret } = await service.state.clients.create(name, organizations);
  return { ...(await signIn(service, client.id, secret)), organization_id: organizations[0]! };
}

async function signIn(service: Service, client_id: string, client_secret: string) {
  const { body } = await createRequester(service)('POST', '/api/v1/account/applications/token', {
    json: { client_id, client_secret },
  });
  return { client_id, client_secret, token: body.access_token as string };
}

const connectorsPath = '/api/v1/integrations/connectors';

/** Connectors of all types in one workspace, with credentials and settings; they replicate little data. */
export async function connectAll(ask: Requester, sandbox: Sandbox): Promise<Record<string, string>> {
  const { vendors, clock } = sandbox;
  const analytics = vendors['google-analytics'];
  const daysAgo = (days: number) => new Date(clock.now() - days * 86_400_000).toISOString().slice(0, 10);
  const made: Record<string, object> = {
    linear: { credentials: vendors.linear.credentials.api_key, name: 'Tickets' },
    granola: { credentials: vendors.granola.credentials.api_key, replication_config: { interval: '2h' } },
    gong: {
      credentials: vendors.gong.credentials.basic,
      settings: { includePrivate: true },
      replication_config: { start_date: daysAgo(60), interval: '1d' },
    },
    'google-drive': { credentials: vendors['google-drive'].credentials.oauth },
    'google-analytics': {
      // Uses a token from a fresh sandbox, since a restarted sandbox reissues later tokens to other users.
      credentials: { ...analytics.credentials.oauth, ...analytics.credentials.access_token },
      replication_config: {
        property_ids: [analytics.properties.website],
        start_date: daysAgo(4),
        interval: '6h',
        entities: ['devices', 'website_overview'],
      },
    },
  };
  const ids: Record<string, string> = {};
  for (const [connector_type, more] of Object.entries(made)) {
    const { body } = await ask('POST', connectorsPath, { json: { workspace_name: 'main', connector_type, ...more } });
    ids[connector_type] = body.id;
  }
  return ids;
}

/** The connector's newest job, once all its jobs have ended. */
export async function waitForJob(ask: Requester, id: string): Promise<any> {
  for (;;) {
    const { body } = await ask('GET', `${connectorsPath}/${id}/jobs`);
    const [newest] = body.data;
    if (newest?.status === 'done') return newest;
    if (newest && /failed|cancelled/.test(newest.status)) throw new Error(JSON.stringify(newest));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Requests a sync, waits until it ends and returns the job. */
export async function syncAndWait(ask: Requester, id: string): Promise<any> {
  await ask('POST', `${connectorsPath}/${id}/sync`);
  return waitForJob(ask, id);
}

/** Waits until every searchable text has its vectors. */
export async function waitUntilEmbedded(ask: Requester, id: string): Promise<void> {
  for (;;) {
    const { body } = await ask('GET', `${connectorsPath}/${id}/inspect`);
    const { entities } = body.context_store_readiness;
    if (entities.every(({ semantic }: any) => semantic.every(({ status }: any) => status === 'ready'))) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
