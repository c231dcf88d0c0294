import * as z from 'zod';
import { type Action, action, ConnectorError, graphql, type Returns } from '../../../src/authoring.js';
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
  /** Related records whose names are part of the selection, by root field. */
  readonly related?: Readonly<Record<string, Related>> | undefined;
  /** Page size, chosen so that a page costs at most half of the 10,000 points that Linear's formula allows. */
  readonly size: number;
}

/** A nested connection. */
interface Nested {
  readonly selection: string;
  readonly first: number;
}

/** Related records of one type, whose names are part of a list's records. */
export interface Related {
  /** The fields that records contain; named as there. */
  readonly selection: string;
  /** Stored fields of records that contain them, each with the ids in it. */
  readonly ids: Readonly<Record<string, (node: any) => readonly string[]>>;
  /** Arguments of the root field, `changedSince` by default. */
  readonly args?: string | undefined;
}

/** Page size of lists of related records. */
export const relatedPageSize = 50;

/** The default arguments of such a list. */
export const changedSince = 'filter: { updatedAt: { gte: $since } }';

const pageInfo = 'pageInfo { hasNextPage endCursor }';
export const maxPageSize = 250;

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

/** A record as sent by Linear. */
export interface Node {
  readonly id: string;
  readonly createdAt: string;
  readonly archivedAt?: string | null;
  readonly [field: string]: unknown;
}

/** A page of a list. */
export interface Page {
  readonly nodes: readonly Node[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

export const missingCursor = () =>
  new ConnectorError('invalid_response', 'Linear reported more records but sent no new cursor.');
