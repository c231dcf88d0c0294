import {
  type Batch,
  ConnectorError,
  type Json,
  type Lookup,
  type Remaining,
  type Source,
  type StoredRecord,
  type Sweep,
} from '../../../src/authoring.js';
import { type ListSpec, maxPageSize, missingCursor, type Node, type Page } from './list.js';
import { changesOf, outdatedIds, snapshotOf } from './related.js';

/** Position of a walk. */
type WalkPosition = {
  /** Creation time of the last record read. */
  readonly before: string | null;
  /** Records read so far with that creation time. */
  readonly seen: readonly string[];
  /** A cursor, if more records were created at the same time than fit on a page. */
  readonly after: string | null;
};

/** Start of a walk. */
const startPosition: WalkPosition = { before: null, seen: [], after: null };

/** A step of a walk; `next` is where to continue, null at the end. */
interface WalkStep {
  readonly nodes: readonly Node[];
  readonly next: WalkPosition | null;
}

/** Options for each page, in addition to the position. */
interface WalkOptions {
  readonly filter?: Readonly<Record<string, unknown>> | undefined;
  readonly includeArchived?: boolean | undefined;
}

/**
 * Walks a list from the newest record to the oldest.
 *
 * Pages are ordered by creation time, which never changes. A record that changes in the meantime is therefore neither
 * skipped nor read twice, and a walk can resume days later, when a cursor's record may no longer exist.
 */
async function* walk(
  source: Source,
  call: string,
  from: WalkPosition,
  options: WalkOptions = {},
): AsyncGenerator<WalkStep> {
  for (let position: WalkPosition | null = from; position; ) {
    const step: WalkStep = await fetchStep(source, call, position, options);
    yield step;
    position = step.next;
  }
}

async function fetchStep(
  source: Source,
  call: string,
  position: WalkPosition,
  { filter, includeArchived }: WalkOptions,
) {
  const { before, seen, after } = position;
  const params = {
    filter: { ...filter, ...(before !== null && { createdAt: { lt: justAfter(before) } }) },
    ...(after !== null && { after }),
    ...(includeArchived && { includeArchived }),
  };
  const { data, meta } = await source.call(call, params).catch((error: unknown) => {
    // The cursor of an earlier run may have expired: what it had read is known, and skipped.
    if (after === null || !ConnectorError.is(error) || error.code !== 'invalid_params') throw error;
    return source.call(call, { ...params, after: undefined });
  });
  const page = data as readonly Node[];
  const known = new Set(seen);
  const nodes = page.filter(({ id }) => !known.has(id));
  return { nodes, next: meta.hasNextPage ? nextPosition(position, page, meta.endCursor) : null };
}

// Linear may store times with more precision than the milliseconds it returns.
const justAfter = (moment: string): string => new Date(Date.parse(moment) + 1).toISOString();

function nextPosition(
  { before, seen, after }: WalkPosition,
  page: readonly Node[],
  endCursor: string | null,
): WalkPosition {
  const last = page.at(-1)?.createdAt ?? before;
  const idsAtLast = page.filter(({ createdAt }) => createdAt === last).map(({ id }) => id);
  if (last !== null && last !== before) return { before: last, seen: idsAtLast, after: null };
  if (!endCursor || endCursor === after) throw missingCursor();
  return { before, seen: [...new Set([...seen, ...idsAtLast])], after: endCursor };
}

/** State from which a run resumes. */
type State = {
  /** The vendor's newest change at the start of the current run, or of the last run if none is in progress. */
  readonly changed: string | null;
  /** Time of the last full read. */
  readonly whole: number;
  /** The current run: its starting point and its position. */
  readonly run: { readonly since: string | null; readonly place: WalkPosition } | null;
  /** Related records compared at the start of the current or last run, by id. */
  readonly related?: Readonly<Record<string, string>>;
};

const minute = 60_000;

const hour = 60 * minute;

/** Changes become visible slightly after their timestamp. */
const lookBackMs = 5 * minute;

/** Some changes do not affect `updatedAt`, such as a new subscriber. */
const fullReadIntervalMs = 7 * 24 * hour;

/** Reads what has changed since the last run, or everything on the first run and once a week. */
export const incrementalReader = (
  spec: ListSpec,
  recordOf: (node: Node) => StoredRecord,
  lookup: Pick<Lookup, 'read'>,
) =>
  async function* read(source: Source): AsyncGenerator<Batch> {
    let state = (source.state ?? null) as State | null;
    let run = state?.run ?? null;
    if (!run) {
      // A time in the future was recorded by a clock that has been set back since.
      const due = !state?.changed || Math.abs(source.now() - state.whole) >= fullReadIntervalMs;
      const since = due ? null : new Date(Date.parse(state!.changed!) - lookBackMs).toISOString();
      run = { since, place: startPosition };
      // Requested from the vendor before reading, since its clock may differ from ours.
      const { newest, related } = await changesOf(source, spec, since);
      const outdated = since === null ? [] : await outdatedIds(source, spec, related, state?.related);
      for (let at = 0; at < outdated.length; at += spec.size) {
        // If the run ends here, the next one compares again.
        yield { ...(await lookup.read(source, outdated.slice(at, at + spec.size))), state: state as Json };
      }
      const changed = notAfter(newest?.updatedAt, source.now()) ?? state?.changed ?? null;
      const whole = due ? source.now() : state!.whole;
      state = { changed, whole, run, related: since === null ? {} : snapshotOf(related) };
    }
    const { since, place } = run;
    const { changed, whole, related = {} } = state!;
    // Archived records are not listed by default. A record archived between two runs is found here by its modification
    // time.
    const options = since === null ? {} : { filter: { updatedAt: { gte: since } }, includeArchived: true };
    for await (const { nodes, next } of walk(source, `${spec.list}.records`, place, options)) {
      const live = nodes.filter(({ archivedAt }) => !archivedAt);
      const removedIds = nodes.filter(({ archivedAt }) => archivedAt).map(({ id }) => id);
      const records = await completeConnections(source, spec, live);
      const nextState: State = { changed, whole, run: next && { since, place: next }, related };
      yield { records: records.map(recordOf), removed: removedIds, state: nextState as Json };
    }
  };

/** What a walk from the newest record to the oldest has not reached. */
const below = (position: WalkPosition | null | undefined): Remaining | undefined =>
  position?.before ? { field: 'createdAt', before: justAfter(position.before) } : undefined;

/** What a first incremental run has not read yet. */
export const remainingOfRun = ({ state }: Pick<Source, 'state'>): Remaining | undefined => {
  const { run } = (state ?? { run: null }) as State;
  return run?.since === null ? below(run.place) : undefined;
};

/** What a first full read has not read yet. */
export const remainingOfWalk = ({ state }: Pick<Source, 'state'>): Remaining | undefined =>
  below(state as WalkPosition | null | undefined);

/** A time, or `now` if it is later: a date in the future must not hide the changes until then. Undefined if invalid. */
const notAfter = (moment: unknown, now: number): string | undefined => {
  const time = Date.parse(String(moment));
  return Number.isNaN(time) ? undefined : new Date(Math.min(time, now)).toISOString();
};

/** Average interval between page requests: three such lists use up to 720 of the 2,500 requests per hour. */
const sweepMsPerPage = 15_000;

/** Lists the ids of all records that are neither deleted nor archived, like `list`. */
export const idSweep = ({ list }: ListSpec): Exclude<Sweep, 'all'> => ({
  everyMs: (records) => Math.ceil(records / maxPageSize) * sweepMsPerPage,
  ids: async function* (source) {
    for await (const { nodes } of walk(source, `${list}.ids`, startPosition)) yield nodes.map(({ id }) => id);
  },
});

/** Reads every record, for lists short enough for that to be cheap. */
export const fullReader = (spec: ListSpec, recordOf: (node: Node) => StoredRecord) =>
  async function* read(source: Source): AsyncGenerator<Batch> {
    for await (const { nodes, next } of walk(source, `${spec.list}.records`, startPosition)) {
      const records = await completeConnections(source, spec, nodes);
      yield { records: records.map(recordOf), state: next };
    }
  };

/** A nested connection as sent by Linear. */
type Connection = { readonly nodes: readonly { readonly id: string }[] } & Partial<Pick<Page, 'pageInfo'>>;

/** Fetches the rest of nested connections that a page contained only in part. */
export async function completeConnections(source: Source, spec: ListSpec, nodes: readonly Node[]): Promise<Node[]> {
  const complete: Node[] = [];
  for (const node of nodes) {
    const connections: Record<string, object> = {};
    for (const field of Object.keys(spec.nested ?? {})) {
      const first = (node[field] ?? { nodes: [] }) as Connection;
      connections[field] = {
        nodes: [...first.nodes, ...(await fetchRemainingNodes(source, `${spec.list}.${field}`, node.id, first))],
      };
    }
    complete.push({ ...node, ...connections });
  }
  return complete;
}

async function fetchRemainingNodes(source: Source, call: string, id: string, { pageInfo }: Connection) {
  const found: { readonly id: string }[] = [];
  for (let at = pageInfo; at?.hasNextPage; ) {
    if (!at.endCursor) throw missingCursor();
    try {
      const { data, meta } = await source.call(call, { id, after: at.endCursor });
      found.push(...data);
      at = meta;
    } catch (error) {
      // Deleted in the meantime: the next sweep removes the record.
      if (ConnectorError.is(error) && error.code === 'not_found') return found;
      throw error;
    }
  }
  return found;
}
