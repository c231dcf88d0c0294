import { request } from 'node:http';
import { type AnyConnector, connectors, type Sent } from 'agent-connectors';
import { createSandbox, type Sandbox } from 'agent-connectors-sandbox';
import { serve as serveSandbox } from 'agent-connectors-sandbox/server';
import { Agent, fetch as undiciFetch } from 'undici';
import { onTestFinished } from 'vitest';
import { skipBackoff } from '../../../sandbox/src/testing/time.js';
import { connectorPath, serveTestService, tenantOf } from '../http/setup.js';
import { FaultyProxy } from './faulty-proxy.js';
import type { Write } from './writes.js';

/** What a caller observes from one attempt. */
export interface CallResult {
  /** Absent if no readable response arrived. */
  readonly answer?: { readonly status: number; readonly code: string | null; readonly text: string } | undefined;
}

/** Repeats a write with the same key. */
export type Caller = (write: Write, params: object, key: string) => Promise<CallResult>;

/** A sandbox, a service and a caller, with a faulty proxy between each pair. */
export interface Rig {
  readonly sandbox: Sandbox;
  /** Between the caller and the service. */
  readonly near: FaultyProxy;
  /** Between the service, or the caller's own connector, and the vendor. */
  readonly far: FaultyProxy;
  readonly service: Caller;
  readonly local: Caller;
}

/** The sandbox, reset between cases. */
export function newSandbox(): Sandbox {
  const sandbox = createSandbox({ seed: 7, scale: 0.02 });
  sandbox.vendors.linear.limits = { requestsPerHour: 1e9, complexityPerHour: 1e12 };
  return sandbox;
}

/** A fetch that opens a new connection per request, so that a fault affects only one request. */
function unpooledFetch(): typeof globalThis.fetch {
  const dispatcher = new Agent({ pipelining: 0 });
  onTestFinished(() => dispatcher.destroy());
  return ((input: any, init: any) => undiciFetch(input, { ...init, dispatcher })) as typeof globalThis.fetch;
}

/** Starts everything in this process. */
export async function startRig(): Promise<Rig> {
  skipBackoff();
  const vendors = await serveSandbox({ sandbox: newSandbox() });
  onTestFinished(() => vendors.close());
  const far = await FaultyProxy.to(vendors.port);
  onTestFinished(() => far.close());
  const { sandbox } = vendors;
  const started = Date.now();
  const fetch = unpooledFetch();
  const endpoints = { linear: `${far.url}/linear`, 'google-drive': `${far.url}/google-drive` };
  const service = await serveTestService({ fetch, endpoints, limits: { rate: 0 }, now: () => started });
  const near = await FaultyProxy.to(service.port);
  onTestFinished(() => near.close());
  const tenant = await tenantOf(service, 'Acme');
  const credentials = credentialsIn(sandbox);
  const ids = {
    linear: await tenant.connect('linear', credentials.linear),
    'google-drive': await tenant.connect('google-drive', credentials['google-drive']),
  };
  return {
    sandbox,
    near,
    far,
    local: localCaller(far.url, credentials, fetch),
    service: ({ type, entity, action }, params, key) =>
      post(`${near.url}${connectorPath(ids[type], '/execute')}`, { entity, action, params }, tenant.token, key),
  };
}

/** Credentials that do not need a refresh. */
export const credentialsIn = ({ vendors }: Sandbox) => ({
  linear: { ...vendors.linear.credentials.api_key },
  'google-drive': { ...vendors['google-drive'].credentials.access_token },
});

/** Sends one request on its own connection. */
export function post(url: string, json: object, token: string, key: string): Promise<CallResult> {
  const body = JSON.stringify(json);
  return new Promise((resolve) => {
    const lost = () => resolve({});
    const sent = request(
      url,
      {
        method: 'POST',
        agent: false,
        signal: AbortSignal.timeout(60_000),
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'idempotency-key': key,
          'content-length': Buffer.byteLength(body),
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part) => {
          text += part;
        });
        response.on('error', lost);
        response.on('end', () => resolve({ answer: readable(response.statusCode ?? 0, text) }));
      },
    );
    sent.on('error', lost);
    sent.end(body);
  });
}

function readable(status: number, text: string): CallResult['answer'] {
  try {
    const { code = null } = JSON.parse(text) as { code?: string | null };
    return { status, code, text };
  } catch {
    return undefined;
  }
}

/** Callers that do not use the service and track their own writes. */
function localCaller(
  url: string,
  credentials: ReturnType<typeof credentialsIn>,
  fetch: typeof globalThis.fetch,
): Caller {
  const memory = new Map<string, Sent>();
  const made = new Map<string, Promise<AnyConnector>>();
  const connectorOf = async (type: Write['type']): Promise<AnyConnector> => {
    const Connector = (await connectors[type]()) as unknown as new (options: object) => AnyConnector;
    return new Connector({ credentials: credentials[type], endpoints: `${url}/${type}`, fetch });
  };
  return async ({ type, entity, action }, params, key) => {
    if (!made.has(type)) made.set(type, connectorOf(type));
    const connector = await made.get(type)!;
    const once = { sent: memory.get(key), sending: (sent: Sent) => memory.set(key, sent) };
    try {
      const { data } = await connector.execute(entity, action, params, { once });
      return { answer: { status: 200, code: null, text: JSON.stringify(data) } };
    } catch (error) {
      const { code } = error as { code: string };
      return { answer: { status: 502, code, text: String(error) } };
    }
  };
}
