import type { ConnectorOptions, MismatchEvent } from 'agent-connectors';
import { GongConnector } from 'agent-connectors/gong';
import { createSandbox, type FaultRule, type Sandbox } from 'agent-connectors-sandbox';
import { fakeClock } from '../../engine/fake-clock.js';
import { json } from '../../engine/fake-fetch.js';
import { playVendor, type Reply, replyOf } from '../../play-vendor.js';

export { collect } from '../calls.js';

type Mode = keyof Sandbox['vendors']['gong']['credentials'];
type Own = Omit<ConnectorOptions, 'credentials' | 'allow' | 'fetch'> & { includePrivate?: boolean };
type Limits = Sandbox['vendors']['gong']['limits'];

/** A key and its secret, invalid everywhere. */
export const key = { access_key: 'KEY', access_key_secret: 'SECRET' };
/** The Authorization header for that key. */
export const basic = `Basic ${btoa('KEY:SECRET')}`;
/** An OAuth application with a refresh token, invalid everywhere. */
export const application = { client_id: 'client', client_secret: 'client-secret', refresh_token: 'refresh-0' };

/** The start of each sandbox: a Tuesday, in the middle of the company's working day. */
const startTime = Date.parse('2026-09-15T15:00:00Z');

/** How long each response takes on the mocked clock, so that no call waits for its turn. */
const replyMs = 400;

/** A connector on its own sandbox, with `pageSize` records per page if given. */
export function connectorOnSandbox({
  mode = 'basic',
  faults = [],
  limits = {},
  ...options
}: { mode?: Mode; faults?: FaultRule[]; limits?: Limits } & Own = {}) {
  const time = fakeClock(startTime);
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

/**
 * A connector with these options talking to a Gong that returns these responses in turn, and then repeats the last one.
 */
export function connectorWithOptions(
  { credentials = key, ...options }: Own & { credentials?: any },
  ...replies: readonly Reply[]
) {
  const time = fakeClock();
  const sent = playVendor((one, count) => {
    time.advance(replyMs);
    return replyOf(replies, one, count);
  });
  const mismatches: MismatchEvent[] = [];
  const hooks = { onResponseMismatch: (event: MismatchEvent) => void mismatches.push(event), ...options.hooks };
  const gong = new GongConnector({ credentials, retries: 0, ...options, hooks });
  return { gong, sent, mismatches, time };
}

/** The same, with no options. */
export const connectorWithReplies = (...replies: readonly Reply[]) => connectorWithOptions({}, ...replies);

/** A response with this exact text, such as JSON with numbers that JavaScript cannot represent. */
export const textReply = (body: string, status = 200, headers: Record<string, string> = {}) =>
  new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } });

/** Gong's error responses: messages without codes. */
export const errorReply = (status: number, errors: readonly unknown[], headers: Record<string, string> = {}) =>
  json({ requestId: 'r-refused', errors }, status, { 'x-traceid': 'r-refused', ...headers });

/** What Gong returns instead of an empty list. */
export const emptyListReply = (things = 'calls') =>
  errorReply(404, [`No ${things} found corresponding to the provided filters`]);

/** A page in the format of Gong's lists. */
export const pageReply = (key: string, rows: readonly unknown[], cursor?: string) => ({
  requestId: 'r-page',
  records: {
    totalRecords: rows.length,
    currentPageSize: rows.length,
    currentPageNumber: 0,
    ...(cursor !== undefined && { cursor }),
  },
  [key]: rows,
});

/** The response to a lookup of calls: each id, and whether the call is private. */
export const callLookupReply = (calls: Readonly<Record<string, object>>) =>
  pageReply(
    'calls',
    Object.entries(calls).map(([id, metaData]) => ({ metaData: { id, isPrivate: false, ...metaData }, context: [] })),
  );
