import type { Result } from '../../src/index.js';
import type { ReportMeta, Row } from './records.js';
import { lastThirtyDays } from './reports.js';

type Named = ReadonlyArray<{ readonly name: string }>;

/** The parameters that a report was asked for with. */
export interface ReportParams {
  readonly property_id: string;
  readonly dateRanges?:
    | ReadonlyArray<{ readonly startDate: string; readonly endDate: string; readonly name?: string | undefined }>
    | undefined;
  readonly dimensions?: Named | undefined;
  readonly metrics?: Named | undefined;
}

type NamesIn<P, K extends keyof ReportParams> = P extends { readonly [_ in K]: infer Columns extends Named }
  ? Columns[number]['name']
  : string;

/** A row with a name to each value: dimensions are text, metrics numbers. */
export type ReportRecord<P extends ReportParams> = {
  property_id: string;
  /** First day of the report that the row is from, as it was asked for. */
  startDate: string;
  /** Its last day. */
  endDate: string;
} & (string extends NamesIn<P, 'dimensions'> | NamesIn<P, 'metrics'>
  ? { [column: string]: string | number | null }
  : { [K in NamesIn<P, 'dimensions'>]: string | null } & { [K in NamesIn<P, 'metrics'>]: number | null });

/**
 * Turns the rows of a report into flat records, typed by the names of the columns in `params`.
 *
 * For a report with its own columns spread `reports`: `toRecords(result, { property_id, ...reports.pages })`.
 */
export function toRecords<const P extends ReportParams>(
  { data, meta }: Result<readonly Row[], Pick<ReportMeta, 'dimension_headers' | 'metric_headers'>>,
  params: P,
): Array<ReportRecord<P>> {
  const ranges: NonNullable<ReportParams['dateRanges']> = params.dateRanges ?? lastThirtyDays;
  const { dimension_headers: dimensions, metric_headers: metrics } = meta;
  const property_id = params.property_id.trim().replace(/^properties\//, '');
  return data.map(({ dimensionValues, metricValues }) => {
    const named = Object.fromEntries(
      dimensions.map(({ name }, at): [string, string | null] => [name, dimensionValues?.[at]?.value ?? null]),
    );
    const range = ranges.find(({ name }, at) => (name ?? `date_range_${at}`) === named.dateRange) ?? ranges[0];
    return {
      property_id,
      startDate: range?.startDate,
      endDate: range?.endDate,
      ...named,
      ...Object.fromEntries(metrics.map(({ name }, at) => [name, numberOf(metricValues?.[at]?.value)])),
    } as unknown as ReportRecord<P>;
  });
}

function numberOf(text: string | undefined): number | null {
  const number = text ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}
