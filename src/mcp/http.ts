import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedOrigins,
  type McpHttpHandler,
  originValidationResponse,
  readRequestBody,
} from '@modelcontextprotocol/server';
import { checkOptions } from '../call/options.js';
import { ConnectorError } from '../errors/connector-error.js';
import type { HandleSigner } from '../tools/handle.js';
import type { SearchAll } from '../tools/search-tool.js';
import type { ToolConnectors } from '../tools/toolset.js';
import { changesBetween } from './changes.js';
import { type ConnectorEntries, connectorEntries, hasSameConnectors } from './connector-entries.js';
import type { Reserve } from './files.js';
import { serverOf } from './server.js';
import { graceMs, idleMs, Sessions } from './sessions.js';
import { checkMcpOptions, type McpOptions, type ResultMode, resultModes, type Surface, surfaceOf } from './surface.js';

/** Who is making a request, and what they have access to. */
export interface McpCaller {
  /** Identifies the caller: sessions and handles are not shared between principals. */
  readonly principal: string;
  /** Connectors available to the caller. */
  readonly connectors: ToolConnectors;
  /** Searches everything replicated for the caller's connectors; adds the `search` tool. */
  readonly searchAll?: SearchAll | undefined;
  /** Whether this caller can change data; overrides the handler's options. */
  readonly allowWrites?: boolean | undefined;
  /** Signs the handles of truncated results, so that only handles issued to this caller are accepted. */
  readonly signer?: HandleSigner | undefined;
  /**
   * Reserves memory that is held between requests, for this caller's tools, sessions and files, and returns a function
   * that releases it. If it throws, the caller's own oldest sessions and files end, and callers that have not been
   * active for minutes; if that is not enough, the request is rejected (429). No limit by default.
   */
  readonly reserve?: Reserve | undefined;
}

/** Authenticates a request and returns its caller, or a response that rejects it. */
export type ConnectorsFor = (request: Request) => McpCaller | Response | Promise<McpCaller | Response>;

/** Options for a handler. */
export interface McpHandlerOptions extends Omit<McpOptions, 'allow' | 'searchAll'> {
  /**
   * Hosts whose pages may call the server; only this machine by default. Clients other than browsers do not send an
   * origin.
   */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Accepted host names of the server; any by default. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Maximum size of a request in bytes; 4 MiB by default. */
  readonly maxBodyBytes?: number | undefined;
}

/** How to handle a request. */
export interface McpRequestOptions {
  /** The value of the JSON body, if it has been parsed already; the request's own body is then not read. */
  readonly parsedBody?: unknown;
}

/** Handles requests over the Streamable HTTP transport; `close` ends all sessions. */
export type McpHandler = ((request: Request, options?: McpRequestOptions) => Promise<Response>) & {
  /** Ends all sessions. */
  close(): Promise<void>;
};

/** What a request makes available to its caller. */
interface Offered {
  given: ConnectorEntries;
  searchAll: SearchAll | undefined;
  signer: HandleSigner | undefined;
  reserve: Reserve | undefined;
  allowWrites: boolean;
  readonly results: ResultMode;
}

interface CallerEntry extends Offered {
  surface: Surface;
  readonly modern: McpHttpHandler;
  readonly legacy: Sessions;
  readonly release: () => void;
  usedAt: number;
}

const handlerKinds = { allowedOrigins: 'strings', allowedHosts: 'strings', maxBodyBytes: 'count' } as const;

const maxCallers = 1_000;

/** Memory that a caller's tools use, without sessions. */
const callerBytes = 256 * 2 ** 10;

/** Transport headers. All others, including the token, are not forwarded to the server. */
const forwardedHeaders = /^(accept|content-type|content-length|last-event-id|mcp-[\w-]+)$/;

/** Serves connectors over HTTP in both protocol versions; each caller has its own server. */
export function mcpHandler(connectorsFor: ConnectorsFor, options: McpHandlerOptions = {}): McpHandler {
  const { allowedOrigins, allowedHosts, maxBodyBytes = 4 * 2 ** 20, ...others } = options;
  checkOptions({ allowedOrigins, allowedHosts, maxBodyBytes }, handlerKinds, 'Options for an MCP handler');
  checkMcpOptions(others);
  const entries = new Map<string, CallerEntry>();
  const origins = [...(allowedOrigins ?? localhostAllowedOrigins())];

  const entryFor = (caller: McpCaller, results: ResultMode): CallerEntry => {
    const given = connectorEntries(caller.connectors);
    const allowWrites = caller.allowWrites ?? others.allowWrites ?? false;
    const { principal, searchAll, signer, reserve } = caller;
    const offered = { given, allowWrites, searchAll, signer, reserve, results };
    // A session has one mode.
    const key = `${results} ${principal}`;
    const entry = entries.get(key) ?? createEntry(offered);
    const isSame =
      entry.allowWrites === allowWrites &&
      (entry.searchAll === undefined) === (searchAll === undefined) &&
      (entry.signer === undefined) === (signer === undefined) &&
      hasSameConnectors(entry.given, given);
    if (!isSame) offer(entry, offered);
    Object.assign(entry, { searchAll, signer, reserve });
    // The map is ordered by last use.
    entries.delete(key);
    entries.set(key, entry);
    entry.usedAt = Date.now();
    return entry;
  };

  const createEntry = (begun: Offered): CallerEntry => {
    const release = reserveEntry(begun.reserve);
    const entry = { ...begun, release, usedAt: 0 } as { -readonly [K in keyof CallerEntry]: CallerEntry[K] };
    entry.surface = surfaceFor(entry, begun);
    entry.legacy = new Sessions(entry.surface, maxBodyBytes, reserveFor(entry));
    entry.modern = createMcpHandler(() => serverOf(entry.surface).server, {
      legacy: 'reject',
      maxRequestBodySize: maxBodyBytes,
      maxSubscriptions: 16,
    });
    return entry;
  };

  /** Reserves memory for a caller's tools, for which callers end that have no running calls. */
  const reserveEntry = (reserve: Reserve | undefined): (() => void) => {
    for (;;) {
      const [oldest] = entries;
      try {
        return reserve?.(callerBytes) ?? (() => {});
      } catch (error) {
        if (!oldest || Date.now() - oldest[1].usedAt < graceMs) throw error;
      }
      const [key, entry] = oldest;
      entries.delete(key);
      entry.surface.files.clear();
      void entry.legacy.close();
      entry.release();
    }
  };

  /** Reserves memory as the latest request allows. */
  const reserveFor =
    (entry: Offered): Reserve =>
    (bytes) =>
      entry.reserve?.(bytes) ?? (() => {});

  const surfaceFor = (
    entry: CallerEntry,
    { given, allowWrites, searchAll, signer, results, reserve }: Offered,
  ): Surface =>
    // Use the latest request's search and signer, because its token is still valid and its connectors are current.
    surfaceOf(
      given,
      { ...others, allowWrites, results, searchAll: searchAll && ((...search) => entry.searchAll!(...search)) },
      signer && {
        sign: (...handle) => entry.signer!.sign(...handle),
        verify: (...handle) => entry.signer!.verify(...handle),
      },
      reserve && reserveFor(entry),
    );

  /** Updates sessions and subscriptions with new connectors and notifies them of changes. */
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
    for (const [key, entry] of entries) {
      if (now - entry.usedAt < idleMs && entries.size <= maxCallers) return;
      entries.delete(key);
      entry.surface.files.clear();
      void entry.legacy.retire().then(entry.release);
    }
  };

  const handle = (request: Request, { parsedBody }: McpRequestOptions = {}): Promise<Response> =>
    respond(request, parsedBody).catch((error: unknown) => {
      if (ConnectorError.is(error) && error.code === 'rate_limited') return tooMany(error);
      throw error;
    });

  const respond = async (request: Request, parsedBody: unknown): Promise<Response> => {
    const refused =
      (allowedHosts && hostHeaderValidationResponse(request, [...allowedHosts])) ??
      originValidationResponse(request, origins);
    if (refused) return refused;
    const caller = await connectorsFor(request);
    if (caller instanceof Response) return caller;
    const results = resultsOf(request, others.results);
    if (results === undefined) return unknownMode();
    const { modern, legacy } = entryFor(caller, results);
    sweep();
    // Read and parsed once, here.
    const body = await bodyOf(request, parsedBody, maxBodyBytes);
    if (body === 'too large') return tooLarge(maxBodyBytes);
    const stripped = stripSecrets(request, body.text);
    const isLegacy = await isLegacyRequest(stripped, body.parsedBody);
    return isLegacy ? legacy.handle(stripped, body.parsedBody) : modern.fetch(stripped, body);
  };

  const close = async () => {
    const open = [...entries.values()];
    entries.clear();
    for (const { surface, release } of open) {
      surface.files.clear();
      release();
    }
    await Promise.all(open.flatMap(({ modern, legacy }) => [modern.close(), legacy.close()]));
  };
  return Object.assign(handle, { close });
}

/** The mode that the URL selects, such as `?results=structured`; undefined if there is no such mode. */
function resultsOf({ url }: Request, byDefault: ResultMode = 'text'): ResultMode | undefined {
  const selected = new URL(url).searchParams.get('results') ?? byDefault;
  return resultModes.find((mode) => mode === selected);
}

const unknownMode = () => {
  const message = `The URL parameter results must be ${resultModes.join(' or ')}.`;
  return Response.json({ jsonrpc: '2.0', error: { code: -32600, message }, id: null }, { status: 400 });
};

interface Body {
  /** Null if the body does not have to be read again. */
  readonly text: string | null;
  readonly parsedBody?: unknown;
}

function bodyOf(request: Request, parsedBody: unknown, maxBytes: number): Body | Promise<Body | 'too large'> {
  if (parsedBody !== undefined) return { text: null, parsedBody };
  return request.method === 'POST' ? readBody(request, maxBytes) : { text: null };
}

async function readBody(request: Request, maxBytes: number): Promise<Body | 'too large'> {
  // A body that ends early is not JSON, which the transports report.
  const read = await readRequestBody(request, maxBytes).catch(() => ({ tooLarge: false, text: '' }) as const);
  if (read.tooLarge) return 'too large';
  try {
    return { text: null, parsedBody: JSON.parse(read.text) };
  } catch {
    return { text: read.text };
  }
}

const tooMany = ({ message, retryAfterMs = 1000 }: ConnectorError) =>
  Response.json(
    { jsonrpc: '2.0', error: { code: -32000, message }, id: null },
    { status: 429, headers: { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) } },
  );

const tooLarge = (maxBytes: number) => {
  const message = `Payload Too Large: Request body must not exceed ${maxBytes} bytes`;
  return Response.json({ jsonrpc: '2.0', error: { code: -32000, message }, id: null }, { status: 413 });
};

function stripSecrets({ headers: all, url, method, signal }: Request, body: string | null): Request {
  const headers = new Headers([...all].filter(([name]) => forwardedHeaders.test(name)));
  const { origin, pathname } = new URL(url);
  return new Request(origin + pathname, { method, headers, signal, body });
}
