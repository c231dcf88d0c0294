import { createSandbox, type Sandbox } from 'agent-connectors-sandbox';
import { serve } from 'agent-connectors-sandbox/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { noon } from './requester.js';

type Vendor = keyof Sandbox['vendors'];

interface Listing {
  /** The vendor's own URL, and the path of a list. */
  readonly origin: string;
  readonly path: string;
  readonly body?: object;
  /** The credential's label, and the header it is sent in. */
  readonly label: string;
  readonly authorization: (vendors: Sandbox['vendors']) => string;
  /** Limits that the next request exceeds. */
  readonly limits?: object;
}

const dateRanges = [{ startDate: '30daysAgo', endDate: 'today' }];
const listings: Readonly<Record<Vendor, Listing>> = {
  linear: {
    origin: 'https://api.linear.app',
    path: '/graphql',
    label: 'api_key',
    body: { query: '{ issues(first: 20) { nodes { id title description } } }' },
    authorization: ({ linear }) => linear.credentials.api_key.api_key,
  },
  gong: {
    origin: 'https://api.gong.io',
    path: '/v2/calls/transcript',
    label: 'basic',
    body: { filter: {} },
    authorization: ({ gong: { credentials } }) =>
      `Basic ${btoa(`${credentials.basic.access_key}:${credentials.basic.access_key_secret}`)}`,
    limits: { requestsPerSecond: 1 },
  },
  granola: {
    origin: 'https://public-api.granola.ai',
    path: '/v1/notes?page_size=30',
    label: 'api_key',
    authorization: ({ granola }) => `Bearer ${granola.credentials.api_key.api_key}`,
    limits: { requestsPerFiveSeconds: 1 },
  },
  'google-drive': {
    origin: 'https://www.googleapis.com',
    path: '/drive/v3/files?fields=*&pageSize=1000',
    label: 'access_token',
    authorization: ({ 'google-drive': drive }) => `Bearer ${drive.credentials.access_token.access_token}`,
  },
  'google-analytics': {
    origin: 'https://analyticsdata.googleapis.com',
    path: '/v1beta/properties/320200001:runReport',
    body: { dateRanges, dimensions: [{ name: 'date' }], metrics: [{ name: 'sessions' }] },
    label: 'access_token',
    authorization: () => 'Bearer ya29.sandbox-analytics-access-token',
  },
};

const fresh = (seed = 1) => createSandbox({ seed, scale: 0.3, now: () => noon });

describe.each(Object.entries(listings) as [Vendor, Listing][])('%s', (vendor, listing) => {
  const { origin, path, body, label, authorization, limits } = listing;
  const requestTo = ({ vendors }: Sandbox) => ({
    headers: { authorization: authorization(vendors), 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  const answer = async (sandbox: Sandbox) => {
    const response = await sandbox.fetch(origin + path, requestTo(sandbox));
    expect(response.status).toBe(200);
    // The request id differs each time.
    return (await response.text()).replace(/"requestId":"[^"]*"/, '');
  };

  it('returns the same data for the same seed and time, and different data for another seed', async () => {
    expect(await answer(fresh())).toBe(await answer(fresh()));
    expect(await answer(fresh())).not.toBe(await answer(fresh(2)));
  });

  it('can be moved to another sandbox as plain JSON', async () => {
    const [first, second] = [fresh(), fresh(9)];
    const expected = await answer(first);
    second.load(JSON.parse(JSON.stringify(first.dump())));
    expect(second.dump()).toEqual(first.dump());
    expect(await answer(second)).toBe(expected);
  });

  it('returns the same response over a socket as in-process, and limits can be set over HTTP', async () => {
    const server = await serve({ sandbox: fresh() });
    onTestFinished(() => server.close());
    const ask = () => fetch(`${server.url}/${vendor}${path}`, requestTo(server.sandbox));
    const text = (await (await ask()).text()).replace(/"requestId":"[^"]*"/, '');
    expect(text).toBe(await answer(fresh()));
    if (!limits) return;
    await fetch(`${server.url}/_sandbox/limits`, { method: 'PUT', body: JSON.stringify({ [vendor]: limits }) });
    expect((await ask()).status).toBe(429);
  });

  it("is recorded with the credential's label, never with its value", async () => {
    const sandbox = fresh();
    await answer(sandbox);
    const { headers } = requestTo(sandbox);
    await sandbox.fetch(origin + path, {
      ...requestTo(sandbox),
      headers: { ...headers, authorization: 'Bearer other' },
    });
    expect(sandbox.requests).toMatchObject([
      { vendor, credential: label, status: 200, time: noon },
      { vendor, credential: 'unknown' },
    ]);
    const recorded = JSON.stringify(sandbox.requests);
    for (const value of [headers.authorization, 'Bearer other']) expect(recorded).not.toContain(value);
  });
});
