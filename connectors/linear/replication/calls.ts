import * as z from 'zod';
import { type Action, action, graphql, type Returns } from '../../../src/authoring.js';
import { root } from '../operations.js';

/** A list at the root of Linear's schema, as its records are read for a replica. */
export interface Listed {
  /** The root field. */
  readonly list: string;
  /** The root field of one record. */
  readonly one: string;
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
const largest = 250;

/** Records as they came. */
const nodes: Returns = { kind: 'records', meta: undefined, shape: (data) => data };

const page = z.object({
  filter: z.record(z.string(), z.unknown()).optional(),
  after: z.string().optional(),
  includeArchived: z.boolean().optional(),
});

/** Asks for one page of a connection that `field` of the reply's data holds, or a connection below it. */
const paging = (document: string, params: z.core.$ZodType, field: string, below?: string): Action =>
  action({
    description: 'Read one page.',
    effect: 'read',
    params,
    returns: nodes,
    request: (given: any) => graphql(document, given),
    read: (body) => {
      const found = below === undefined ? root(body, field) : root(body, field)[below];
      return { data: found.nodes, meta: found.pageInfo };
    },
    example: {},
  });

const ordered = ({ list, filter }: Listed, first: number, selection: string): string =>
  `query($filter: ${filter}, $after: String, $includeArchived: Boolean) { ` +
  `${list}(first: ${first}, after: $after, filter: $filter, includeArchived: $includeArchived, orderBy: createdAt) ` +
  `{ nodes { id createdAt ${selection} } ${pageInfo} } }`;

const connectionsOf = ({ nested = {} }: Listed): string =>
  Object.entries(nested)
    .map(([field, { first, selection }]) => `${field}(first: ${first}) { nodes { ${selection} } ${pageInfo} }`)
    .join(' ');

/** The calls that a list is read with: `records`, `ids`, `newest`, and one for the rest of each nested connection. */
export function callsOf(listed: Listed): Record<string, Action> {
  const { list, one, selection, nested = {} } = listed;
  const rest = Object.entries(nested).map(([field, { selection: fields }]) => [
    `${list}.${field}`,
    paging(
      `query($id: String!, $after: String) { ${one}(id: $id) { ${field}(first: ${largest}, after: $after) { nodes { ${fields} } ${pageInfo} } } }`,
      z.object({ id: z.string(), after: z.string().optional() }),
      one,
      field,
    ),
  ]);
  return {
    [`${list}.records`]: paging(
      ordered(listed, listed.size, `updatedAt archivedAt ${selection} ${connectionsOf(listed)}`),
      page,
      list,
    ),
    [`${list}.ids`]: paging(ordered(listed, largest, ''), page, list),
    [`${list}.newest`]: paging(
      `query { ${list}(first: 1, includeArchived: true, orderBy: updatedAt) { nodes { updatedAt } ${pageInfo} } }`,
      z.object({}),
      list,
    ),
    ...Object.fromEntries(rest),
  };
}
