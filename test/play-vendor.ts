import { http } from 'msw';
import { setupServer } from 'msw/node';
import { onTestFinished } from 'vitest';

/** A request that a connector sent over the global `fetch`. */
export interface SentRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string;
  /** The body, if it is JSON. */
  readonly json: any;
}

/** A body to send as JSON, a response, or a function that returns one of them for a request; `count` starts at 1. */
export type Reply = Response | object | ((sent: SentRequest, count: number) => Response | object);

/** The reply to the request with this number, starting at 1. */
export function replyOf(replies: readonly Reply[], sent: SentRequest, count: number): Response | object {
  const reply = replies[Math.min(count, replies.length) - 1]!;
  return typeof reply === 'function' ? reply(sent, count) : reply;
}

const server = setupServer();

/**
 * Responds to all requests until the test ends: with these replies in turn, then with the last one again. Returns the
 * requests.
 */
export function playVendor(...replies: readonly Reply[]): SentRequest[] {
  const sent: SentRequest[] = [];
  // A second call in a test replaces the vendor of the first.
  server.close();
  server.resetHandlers(
    http.all(/.*/, async ({ request }) => {
      const { method, url, headers } = request;
      const body = await request.text();
      const isJson = headers.get('content-type')?.startsWith('application/json');
      const one: SentRequest = {
        method,
        url: new URL(url),
        headers,
        body,
        json: isJson ? JSON.parse(body) : undefined,
      };
      sent.push(one);
      const reply = replyOf(replies, one, sent.length);
      return reply instanceof Response ? reply.clone() : Response.json(reply);
    }),
  );
  server.listen({ onUnhandledRequest: 'error' });
  onTestFinished(() => server.close());
  return sent;
}
