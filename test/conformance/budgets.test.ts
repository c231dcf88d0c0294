import type { ConnectorOptions, RetryEvent } from 'agent-connectors';
import { GongConnector } from 'agent-connectors/gong';
import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { GranolaConnector } from 'agent-connectors/granola';
import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox, type Sandbox } from 'agent-connectors-sandbox';
import { expect, test } from 'vitest';
import { advanceUntilSettled, freezeTime } from '../../sandbox/src/testing/time.js';
import { paramsAt } from '../connectors/gong/params.js';
import { readyCredentials } from '../connectors/google-analytics/setup.js';
import { params as driveParams } from '../connectors/google-drive/params.js';
import { params as linearParams } from '../connectors/linear/params.js';
import { playVendor } from '../play-vendor.js';

type Params = Readonly<Record<string, (connector: any) => object | Promise<object>>>;

interface Vendor {
  readonly Connector: new (options: any) => { execute(...call: any[]): Promise<{ data: unknown }> };
  readonly credentials: (sandbox: Sandbox) => object;
  readonly params: Params;
  /**
   * Minimum time in ms for this many requests under the vendor's limits, and so the longest that an action may wait.
   */
  readonly due: (requests: number) => number;
}

const report = () => ({ property_id: '320200001', dateRanges: [{ startDate: '7daysAgo', endDate: 'yesterday' }] });
const reports =
  'website_overview daily_active_users weekly_active_users four_weekly_active_users traffic_sources pages devices locations';
const start = Math.floor(Date.now() / 1000) * 1000;

const vendors: Record<string, Vendor> = {
  linear: {
    Connector: LinearConnector,
    credentials: ({ vendors: { linear } }) => linear.credentials.api_key,
    params: linearParams,
    // The bucket starts full; an empty one has its own test.
    due: () => 0,
  },
  gong: {
    Connector: GongConnector,
    credentials: ({ vendors: { gong } }) => gong.credentials.basic,
    params: paramsAt(start, 99),
    // Three per second; the connector adds a tenth of a second to stay under the limit.
    due: (requests) => Math.floor(requests / 3) * 1_100,
  },
  granola: {
    Connector: GranolaConnector,
    credentials: ({ vendors: { granola } }) => granola.credentials.api_key,
    params: {
      'notes.list': () => ({}),
      'notes.get': async (granola: GranolaConnector) => {
        const { data } = await granola.notes.list({ page_size: 1 });
        return { note_id: data[0]!.id, include: 'transcript' };
      },
    },
    due: (requests) => Math.floor(requests / 25) * 5_000,
  },
  'google-drive': {
    Connector: GoogleDriveConnector,
    credentials: ({ vendors: all }) => all['google-drive'].credentials.access_token,
    params: driveParams,
    due: () => 0,
  },
  'google-analytics': {
    Connector: GoogleAnalyticsConnector,
    credentials: ({ vendors: all }) => readyCredentials(all['google-analytics'].credentials),
    params: Object.fromEntries(reports.split(' ').map((name) => [`${name}.list`, report])),
    due: () => 0,
  },
};

test.each(Object.entries(vendors))(
  '%s: every action waits no longer than the rate limits require',
  async (_, { Connector, credentials, params, due }) => {
    const loaded = createSandbox({ seed: 7, scale: 0.05 });
    const make = (sandbox: Sandbox, options: ConnectorOptions = {}) =>
      new Connector({ credentials: credentials(sandbox), fetch: sandbox.fetch, ...options });
    // Whatever the first call loads is loaded before the clock is stopped.
    const [first] = Object.entries(params);
    await make(loaded).execute(...first![0].split('.'), await first![1](make(loaded)));
    freezeTime(start);
    const sandbox = createSandbox({ seed: 7, scale: 0.05, now: () => Date.now() });
    const retries: RetryEvent[] = [];
    const connector = make(sandbox, { timeoutMs: 600_000, hooks: { onRetry: (event) => void retries.push(event) } });
    const began = Date.now();
    const isDelete = ([where]: [string, unknown]) => Number(where.endsWith('.delete'));
    // Records that other actions still need are deleted last.
    for (const [where, given] of Object.entries(params).sort((one, other) => isDelete(one) - isDelete(other))) {
      const run = async () => {
        const { data } = await connector.execute(...where.split('.'), await given(connector));
        if (data instanceof ReadableStream) await data.cancel();
      };
      await advanceUntilSettled(run(), 20);
    }
    expect(retries).toEqual([]);
    expect(sandbox.requests.filter(({ status }) => status >= 400)).toEqual([]);
    // Each step of the clock may be slightly late.
    const late = sandbox.requests.length * 40;
    expect(Date.now() - began).toBeLessThanOrEqual(due(sandbox.requests.length) + late);
  },
);

test('linear: when the bucket is empty, each request waits for one token and none is rejected', async () => {
  playVendor({});
  await new LinearConnector({ credentials: { api_key: 'k' } }).teams.list().catch(() => {});
  freezeTime(start);
  const sandbox = createSandbox({ seed: 7, scale: 0.05, now: () => Date.now() });
  sandbox.vendors.linear.limits = { requestsPerHour: 60 };
  const { api_key } = sandbox.vendors.linear.credentials;
  const linear = new LinearConnector({ credentials: api_key, fetch: sandbox.fetch, timeoutMs: 600_000 });
  for (let call = 0; call < 60; call += 1) await advanceUntilSettled(linear.teams.list({ first: 1 }));
  const began = Date.now();
  await advanceUntilSettled(Promise.all([1, 2, 3].map(() => linear.teams.list({ first: 1 }))), 250);
  expect(sandbox.requests.filter(({ status }) => status >= 400)).toEqual([]);
  expect(Math.round((Date.now() - began) / 1000)).toBe(180);
});
