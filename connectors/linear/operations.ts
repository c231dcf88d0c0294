import * as z from 'zod';
import {
  action,
  ConnectorError,
  graphql,
  type HttpRequest,
  many,
  one,
  type RecordShape,
  type Steps,
  saved,
} from '../../src/authoring.js';
import { Connection } from './records.js';

/** Parameters of every list. */
const page = {
  first: z.int().min(1).max(250).optional().describe('How many to return, 1 to 250; 50 when left out.'),
  after: z.string().min(1).optional().describe('`endCursor` of the previous page.'),
};

/** An id that Linear takes in this place. */
export const id = (description: string) => z.string().trim().min(1).describe(description);

/** What stands under a root field; Linear never answers without it unless something is wrong. */
export function root(body: any, field: string): any {
  const value = body?.data?.[field];
  if (typeof value === 'object' && value !== null) return value;
  throw new ConnectorError('invalid_response', `Linear's reply has no ${field}.`);
}

const pageInfo = 'pageInfo { hasNextPage endCursor }';
const nextPageParams = ({ hasNextPage, endCursor }: z.output<typeof Connection>) =>
  hasNextPage && { after: endCursor ?? '' };
const meta = ({ hasNextPage, endCursor }: any) => ({ hasNextPage: hasNextPage === true, endCursor: endCursor ?? null });

/** A list at the root of the schema. */
export const connection = <T>(description: string, field: string, record: RecordShape<T>, selection: string) =>
  action({
    description,
    params: z.strictObject(page),
    returns: many(record, Connection),
    request: (params) =>
      graphql(
        `query($first: Int, $after: String) { ${field}(first: $first, after: $after) { nodes { ${selection} } ${pageInfo} } }`,
        params,
      ),
    read: (body) => {
      const found = root(body, field);
      return { data: found.nodes, meta: meta(found.pageInfo ?? {}) };
    },
    next: nextPageParams,
    example: { first: 20 },
  });

/** A list that hangs on one issue. */
export const nestedConnection = <T>(description: string, field: string, record: RecordShape<T>, selection: string) =>
  action({
    description,
    params: z.strictObject({ issueId: id('The issue: its id, or its identifier such as ENG-123.'), ...page }),
    returns: many(record, Connection),
    request: (params) =>
      graphql(
        `query($issueId: String!, $first: Int, $after: String) { issue(id: $issueId) { ${field}(first: $first, after: $after) { nodes { ${selection} } ${pageInfo} } } }`,
        params,
      ),
    read: (body) => {
      const found = root(body, 'issue')[field];
      return { data: found.nodes, meta: meta(found.pageInfo ?? {}) };
    },
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
  selection: string,
  what: { id: string; example: string },
) =>
  action({
    description,
    params: z.strictObject({ id: id(what.id) }),
    returns: one(record),
    request: (params) => recordQuery(field, selection, params.id),
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
  selection: string;
  example: z.input<NoInfer<P>>;
  /** Turns parameters into the mutation's input where that takes a look at Linear first. */
  prepare?: Prepare<z.output<P>>;
}

/** The record that a mutation answers with; a refusal without an error is one all the same. */
function payload(body: any, field: string, key: string): unknown {
  const answer = root(body, field);
  if (answer.success !== true) {
    throw new ConnectorError('vendor_error', `Linear says that ${field} did not succeed, and not why.`);
  }
  if (answer[key]) return answer[key];
  throw new ConnectorError('invalid_response', `Linear has done ${field} but did not send the ${key} back.`, {
    hint: 'Look it up before you repeat the call.',
  });
}

/** The body of a mutation that made or changed a record. */
const mutationBody = (field: string, key: string, record: unknown) => ({
  data: { [field]: { success: true, [key]: record } },
});

/** Whether a record has every value that a mutation was to give it; empty is as good as null. */
const hasValues = (record: any, input: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(input).every(([name, wanted]) => {
    const value = name.endsWith('Id') ? record[name.slice(0, -2)]?.id : record[name];
    return (value ?? '') === (wanted ?? '');
  });

const capitalize = (word: string) => `${word[0]!.toUpperCase()}${word.slice(1)}`;

// Only the keys that the caller gave are sent: to Linear, null clears and absent leaves alone.
function* inputOf<P>(params: P, prepare: Prepare<P> | undefined): Generator<HttpRequest, Record<string, unknown>, any> {
  return prepare ? yield* prepare(params) : (params as Record<string, unknown>);
}

/** `issueCreate` and its like: the record gets an id made here, so that a lost reply can be settled. */
export const createMutation = <P extends z.core.$ZodType, const K extends string, T>(mutation: Mutation<P, K, T>) => {
  const { description, key, params, record, selection, example, prepare } = mutation;
  const field = `${key}Create`;
  const document = `mutation($input: ${capitalize(field)}Input!) { ${field}(input: $input) { success ${key} { ${selection} } } }`;
  return action({
    description,
    params,
    returns: saved(key, record),
    request: function* (given, call): Steps {
      const input = yield* inputOf(given, prepare);
      return yield {
        ...graphql(document, { input: { id: call.id, ...input } }),
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

/** `issueUpdate` and its like. */
export const updateMutation = <P extends z.core.$ZodType<{ id: string }>, const K extends string, T>(
  mutation: Mutation<P, K, T>,
) => {
  const { description, key, params, record, selection, example, prepare } = mutation;
  const field = `${key}Update`;
  const document = `mutation($id: String!, $input: ${capitalize(field)}Input!) { ${field}(id: $id, input: $input) { success ${key} { ${selection} } } }`;
  return action({
    description,
    params,
    returns: saved(key, record),
    request: function* (given, _call): Steps {
      const { id, ...input } = yield* inputOf(given, prepare);
      const recordId = String(id);
      return yield {
        ...graphql(document, { id: recordId, input }),
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
