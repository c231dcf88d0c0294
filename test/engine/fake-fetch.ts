import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { SentRequest as RequestToVendor } from '../play-vendor.js';

/** One request as received by the fake vendor. */
export interface SentRequest extends RequestToVendor {
  readonly signal: AbortSignal | undefined;
  readonly at: number;
}

/** A `fetch` that records its requests and responds as the test specifies; `count` starts at 1. */
export function fakeFetch(answer: (sent: SentRequest, count: number) => Response | Promise<Response>) {
  const sent: SentRequest[] = [];
  const fetch = (async (input: string | URL | Request, init: RequestInit = {}) => {
    const body = typeof init.body === 'string' ? init.body : '';
    const headers = new Headers(init.headers);
    const isJson = headers.get('content-type') === 'application/json';
    const one: SentRequest = {
      method: init.method ?? 'GET',
      url: new URL(String(input)),
      headers,
      body,
      json: isJson ? JSON.parse(body) : undefined,
      signal: init.signal ?? undefined,
      at: performance.now(),
    };
    sent.push(one);
    return answer(one, sent.length);
  }) as typeof globalThis.fetch;
  return { sent, fetch };
}

/** A JSON response. */
export const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });

/** A GraphQL response that reports one failure. */
export const graphqlFailure = (
  message: string,
  extensions: object,
  status = 200,
  headers: Record<string, string> = {},
) => json({ data: null, errors: [{ message, extensions }] }, status, headers);

/** What `fetch` throws when the connection fails. */
export const connectionError = (code: string, message = `${code} happened`) =>
  Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error(message), { code }) });

/** A response that never arrives, even if the signal aborts. */
export const hang = () => new Promise<Response>(() => {});

/** A response that never arrives, to a request that ends when its signal aborts. */
export const hangUntilAborted = ({ signal }: SentRequest) =>
  new Promise<Response>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

/** A server on this machine that closes after its test; resolves to its URL. */
export async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Everything that Node reports as unhandled during the test. */
export function trackUnhandledRejections(): unknown[] {
  const seen: unknown[] = [];
  const listen = (reason: unknown) => seen.push(reason);
  process.on('unhandledRejection', listen);
  onTestFinished(() => {
    process.off('unhandledRejection', listen);
  });
  return seen;
}

/** Gives Node time to report rejections that nobody handles. */
export const waitForUnhandledRejections = () => new Promise((resolve) => setTimeout(resolve, 20));
