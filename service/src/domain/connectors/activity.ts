import type { ActivityResponse, ResponseOf } from 'agent-connectors/wire';
import { durationBounds, hourOf, keptDays } from '../../data/state/activity.js';
import type { CallHour, SyncHour } from '../../data/state/activity-types.js';
import type { Scope } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import type { Gate } from './gate.js';

const hourMs = 3_600_000;

/** Which activity to read. */
export interface ActivityRequest {
  readonly connectorId: string | undefined;
  readonly unit: 'hour' | 'day';
  readonly count: number;
  readonly timeZone: string;
}

/** Reads calls and syncs by hour or day; records of entities that policies exclude from search are not counted. */
export async function readActivity(
  { state, gate, now }: { readonly state: State; readonly gate: Gate; readonly now: () => number },
  scope: Scope,
  { connectorId, unit, count, timeZone }: ActivityRequest,
): Promise<ResponseOf<typeof ActivityResponse>> {
  const since = await state.activity.since();
  const periods = periodsUntil(now(), { since, unit, count, timeZone });
  const from = periods.keys().next().value ?? hourOf(now());
  const isShown = (row: { readonly hour: string }) => row.hour >= from;
  const calls = await state.activity.calls(scope, { connectorId, from });
  // The number of records stays the same until a sync changes it, maybe long before the first period.
  const oldest = connectorId === undefined ? from : hourOf(now() - keptDays * 24 * hourMs);
  const syncs = await withoutDenied(
    await state.activity.syncs(scope, { connectorId, from: oldest }),
    scope,
    state,
    gate,
  );
  const records = new Map<string, number>();
  let next = 0;
  const data = [...groupBy(periods, ([, at]) => at)].map(([at, hours]) => {
    const lastHour = hours.at(-1)![0];
    const within = ({ hour }: { readonly hour: string }) => periods.get(hour) === at;
    for (; next < syncs.length && syncs[next]!.hour <= lastHour; next++) {
      if (syncs[next]!.entity !== '') records.set(syncs[next]!.entity, syncs[next]!.records);
    }
    const known = connectorId !== undefined && records.size > 0;
    return {
      at: unit === 'hour' ? `${at}:00:00.000Z` : at,
      ...countsOf(calls.filter(within), syncs.filter(within)),
      records: known ? [...records.values()].reduce((sum, value) => sum + value, 0) : null,
    };
  });
  const shown = syncs.filter(isShown);
  const ids = new Set([...calls, ...shown].map(({ connector_id }) => connector_id));
  return {
    since: new Date(since).toISOString(),
    unit,
    data,
    total: countsOf(calls, shown),
    connectors: [...ids].map((connector_id) => {
      const isOwn = (row: { readonly connector_id: string }) => row.connector_id === connector_id;
      return { connector_id, ...countsOf(calls.filter(isOwn), shown.filter(isOwn)) };
    }),
  };
}

function groupBy<Item>(items: Iterable<Item>, keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** The counted hours with the period of each, oldest first. */
function periodsUntil(
  now: number,
  { since, unit, count, timeZone }: Omit<ActivityRequest, 'connectorId'> & { readonly since: number },
): Map<string, string> {
  // Canada writes dates as ISO 8601 does.
  const dates = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  const hours = unit === 'hour' ? count : (count + 1) * 24;
  const all: Array<readonly [hour: string, period: string]> = [];
  for (let index = hours - 1; index >= 0; index--) {
    const at = now - index * hourMs;
    const hour = hourOf(at);
    if (hour < hourOf(since)) continue;
    all.push([hour, unit === 'hour' ? hour : dates.format(Date.parse(`${hour}:00:00Z`))]);
  }
  const last = [...new Set(all.map(([, period]) => period))].slice(-count);
  return new Map(all.filter(([, period]) => period >= (last[0] ?? '')));
}

async function withoutDenied(
  rows: readonly SyncHour[],
  scope: Scope,
  state: State,
  gate: Gate,
): Promise<readonly SyncHour[]> {
  const allowed = new Set<string>();
  for (const [id, own] of groupBy(rows, ({ connector_id }) => connector_id)) {
    const row = await state.access.connector(scope, id);
    const names = [...new Set(own.map(({ entity }) => entity))].filter((name) => name !== '');
    const entities = row ? await gate.allowedEntities(row, names, 'context_store_search') : [];
    for (const entity of entities) allowed.add(`${id} ${entity}`);
  }
  return rows.filter(({ connector_id, entity }) => entity === '' || allowed.has(`${connector_id} ${entity}`));
}

function countsOf(calls: readonly CallHour[], syncs: readonly SyncHour[]) {
  const callsOf = (name: 'calls' | 'errors') => calls.reduce((sum, row) => sum + row[name], 0);
  const syncsOf = (name: 'syncs' | 'failed_syncs' | 'read' | 'changed' | 'failed') =>
    syncs.reduce((sum, row) => sum + row[name], 0);
  const buckets = new Map<number, number>();
  for (const row of calls) buckets.set(row.duration_ms, (buckets.get(row.duration_ms) ?? 0) + row.calls);
  const durations = [...buckets].sort(([one], [other]) => one - other);
  return {
    calls: callsOf('calls'),
    errors: callsOf('errors'),
    p50_ms: percentile(durations, 0.5),
    p95_ms: percentile(durations, 0.95),
    syncs: syncsOf('syncs'),
    failed_syncs: syncsOf('failed_syncs'),
    read: syncsOf('read'),
    changed: syncsOf('changed'),
    failed: syncsOf('failed'),
  };
}

/** A percentile of a histogram, assuming that the durations in a bucket are spread evenly. */
function percentile(buckets: ReadonlyArray<readonly [bound: number, count: number]>, part: number): number | null {
  const rank = buckets.reduce((sum, [, count]) => sum + count, 0) * part;
  let before = 0;
  for (const [bound, count] of buckets) {
    if (before + count >= rank) {
      const upper = durationBounds[durationBounds.indexOf(bound) + 1] ?? bound + 1;
      return Math.floor(bound + ((upper - 1 - bound) * (rank - before)) / count);
    }
    before += count;
  }
  return null;
}
