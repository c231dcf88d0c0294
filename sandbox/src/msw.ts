/**
 * Request handlers for Mock Service Worker, for `setupServer` and `setupWorker`.
 * @module agent-connectors-sandbox/msw
 */
import { getOperationAST, Kind, parse } from 'graphql';
import { type HttpHandler, HttpResponse, type HttpResponseResolver, http } from 'msw';
import { isFetchError } from './deliver.js';
import { type FaultRule, matchesRule } from './faults.js';
import type { Sandbox } from './types.js';

/**
 * Handlers that respond to the vendors' real URLs; requests to other hosts stay unhandled.
 *
 * @example
 * ```ts
 * import { createSandbox } from 'agent-connectors-sandbox';
 * import { handlers } from 'agent-connectors-sandbox/msw';
 * import { setupServer } from 'msw/node';
 *
 * const sandbox = createSandbox();
 * const server = setupServer(...handlers(sandbox));
 * server.listen();
 * ```
 */
export function handlers(sandbox: Sandbox): HttpHandler[] {
  const isVendor = (request: Request) => sandbox.vendorOf(request.url) !== undefined;
  return [
    http.all(
      ({ request }) => isVendor(request),
      ({ request }) => respond(sandbox, request),
    ),
  ];
}

/** Which request `respondOnce` responds to; the fields mean the same as in a fault rule. */
export interface RequestMatch<Name extends string = string> extends Pick<FaultRule, 'path' | 'rootField'> {
  /** The vendor, built-in or added. */
  vendor: Name;
}

/** A handler for `server.use` that responds to the next matching request in place of the sandbox. */
export function respondOnce<Subject extends Sandbox>(
  sandbox: Subject,
  match: RequestMatch<keyof Subject['vendors'] & string>,
  resolver: HttpResponseResolver,
): HttpHandler {
  const isMatch = async (request: Request) => {
    const vendor = sandbox.vendorOf(request.url);
    if (vendor !== match.vendor) return false;
    const rootField = match.rootField === undefined ? undefined : await rootFieldOf(request);
    return matchesRule(match, { vendor, path: new URL(request.url).pathname, rootField });
  };
  return http.all(({ request }) => isMatch(request), resolver, { once: true });
}

async function respond(sandbox: Sandbox, request: Request): Promise<Response> {
  try {
    // The client decides about redirects: `fetch` follows them, `node:http` does not.
    const response = await sandbox.fetch(request, { redirect: 'manual' });
    const { body, headers } = response;
    // Otherwise, msw 3 ends the body by closing the connection, which crashes Node if the caller has aborted `fetch`.
    if (body && !headers.has('content-length')) headers.set('transfer-encoding', 'chunked');
    return response;
  } catch (error) {
    // Other errors are bugs of an emulation, which msw reports.
    if (isFetchError(error) || request.signal.aborted) return HttpResponse.error();
    throw error;
  }
}

async function rootFieldOf(request: Request): Promise<string | undefined> {
  try {
    const { query, operationName } = await request.clone().json();
    const operation = getOperationAST(parse(query), operationName);
    return operation?.selectionSet.selections.find((selection) => selection.kind === Kind.FIELD)?.name.value;
  } catch {
    return undefined;
  }
}
