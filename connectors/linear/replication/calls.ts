import * as z from 'zod';
import {
  type Action,
  action,
  ConnectorError,
  graphql,
  markdownSegments,
  type Replica,
  type Returns,
  type Search,
  type Segment,
  type Source,
  type StoredRecord,
} from '../../../src/authoring.js';
import { root } from '../operations.js';

/** A list at the root of Linear's schema, as its records are read for a replica. */
export interface ListSpec {
  /** The root field. */
  readonly list: string;
  /** The root field of one record. */
  readonly recordField: string;
  /** The type of the list's `filter`. */
  readonly filter: string;
  /** What is asked for each record, beside `id`, `createdAt`, `updatedAt` and `archivedAt`. */
  readonly selection: string;
  /** Connections below each record, with what is asked of their nodes and how many at first. */
  readonly nested?: Readonly<Record<string, Nested>> | undefined;
  /** How many records a page has: a page costs at most half of the 10,000 points that Linear allows, by its formula. */
  readonly size: number;
}

/** A connection below a record. */
interface Nested {
  readonly selection: string;
  readonly first: number;
}

const pageInfo = 'pageInfo { hasNextPage endCursor }';
const maxPageSize = 250;

/** Records as they came. */
const rawNodes: Returns = { kind: 'records', meta: undefined, shape: (data) => data };

const page = z.object({
  filter: z.record(z.string(), z.unknown()).optional(),
  after: z.string().optional(),
  includeArchived: z.boolean().optional(),
});

/** Asks for one page of a connection that `field` of the reply's data holds, or a connection below it. */
const connectionPage = (document: string, params: z.core.$ZodType, field: string, below?: string): Action =>
  action({
    description: 'Read one page.',
    effect: 'read',
    params,
    returns: rawNodes,
    request: (given: any) => graphql(document, given),
    read: (body) => {
      const found = below === undefined ? root(body, field) : root(body, field)[below];
      return { data: found.nodes, meta: found.pageInfo };
    },
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

/** The calls that a list is read with: `records`, `ids`, `newest`, and one for the rest of each nested connection. */
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

/** A record as Linear sends it. */
export interface Node {
  readonly id: string;
  readonly createdAt: string;
  readonly archivedAt?: string | null;
  readonly [field: string]: unknown;
}

/** How far a walk has come. */
export type WalkPosition = {
  /** When the last record was made that has been read. */
  readonly before: string | null;
  /** The records that have been read of those made at that moment. */
  readonly seen: readonly string[];
  /** A cursor, where more were made at one moment than a page holds. */
  readonly after: string | null;
};

/** Where a walk begins. */
export const startPosition: WalkPosition = { before: null, seen: [], after: null };

/** One step of a walk; `next` is where to go on, null at the end. */
interface WalkStep {
  readonly nodes: readonly Node[];
  readonly next: WalkPosition | null;
}

/** What is asked of each page beside its place. */
interface WalkOptions {
  readonly filter?: Readonly<Record<string, unknown>> | undefined;
  readonly includeArchived?: boolean | undefined;
}

/**
 * Walks a list from the newest record to the oldest.
 *
 * Pages follow each other by the moment of creation, which never changes. So a record that is changed meanwhile is
 * neither skipped nor read twice, and a walk can go on days later, when the record is gone that a cursor would name.
 */
export async function* walk(
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
  const { data, meta } = await source.call(call, params);
  const page = data as readonly Node[];
  const known = new Set(seen);
  const nodes = page.filter(({ id }) => !known.has(id));
  return { nodes, next: meta.hasNextPage ? nextPosition(position, page, meta.endCursor) : null };
}

// Linear's moments may be finer than the milliseconds that it tells.
const justAfter = (moment: string): string => new Date(Date.parse(moment) + 1).toISOString();

function nextPosition(
  { before, seen, after }: WalkPosition,
  page: readonly Node[],
  endCursor: string | null,
): WalkPosition {
  const last = page.at(-1)?.createdAt ?? before;
  const idsAtLast = page.filter(({ createdAt }) => createdAt === last).map(({ id }) => id);
  if (last !== null && last !== before) return { before: last, seen: idsAtLast, after: null };
  if (!endCursor || endCursor === after) {
    throw new ConnectorError('invalid_response', 'Linear says that there are more records but gives no new cursor.');
  }
  return { before, seen: [...new Set([...seen, ...idsAtLast])], after: endCursor };
}

/** Names of the users that a record speaks of, by enrichment; each has its id in the field beside it, such as `creatorId`. */
export const namesOf =
  (people: Readonly<Record<string, string>>): NonNullable<Replica['enrich']> =>
  async (passages, look) => {
    const fields = Object.values(people);
    const ids = new Set(passages.flatMap(({ record }) => fields.map((field) => record[`${field}Id`])));
    const users = await look(
      'users',
      [...ids].filter((id) => typeof id === 'string'),
    );
    return passages.map(({ record }) =>
      Object.fromEntries(
        Object.entries(people).map(([name, field]) => [
          name,
          // Users who have left are not listed; the record still has their names.
          nameOf(users.get(String(record[`${field}Id`]))) ?? nameOf(record[field]),
        ]),
      ),
    );
  };

function nameOf(user: unknown): string | null {
  const { name } = (user ?? {}) as { name?: unknown };
  return typeof name === 'string' ? name : null;
}

type Value = (node: any) => unknown;

/** The id of an object below the record. */
export const idOf =
  (field: string): Value =>
  (node) =>
    node[field]?.id;

/** The ids of a connection's nodes. */
export const idsOf =
  (field: string): Value =>
  (node) =>
    node[field]?.nodes.map(({ id }: { id: string }) => id);

/** Makes records of what Linear sends: exactly the searchable fields, null where it has none. */
export function recordsOf({ fields }: Search, sources: Readonly<Record<string, Value>> = {}) {
  const values = Object.values(fields)
    .flat()
    .map((name): readonly [string, Value] => [name, sources[name] ?? ((node) => node[name])]);
  return (node: Node): StoredRecord => Object.fromEntries(values.map(([name, value]) => [name, value(node) ?? null]));
}

/** The pieces of a field that holds Markdown. */
export const markdown =
  (field: string) =>
  (record: StoredRecord): Iterable<Segment> => {
    const text = record[field];
    return typeof text === 'string' ? markdownSegments(text) : [];
  };
