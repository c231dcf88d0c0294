import { type CommonOptions, ConnectorError, type Manifest } from 'agent-connectors';
import { GongConnector } from 'agent-connectors/gong';
import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { GranolaConnector } from 'agent-connectors/granola';
import { LinearConnector } from 'agent-connectors/linear';
import type { Replication } from 'agent-connectors/replication';
import { createSandbox, type Sandbox } from 'agent-connectors-sandbox';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { replication as gong } from '../../connectors/gong/replication/index.js';
import { replication as analytics } from '../../connectors/google-analytics/replication/index.js';
import { replication as drive } from '../../connectors/google-drive/replication/index.js';
import { replication as granola } from '../../connectors/granola/replication/index.js';
import { replication as linear } from '../../connectors/linear/replication/index.js';
import { readyCredentials } from '../connectors/google-analytics/setup.js';
import { advanceUntilSettled, warmUpAndFreezeTime } from '../engine/time.js';
import { replicaOf } from '../replication/replica.js';

const noon = Date.parse('2026-09-15T12:00:00Z');
const size = 4;

/** A request for a page, as far as tests change it. */
interface Asked {
  readonly url: URL;
  /** Undefined for a request without a body. */
  readonly body: any;
}

/** How a vendor paginates. */
interface Vendor {
  readonly Connector: { readonly manifest: Manifest };
  readonly replication: Replication;
  readonly credentials: (sandbox: Sandbox) => object;
  readonly config?: (sandbox: Sandbox) => Readonly<Record<string, unknown>>;
  /** Makes the pages small. */
  readonly shrink: (asked: Asked, sandbox: Sandbox) => void;
  /** The list in a response: the object that contains its rows, and the name of that field. */
  readonly listOf: (body: any) => readonly [any, string] | undefined;
  /** The cursor of a request. */
  readonly cursorOf: (asked: Asked) => unknown;
  readonly setCursor: (asked: Asked, cursor: string) => void;
  /** Makes a response claim that there is another page. */
  readonly continueAt: (body: any, cursor: unknown) => void;
  /** Whether a list ends when there is no cursor, and says so in no other way. */
  readonly endsWithoutCursor?: boolean;
}

const arrayIn = (body: any, names: readonly string[]) => {
  const name = names.find((field) => Array.isArray(body?.[field]));
  return name === undefined ? undefined : ([body, name] as const);
};
const connectionIn = (body: any): any =>
  Object.values(body?.data ?? {})
    .flatMap((value: any) => [value, ...Object.values(value ?? {})])
    .find((value: any) => Array.isArray(value?.nodes) && value.pageInfo);

const vendors: Readonly<Record<string, Vendor>> = {
  linear: {
    Connector: LinearConnector,
    replication: linear,
    credentials: ({ vendors: { linear: vendor } }) => vendor.credentials.api_key,
    shrink: ({ body }) => {
      body.query = body.query.replace(/first: \d+, after/g, `first: ${size}, after`);
    },
    listOf: (body) => {
      const connection = connectionIn(body);
      return connection && [connection, 'nodes'];
    },
    cursorOf: ({ body }) => body?.variables?.after,
    setCursor: ({ body }, cursor) => {
      body.variables.after = cursor;
    },
    continueAt: (body, cursor) => {
      Object.assign(connectionIn(body).pageInfo, { hasNextPage: true, endCursor: cursor });
    },
  },
  'google-drive': {
    Connector: GoogleDriveConnector,
    replication: drive,
    credentials: (sandbox) => sandbox.vendors['google-drive'].credentials.oauth,
    shrink: ({ url }) => {
      if (url.searchParams.has('pageSize')) url.searchParams.set('pageSize', String(size));
    },
    listOf: (body) => arrayIn(body, ['files', 'changes', 'drives', 'permissions']),
    cursorOf: ({ url }) => url.searchParams.get('pageToken') ?? undefined,
    setCursor: ({ url }, cursor) => url.searchParams.set('pageToken', cursor),
    continueAt: (body, cursor) => {
      body.nextPageToken = cursor;
      delete body.newStartPageToken;
    },
  },
  gong: {
    Connector: GongConnector,
    replication: gong,
    credentials: (sandbox) => sandbox.vendors.gong.credentials.basic,
    shrink: (_, sandbox) => {
      sandbox.vendors.gong.limits = { requestsPerSecond: 1e6, requestsPerDay: 1e6, pageSize: size };
    },
    listOf: (body) => arrayIn(body, ['calls', 'users', 'callTranscripts', 'workspaces']),
    cursorOf: ({ url, body }) => url.searchParams.get('cursor') ?? body?.cursor,
    setCursor: ({ url, body }, cursor) => {
      if (body) body.cursor = cursor;
      else url.searchParams.set('cursor', cursor);
    },
    continueAt: (body, cursor) => {
      if (body.records) body.records.cursor = cursor;
    },
    endsWithoutCursor: true,
  },
  granola: {
    Connector: GranolaConnector,
    replication: granola,
    credentials: (sandbox) => sandbox.vendors.granola.credentials.api_key,
    shrink: ({ url }) => {
      if (url.searchParams.has('page_size')) url.searchParams.set('page_size', String(size));
    },
    listOf: (body) => arrayIn(body, ['notes']),
    cursorOf: ({ url }) => url.searchParams.get('cursor') ?? undefined,
    setCursor: ({ url }, cursor) => url.searchParams.set('cursor', cursor),
    continueAt: (body, cursor) => Object.assign(body, { hasMore: true, cursor }),
  },
  'google-analytics': {
    Connector: GoogleAnalyticsConnector,
    replication: analytics,
    credentials: (sandbox) => readyCredentials(sandbox.vendors['google-analytics'].credentials),
    config: ({ vendors: { 'google-analytics': vendor } }) => ({
      property_ids: vendor.properties.website,
      start_date: '2026-09-12',
    }),
    shrink: ({ body }) => {
      if (body?.limit) body.limit = '50';
    },
    listOf: (body) => arrayIn(body, ['rows']),
    // Its pages are row offsets, which cannot expire or repeat.
    cursorOf: ({ body }) => (Number(body?.offset ?? 0) > 0 ? body.offset : undefined),
    setCursor: () => undefined,
    continueAt: (body) => {
      body.rowCount = Number(body.rowCount ?? 0) + 1;
    },
  },
};

type Fault = (vendor: Vendor, body: any, asked: Asked) => void;

/** What happens to a page: to the request, or to the response. */
const faults: Readonly<Record<string, { readonly request?: Fault; readonly response?: Fault }>> = {
  'repeats its cursor': {
    response: (vendor, body, asked) => vendor.continueAt(body, vendor.cursorOf(asked) ?? 'repeated'),
  },
  'claims to continue without a cursor': { response: (vendor, body) => vendor.continueAt(body, null) },
  'continues with an empty cursor': { response: (vendor, body) => vendor.continueAt(body, '') },
  'is empty, with the cursor of the request': {
    response: (vendor, body, asked) => {
      const [holder, field] = vendor.listOf(body)!;
      holder[field] = [];
      vendor.continueAt(body, vendor.cursorOf(asked) ?? 'first');
    },
  },
  'has lost its list': {
    response: (vendor, body) => {
      const [holder, field] = vendor.listOf(body)!;
      delete holder[field];
    },
  },
  'is requested with an expired cursor': {
    request: (vendor, _, asked) => {
      if (vendor.cursorOf(asked) !== undefined) vendor.setCursor(asked, 'expired');
    },
  },
};

/** A vendor whose pages from `first` on, `count` of them, are faulty. */
function company(vendor: Vendor) {
  // The data depend on the time.
  vi.setSystemTime(noon);
  const sandbox = createSandbox({ seed: 7, scale: 0.05, now: () => Date.now() });
  const faulty = { kind: '', first: 0, count: 0 };
  const seen = { pages: 0, requests: 0 };
  const fetch: typeof globalThis.fetch = async (input, init) => {
    seen.requests += 1;
    if (seen.requests > 2_000) throw new Error('The pages are requested for ever.');
    const isJson = typeof init?.body === 'string' && init.body.startsWith('{');
    const asked = { url: new URL(String(input)), body: isJson ? JSON.parse(init.body as string) : undefined };
    if (
      !isJson ||
      asked.body.query !== undefined ||
      asked.body.limit !== undefined ||
      vendor.Connector === GongConnector
    )
      vendor.shrink(asked, sandbox);
    const isHit = () => seen.pages >= faulty.first && seen.pages < faulty.first + faulty.count;
    const send = () => sandbox.fetch(asked.url.href, { ...init, ...(isJson && { body: JSON.stringify(asked.body) }) });
    const { request, response: change } = faults[faulty.kind] ?? {};
    if (request && isHit()) request(vendor, undefined, asked);
    const response = await send();
    if (!response.headers.get('content-type')?.includes('json')) return response;
    const text = await response.text();
    const body = JSON.parse(text);
    const list = response.ok ? vendor.listOf(body) : undefined;
    if (list && change && isHit()) change(vendor, body, asked);
    if (list || (request && isHit())) seen.pages += 1;
    const { status, headers } = response;
    return new Response(JSON.stringify(body), {
      status,
      headers: new Headers([...headers].filter(([name]) => !/content-(length|encoding)/.test(name))),
    });
  };
  const options = { credentials: vendor.credentials(sandbox), fetch, retries: 0 } as CommonOptions;
  const replica = replicaOf(vendor.Connector, vendor.replication, options, {
    now: () => Date.now(),
    config: vendor.config?.(sandbox) ?? {},
  });
  const entities = Object.keys(vendor.replication.entities);
  return {
    seen,
    /** Reads all entities as a job would; returns the errors by entity. */
    async sync(kind = '', first = 0, count = 0) {
      Object.assign(faulty, { kind, first, count });
      Object.assign(seen, { pages: 0, requests: 0 });
      replica.failures.length = 0;
      const shared = new Map<string, unknown>();
      const errors = new Map<string, unknown>();
      for (const entity of entities) {
        await advanceUntilSettled(
          replica.run(entity, { shared }).catch((error) => errors.set(entity, error)),
          1_000,
        );
      }
      return { errors, isIncomplete: replica.failures.length > 0 };
    },
    contents: (entity: string) => Object.fromEntries([...replica.records(entity)].sort(([a], [b]) => (a < b ? -1 : 1))),
    entities,
  };
}

afterEach(() => {
  vi.useRealTimers();
});

describe.each(Object.entries(vendors))('replication of %s', (_, vendor) => {
  const kinds = Object.keys(faults).filter((kind) => !(vendor.endsWithoutCursor && /without|empty cursor/.test(kind)));
  test.each(kinds)('never takes what it has read for everything if a page %s', async (kind) => {
    await warmUpAndFreezeTime(noon);
    const whole = company(vendor);
    expect((await whole.sync()).errors).toEqual(new Map());
    const { pages, requests } = whole.seen;
    expect(pages).toBeGreaterThan(1);
    const everyPage = [0, Number.POSITIVE_INFINITY] as const;
    const single = [0, 1, 2, Math.floor(pages / 2), pages - 1].map((first) => [first, 1] as const);
    for (const [first, count] of [everyPage, ...single]) {
      const replica = company(vendor);
      const { errors, isIncomplete } = await replica.sync(kind, first, count);
      expect(replica.seen.requests, `${first} ${count}`).toBeLessThan(3 * requests + 50);
      for (const entity of replica.entities) {
        const error = errors.get(entity);
        if (error !== undefined) expect(ConnectorError.is(error), String((error as Error).stack)).toBe(true);
        else if (!isIncomplete)
          expect(replica.contents(entity), `${entity}, page ${first}`).toEqual(whole.contents(entity));
      }
      expect((await replica.sync()).errors).toEqual(new Map());
      for (const entity of replica.entities)
        expect(replica.contents(entity), `${entity} after page ${first}`).toEqual(whole.contents(entity));
    }
  });
});
