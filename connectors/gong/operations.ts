import * as z from 'zod';
import {
  action,
  type HttpRequest,
  idParam,
  many,
  notes,
  type RecordShape,
  type Settings,
} from '../../src/authoring.js';
import { isEmptyResultError } from './faults.js';

/** An id: digits as a string, since it may exceed 2^53. */
export const id = (description: string) => idParam(description, { expected: 'an id as returned by Gong', typeError });
/** A call's id, or the URL of its page (`metaData.url`, such as https://app.gong.io/call?id=77). */
export const callId = (description: string) =>
  idParam(description, {
    find: ({ hostname, pathname, searchParams }) =>
      /(?:^|\.)gong\.io$/.test(hostname) && pathname === '/call' ? (searchParams.get('id') ?? undefined) : undefined,
    expected:
      "a call's id from calls.list, or the URL of its page, such as https://app.gong.io/call?id=7782342274025937895",
    typeError,
  });
export const ids = (description: string, item = id) =>
  z.array(item(description)).min(1).optional().describe(description);
const typeError = (input: unknown) =>
  typeof input === 'number' ? 'must be a string: a number would lose precision' : 'must be a string';
/** Cursor of the next page. */
export const cursor = z.string().min(1).optional().describe('`cursor` from the previous page.');
/** A cursor for lists whose API reference does not mention one. */
export const extraCursor = cursor.meta({ extension: true });

const dateTime = z.iso.datetime({ offset: true });
const day = z.iso.date();
const isDay = (text: string): boolean => day.safeParse(text).success;

/** A timestamp; a plain date means midnight UTC. */
export const instant = (description: string) =>
  z
    .string()
    .refine(
      (text) => isDay(text) || dateTime.safeParse(text).success,
      'must be a date-time with Z or an offset, such as 2026-09-01T00:00:00Z, or a date',
    )
    .transform((text) => (isDay(text) ? `${text}T00:00:00Z` : text))
    .describe(`${description}: ISO 8601 with Z or an offset; a bare date is midnight in UTC.`);

/** A period that does not end before it starts. */
export const startsBeforeEnd =
  (from: string, to: string) =>
  (period: object): boolean => {
    const [start, end] = [from, to].map((name) => Date.parse((period as Record<string, string>)[name] ?? ''));
    return !(start! > end!);
  };

/** The error reported by `startsBeforeEnd`. */
export const periodError = (from: string, to: string) => ({ path: [to], error: `is before ${from}` });

const number = z.int().nullable();

/** Meta of a paginated list. A page may be short or empty without being the last. */
export const Page = z.object({
  cursor: z.string().nullable().describe('Pass it as `cursor` for the next page; null at the end.'),
  total_records: number.describe("Gong's count, before private calls are filtered out."),
  current_page_number: number.describe('From 0.'),
});

/** `Page` for lists that exclude private calls. */
export const PublicPage = Page.extend({
  private_dropped: z
    .int()
    .describe('Private calls filtered out of this page (unless includePrivate is set).')
    .meta({ extension: true }),
  notes,
});

/** `Page` for lists whose rows do not say whether their call is private. */
export const LookedUpPage = PublicPage.extend({
  not_ready: z
    .int()
    .describe('Items filtered out of this page because Gong does not yet report whether the call is private.')
    .meta({ extension: true }),
});

/** Keys that may appear alongside a list. */
const siblingKeys = new Set([
  'requestId',
  'records',
  'fromDateTime',
  'toDateTime',
  'timeZone',
  'id',
  'name',
  'createdBy',
  'updated',
]);

/**
 * The records in a response; undefined if the response is not from Gong. They may be null or missing only if Gong reports
 * that there are none.
 */
export function listIn(body: any, key: string): any {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  if (key in body) return body[key] ?? [];
  const isEmpty = body.records?.totalRecords === 0 || 'id' in body;
  return isEmpty && Object.keys(body).every((name) => siblingKeys.has(name)) ? [] : undefined;
}

/** The page's meta, from Gong's response. */
export const pageOf = (body: any) => ({
  cursor: (body?.records?.cursor || null) as string | null,
  total_records: (body?.records?.totalRecords ?? 0) as number,
  current_page_number: (body?.records?.currentPageNumber ?? 0) as number,
});

/** Sends a list request; if nothing is found, returns an empty list under `key`. */
export function* emptyIfNotFound(request: HttpRequest, key: string): Generator<HttpRequest, any, any> {
  try {
    return yield request;
  } catch (error) {
    if (isEmptyResultError(error)) return { [key]: [] };
    throw error;
  }
}

interface ListSpec<P extends z.core.$ZodType, T> {
  description: string;
  params: P;
  record: RecordShape<T>;
  /** Key of the records in Gong's response. */
  key: string;
  request: (params: z.output<P>) => HttpRequest;
  /** Applies the filters that Gong does not support. */
  filterRecords?: (records: any[], params: z.output<P>) => any[];
  example: z.input<NoInfer<P>>;
}

/** A paginated list. */
export const paginatedList = <P extends z.core.$ZodType, T>(spec: ListSpec<P, T>) =>
  action({
    description: spec.description,
    params: spec.params,
    returns: many(spec.record, Page),
    request: (params) => emptyIfNotFound(spec.request(params), spec.key),
    read: (body, params) => ({ data: listedRecords(spec, body, params), meta: pageOf(body) }),
    next: nextPageParams,
    example: spec.example,
  });

/** A list that is not paginated. */
export const unpaginatedList = <P extends z.core.$ZodType, T>(spec: ListSpec<P, T>) =>
  action({
    description: spec.description,
    params: spec.params,
    returns: many(spec.record, z.object({})),
    request: (params) => emptyIfNotFound(spec.request(params), spec.key),
    read: (body, params) => ({ data: listedRecords(spec, body, params), meta: {} }),
    example: spec.example,
  });

const listedRecords = <P extends z.core.$ZodType, T>(
  { key, filterRecords }: ListSpec<P, T>,
  body: any,
  params: z.output<P>,
) => {
  const records = listIn(body, key);
  return filterRecords && Array.isArray(records) ? filterRecords(records, params) : records;
};

/** The parameters for the next page. */
export const nextPageParams = (meta: { cursor: string | null }): any => meta.cursor !== null && { cursor: meta.cursor };

/** The records, excluding those of private calls, and how many were removed. */
export function withoutPrivate(records: any, settings: Settings, isPrivate: (record: any) => boolean) {
  if (settings.includePrivate || !Array.isArray(records)) return { kept: records, private_dropped: 0 };
  const kept = records.filter((record) => !isPrivate(record));
  return { kept, private_dropped: records.length - kept.length };
}

/** The counts for a page from which nothing was removed. */
export const nothingLeftOut = { private_dropped: 0, not_ready: 0 };

/** Notes on the records filtered out of a page, and how to include them. */
export const leftOutNotes = (privateCount: number, notReadyCount = 0): Array<string | false> => [
  privateCount > 0 &&
    `Private calls omitted: ${privateCount}. Create the connector with includePrivate: true to include them.`,
  notReadyCount > 0 && `Calls omitted because Gong is still processing them: ${notReadyCount}. Retry in a few minutes.`,
];
