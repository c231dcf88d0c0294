import * as z from 'zod';
import {
  type Action,
  action,
  type Batch,
  ConnectorError,
  graphql,
  type Json,
  type Lookup,
  type Remaining,
  type Returns,
  type Source,
  type StoredRecord,
  type Sweep,
} from '../../../src/authoring.js';
import { root } from '../operations.js';
import { changedSince, type ListSpec, type Node, type Page, relatedPageSize } from './list.js';
import { outdatedIds } from './related.js';

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
      const { nodes, pageInfo } = connectionIn(found, below ?? field);
      return { data: nodes, meta: pageInfo };
    },
    next: (meta: any) => meta?.hasNextPage === true && ({ after: meta.endCursor } as object),
    example: {},
  });

function connectionIn(found: any, field: string): Page {
  if (Array.isArray(found?.nodes) && found.pageInfo) return found;
  throw new ConnectorError('invalid_response', `Linear's response has no list of ${field}.`);
}

const listQuery = ({ list, filter }: ListSpec, first: number, selection: string): string =>
  `query($filter: ${filter}, $after: String, $includeArchived: Boolean) { ` +
  `${list}(first: ${first}, after: $after, filter: $filter, includeArchived: $includeArchived, orderBy: createdAt) ` +
  `{ nodes { id createdAt ${selection} } ${pageInfo} } }`;

const connectionsOf = ({ nested = {} }: ListSpec): string =>
  Object.entries(nested)
    .map(([field, { first, selection }]) => `${field}(first: ${first}) { nodes { ${selection} } ${pageInfo} }`)
    .join(' ');

/** Requests the newest record of a list, and a page of each list of related records changed since `since`. */
const newestPage = (list: string, related: NonNullable<ListSpec['related']>): Action =>
  action({
    description: 'Read what has changed.',
    effect: 'read',
    params: z.record(z.string(), z.string()),
    returns: rawNodes,
    request: (given: any) => graphql(newestQuery(list, related), given),
    read: (body) => {
      const names = ['newest', ...Object.keys(related)];
      return { data: names.map((name) => ({ name, ...connectionIn(root(body, name), name) })), meta: undefined };
    },
    example: {},
  });

function newestQuery(list: string, related: NonNullable<ListSpec['related']>): string {
  const names = Object.keys(related);
  const fields = Object.entries(related).map(([name, { selection, args = changedSince }]) => {
    const page = `first: ${relatedPageSize}, after: $${name}, includeArchived: true`;
    return `${name}: ${name}(${page}${args && `, ${args}`}) { nodes { id updatedAt ${selection} } ${pageInfo} }`;
  });
  return (
    `query($since: DateTimeOrDuration!${names.map((name) => `, $${name}: String`).join('')}) { ` +
    `newest: ${list}(first: 1, includeArchived: true, orderBy: updatedAt) { nodes { id updatedAt } ${pageInfo} } ` +
    `${fields.join(' ')} }`
  );
}

/** Calls that read a list: `records`, `ids`, `newest`, and one per nested connection for its remaining nodes. */
export function callsOf(spec: ListSpec): Record<string, Action> {
  const { list, recordField, selection, nested = {}, related } = spec;
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
    ...(related && { [`${list}.newest`]: newestPage(list, related) }),
    ...Object.fromEntries(rest),
  };
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
  /** Related records compared at the start of the current or last run, by id. */
  readonly related?: Readonly<Record<string, string>>;
};

const minute = 60_000;

const hour = 60 * minute;

/** Changes become visible slightly after their timestamp. */
const lookBackMs = 5 * minute;

/** Some changes do not affect `updatedAt`, such as a new subscriber. */
const fullReadIntervalMs = 7 * 24 * hour;

/** The newest record of a list, and what has changed in related records. */
interface Changes {
  readonly newest: Node | undefined;
  /** Related records that have changed and have not been compared yet, by root field. */
  readonly related: ReadonlyMap<string, readonly Node[]>;
  /** Related records as they are now, by id, so that the next run need not compare them again. */
  readonly compared: Readonly<Record<string, string>>;
}

/** Most related records whose values a state contains; others are compared by every run that finds them changed. */
const maxCompared = 500;

/** Requests what has changed; only the newest record if `since` is null. */
async function changesOf(
  source: Source,
  { list }: ListSpec,
  since: string | null,
  compared: Changes['compared'] = {},
): Promise<Changes> {
  const now: [id: string, values: string][] = [];
  const related = new Map<string, Node[]>();
  const known = new Set<string>();
  for (let after: Record<string, string> = {}; ; ) {
    const params = { since: since ?? new Date(source.now()).toISOString(), ...after };
    const { data } = await source.call(`${list}.newest`, params);
    const [newest, ...lists] = data as readonly NamedPage[];
    if (since === null) return { newest: newest?.nodes[0], related, compared: {} };
    for (const { name, nodes } of lists) {
      for (const node of nodes) {
        const { updatedAt, ...values } = node;
        if (Date.parse(String(updatedAt)) < Date.parse(since)) continue;
        const json = JSON.stringify(values);
        now.push([node.id, json]);
        if (compared[node.id] !== json) related.set(name, [...(related.get(name) ?? []), node]);
      }
    }
    const cursors: Record<string, string> = {};
    for (const { name, pageInfo } of lists) {
      const { hasNextPage, endCursor } = pageInfo;
      const position = `${name} ${endCursor}`;
      if (hasNextPage && (!endCursor || known.has(position))) throw missingCursor();
      if (hasNextPage) known.add(position);
      if (endCursor) cursors[name] = endCursor;
    }
    if (!lists.some(({ pageInfo }) => pageInfo.hasNextPage)) {
      return { newest: newest?.nodes[0], related, compared: Object.fromEntries(now.slice(0, maxCompared)) };
    }
    after = { ...after, ...cursors };
  }
}

interface NamedPage extends Page {
  readonly name: string;
}

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
      const { newest, related, compared } = await changesOf(source, spec, since, state?.related);
      const outdated = related.size > 0 ? await outdatedIds(source, spec, related) : [];
      for (let at = 0; at < outdated.length; at += spec.size) {
        // If the run ends here, the next one compares again.
        yield { ...(await lookup.read(source, outdated.slice(at, at + spec.size))), state: state as Json };
      }
      const changed = notAfter(newest?.updatedAt, source.now()) ?? state?.changed ?? null;
      const whole = due ? source.now() : state!.whole;
      state = { changed, whole, run, related: compared };
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

const missingCursor = () =>
  new ConnectorError('invalid_response', 'Linear reported more records but sent no new cursor.');
