import * as z from 'zod';
import {
  action,
  ConnectorError,
  graphql,
  type HttpRequest,
  idParam,
  many,
  one,
  type RecordShape,
  type Steps,
  saved,
} from '../../src/authoring.js';
import { Connection, CountableConnection, rawSelections, selections } from './records.js';

/** Parameters that every list action accepts. */
const page = {
  first: z.int().min(1).max(250).optional().describe('Page size, 1 to 250 (default 50).'),
  after: z.string().min(1).optional().describe('`endCursor` from the previous page.'),
};

/** Marks parameters that are not in this connector's reference. */
export const extension = { extension: true };

const count = z
  .boolean()
  .optional()
  .describe('true returns only the number of matching records, as `meta.count`.')
  .meta(extension);

/** An id in any form that Linear accepts. */
export const id = (description: string) => idParam(description, { expected: 'an id as returned by Linear, a UUID' });

const inLinear = (url: URL, pattern: RegExp): string | undefined =>
  /(?:^|\.)linear\.app$/.test(url.hostname) ? pattern.exec(url.pathname)?.[1] : undefined;

// The forms of a record's `url` (Linear's public schema: Issue.url, Project.url, and team pages).

/** An issue's id or identifier, or its URL. */
export const issueId = idParam('Issue id, or identifier such as ENG-123.', {
  find: (url) => inLinear(url, /^\/[^/]+\/issue\/([A-Za-z0-9]+-\d+)(?:\/|$)/),
  expected: "an issue's id, identifier such as ENG-123, or URL",
});
/** A project's id or slug, or its URL. */
export const projectId = idParam('Project id, or the slug at the end of its URL.', {
  find: (url) => inLinear(url, /^\/[^/]+\/project\/(?:[^/]*-)?([0-9a-f]{12})(?:\/|$)/),
  expected: "a project's id, slug or URL",
});
/** A team's id or key, or the URL of one of its pages. */
export const teamId = idParam('Team id, or key such as ENG.', {
  find: (url) => inLinear(url, /^\/[^/]+\/(?:team|settings\/teams)\/([A-Za-z0-9]+)(?:\/|$)/),
  expected: "a team's id or key, such as ENG",
});

/** The value of a root field, which Linear omits only if something is wrong. */
export function root(body: any, field: string): any {
  const value = body?.data?.[field];
  if (typeof value === 'object' && value !== null) return value;
  throw new ConnectorError('invalid_response', `Linear's response has no ${field}.`);
}

const pageInfo = 'pageInfo { hasNextPage endCursor }';
const nextPageParams = ({ hasNextPage, endCursor }: z.output<typeof Connection>) =>
  hasNextPage && { after: endCursor ?? '' };
const meta = ({ hasNextPage, endCursor }: any) => ({ hasNextPage: hasNextPage === true, endCursor: endCursor ?? null });

/** Name of the field selection for a record. */
type Selected = 'issue' | 'savedIssue' | 'project' | 'team' | 'workflowState' | 'user' | 'comment';

/** Fields to request; raw records include more. */
const selectionOf = (name: Selected, { raw }: { readonly raw?: boolean | undefined }): string =>
  raw ? `${selections[name]} ${rawSelections[name]}` : selections[name]!;

/** What a list excludes by default. */
interface Omission {
  /** Added to `meta.notes` of the last page, so that the list is not mistaken for complete. */
  readonly note: string;
  /** Added to the description. */
  readonly description: string;
}

/** A root list. */
export const connection = <T>(
  description: string,
  field: string,
  record: RecordShape<T>,
  selected: Selected,
  omission?: Omission,
) =>
  action({
    description: omission ? `${description} ${omission.description}` : description,
    params: z.strictObject(page),
    returns: many(record, Connection),
    request: (params, call) => listRequest(field, selectionOf(selected, call), '', '', params),
    read: (body) => readList(body, field, omission?.note),
    next: nextPageParams,
    example: { first: 20 },
  });

/** A root list with filters and sorting. */
export const filteredConnection = <T, F extends z.core.$ZodType>(
  description: string,
  field: string,
  record: RecordShape<T>,
  selected: Selected,
  filter: { readonly type: string; readonly schema: F; readonly example: string },
) =>
  action({
    description: `${description} Archived records need \`includeArchived\`: true.`,
    params: z.strictObject({
      ...page,
      filter: z
        .optional(filter.schema as z.core.$ZodType<z.output<F>, z.input<F>>)
        .describe(`Conditions that must all match, such as ${filter.example}.`)
        .meta(extension),
      orderBy: z
        .enum(['createdAt', 'updatedAt'])
        .optional()
        .describe('Sort field, in descending order (default createdAt).')
        .meta(extension),
      includeArchived: z.boolean().optional().describe('Whether to include archived records.').meta(extension),
      count,
    }),
    returns: many(record, CountableConnection),
    request: ({ count, ...params }, call) => {
      const request = (selection: string, page: object) =>
        listRequest(
          field,
          selection,
          `, $filter: ${filter.type}, $orderBy: PaginationOrderBy, $includeArchived: Boolean`,
          ', filter: $filter, orderBy: $orderBy, includeArchived: $includeArchived',
          { ...params, ...page },
        );
      return count ? countPages(request, (body) => root(body, field)) : request(selectionOf(selected, call), {});
    },
    read: (body, { includeArchived }) =>
      readList(
        body,
        field,
        includeArchived ? undefined : `Archived ${field} are omitted. Set includeArchived: true to include them.`,
      ),
    next: nextPageParams,
    example: { first: 20 },
  });

const listRequest = (field: string, selection: string, variables: string, given: string, params: object) =>
  graphql(
    `query($first: Int, $after: String${variables}) { ${field}(first: $first, after: $after${given}) { nodes { ${selection} } ${pageInfo} } }`,
    params,
  );

/** Linear does not count records, so their ids are read in the largest pages, up to this many. */
const maxCountPages = 40;

/** A page with the number of records instead of records. */
function* countPages(
  request: (selection: string, page: object) => HttpRequest,
  find: (body: unknown) => any,
): Generator<HttpRequest, { readonly counted: z.output<typeof CountableConnection> }, any> {
  let count = 0;
  let after: string | undefined;
  for (let pages = 1; ; pages++) {
    const { nodes, pageInfo: found = {} } = find(yield request('id', { first: 250, after }));
    count += nodes.length;
    after = found.endCursor;
    if (found.hasNextPage && after && pages < maxCountPages) continue;
    return { counted: { hasNextPage: false, endCursor: null, count, countIsExact: !found.hasNextPage } };
  }
}

function readList(body: any, field: string, omitted: string | undefined) {
  if (body?.counted) return { data: [], meta: { ...body.counted, ...(omitted && { notes: [omitted] }) } };
  const { nodes, pageInfo: found = {} } = root(body, field);
  const notes = [
    ...(omitted !== undefined && found.hasNextPage !== true ? [omitted] : []),
    ...(Array.isArray(nodes) && nodes.some(hasMoreLabels)
      ? ['Some issues have more than ten labels. labelIds lists all of them.']
      : []),
  ];
  return { data: nodes, meta: { ...meta(found), ...(notes.length > 0 && { notes }) } };
}

const hasMoreLabels = (node: any): boolean => node?.labelIds?.length > (node?.labels?.nodes?.length ?? Infinity);

const moment = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

/** The condition on a comment's author: an id, an email address, or a name. */
function authorFilter(author: string): object {
  if (author === 'me') return { isMe: { eq: true } };
  if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(author)) return { id: { eq: author } };
  if (author.includes('@')) return { email: { eqIgnoreCase: author } };
  return { or: [{ name: { eqIgnoreCase: author } }, { displayName: { eqIgnoreCase: author } }] };
}

const CommentQuery = z
  .strictObject({
    issueId: issueId.optional().meta({ requiredUnless: ['author', 'from', 'to'] }),
    ...page,
    author: z
      .string()
      .trim()
      .min(1)
      .optional()
      .describe('Only by this user: id, email address, exact name, or `me`.')
      .meta(extension),
    from: moment.optional().describe('Only created at or after this time; a date starts at 00:00 UTC.').meta(extension),
    to: moment.optional().describe('Only created before this time; a date is 00:00 UTC.').meta(extension),
    count,
  })
  .refine((params) => params.issueId ?? params.author ?? params.from ?? params.to, {
    path: ['issueId'],
    error: 'is required unless author, from or to is set',
  });

/** The types require the issue, or what replaces it. */
type CommentParams = z.input<typeof CommentQuery> &
  ({ issueId: string } | { author: string } | { from: string } | { to: string });

/** The comments on one issue, or in the whole workspace by author or time. */
export const commentConnection = <T>(record: RecordShape<T>) =>
  action({
    description:
      'List comments, newest first: those on one issue, or with `author`, `from` or `to` those in the workspace.',
    params: CommentQuery as unknown as z.ZodType<CommentParams, CommentParams>,
    returns: many(record, CountableConnection),
    request: ({ count, author, from, to, ...params }, call) => {
      const createdAt = { ...(from && { gte: from }), ...(to && { lt: to }) };
      const filter = { ...(author && { user: authorFilter(author) }), ...((from || to) && { createdAt }) };
      const isFiltered = Object.keys(filter).length > 0;
      const [variables, given] = isFiltered ? [', $filter: CommentFilter', ', filter: $filter'] : ['', ''];
      const request = (selection: string, more: object) => {
        const values = { ...params, ...(isFiltered && { filter }), ...more };
        if (params.issueId === undefined) return listRequest('comments', selection, variables, given, values);
        const list = `comments(first: $first, after: $after${given}) { nodes { ${selection} } ${pageInfo} }`;
        const query = `query($issueId: String!, $first: Int, $after: String${variables}) { issue(id: $issueId) { ${list} } }`;
        return graphql(query, values);
      };
      const find = (body: any) =>
        params.issueId === undefined ? root(body, 'comments') : root(body, 'issue').comments;
      return count ? countPages(request, find) : request(selectionOf('comment', call), {});
    },
    read: (body, params) =>
      readList(
        params.issueId === undefined ? body : body.counted ? body : { data: root(body, 'issue') },
        'comments',
        undefined,
      ),
    next: nextPageParams,
    example: { issueId: 'ENG-1', first: 20 },
  });

/** A query for one record. */
const recordQuery = (field: string, selection: string, recordId: string): HttpRequest =>
  graphql(`query($id: String!) { ${field}(id: $id) { ${selection} } }`, { id: recordId });

/** One record by its id. */
export const node = <T>(
  description: string,
  field: string,
  record: RecordShape<T>,
  selected: Selected,
  what: { id: z.ZodString; example: string },
) =>
  action({
    description,
    params: z.strictObject({ id: what.id }),
    returns: one(record),
    request: (params, call) => recordQuery(field, selectionOf(selected, call), params.id),
    read: (body) => ({ data: root(body, field) }),
    example: { id: what.example },
  });

type Prepare<P> = (params: P) => Generator<HttpRequest, Record<string, unknown>, any>;

interface Mutation<P extends z.core.$ZodType, K extends string, T> {
  description: string;
  /** Name of the record in Linear's mutation and in the result. */
  key: K;
  params: P;
  record: RecordShape<T>;
  selected: Selected;
  example: z.input<NoInfer<P>>;
  /** Converts parameters to the mutation's input if that requires a lookup. */
  prepare?: Prepare<z.output<P>>;
}

/** The record returned by a mutation; `success: false` without an error is also a failure. */
function payload(body: any, field: string, key: string): unknown {
  const answer = root(body, field);
  if (answer.success !== true) {
    throw new ConnectorError('vendor_error', `Linear reported that ${field} failed but gave no reason.`);
  }
  if (answer[key]) return answer[key];
  throw new ConnectorError('invalid_response', `Linear completed ${field} but did not return the ${key}.`, {
    hint: 'Before you retry, check whether the change was made.',
  });
}

/** The response body of a successful mutation. */
const mutationBody = (field: string, key: string, record: unknown) => ({
  data: { [field]: { success: true, [key]: record } },
});

/** Whether a record has every value from a mutation; empty strings count as null. */
const hasValues = (record: any, input: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(input).every(([name, wanted]) => {
    const value = name.endsWith('Id') ? record[name.slice(0, -2)]?.id : record[name];
    if (Array.isArray(wanted)) return sortedText(value) === sortedText(wanted);
    return (value ?? '') === (wanted ?? '');
  });

const sortedText = (ids: unknown): string => (Array.isArray(ids) ? ids.toSorted().join() : '');

const capitalize = (word: string) => `${word[0]!.toUpperCase()}${word.slice(1)}`;

// Only the caller's keys are sent: null clears a field, a missing key leaves it unchanged.
function* inputOf<P>(params: P, prepare: Prepare<P> | undefined): Generator<HttpRequest, Record<string, unknown>, any> {
  return prepare ? yield* prepare(params) : (params as Record<string, unknown>);
}

/**
 * `issueCreate` and the like: the record has a client-generated id, so the outcome can be determined if the response is
 * lost.
 */
export const createMutation = <P extends z.core.$ZodType, const K extends string, T>(mutation: Mutation<P, K, T>) => {
  const { description, key, params, record, selected, example, prepare } = mutation;
  const field = `${key}Create`;
  const documentOf = (selection: string) =>
    `mutation($input: ${capitalize(field)}Input!) { ${field}(input: $input) { success ${key} { ${selection} } } }`;
  return action({
    description,
    params,
    returns: saved(key, record),
    request: function* (given, call): Steps {
      const input = yield* inputOf(given, prepare);
      const selection = selectionOf(selected, call);
      return yield {
        ...graphql(documentOf(selection), { input: { id: call.id, ...input } }),
        settle: {
          by: 'id',
          id: call.id,
          request: recordQuery(key, selection, call.id),
          read: (body) => mutationBody(field, key, root(body, key)),
        },
      };
    },
    read: (body) => ({ data: payload(body, field, key) }),
    example,
  });
};

/** `issueUpdate` and the like. */
export const updateMutation = <P extends z.core.$ZodType<{ id: string }>, const K extends string, T>(
  mutation: Mutation<P, K, T>,
) => {
  const { description, key, params, record, selected, example, prepare } = mutation;
  const field = `${key}Update`;
  const documentOf = (selection: string) =>
    `mutation($id: String!, $input: ${capitalize(field)}Input!) { ${field}(id: $id, input: $input) { success ${key} { ${selection} } } }`;
  return action({
    description,
    params,
    returns: saved(key, record),
    request: function* (given, call): Steps {
      const { id, ...input } = yield* inputOf(given, prepare);
      const recordId = String(id);
      const selection = selectionOf(selected, call);
      return yield {
        ...graphql(documentOf(selection), { id: recordId, input }),
        settle: {
          by: 'values',
          id: recordId,
          request: recordQuery(key, selection, recordId),
          read: (body) => {
            const found: any = root(body, key);
            return hasValues(found, input) ? mutationBody(field, key, found) : undefined;
          },
        },
      };
    },
    read: (body) => ({ data: payload(body, field, key) }),
    example,
  });
};
