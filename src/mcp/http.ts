import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedOrigins,
  type McpHttpHandler,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { checkNames } from '../call/options.js';
import type { ToolConnectors } from '../tools/toolset.js';
import { type Given, givenOf } from './offered.js';
import { serverOf } from './server.js';
import { idleMs, Sessions } from './sessions.js';
import { checkMcpOptions, type McpOptions, surfaceOf } from './surface.js';

/** Whose request it is, and what that caller may use. */
export interface McpCaller {
  /** Tells callers apart: sessions and handles of one are nothing to another. */
  readonly principal: string;
  /** Connectors that the caller may use. */
  readonly connectors: ToolConnectors;
  /** Whether this caller may change data; else what the handler's options say. */
  readonly allowWrites?: boolean | undefined;
}

/** Checks a request's token, and answers with its caller, or with the response that refuses it. */
export type ConnectorsFor = (request: Request) => McpCaller | Response | Promise<McpCaller | Response>;

/** What a handler is made with. */
export interface McpHandlerOptions extends Omit<McpOptions, 'allow'> {
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

interface Place {
  readonly given: Given;
  readonly allowWrites: boolean;
  readonly modern: McpHttpHandler;
  readonly legacy: Sessions;
  usedAt: number;
}

const handlerKinds = { allowedOrigins: 'strings', allowedHosts: 'strings', maxBodyBytes: 'count' } as const;

const mostCallers = 1_000;

/** Headers of the transport. Nothing else of a request reaches the server, its token least of all. */
const passed = /^(accept|content-type|content-length|last-event-id|mcp-[\w-]+)$/;

/** Serves connectors over HTTP, in both eras of the protocol; each caller has a server of its own. */
export function mcpHandler(connectorsFor: ConnectorsFor, options: McpHandlerOptions = {}): McpHandler {
  const { allowedOrigins, allowedHosts, maxBodyBytes = 4 * 2 ** 20, ...others } = options;
  checkNames({ allowedOrigins, allowedHosts, maxBodyBytes }, handlerKinds, 'Options of an MCP handler');
  checkMcpOptions(others);
  const places = new Map<string, Place>();
  const origins = [...(allowedOrigins ?? localhostAllowedOrigins())];

  const placeOf = (caller: McpCaller): Place => {
    const given = givenOf(caller.connectors);
    const allowWrites = caller.allowWrites ?? others.allowWrites ?? false;
    const found = places.get(caller.principal);
    if (found && found.allowWrites === allowWrites && same(found.given, given)) {
      // The map's order is the order of use.
      places.delete(caller.principal);
      places.set(caller.principal, found);
      found.usedAt = Date.now();
      return found;
    }
    found?.legacy.retire();
    const surface = surfaceOf(given, { ...others, allowWrites });
    const place: Place = {
      ...{ given, allowWrites, usedAt: Date.now() },
      modern: createMcpHandler(() => serverOf(surface), {
        legacy: 'reject',
        maxRequestBodySize: maxBodyBytes,
        maxSubscriptions: 16,
      }),
      legacy: new Sessions(surface, maxBodyBytes),
    };
    places.delete(caller.principal);
    places.set(caller.principal, place);
    return place;
  };

  const sweep = () => {
    const now = Date.now();
    for (const [principal, { usedAt, legacy }] of places) {
      if (now - usedAt < idleMs && places.size <= mostCallers) return;
      places.delete(principal);
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
    const { modern, legacy } = placeOf(caller);
    sweep();
    const bare = withoutSecrets(request);
    const isLegacy = await isLegacyRequest(bare, undefined, { maxRequestBodySize: maxBodyBytes });
    return isLegacy ? legacy.handle(bare) : modern.fetch(bare);
  };

  const close = async () => {
    const open = [...places.values()];
    places.clear();
    await Promise.all(open.flatMap(({ modern, legacy }) => [modern.close(), legacy.close()]));
  };
  return Object.assign(handle, { close });
}

function withoutSecrets(request: Request): Request {
  const headers = new Headers([...request.headers].filter(([name]) => passed.test(name)));
  const { origin, pathname } = new URL(request.url);
  const { method, body, signal } = request;
  return new Request(origin + pathname, {
    ...{ method, headers, signal },
    ...(body && { body, duplex: 'half' }),
  } as RequestInit);
}

const same = (one: Given, other: Given): boolean =>
  one.length === other.length &&
  one.every(([name, connector], index) => name === other[index]?.[0] && connector === other[index]?.[1]);
