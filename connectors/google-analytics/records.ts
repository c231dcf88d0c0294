import * as z from 'zod';
import { notes, type RecordType, record } from '../../src/authoring.js';

const value = z.looseObject({ value: z.string().describe('Always a string, even for numbers.') });

/** A report row: values by position, in the order of the requested dimensions and metrics. */
export const Row = record(
  {
    dimensionValues: z.array(value).nullable().describe('As { value }, in the order of meta.dimension_headers.'),
    metricValues: z.array(value).nullable().describe('As { value }, in the order of meta.metric_headers.'),
  },
  // Google omits the key if no columns of this kind were requested.
  { dimensionValues: (row) => row.dimensionValues ?? [], metricValues: (row) => row.metricValues ?? [] },
  { layout: { columns: { dimensionValues: 'dimension_headers', metricValues: 'metric_headers' } } },
);

/** One row of a report. */
export type Row = RecordType<typeof Row>;

const count = z.looseObject({ consumed: z.number().nullish(), remaining: z.number().nullish() }).nullish();

/** Meta of a report. `dimension_headers` and `metric_headers` contain the column names of its rows. */
export const ReportMeta = z.object({
  row_count: z.int().describe('Total matching rows; if greater than the number returned, limit truncated the report.'),
  property_id: z.string().describe('The property the report is for.').meta({ extension: true }),
  date_ranges: z
    .array(z.looseObject({ startDate: z.string(), endDate: z.string(), name: z.string().optional() }))
    .describe('The requested periods.')
    .meta({ extension: true }),
  dimension_headers: z
    .array(z.looseObject({ name: z.string() }))
    .describe('If there are several date ranges, dateRange is appended.')
    .meta({ extension: true }),
  metric_headers: z
    .array(z.looseObject({ name: z.string(), type: z.string().nullish() }))
    .describe('As { name, type }; type is TYPE_INTEGER, TYPE_FLOAT, TYPE_SECONDS, …')
    .meta({ extension: true }),
  property_quota: z
    .looseObject({
      tokensPerDay: count,
      tokensPerHour: count,
      tokensPerProjectPerHour: count,
      concurrentRequests: count,
      serverErrorsPerProjectPerHour: count,
      potentiallyThresholdedRequestsPerHour: count,
    })
    .nullable()
    .describe('Remaining quotas, if returnPropertyQuota is true.')
    .meta({ extension: true }),
  metadata: z
    .looseObject({
      currencyCode: z.string().nullish(),
      timeZone: z.string().nullish(),
      dataLossFromOtherRow: z.boolean().nullish(),
      subjectToThresholding: z.boolean().nullish(),
      emptyReason: z.string().nullish(),
      dataTruncationReasons: z.array(z.unknown()).nullish(),
      samplingMetadatas: z.array(z.looseObject({})).nullish(),
    })
    .nullable()
    .describe('Property time zone and currency, plus the reasons if the report is incomplete.')
    .meta({ extension: true }),
  notes,
});

/** Meta of a report. */
export type ReportMeta = z.output<typeof ReportMeta>;
