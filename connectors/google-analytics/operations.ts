import * as z from 'zod';
import {
  action,
  ConnectorError,
  get,
  type HttpRequest,
  many,
  path,
  post,
  reading,
  type Steps,
  suggestion,
  withHint,
} from '../../src/authoring.js';
import type { DimensionName, MetricName } from './names.js';
import { type ReportMeta as Meta, ReportMeta, Row } from './records.js';
import { lastThirtyDays, type reports } from './reports.js';

const property = z
  .string()
  .transform((id) => id.trim().replace(/^properties\//, ''))
  .refine((id) => !/^(G|UA|GTM|AW)-/i.test(id), {
    error: 'is a tag or stream id; the property id is a number, under Admin > Property details',
    abort: true,
  })
  .refine((id) => /^\d+$/.test(id), 'must be a numeric property id, such as 123456789')
  .describe('Numeric property id, such as 123456789, from Admin > Property details; properties/… also works.');

const moment = z
  .union([z.iso.date(), z.string().regex(/^(today|yesterday|\d+daysAgo)$/)], {
    error: 'must be YYYY-MM-DD, today, yesterday or NdaysAgo',
  })
  .describe("YYYY-MM-DD, today, yesterday or NdaysAgo, in the property's time zone; inclusive.");

const dateRange = z.strictObject({
  startDate: moment,
  endDate: moment,
  name: z
    .string()
    .regex(/^(?!date_range_|RESERVED_)./, 'cannot begin with date_range_ or RESERVED_')
    .optional()
    .describe('Value in the dateRange column if there are several ranges.')
    .meta({ extension: true }),
});

const name = z.string().trim().min(1);
const source = z.strictObject({ dimensionName: name });

const dimension = z.strictObject({
  name: name.describe(
    'Such as date, country or deviceCategory; custom ones as customEvent:name or customUser:name.',
  ) as z.ZodType<DimensionName, DimensionName>,
  dimensionExpression: z
    .strictObject({
      lowerCase: source.optional(),
      upperCase: source.optional(),
      concatenate: z.strictObject({ dimensionNames: z.array(name), delimiter: z.string().optional() }).optional(),
    })
    .optional()
    .describe('Computes a dimension from others; name becomes the column name.')
    .meta({ extension: true }),
});

const metric = z.strictObject({
  name: name.describe('Such as totalUsers, sessions or bounceRate; custom ones as customEvent:name.') as z.ZodType<
    MetricName,
    MetricName
  >,
  expression: name
    .optional()
    .describe('A formula such as screenPageViews/sessions; name becomes the column name.')
    .meta({ extension: true }),
  invisible: z
    .boolean()
    .optional()
    .describe('True hides the column; formulas can still use it.')
    .meta({ extension: true }),
});

const expressions = z.strictObject({ expressions: z.array(z.looseObject({})).min(1) });
const dimensionFilter = z
  .strictObject({
    filter: z.looseObject({ fieldName: name }).optional(),
    andGroup: expressions.optional(),
    orGroup: expressions.optional(),
    notExpression: z.looseObject({}).optional(),
  })
  .optional()
  .describe(
    'Google\'s FilterExpression, such as {"filter":{"fieldName":"country","stringFilter":{"value":"Spain"}}}; applied before counting.',
  )
  .meta({ extension: true });

const columnNames = (columns: ReadonlyArray<{ readonly name: string }>) =>
  columns.map((column) => column.name).join(', ');

/** Larger than Google's default, so most reports are complete. */
const defaultLimit = 100_000;

/** A report's parameters, with its own columns as defaults; a caller's list replaces the default entirely. */
const parameters = (columns: Columns) =>
  z.strictObject({
    property_id: property,
    dateRanges: z.array(dateRange).min(1).max(4).optional().describe('One to four; default: the last 30 days.'),
    dimensions: z
      .array(dimension)
      .max(9)
      .optional()
      .describe(`At most nine; default: ${columnNames(columns.dimensions)}.`),
    metrics: z
      .array(metric)
      .max(10)
      .optional()
      .describe(`At most ten; default: ${columnNames(columns.metrics)}.`),
    dimensionFilter,
    keepEmptyRows: z.boolean().default(false).describe('Whether to keep rows whose metrics are all zero.'),
    returnPropertyQuota: z
      .boolean()
      .default(true)
      .describe('Whether to return the remaining quota in meta.property_quota.'),
    limit: z
      .int()
      .min(1)
      .max(250_000)
      .default(defaultLimit)
      .describe('Maximum rows, 1 to 250,000 (default 100,000). A small limit keeps reports readable.'),
    offset: z.int().min(0).optional().describe('Rows to skip.').meta({ extension: true }),
  });

const reportKeys = ['rows', 'rowCount', 'dimensionHeaders', 'metricHeaders', 'metadata', 'propertyQuota'];

/** Whether the body is a report. Google adds keys over time, but only reports have any of these, empty ones a `kind`. */
const isReport = (body: any): boolean =>
  typeof body === 'object' &&
  body !== null &&
  !Array.isArray(body) &&
  (body.kind === undefined ? reportKeys.some((key) => key in body) : body.kind === 'analyticsData#runReport');

/** A response size that always fits: slightly below the maximum. */
const fittingBytes = 100 * 2 ** 20;
/** Number of sample rows used to measure a report's row size. */
const sampleRows = 200;

/** How many of a property's names an error lists if none is similar. */
const maxListedNames = 30;

/** The error for an unknown dimension or metric, with similar names from the property, which include custom ones. */
function* withSimilarNames(address: string, error: ConnectorError): Generator<HttpRequest, ConnectorError, any> {
  const [, name, kind] = /Field (\S+) is not a valid (dimension|metric)/.exec(error.message) ?? [];
  if (error.code !== 'invalid_params' || name === undefined) return error;
  const key = `${kind}s`;
  const known: readonly { readonly apiName?: unknown }[] = yield* listedNames(address, key);
  const names = known.flatMap(({ apiName }) => (typeof apiName === 'string' ? [apiName] : []));
  if (names.length === 0) return error;
  const near = suggestion(name, names, `${key} of this property`, 0);
  const hint = near.startsWith('Did you mean')
    ? near
    : `${near.split(', ').slice(0, maxListedNames).join(', ')}${names.length > maxListedNames ? ', …' : ''}`;
  return withHint(error, hint);
}

/** A property's dimensions or metrics; none if they cannot be read, so that the original error is reported. */
function* listedNames(address: string, key: string): Generator<HttpRequest, any[], any> {
  try {
    const metadata = yield get(`${address}/metadata`, { fields: `${key}(apiName)` });
    return Array.isArray(metadata?.[key]) ? metadata[key] : [];
  } catch (error) {
    if (ConnectorError.is(error)) return [];
    throw error;
  }
}

/** The report; if its response is too long, a sample determines the limit that fits. */
function* reportOf(address: string, { limit, ...body }: { limit: number } & Record<string, unknown>): Steps {
  // Google sends 64-bit numbers as strings in JSON.
  const request = (rows: number) =>
    reading(post(`${address}:runReport`, { ...body, limit: String(rows) }, { prettyPrint: false }));
  try {
    return yield request(limit);
  } catch (error) {
    if (!ConnectorError.is(error)) throw error;
    if (error.code !== 'too_large') throw yield* withSimilarNames(address, error);
    const sample = yield request(Math.min(limit, sampleRows));
    const rowBytes = new TextEncoder().encode(JSON.stringify(sample?.rows ?? [])).length / (sample?.rows?.length || 1);
    const fitting = Math.floor(fittingBytes / rowBytes / 1_000) * 1_000;
    throw new ConnectorError('too_large', error.message, {
      ...error,
      hint: `A row takes about ${Math.ceil(rowBytes)} bytes. Pass limit: ${Math.max(1, Math.min(fitting, Math.floor(limit / 2)))} and page with offset, or request fewer columns.`,
      cause: error.cause,
    });
  }
}

/** Note on a truncated report, unless the caller chose the limit. */
function noteOn(body: any, limit: number, offset: number): string | false {
  const count = body?.rows?.length ?? 0;
  const end = offset + count;
  const isChosen = limit !== defaultLimit && count === limit;
  return (
    body?.rowCount > end &&
    count > 0 &&
    !isChosen &&
    `${count} of ${body.rowCount} rows returned (limit ${limit}). For the next page, pass offset: ${end}.`
  );
}

/** What Google does to a report's figures. */
const limitationNotes = {
  sampled: 'figures are estimates from a sample of the data',
  thresholded: 'rows and figures with few users are withheld (thresholding), so an absent row is not a zero',
  merged: 'rare rows are merged into (other)',
} as const;

/** A kind of limitation. */
export type Limitation = keyof typeof limitationNotes;

/** The limitations that Google reports for a report (Data API reference: ResponseMetaData). */
export function limitationsOf(metadata: Meta['metadata'] | undefined): Limitation[] {
  const { samplingMetadatas, subjectToThresholding, dataLossFromOtherRow } = metadata ?? {};
  return [
    ...((samplingMetadatas?.length ?? 0) > 0 ? (['sampled'] as const) : []),
    ...(subjectToThresholding ? (['thresholded'] as const) : []),
    ...(dataLossFromOtherRow ? (['merged'] as const) : []),
  ];
}

/** A limitation as a sentence about `subject`. */
export const limitationNote = (subject: string, limitation: Limitation) =>
  `${subject}: ${limitationNotes[limitation]}.`;

const msPerDay = 86_400_000;
const maxNamedDays = 5;

/** Note on days without rows: Google omits them. Days before the first row are known if the range names its start. */
function missingDaysNote(body: any, ranges: ReadonlyArray<{ startDate: string; endDate: string }>): string | false {
  const rows: any[] = body?.rows ?? [];
  const column = (body?.dimensionHeaders ?? []).findIndex((header: any) => header?.name === 'date');
  const [range, ...others] = ranges;
  if (column < 0 || !range || others.length > 0 || rows.length < body?.rowCount) return false;
  const dayOf = (text: string) => Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3'));
  const days = new Set(rows.map((row) => dayOf(String(row?.dimensionValues?.[column]?.value))).filter(Number.isFinite));
  const bounds = [...days, ...[dayOf(range.startDate), dayOf(range.endDate)].filter(Number.isFinite)];
  const missing: string[] = [];
  for (let day = Math.min(...bounds); day <= Math.max(...bounds); day += msPerDay) {
    if (!days.has(day)) missing.push(new Date(day).toISOString().slice(0, 10));
  }
  if (missing.length === 0) return false;
  const more = missing.length > maxNamedDays ? ` and ${missing.length - maxNamedDays} more days` : '';
  return `No rows for ${missing.slice(0, maxNamedDays).join(', ')}${more}: no data, or not processed or withheld by Google.`;
}

type Columns = (typeof reports)[keyof typeof reports];

/** Google's default order, by the first metric, made unambiguous: it defines no order for equal metrics. */
function orderOf(dimensions: Named, metrics: Named): object[] {
  const [first] = metrics;
  return [
    ...(first ? [{ metric: { metricName: first.name }, desc: true }] : []),
    ...dimensions.map(({ name }) => ({ dimension: { dimensionName: name } })),
  ];
}

type Named = ReadonlyArray<{ readonly name: string }>;

/** A report action. All reports share one request; `more` is merged into it. */
export const list = (description: string, columns: Columns, more: object = {}) =>
  action({
    description: `${description} Rows are sorted by the first metric in descending order, not by date. limit defaults to 100,000.`,
    params: parameters(columns),
    returns: many(Row, ReportMeta),
    request: ({
      property_id,
      dateRanges = lastThirtyDays,
      dimensions = columns.dimensions,
      metrics = columns.metrics,
      limit,
      offset,
      ...report
    }) =>
      reportOf(path`/v1beta/properties/${property_id}`, {
        dateRanges,
        dimensions,
        metrics,
        orderBys: orderOf(dimensions, metrics),
        ...report,
        ...more,
        limit,
        ...(offset !== undefined && { offset: String(offset) }),
      }),
    effect: 'read',
    read: (body, { property_id, dateRanges, limit, offset = 0 }) => ({
      // An empty report has neither rows nor rowCount, but is marked as a report.
      data: body?.rows ?? (isReport(body) && !(body.rowCount > offset) ? [] : undefined),
      meta: {
        row_count: body?.rowCount ?? 0,
        property_id,
        date_ranges: (dateRanges ?? lastThirtyDays).map(({ ...range }) => range),
        dimension_headers: body?.dimensionHeaders ?? [],
        metric_headers: body?.metricHeaders ?? [],
        property_quota: body?.propertyQuota ?? null,
        metadata: body?.metadata ?? null,
      },
      notes: [
        ...limitationsOf(body?.metadata).map((limitation) => limitationNote('In this report', limitation)),
        noteOn(body, limit, offset),
        offset === 0 && missingDaysNote(body, dateRanges ?? lastThirtyDays),
      ],
    }),
    next: ({ row_count }, { params, data }) => {
      const offset = (params.offset ?? 0) + data.length;
      return data.length > 0 && offset < row_count && { offset };
    },
    example: { property_id: '123456789', dateRanges: [{ startDate: '7daysAgo', endDate: 'yesterday' }], limit: 50 },
  });
