import type { McpHandler } from 'agent-connectors/mcp';
import type { KeyRing } from '../../data/vault/keys.js';
import { httpError } from '../../domain/http-error.js';
import { type BoundedJson, readBoundedJson, requireUncompressed } from '../api/input.js';
import type { Services } from '../api/route.js';
import { clientOf, type McpClient, type OnIdentified, principalOf } from './callers.js';
import { handleSigner } from './handle-signer.js';
import { openStreams } from './open-streams.js';
import { organizationHandlers } from './organization-handlers.js';
import { searchAllOf } from './search-all.js';
import { workspaceConnectors } from './workspace-connectors.js';

/** What the operator allows MCP clients to do. */
export interface McpPermissions {
  readonly allowWrites: boolean;
  /** Hosts whose pages may call the server; defaults to this machine. */
  readonly allowedOrigins: readonly string[] | undefined;
}

/** The service's MCP server with Streamable HTTP transport. */
export interface McpMount {
  handle(request: Request, callbacks: RequestCallbacks): Promise<Response>;
  /** Ends idle streams immediately and running calls after `graceMs`, and closes all sessions. */
  close(graceMs: number): Promise<void>;
}

/** What a request turns out to be while it is handled. */
export interface RequestCallbacks {
  readonly onIdentified: OnIdentified;
  /** Receives the number of messages in a batch, which older protocol versions allow; may reject it. */
  readonly onBatch: (count: number) => Promise<void>;
  /** Waits until a large body can be processed. */
  readonly takeTurn: (bytes: number) => Promise<void>;
}

/** HTTP methods that the transport uses. */
export const mcpMethods = ['GET', 'POST', 'DELETE'] as const;

/** Creates the server; its code is loaded on the first request. */
export function mountMcp(services: Services, { allowWrites, allowedOrigins }: McpPermissions, keys: KeyRing): McpMount {
  const { maxBodyBytes, now, accessWatch } = services;
  const options = { allowWrites, maxBodyBytes, ...(allowedOrigins && { allowedOrigins }) };
  const callbacks = new WeakMap<Request, RequestCallbacks>();
  const clients = new WeakMap<Request, McpClient>();
  const streams = openStreams(accessWatch);
  const inFlight = new Set<Promise<unknown>>();
  let loading: Promise<McpHandler> | undefined;
  let closed = false;

  const load = async () => {
    const { mcpHandler } = await import('agent-connectors/mcp');
    const organizations = organizationHandlers((mayWrite) => {
      const connectorsIn = workspaceConnectors(services);
      return mcpHandler(
        async (request) => {
          const client = clients.get(request)!;
          const { connectors, rows } = connectorsIn(client);
          const principal = principalOf(client);
          const signer = handleSigner({ keys, now }, principal, rows);
          const { organizationId } = client.scope;
          const reserve = (bytes: number) => services.memory.keep(organizationId, bytes);
          return { principal, connectors, searchAll: searchAllOf(rows, services), signer, reserve };
        },
        { ...options, allowWrites: allowWrites && mayWrite },
      );
    }, now);
    // Checks origin and caller, then passes the request to the organization's handler.
    const entrance = mcpHandler(async (request) => {
      const { onIdentified, onBatch, takeTurn } = callbacks.get(request)!;
      const client = await clientOf(request, services, onIdentified);
      const { caller, scope } = client;
      const tenant = scope.organizationId;
      const [bounded, parsedBody] = await withBoundedBody(
        request,
        { maxBytes: maxBodyBytes, takeTurn, tenant },
        onBatch,
      );
      clients.set(bounded, client);
      return organizations.of(tenant, caller.scopes.includes('write'))(bounded, { parsedBody });
    }, options);
    return Object.assign(entrance, { close: organizations.close });
  };
  const handler = () => {
    loading ??= load().catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };

  return {
    async handle(request, requestCallbacks) {
      if (closed) throw httpError(503, 'network', 'The service is shutting down.', { retryable: true });
      callbacks.set(request, requestCallbacks);
      const work = handler().then((handle) => handle(request));
      inFlight.add(work);
      const response = await work.finally(() => inFlight.delete(work));
      const check = () => clientOf(request, services, async () => {});
      return streams.track(response, { isLongLived: isLongLived(request), check });
    },
    async close(graceMs) {
      closed = true;
      streams.endLongLived();
      let timer: NodeJS.Timeout | undefined;
      const timeout = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, graceMs);
      });
      const done = Promise.allSettled(inFlight).then(() => streams.settled());
      await Promise.race([done, timeout]).finally(() => clearTimeout(timer));
      streams.end();
      await loading?.then(
        (handle) => handle.close(),
        () => {},
      );
    },
  };
}

/** The same request, with its body limited in size and parse time, and a long body's value. */
async function withBoundedBody(
  request: Request,
  reading: Parameters<typeof readBoundedJson>[1],
  onBatch: RequestCallbacks['onBatch'],
): Promise<[Request, unknown?]> {
  const { url, method, headers, signal } = request;
  if (method !== 'POST') return [request];
  requireUncompressed(request);
  const body = await readBoundedJson(request, reading);
  const count = batchSize(body);
  if (count > 1) await onBatch(count);
  if ('parsed' in body) return [new Request(url, { method, headers, signal }), body.parsed];
  return [new Request(url, { method, headers, signal, body: body.bytes })];
}

/** Number of messages in a batch; 0 for anything else. */
function batchSize(json: BoundedJson): number {
  if ('parsed' in json) return Array.isArray(json.parsed) ? json.parsed.length : 0;
  const body = json.bytes;
  const first = body.find((byte) => byte > space);
  if (first !== openBracket) return 0;
  try {
    return (JSON.parse(new TextDecoder().decode(body)) as readonly unknown[]).length;
  } catch {
    return 0;
  }
}

const [space, openBracket] = [0x20, 0x5b];

/** Whether a request opens a stream that stays open until one side ends it. */
const isLongLived = ({ method, headers }: Request): boolean =>
  method === 'GET' || headers.get('mcp-method') === 'subscriptions/listen';
