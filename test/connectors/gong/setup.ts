import type { ConnectorOptions, MismatchEvent } from 'agent-connectors';
import { GongConnector } from 'agent-connectors/gong';
import { createSandbox, type FaultRule, type Sandbox } from 'agent-connectors-sandbox';
import { clock } from '../../engine/clock.js';
import { json, type Sent, wire } from '../../engine/wire.js';

export { all, failure } from '../calls.js';

type Mode = keyof Sandbox['vendors']['gong']['credentials'];
type Own = Omit<ConnectorOptions, 'credentials' | 'allow' | 'fetch'> & { includePrivate?: boolean };
type Limits = Sandbox['vendors']['gong']['limits'];

/** A key and its secret, of no use anywhere. */
export const key = { access_key: 'KEY', access_key_secret: 'SECRET' };
/** What goes over the wire for them. */
export const basic = `Basic ${btoa('KEY:SECRET')}`;
/** An OAuth application with a refresh token, of no use anywhere. */
export const application = { client_id: 'client', client_secret: 'client-secret', refresh_token: 'refresh-0' };

/** When each sandbox begins: a Tuesday, in the middle of the company's day. */
const began = Date.parse('2026-09-15T15:00:00Z');

/** How long each reply takes by the mocked clock, so that no call waits for its turn. */
const replyMs = 400;

/** A connector on a sandbox of its own, whose data comes in small pages where `pageSize` says so. */
export function onSandbox({
  mode = 'basic',
  faults = [],
  limits = {},
  ...options
}: { mode?: Mode; faults?: FaultRule[]; limits?: Limits } & Own = {}) {
  const time = clock(began);
  const sandbox = createSandbox({ seed: 7 });
  sandbox.vendors.gong.limits = limits;
  for (const fault of faults) sandbox.faults.add(fault);
  const fetch: typeof globalThis.fetch = (input, init) => {
    time.advance(replyMs);
    return sandbox.fetch(input, init);
  };
  const credentials = sandbox.vendors.gong.credentials[mode];
  return { sandbox, fetch, time, gong: new GongConnector({ credentials, fetch, ...options }) };
}

type Reply = Response | object | ((sent: Sent) => Response);

const replied = (reply: Reply, sent: Sent): Response => {
  if (reply instanceof Response) return reply.clone();
  return typeof reply === 'function' ? reply(sent) : json(reply);
};

/** A connector with these options on a Gong that gives these replies in turn, the last one for good. */
export function onRepliesWith(
  { credentials = key, ...options }: Own & { credentials?: any },
  ...replies: readonly Reply[]
) {
  const time = clock();
  const { fetch, sent } = wire((one, count) => {
    time.advance(replyMs);
    return replied(replies[Math.min(count, replies.length) - 1]!, one);
  });
  const mismatches: MismatchEvent[] = [];
  const hooks = { onResponseMismatch: (event: MismatchEvent) => void mismatches.push(event), ...options.hooks };
  const gong = new GongConnector({ credentials, fetch, retries: 0, ...options, hooks });
  return { gong, sent, mismatches, time };
}

/** The same without options. */
export const onReplies = (...replies: readonly Reply[]) => onRepliesWith({}, ...replies);

/** A reply that is text as it stands, such as JSON with numbers that JavaScript cannot hold. */
export const text = (body: string, status = 200, headers: Record<string, string> = {}) =>
  new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } });

/** How Gong refuses: texts without codes. */
export const refusal = (status: number, errors: readonly unknown[], headers: Record<string, string> = {}) =>
  json({ requestId: 'r-refused', errors }, status, { 'x-traceid': 'r-refused', ...headers });

/** What Gong answers in place of an empty list. */
export const nothing = (things = 'calls') => refusal(404, [`No ${things} found corresponding to the provided filters`]);

/** A page of a list as Gong gives it. */
export const page = (key: string, rows: readonly unknown[], cursor?: string) => ({
  requestId: 'r-page',
  records: {
    totalRecords: rows.length,
    currentPageSize: rows.length,
    currentPageNumber: 0,
    ...(cursor !== undefined && { cursor }),
  },
  [key]: rows,
});

/** What a look-up of calls answers: each id, and whether the call is private. */
export const lookedUp = (calls: Readonly<Record<string, object>>) =>
  page(
    'calls',
    Object.entries(calls).map(([id, metaData]) => ({ metaData: { id, isPrivate: false, ...metaData }, context: [] })),
  );
