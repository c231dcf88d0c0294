import type { CreateOptions } from 'agent-connectors-service';
import fc from 'fast-check';
import { expect } from 'vitest';
import { connectorPath } from '../http/setup.js';
import { type DepotAnswer, type DepotAnswers, startDepot } from './depot.js';
import { jobsOf, syncAndWait } from './setup.js';

const entities = ['whole', 'paged', 'changed'] as const;
type Entity = (typeof entities)[number];
type Query = Readonly<Record<string, string>>;

interface Item {
  readonly id: string;
  readonly label: string;
  readonly updatedAt: string;
}

const page = (status: number) => () =>
  new Response(`<html><title>${status}</title></html>`, { status, headers: { 'content-type': 'text/html' } });

/** What may come instead of the vendor's response, which is passed in. */
const faults: Readonly<Record<string, (answer: object, query: Query) => DepotAnswer>> = {
  'a 404 page': page(404),
  'a 403 page': page(403),
  'a 502 page': page(502),
  'a 200 without a body': () => new Response(''),
  'a list without its list field': (answer) => ({ ...answer, rows: undefined }),
  'the cursor of the request': (answer, { cursor }) => ({ ...answer, next: cursor ?? '0' }),
  'a reply that was cut off': (answer) =>
    new Response(JSON.stringify(answer).slice(0, -20), { headers: { 'content-type': 'application/json' } }),
};

const pageSize = 2;

/** A vendor with pages of two items, in response to a cursor or an offset, and optionally only those changed since. */
function respond(items: readonly Item[], { cursor, offset, since = '' }: Query): object {
  const listed = items.filter(({ updatedAt }) => updatedAt >= since);
  const start = Number(cursor ?? offset ?? 0);
  const end = start + pageSize;
  return { rows: listed.slice(start, end), next: end < listed.length ? String(end) : null };
}

const day = (count: number) => new Date(Date.UTC(2026, 0, count)).toISOString();
const items = (ids: readonly string[], label: string, at: number): Item[] =>
  ids.map((id) => ({ id, label, updatedAt: day(at) }));

/** Items before and after the vendor's change, and the faults by the number of the request since then. */
const scenario = fc.record({
  kept: fc.subarray(['a', 'b', 'c', 'd']),
  changed: fc.subarray(['e', 'f', 'g']),
  removed: fc.subarray(['h', 'i', 'j']),
  added: fc.subarray(['k', 'l', 'm']),
  faults: fc.array(fc.tuple(fc.nat({ max: 14 }), fc.constantFrom(...Object.keys(faults))), {
    minLength: 1,
    maxLength: 6,
  }),
});

/**
 * Whatever a vendor responds to the requests of a sync, searches say what is missing, and after its recovery nothing is.
 * `database` is where a case stores its data.
 */
export async function survivesFaults(
  cases: number,
  database: () => Promise<Pick<CreateOptions, 'dataFolder' | 'databaseUrl'>> = async () => ({}),
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ kept, changed, removed, added, faults: planned }) => {
      const before = [...items(kept, 'kept', 1), ...items(changed, 'old', 1), ...items(removed, 'old', 1)];
      const after = [...items(kept, 'kept', 1), ...items(changed, 'new', 2), ...items(added, 'new', 2)];
      const faultAt = new Map(planned);
      let requests: number | undefined;
      const answer = (query: Query): DepotAnswer => {
        if (requests === undefined) return respond(before, query);
        const fault = faultAt.get(requests++);
        const response = respond(after, query);
        return fault === undefined ? response : faults[fault]!(response, query);
      };
      const answers: DepotAnswers = { whole: answer, paged: answer, changed: answer };
      const depot = await startDepot(entities, answers, true, await database());
      const { tenant, id, search, clock } = depot;
      const contents = async (entity: Entity) => {
        const { data, meta } = await search(entity);
        return { items: new Map(data.map((item: any) => [item.id, item.label])), complete: meta.complete };
      };
      const expected = new Map(after.map((item) => [item.id, item.label]));
      requests = 0;
      await tenant.ask('POST', connectorPath(id, '/sync'));
      const hasAttempted = async () => {
        const [job] = await jobsOf(tenant, id);
        return job.requested === 'request' && (/done|failed/.test(job.status) || job.next_try_at !== null);
      };
      await expect.poll(hasAttempted, { timeout: 30_000, interval: 20 }).toBe(true);
      for (const entity of entities) {
        const { items: stored, complete } = await contents(entity);
        if (complete) expect(stored, entity).toEqual(expected);
      }
      faultAt.clear();
      clock.aheadMs += 10 * 60_000;
      expect((await syncAndWait(tenant, id)).status).toBe('done');
      for (const entity of entities)
        expect(await contents(entity), entity).toEqual({ items: expected, complete: true });
    }),
    { numRuns: cases },
  );
}
