import { action, apiKey, codeOfStatus, connector, entity, get, many, record } from 'agent-connectors';
import type { Batch, Replica, Source } from 'agent-connectors/replication';
import type { CreateOptions } from 'agent-connectors-service';
import * as z from 'zod';
import { searchEntity, startReplicatingService, waitForNewestJob } from './setup.js';

const Item = record({ id: z.any(), label: z.any(), updatedAt: z.any() });

const list = (name: string, isByOffset = false) =>
  action({
    description: `List ${name}.`,
    params: z.strictObject({
      cursor: z.string().optional(),
      offset: z.int().optional(),
      since: z.string().optional(),
    }),
    returns: many(
      Item,
      z.object({ cursor: z.string().nullable(), total: z.number().optional(), progress: z.number().optional() }),
    ),
    request: (params) => get(`/v1/${name}`, params),
    read: ({ rows, next, total, progress }) => ({ data: rows, meta: { cursor: next ?? null, total, progress } }),
    next: isByOffset
      ? (_, { params, data }: any) => data.length > 0 && { offset: (params.offset ?? 0) + data.length }
      : ({ cursor }: any) => cursor !== null && { cursor },
    example: {},
  });

const items = (name: string, isByOffset?: boolean) =>
  entity({
    description: `The ${name}.`,
    search: { fields: { string: ['id', 'label', 'updatedAt'] } },
    actions: { list: list(name, isByOffset) },
  });

async function* pages(source: Source, name: string, first: object = {}) {
  for (let params: object | undefined = first; params; ) {
    const page: any = await source.execute(name, 'list', params);
    yield page;
    const next = source.following(name, 'list', params, page);
    params = next && { ...params, ...next };
  }
}

const wholeList = (name: string): Replica => ({
  async *read(source): AsyncGenerator<Batch> {
    for await (const { data, meta } of pages(source, name)) {
      yield { records: data, state: null, total: meta.total, progress: meta.progress };
    }
  },
  sweep: 'all',
});

/** Reads each page twice, and in between what is stored, as vendors require whose lists leave fields out. */
const paired: Replica = {
  async *read(source): AsyncGenerator<Batch> {
    for await (const { data } of pages(source, 'paired')) {
      await source.stored(data.map(source.idOf));
      const { data: again } = await source.execute('paired', 'list', { since: String(data[0].id) });
      yield { records: again, state: null };
    }
  },
};

/** Reads what has changed since the last run, and lists all ids in every requested one. */
const changed: Replica = {
  async *read(source): AsyncGenerator<Batch> {
    const since = (source.state ?? undefined) as string | undefined;
    let latest = since;
    for await (const { data } of pages(source, 'changed', since === undefined ? {} : { since })) {
      for (const { updatedAt } of data) if (updatedAt > (latest ?? '')) latest = updatedAt;
      yield { records: data, state: since ?? null };
    }
    yield { state: latest ?? null };
  },
  sweep: {
    everyMs: 86_400_000,
    async *ids(source) {
      for await (const { data } of pages(source, 'changed')) yield data.map(({ id }: any) => String(id));
    },
  },
};

/** A connector to a vendor with few rules: `whole` and `paged` are read completely, `changed` by modification time,
 * and `paired` with two calls a page. */
class DepotConnector extends connector({
  name: 'depot',
  title: 'Depot',
  description: 'Test data.',
  version: '1.0.0',
  definitionId: '4b1f6f0e-0c8e-4f0a-9d57-5a5b3c1e9a10',
  endpoints: { api: 'https://api.depot.example' },
  auth: { api_key: apiKey('API key.', 'bearer') },
  // The vendor's own errors are objects with a code.
  fault: ({ status, body }) =>
    status >= 400 && typeof body === 'object' && body !== null && 'code' in body
      ? { code: codeOfStatus(status), message: `Depot responded with ${status}.` }
      : undefined,
  entities: { whole: items('whole'), paged: items('paged', true), changed: items('changed'), paired: items('paired') },
  replication: async () => ({
    replication: { entities: { whole: wholeList('whole'), paged: wholeList('paged'), changed, paired } },
  }),
}) {}

/** A response of the vendor: a body with status 200, or a whole response. */
export type DepotAnswer = object | Response;

/** How the vendor answers requests for an entity; an empty list by default. */
export type DepotAnswers = Partial<
  Record<
    'whole' | 'paged' | 'changed' | 'paired',
    (query: Readonly<Record<string, string>>) => DepotAnswer | Promise<DepotAnswer>
  >
>;

/** A service with a connected, synced depot, whose answers the test can replace. */
export async function startDepot(
  entities: readonly string[],
  answers: DepotAnswers = {},
  settle = true,
  database: Pick<CreateOptions, 'dataFolder' | 'databaseUrl' | 'limits'> = {},
) {
  const clock = { aheadMs: 0 };
  const requests: string[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    const { pathname, search, searchParams } = new URL(input instanceof Request ? input.url : String(input));
    requests.push(pathname + search);
    const name = pathname.slice('/v1/'.length) as keyof DepotAnswers;
    const answer = await (answers[name]?.(Object.fromEntries(searchParams)) ?? { rows: [] });
    return answer instanceof Response ? answer : Response.json(answer);
  };
  const { acme: tenant } = await startReplicatingService({
    connectors: [DepotConnector],
    ...database,
    fetch,
    now: () => Date.now() + clock.aheadMs,
  });
  const id = await tenant.connect('depot', { api_key: 'key' }, { replication_config: { entities, interval: '30d' } });
  if (settle) await waitForNewestJob(tenant, id);
  const search = async (name: string) => {
    const { status, text, body } = await searchEntity(tenant, id, name, { query: {}, limit: 100 });
    if (status !== 200) throw new Error(text);
    return body.result;
  };
  return {
    tenant,
    id,
    clock,
    requests,
    answers,
    search,
    /** Ids of the stored records, sorted. */
    stored: async (name: string): Promise<unknown[]> => (await search(name)).data.map((item: any) => item.id).sort(),
    readiness: async (name: string) => {
      const { body } = await tenant.ask('GET', `/api/v1/integrations/connectors/${id}/inspect`);
      return body.context_store_readiness.entities.find((one: any) => one.entity === name);
    },
  };
}
