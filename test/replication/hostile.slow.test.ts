import { GongConnector } from 'agent-connectors/gong';
import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox } from 'agent-connectors-sandbox';
import { expect, test } from 'vitest';
import { replication as gong } from '../../connectors/gong/replication/index.js';
import { replication as analytics } from '../../connectors/google-analytics/replication/index.js';
import { replication as drive } from '../../connectors/google-drive/replication/index.js';
import { replication as linear } from '../../connectors/linear/replication/index.js';
import { connectorOnSandbox } from '../connectors/gong/setup.js';
import { readyCredentials } from '../connectors/google-analytics/setup.js';
import { noon } from '../sandbox/requester.js';
import { replicaOf } from './replica.js';

const html = (status: number) => () =>
  new Response(`<html><title>${status}</title></html>`, { status, headers: { 'content-type': 'text/html' } });
const withoutLists = (value: unknown): unknown =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(
        Object.entries(value).flatMap(([name, inner]) => (Array.isArray(inner) ? [] : [[name, withoutLists(inner)]])),
      );

/** What may come instead of a vendor's response, of which the body is passed in. */
const faults: Readonly<Record<string, (body: string) => Response>> = {
  'a 404 page': html(404),
  'a 410 page': html(410),
  'a 403 page': html(403),
  'a 401 page': html(401),
  'a 502 page': html(502),
  'a 200 page': html(200),
  'a 200 without a body': () => new Response('', { headers: { 'content-type': 'application/json' } }),
  'an empty object': () => Response.json({}),
  'no data': () => Response.json({ data: null }),
  'a response without its lists': (body) => Response.json(withoutLists(JSON.parse(body))),
  'a response that was cut off': (body) =>
    new Response(body.slice(0, -20), { headers: { 'content-type': 'application/json' } }),
};

/** A sandbox for each vendor, and how to reach it. */
const vendors = {
  linear: () => {
    const sandbox = createSandbox({ seed: 7, now: () => noon });
    sandbox.vendors.linear.limits = { requestsPerHour: 1e9, complexityPerHour: 1e12 };
    const credentials = sandbox.vendors.linear.credentials.api_key;
    return { sandbox, fetch: sandbox.fetch, Class: LinearConnector, credentials, config: {} };
  },
  'google-drive': () => {
    const sandbox = createSandbox({ seed: 7, now: () => noon });
    const credentials = sandbox.vendors['google-drive'].credentials.oauth;
    return { sandbox, fetch: sandbox.fetch, Class: GoogleDriveConnector, credentials, config: {} };
  },
  gong: () => {
    const limits = { requestsPerSecond: 1_000, requestsPerDay: 1e9, pageSize: 100 };
    const { sandbox, fetch } = connectorOnSandbox({ limits });
    const credentials = sandbox.vendors.gong.credentials.basic;
    return { sandbox, fetch, Class: GongConnector, credentials, config: {} };
  },
  'google-analytics': () => {
    const sandbox = createSandbox({ seed: 7, scale: 0.1, now: () => noon });
    const vendor = sandbox.vendors['google-analytics'];
    const config = { property_ids: vendor.properties.website, start_date: '2026-08-01' };
    const credentials = readyCredentials(vendor.credentials);
    const { fetch } = sandbox;
    return { sandbox, fetch, Class: GoogleAnalyticsConnector, credentials, config };
  },
};

/** Most requests of a run that are replaced, one at a time. */
const maxRequests = 3;

const replications = { linear, 'google-drive': drive, gong, 'google-analytics': analytics };

for (const [name, create] of Object.entries(vendors)) {
  test.each(Object.keys(replications[name as keyof typeof replications].entities))(
    `${name}: whatever comes instead of a response, a run of %s that succeeds has everything`,
    async (entity) => {
      const { sandbox, fetch: send, Class, credentials, config } = create();
      const replication = replications[name as keyof typeof replications];
      let count = 0;
      let faultAt = -1;
      let fault: (body: string) => Response = html(404);
      const fetch: typeof globalThis.fetch = async (input, init) => {
        const response = await send(input, init);
        if (/oauth|token/.test(String(input instanceof Request ? input.url : input))) return response;
        const isFaulty = count++ === faultAt;
        return isFaulty ? fault(await response.text()) : response;
      };
      const options = { credentials, fetch, retries: 0 };
      const clock = { now: () => sandbox.clock.now(), config };
      const open = () => replicaOf(Class as never, replication, options as never, clock);
      // Gong's clock advances with every request, so that calls are added meanwhile.
      const contents = (replica: ReturnType<typeof open>) => Object.fromEntries([...replica.records(entity)].sort());
      const clean = open();
      await clean.run(entity);
      const expected = contents(clean);
      const requests = count;
      const step = Math.max(1, Math.floor(requests / maxRequests));
      for (const [title, replace] of Object.entries(faults)) {
        for (let at = 0; at < requests; at += step) {
          const replica = open();
          [count, faultAt, fault] = [0, at, replace];
          const isDone = await replica.run(entity).catch(() => false);
          faultAt = -1;
          const where = `${title} in response to request ${at}`;
          const unread = replica.failures.filter(({ permanent }) => !permanent);
          if (isDone && unread.length === 0) expect(contents(replica), where).toMatchObject(expected);
          await replica.run(entity);
          expect(contents(replica), `${where}, then a run`).toMatchObject(expected);
        }
      }
    },
    120_000,
  );
}
