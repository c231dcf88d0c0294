import { createSandbox, type FaultRule, type GoogleAnalyticsCredentials, type Sandbox } from 'agent-connectors-sandbox';
import { noon } from '../requester.js';

/** A response that has been read. */
export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON, or undefined if it is not JSON. */
  json: any;
}

/** A sandbox at a fixed time. */
export function fixedSandbox(...faults: FaultRule[]): Sandbox {
  return createSandbox({ now: () => noon, faults });
}

/** The eight metrics that most reports request. */
export const defaultMetrics = [
  'totalUsers',
  'newUsers',
  'sessions',
  'sessionsPerUser',
  'averageSessionDuration',
].concat(['screenPageViews', 'screenPageViewsPerSession', 'bounceRate']);

/** A report request with these dimensions and metrics, for the last thirty days by default. */
export function request(dimensions: readonly string[], metrics: readonly string[], more: object = {}): object {
  return {
    dateRanges: [{ startDate: '30daysAgo', endDate: 'today' }],
    dimensions: dimensions.map((name) => ({ name })),
    metrics: metrics.map((name) => ({ name })),
    ...more,
  };
}

const origin = 'https://analyticsdata.googleapis.com';

/** Returns a function that sends requests with one access token. */
export function createRequester(sandbox: Pick<Sandbox, 'fetch'>, token = 'ya29.sandbox-analytics-access-token') {
  return async (path: string, body?: unknown, init: RequestInit = {}): Promise<Reply> => {
    const response = await sandbox.fetch(`${origin}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...init,
    });
    return readReply(response);
  };
}

/** Returns a function that requests reports for one property. */
export function createReporter(
  sandbox: Sandbox,
  property = sandbox.vendors['google-analytics'].properties.website as string,
) {
  const ask = createRequester(sandbox);
  return (body: unknown) => ask(`/v1beta/properties/${property}:runReport`, body);
}

/** Reads a response to its end. */
export async function readReply(response: Response): Promise<Reply> {
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
}

/** The rows of a report, keyed by column name. */
export function table({ json }: Reply): Record<string, string>[] {
  const names = [...(json.dimensionHeaders ?? []), ...(json.metricHeaders ?? [])].map(({ name }) => name);
  return (json.rows ?? []).map(({ dimensionValues = [], metricValues = [] }: any) =>
    Object.fromEntries([...dimensionValues, ...metricValues].map(({ value }, place) => [names[place], value])),
  );
}

/** The sum of a column. */
export function sum(rows: readonly Record<string, string>[], name: string): number {
  return rows.reduce((whole, row) => whole + Number(row[name]), 0);
}

/** Sends a request to the token endpoint. */
async function tokenReply(
  sandbox: Sandbox,
  fields: Record<string, string>,
  address = 'https://oauth2.googleapis.com/token',
): Promise<Reply> {
  return readReply(await sandbox.fetch(address, { method: 'POST', body: new URLSearchParams(fields) }));
}

type Refreshable = {
  [Name in keyof GoogleAnalyticsCredentials]: GoogleAnalyticsCredentials[Name] extends { refresh_token: string }
    ? Name
    : never;
}[keyof GoogleAnalyticsCredentials];

/** An access token for one of the refreshable credentials. */
export async function tokenOf(sandbox: Sandbox, name: Refreshable): Promise<string> {
  const { client_id, client_secret, refresh_token } = sandbox.vendors['google-analytics'].credentials[name];
  const fields = { client_id, client_secret, refresh_token, grant_type: 'refresh_token' };
  return (await tokenReply(sandbox, fields)).json.access_token;
}
