import { GongConnector } from 'agent-connectors/gong';
import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { GranolaConnector } from 'agent-connectors/granola';
import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox } from 'agent-connectors-sandbox';
import { expect, test } from 'vitest';
import { replication as gong } from '../../connectors/gong/replication/index.js';
import { replication as analytics } from '../../connectors/google-analytics/replication/index.js';
import { replication as drive } from '../../connectors/google-drive/replication/index.js';
import { replication as granola } from '../../connectors/granola/replication/index.js';
import { replication as linear } from '../../connectors/linear/replication/index.js';
import { caseCount } from '../cases.js';
import { connectorOnSandbox } from '../connectors/gong/setup.js';
import { readyCredentials } from '../connectors/google-analytics/setup.js';
import { fakeClock } from '../engine/fake-clock.js';
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

/** The first list of records in a response. */
function firstList(value: unknown): any[] | undefined {
  for (let level = [value]; level.length > 0; ) {
    const found = level.find((one): one is any[] => Array.isArray(one) && typeof one[0] === 'object');
    if (found) return found;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return undefined;
}

/** A value with sorted lists, whose order is not what these tests are about, and without a report's period, which
 * differs by run. */
const sorted = (value: any): any =>
  Array.isArray(value)
    ? value.map(sorted).sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value).flatMap(([name, inner]) =>
            name === 'startDate' || name === 'endDate' ? [] : [[name, sorted(inner)]],
          ),
        )
      : value;

const changed = (change: (list: any[]) => void) => (body: string) => {
  const value = JSON.parse(body);
  // A single record has lists, too, and so do the pages of a transcript.
  const list = [value.id, value.transcript].every((part) => part === undefined) ? firstList(value) : undefined;
  if (list) change(list);
  return Response.json(value);
};

function withoutId(record: any): void {
  for (const name of Object.keys(record)) if (/^(?:id|\w+Id)$/.test(name)) delete record[name];
  if (record.metaData) delete record.metaData.id;
}

/** What may come instead of a vendor's response; its body, and that of the list's page before, are passed in. */
const faults: Readonly<Record<string, (body: string, before: string) => Response>> = {
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
  'no content': () => new Response(null, { status: 204 }),
  'a redirect to a page': () => new Response(null, { status: 302, headers: { location: 'https://login.example/' } }),
  'the page before, with its cursor': (_, before) =>
    new Response(before, { headers: { 'content-type': 'application/json' } }),
  'a list in another order': changed((list) => list.reverse()),
  'a record twice': changed((list) => list.push(list[0])),
  'null in the middle of a list': changed((list) => list.splice(list.length / 2, 0, null)),
  'a byte order mark': (body) =>
    new Response(`\ufeff${body}`, { headers: { 'content-type': 'application/json; charset=utf-8' } }),
};

/** Faults of a list that stay during a run: the record is named as failed. */
const lasting = { 'a record without its id': changed((list) => withoutId(list[Math.floor(list.length / 2)])) };

/** Names the list that a request is about, whatever its page. */
function listIn(url: string, body: string): string {
  const address = new URL(url);
  for (const name of ['pageToken', 'cursor']) address.searchParams.delete(name);
  const { query, cursor: _, ...params } = body.startsWith('{') ? JSON.parse(body) : ({} as any);
  return JSON.stringify([address.href, query ?? params]);
}

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
    const config = { property_ids: vendor.properties.website, start_date: '2026-03-01' };
    const credentials = readyCredentials(vendor.credentials);
    const { fetch } = sandbox;
    return { sandbox, fetch, Class: GoogleAnalyticsConnector, credentials, config };
  },
  granola: () => {
    const time = fakeClock(noon);
    const sandbox = createSandbox({ seed: 7, scale: 0.1 });
    const fetch: typeof globalThis.fetch = (input, init) => {
      // Granola allows 25 requests per 5 seconds, which no test should wait for.
      time.advance(250);
      return sandbox.fetch(input, init);
    };
    const credentials = sandbox.vendors.granola.credentials.api_key;
    return { sandbox, fetch, Class: GranolaConnector, credentials, config: {} };
  },
};

/** Most requests of a run that are replaced for a fault, one at a time; other ones for each fault. */
const maxRequests = caseCount(10);

const replications = { linear, 'google-drive': drive, gong, 'google-analytics': analytics, granola };

for (const [name, create] of Object.entries(vendors)) {
  test.each(Object.keys(replications[name as keyof typeof replications].entities))(
    `${name}: whatever comes instead of a response, a run of %s that succeeds has everything`,
    async (entity) => {
      const { sandbox, fetch: send, Class, credentials, config } = create();
      const replication = replications[name as keyof typeof replications];
      let count = 0;
      let faultAt = -1;
      let fault: (body: string, before: string) => Response = html(404);
      const lists = new Map<string, string>();
      let isLasting = false;
      let faultyList: string | undefined;
      const fetch: typeof globalThis.fetch = async (input, init) => {
        const request = new Request(input, init);
        const list = listIn(request.url, await request.clone().text());
        const response = await send(request);
        if (/oauth|\/token/.test(request.url)) return response;
        const body = await response.clone().text();
        const before = lists.get(list) ?? body;
        lists.set(list, body);
        const isFaulty = count++ === faultAt;
        if (isFaulty && isLasting) faultyList = list;
        return isFaulty || list === faultyList ? fault(body, before) : response;
      };
      const options = { credentials, fetch, retries: 0 };
      const clock = { now: () => sandbox.clock.now(), config };
      const open = () => replicaOf(Class as never, replication, options as never, clock);
      // Gong's clock advances with every request, so that calls are added meanwhile.
      const contents = (replica: ReturnType<typeof open>) =>
        Object.fromEntries([...replica.records(entity)].map(([id, record]) => [id, sorted(record)]));
      const clean = open();
      await clean.run(entity);
      const expected = contents(clean);
      const requests = count;
      expect(requests).toBeGreaterThan(0);
      const step = Math.ceil(requests / maxRequests);
      for (const [index, [title, replace]] of Object.entries({ ...faults, ...lasting }).entries()) {
        for (let at = (7 * index) % step; at < requests; at += step) {
          const replica = open();
          [count, faultAt, fault, isLasting] = [0, at, replace, title in lasting];
          const isDone = await replica.run(entity).catch(() => false);
          faultAt = -1;
          faultyList = undefined;
          const where = `${title} in response to request ${at}`;
          const unread = replica.failures.filter(({ permanent }) => !permanent);
          if (isDone && unread.length === 0) expect(contents(replica), where).toMatchObject(expected);
          if (isLasting) continue;
          await replica.run(entity);
          expect(contents(replica), `${where}, then a run`).toMatchObject(expected);
        }
      }
    },
    120_000,
  );
}
