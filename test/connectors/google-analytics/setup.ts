import type { ConnectorOptions, MismatchEvent } from 'agent-connectors';
import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
import { createSandbox, type FaultRule, type Sandbox } from 'agent-connectors-sandbox';
import { playVendor, type Reply } from '../../play-vendor.js';

export { collect } from '../calls.js';

type AnalyticsVendor = Sandbox['vendors']['google-analytics'];

const client = { client_id: 'c', client_secret: 's', refresh_token: 'r' };

type Mode = 'ready' | Exclude<keyof AnalyticsVendor['credentials'], 'access_token'>;
type Options = Omit<ConnectorOptions, 'credentials' | 'allow'>;

/** Credentials that need no refresh at first. */
export const readyCredentials = ({ oauth, access_token }: AnalyticsVendor['credentials']) => ({
  ...oauth,
  ...access_token,
});

/** A connector on its own sandbox; `readyCredentials` have a valid token already. */
export function connectorOnSandbox({
  mode = 'ready',
  faults = [],
  ...options
}: { mode?: Mode; faults?: FaultRule[] } & Options = {}) {
  // The clock is stopped at noon, so no midnight falls between two reports and today has visits. Service account
  // assertions are dated by the real clock.
  const start = mode === 'ready' ? new Date().setUTCHours(12, 0, 0, 0) : Date.now();
  const sandbox = createSandbox({ seed: 7, scale: 0.2, now: () => start });
  for (const fault of faults) sandbox.faults.add(fault);
  const vendor = sandbox.vendors['google-analytics'];
  const credentials = mode === 'ready' ? readyCredentials(vendor.credentials) : vendor.credentials[mode];
  const analytics = new GoogleAnalyticsConnector({ credentials, fetch: sandbox.fetch, ...options });
  const reportRequests = () => sandbox.requests.filter(({ path }) => path.endsWith(':runReport'));
  return { sandbox, vendor, analytics, reportRequests, ...vendor.properties };
}

/**
 * A connector talking to a Google that returns these responses in turn, then repeats the last one; and the requests
 * sent.
 */
export function connectorWithReplies(replies: readonly Reply[], options: Options = {}) {
  const sent = playVendor(...replies);
  const mismatches: MismatchEvent[] = [];
  const { hooks, ...others } = options;
  const analytics = new GoogleAnalyticsConnector({
    credentials: { ...client, access_token: 'ya29.test' },
    retries: 0,
    ...others,
    hooks: { ...hooks, onResponseMismatch: (event) => mismatches.push(event) },
  });
  return { analytics, sent, mismatches };
}

/** An error response in the format of Google's newer APIs. */
export const errorReply = (
  code: number,
  status: string,
  message: string,
  more: object = {},
  headers: HeadersInit = {},
) => Response.json({ error: { code, status, message, ...more } }, { status: code, headers });

/** The response to a report: rows of one dimension and one metric, with this total. */
export const reportOf = (rows: ReadonlyArray<readonly [string, string]>, rowCount: number = rows.length) => ({
  dimensionHeaders: [{ name: 'date' }],
  metricHeaders: [{ name: 'sessions', type: 'TYPE_INTEGER' }],
  rows: rows.map(([date, sessions]) => ({ dimensionValues: [{ value: date }], metricValues: [{ value: sessions }] })),
  rowCount,
  kind: 'analyticsData#runReport',
});

export const property = { property_id: '123456789' };
