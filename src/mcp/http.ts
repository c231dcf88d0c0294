import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedOrigins,
  type McpHttpHandler,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { checkOptions } from '../call/options.js';
import type { SearchAll } from '../tools/search-tool.js';
import type { ToolConnectors } from '../tools/toolset.js';
import { changesBetween } from './changes.js';
import { type ConnectorEntries, connectorEntries, hasSameConnectors } from './connector-entries.js';
import { serverOf } from './server.js';
import { idleMs, Sessions } from './sessions.js';
import { checkMcpOptions, type McpOptions, type Surface, surfaceOf } from './surface.js';

/** Whose request it is, and what that caller may use. */
export interface McpCaller {
  /** Tells callers apart: sessions and handles of one are nothing to another. */
  readonly principal: string;
  /** Connectors that the caller may use. */
  readonly connectors: ToolConnectors;
  /** Searches all that the caller's connectors have replicated: adds the tool `search`. */
  readonly searchAll?: SearchAll | undefined;
  /** Whether this caller may change data; else what the handler's options say. */
  readonly allowWrites?: boolean | undefined;
}

/** Checks a request's token, and answers with its caller, or with the response that refuses it. */
export type ConnectorsFor = (request: Request) => McpCaller | Response | Promise<McpCaller | Response>;

/** What a handler is made with. */
export interface McpHandlerOptions extends Omit<McpOptions, 'allow' | 'searchAll'> {
  /** Names of the hosts whose pages may call; this machine's alone when left out. Programs send no origin. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Names that the server may be addressed by; any when left out. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Bytes that a request takes at most; 4 MiB when left out. */
  readonly maxBodyBytes?: number | undefined;
}

/** Answers requests of the Streamable HTTP transport; `close` ends what is open. */
export type McpHandler = ((request: Request) => Promise<Response>) & {
  /** Ends all sessions. */
  close(): Promise<void>;
};

/** What a caller was given with a request. */
interface Offered {
  given: ConnectorEntries;
  searchAll: SearchAll | undefined;
  allowWrites: boolean;
}

interface CallerEntry extends Offered {
  surface: Surface;
  readonly modern: McpHttpHandler;
  readonly legacy: Sessions;
  usedAt: number;
}

const handlerKinds = { allowedOrigins: 'strings', allowedHosts: 'strings', maxBodyBytes: 'count' } as const;

const maxCallers = 1_000;

/** Headers of the transport. Nothing else of a request reaches the server, its token least of all. */
const forwardedHeaders = /^(accept|content-type|content-length|last-event-id|mcp-[\w-]+)$/;

/** Serves connectors over HTTP, in both eras of the protocol; each caller has a server of its own. */
export function mcpHandler(connectorsFor: ConnectorsFor, options: McpHandlerOptions = {}): McpHandler {
  const { allowedOrigins, allowedHosts, maxBodyBytes = 4 * 2 ** 20, ...others } = options;
  checkOptions({ allowedOrigins, allowedHosts, maxBodyBytes }, handlerKinds, 'Options of an MCP handler');
  checkMcpOptions(others);
  const entries = new Map<string, CallerEntry>();
  const origins = [...(allowedOrigins ?? localhostAllowedOrigins())];

  const entryFor = (caller: McpCaller): CallerEntry => {
    const given = connectorEntries(caller.connectors);
    const allowWrites = caller.allowWrites ?? others.allowWrites ?? false;
    const { principal, searchAll } = caller;
    const entry = entries.get(principal) ?? createEntry({ given, allowWrites, searchAll });
    const isSame =
      entry.allowWrites === allowWrites &&
      (entry.searchAll === undefined) === (searchAll === undefined) &&
      hasSameConnectors(entry.given, given);
    if (!isSame) offer(entry, { given, allowWrites, searchAll });
    entry.searchAll = searchAll;
    // The map's order is the order of use.
    entries.delete(principal);
    entries.set(principal, entry);
    entry.usedAt = Date.now();
    return entry;
  };

  const createEntry = (begun: Offered): CallerEntry => {
    const entry = { ...begun, usedAt: 0 } as { -readonly [K in keyof CallerEntry]: CallerEntry[K] };
    entry.surface = surfaceFor(entry, begun);
    entry.legacy = new Sessions(entry.surface, maxBodyBytes);
    entry.modern = createMcpHandler(() => serverOf(entry.surface).server, {
      legacy: 'reject',
      maxRequestBodySize: maxBodyBytes,
      maxSubscriptions: 16,
    });
    return entry;
  };

  const surfaceFor = (entry: CallerEntry, { given, allowWrites, searchAll }: Offered): Surface =>
    // The search that came with the latest request, whose token is still good.
    surfaceOf(given, { ...others, allowWrites, searchAll: searchAll && ((...search) => entry.searchAll!(...search)) });

  /** Sessions and subscriptions go on with other connectors, and are told what has changed. */
  const offer = (entry: CallerEntry, offered: Offered) => {
    const surface = surfaceFor(entry, offered);
    const changed = changesBetween(entry.surface, surface);
    entry.surface.files.clear();
    Object.assign(entry, { ...offered, surface });
    entry.legacy.offer(surface);
    const { notify } = entry.modern;
    if (changed.tools) notify.toolsChanged();
    if (changed.prompts) notify.promptsChanged();
    if (changed.resources) notify.resourcesChanged();
  };

  const sweep = () => {
    const now = Date.now();
    for (const [principal, { usedAt, legacy, surface }] of entries) {
      if (now - usedAt < idleMs && entries.size <= maxCallers) return;
      entries.delete(principal);
      surface.files.clear();
      legacy.retire();
    }
  };

  const handle = async (request: Request): Promise<Response> => {
    const refused =
      (allowedHosts && hostHeaderValidationResponse(request, [...allowedHosts])) ??
      originValidationResponse(request, origins);
    if (refused) return refused;
    const caller = await connectorsFor(request);
    if (caller instanceof Response) return caller;
    const { modern, legacy } = entryFor(caller);
    sweep();
    const stripped = stripSecrets(request);
    const isLegacy = await isLegacyRequest(stripped, undefined, { maxRequestBodySize: maxBodyBytes });
    return isLegacy ? legacy.handle(stripped) : modern.fetch(stripped);
  };

  const close = async () => {
    const open = [...entries.values()];
    entries.clear();
    for (const { surface } of open) surface.files.clear();
    await Promise.all(open.flatMap(({ modern, legacy }) => [modern.close(), legacy.close()]));
  };
  return Object.assign(handle, { close });
}

function stripSecrets(request: Request): Request {
  const headers = new Headers([...request.headers].filter(([name]) => forwardedHeaders.test(name)));
  const { origin, pathname } = new URL(request.url);
  const { method, body, signal } = request;
  return new Request(origin + pathname, {
    ...{ method, headers, signal },
    ...(body && { body, duplex: 'half' }),
  } as RequestInit);
}
