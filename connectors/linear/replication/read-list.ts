import * as z from 'zod';
import {
  type Action,
  action,
  type Batch,
  ConnectorError,
  graphql,
  type Json,
  type Remaining,
  type Returns,
  type Source,
  type StoredRecord,
  type Sweep,
} from '../../../src/authoring.js';
import { root } from '../operations.js';

/** A root list in Linear's schema, and how to read its records. */
export interface ListSpec {
  /** The root field. */
  readonly list: string;
  /** Root field of a single record. */
  readonly recordField: string;
  /** The type of the list's `filter`. */
  readonly filter: string;
  /** Fields requested for each record, besides `id`, `createdAt`, `updatedAt` and `archivedAt`. */
  readonly selection: string;
  /** Nested connections, with the fields of their nodes and the initial page size. */
  readonly nested?: Readonly<Record<string, Nested>> | undefined;
  /** Page size, chosen so that a page costs at most half of the 10,000 points that Linear's formula allows. */
  readonly size: number;
}

/** A nested connection. */
interface Nested {
  readonly selection: string;
  readonly first: number;
}

const pageInfo = 'pageInfo { hasNextPage endCursor }';
const maxPageSize = 250;

/** Unmodified records. */
const rawNodes: Returns = { kind: 'records', meta: undefined, shape: (data) => data };

const page = z.object({
  filter: z.record(z.string(), z.unknown()).optional(),
  after: z.string().optional(),
  includeArchived: z.boolean().optional(),
});

/** Requests a page of the connection at `field` in the response data, or of a nested connection. */
const connectionPage = (document: string, params: z.core.$ZodType, field: string, below?: string): Action =>
  action({
    description: 'Read one page.',
    effect: 'read',
    params,
    returns: rawNodes,
    request: (given: any) => graphql(document, given),
    read: (body) => {
      const found = below === undefined ? root(body, field) : root(body, field)[below];
      if (!Array.isArray(found?.nodes) || !found.pageInfo) {
        throw new ConnectorError('invalid_response', `Linear's response has no list of ${below ?? field}.`);
      }
      return { data: found.nodes, meta: found.pageInfo };
    },
    next: (meta: any) => meta?.hasNextPage === true && ({ after: meta.endCursor } as object),
    example: {},
  });

const listQuery = ({ list, filter }: ListSpec, first: number, selection: string): string =>
  `query($filter: ${filter}, $after: String, $includeArchived: Boolean) { ` +
  `${list}(first: ${first}, after: $after, filter: $filter, includeArchived: $includeArchived, orderBy: createdAt) ` +
  `{ nodes { id createdAt ${selection} } ${pageInfo} } }`;

const connectionsOf = ({ nested = {} }: ListSpec): string =>
  Object.entries(nested)
    .map(([field, { first, selection }]) => `${field}(first: ${first}) { nodes { ${selection} } ${pageInfo} }`)
    .join(' ');

/** Calls that read a list: `records`, `ids`, `newest`, and one per nested connection for its remaining nodes. */
export function callsOf(spec: ListSpec): Record<string, Action> {
  const { list, recordField, selection, nested = {} } = spec;
  const rest = Object.entries(nested).map(([field, { selection: fields }]) => [
    `${list}.${field}`,
    connectionPage(
      `query($id: String!, $after: String) { ${recordField}(id: $id) { ${field}(first: ${maxPageSize}, after: $after) { nodes { ${fields} } ${pageInfo} } } }`,
      z.object({ id: z.string(), after: z.string().optional() }),
      recordField,
      field,
    ),
  ]);
  return {
    [`${list}.records`]: connectionPage(
      listQuery(spec, spec.size, `updatedAt archivedAt ${selection} ${connectionsOf(spec)}`),
      page,
      list,
    ),
    [`${list}.ids`]: connectionPage(listQuery(spec, maxPageSize, ''), page, list),
    [`${list}.newest`]: connectionPage(
      `query { ${list}(first: 1, includeArchived: true, orderBy: updatedAt) { nodes { updatedAt } ${pageInfo} } }`,
      z.object({}),
      list,
    ),
    ...Object.fromEntries(rest),
  };
}

/** A record as sent by Linear. */
export interface Node {
  readonly id: string;
  readonly createdAt: string;
  readonly archivedAt?: string | null;
  readonly [field: string]: unknown;
}

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
};

const minute = 60_000;

const hour = 60 * minute;

/** Changes become visible slightly after their timestamp. */
const lookBackMs = 5 * minute;

/** Some changes do not affect `updatedAt`, such as a new subscriber. */
const fullReadIntervalMs = 7 * 24 * hour;

/** Reads what has changed since the last run, or everything on the first run and once a week. */
export const incrementalReader = (spec: ListSpec, recordOf: (node: Node) => StoredRecord) =>
  async function* read(source: Source): AsyncGenerator<Batch> {
    let state = (source.state ?? null) as State | null;
    let run = state?.run ?? null;
    if (!run) {
      const due = !state?.changed || source.now() - state.whole >= fullReadIntervalMs;
      const since = due ? null : new Date(Date.parse(state!.changed!) - lookBackMs).toISOString();
      run = { since, place: startPosition };
      // Requested from the vendor before reading, since its clock may differ from ours.
      const { data } = await source.call(`${spec.list}.newest`, {});
      const changed = notAfter(data[0]?.updatedAt, source.now()) ?? state?.changed ?? null;
      state = { changed, whole: due ? source.now() : state!.whole, run };
    }
    const { since, place } = run;
    const { changed, whole } = state!;
    // Archived records are not listed by default. A record archived between two runs is found here by its modification
    // time.
    const options = since === null ? {} : { filter: { updatedAt: { gte: since } }, includeArchived: true };
    for await (const { nodes, next } of walk(source, `${spec.list}.records`, place, options)) {
      const live = nodes.filter(({ archivedAt }) => !archivedAt);
      const removedIds = nodes.filter(({ archivedAt }) => archivedAt).map(({ id }) => id);
      const records = await completeConnections(source, spec, live);
      const nextState: State = { changed, whole, run: next && { since, place: next } };
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
interface Connection {
  readonly nodes: readonly { readonly id: string }[];
  readonly pageInfo?: { readonly hasNextPage: boolean; readonly endCursor: string | null } | undefined;
}

/** Fetches the rest of nested connections that a page contained only in part. */
export async function completeConnections(source: Source, spec: ListSpec, nodes: readonly Node[]): Promise<Node[]> {
  const complete: Node[] = [];
  for (const node of nodes) {
    const connections: Record<string, Connection> = {};
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

const missingCursor = () =>
  new ConnectorError('invalid_response', 'Linear reported more records but sent no new cursor.');
