import fc from 'fast-check';
import type { RecordedReply } from './recorded-replies.js';
import { bytes, canary, headerTexts, trees } from './values.js';

/** How a response differs from the recorded one. */
export type ReplyMutation =
  | { readonly kind: 'changed'; readonly changes: ReadonlyArray<readonly [at: number, value: unknown]> }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'cut'; readonly length: number }
  | { readonly kind: 'deep'; readonly levels: number }
  | { readonly kind: 'long'; readonly digits: number }
  | { readonly kind: 'echo' }
  | { readonly kind: 'breaks' }
  | { readonly kind: 'throws' }
  | { readonly kind: 'redirect'; readonly location: string };

/** One response from an untrusted vendor. */
export interface HostileReply {
  readonly mutation: ReplyMutation;
  /** The recorded status by default. */
  readonly status: number | undefined;
  readonly headers: ReadonlyArray<readonly [string, string]>;
}

const changedReply = fc.record({
  kind: fc.constant('changed' as const),
  changes: fc.array(fc.tuple(fc.nat(5_000), trees), { minLength: 1, maxLength: 3 }),
});

const mutations: fc.Arbitrary<ReplyMutation> = fc.oneof(
  { arbitrary: changedReply, weight: 12 },
  { arbitrary: fc.record({ kind: fc.constant('json' as const), value: trees }), weight: 3 },
  { arbitrary: fc.record({ kind: fc.constant('bytes' as const), bytes }), weight: 2 },
  {
    arbitrary: fc.record({
      kind: fc.constant('text' as const),
      text: fc.constantFrom(`<html><body>Sign in: ${canary}</body></html>`, '', ' ', 'null', '{"a":', '\ufeff{}'),
    }),
    weight: 2,
  },
  { arbitrary: fc.record({ kind: fc.constant('cut' as const), length: fc.nat(2_000) }), weight: 2 },
  { arbitrary: fc.record({ kind: fc.constant('deep' as const), levels: fc.constantFrom(50, 500, 20_000) }), weight: 1 },
  {
    arbitrary: fc.record({ kind: fc.constant('long' as const), digits: fc.integer({ min: 15, max: 5_000 }) }),
    weight: 1,
  },
  { arbitrary: fc.constant({ kind: 'echo' as const }), weight: 3 },
  { arbitrary: fc.constant({ kind: 'breaks' as const }), weight: 1 },
  { arbitrary: fc.constant({ kind: 'throws' as const }), weight: 1 },
  {
    arbitrary: fc.record({
      kind: fc.constant('redirect' as const),
      location: fc.constantFrom(
        '/',
        'http://169.254.169.254/',
        `https://evil.example/?${canary}`,
        'javascript:0',
        '//',
      ),
    }),
    weight: 1,
  },
);

const statuses = [
  200, 200, 200, 201, 204, 206, 299, 300, 301, 302, 304, 307, 308, 400, 401, 403, 404, 405, 409, 410, 412, 413, 416,
  418, 422, 423, 429, 451, 500, 501, 502, 503, 504, 529, 599,
];

const headerNames = [
  'retry-after',
  'date',
  'content-type',
  'content-length',
  'content-range',
  'content-disposition',
  'location',
  'x-request-id',
  'range',
  'x-ratelimit-requests-remaining',
  'x-ratelimit-requests-reset',
  'x-complexity',
  'x-ratelimit-complexity-remaining',
  'x-ratelimit-complexity-reset',
  'www-authenticate',
  'x-guploader-uploadid',
];

const headers = fc.array(fc.tuple(fc.constantFrom(...headerNames), headerTexts), { maxLength: 3 });

/** Responses from an untrusted vendor. */
export const hostileReplies: fc.Arbitrary<HostileReply> = fc.record({
  mutation: mutations,
  status: fc.oneof(
    { arbitrary: fc.constant(undefined), weight: 3 },
    { arbitrary: fc.constantFrom(...statuses), weight: 2 },
  ),
  headers,
});

/** Parts of the request, in the forms in which vendors and proxies echo them. */
const echoText = (request: Request, body: string) =>
  `${request.url} ${JSON.stringify([...request.headers])} ${body}`.replaceAll('\n', ' ');

const bodiless = new Set([204, 205, 304]);

/** Responds to one request. */
export function answerOf(
  { mutation, status: other, headers: more }: HostileReply,
  recorded: RecordedReply,
  request: Request,
  body: string,
): Response {
  const status = mutation.kind === 'redirect' ? 302 : (other ?? recorded.status);
  const headers = new Headers(recorded.headers.map(([name, value]) => [name, value] as [string, string]));
  for (const [name, value] of more) headers.set(name, value.trim());
  if (mutation.kind === 'redirect') headers.set('location', mutation.location);
  if (mutation.kind === 'throws') throw new TypeError('fetch failed', { cause: new Error(echoText(request, body)) });
  const content = contentOf(mutation, recorded, () => echoText(request, body));
  return new Response(bodiless.has(status) ? null : content, { status, headers });
}

function contentOf(mutation: ReplyMutation, { text }: RecordedReply, echo: () => string): BodyInit {
  switch (mutation.kind) {
    case 'changed':
      return changedJson(text, mutation.changes);
    case 'json':
      return JSON.stringify(mutation.value);
    case 'bytes':
      return mutation.bytes as Uint8Array<ArrayBuffer>;
    case 'text':
      return mutation.text;
    case 'cut':
      return text.slice(0, mutation.length);
    case 'deep':
      return text.replace(
        /null|"[^"]*"(?=[,}\]])/,
        `${'[{"a":'.repeat(mutation.levels)}1${'}]'.repeat(mutation.levels)}`,
      );
    case 'long':
      return text.replaceAll(/(?<=:)\d+/g, '9'.repeat(mutation.digits));
    case 'echo':
      return JSON.stringify({
        error: echo(),
        error_description: echo(),
        errors: [{ message: echo() }],
        message: echo(),
      });
    case 'breaks':
      return brokenBody(text);
    default:
      return text;
  }
}

/** A body that ends with an error. */
const brokenBody = (text: string) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text.slice(0, 100)));
      controller.error(new Error(`the connection of ${canary} was reset`));
    },
  });

/** The same JSON with some of its values replaced. */
function changedJson(text: string, changes: ReadonlyArray<readonly [at: number, value: unknown]>): string {
  let tree: unknown;
  try {
    tree = JSON.parse(text);
  } catch {
    return text;
  }
  for (const [at, value] of changes) tree = withChange(tree, at, value);
  return JSON.stringify(tree);
}

function withChange(tree: unknown, at: number, value: unknown): unknown {
  const left = { count: at % countNodes(tree) };
  const walk = (node: unknown): unknown => {
    if (left.count-- === 0) return value;
    if (Array.isArray(node)) return node.map(walk);
    if (typeof node !== 'object' || node === null) return node;
    return Object.fromEntries(Object.entries(node).map(([name, item]) => [name, walk(item)]));
  };
  return walk(tree);
}

function countNodes(tree: unknown): number {
  if (typeof tree !== 'object' || tree === null) return 1;
  return Object.values(tree).reduce((sum: number, item) => sum + countNodes(item), 1);
}
