import { ConnectorError, type Result } from '../../src/authoring.js';
import type { ReportMeta, Row } from './records.js';

type ColumnList = ReadonlyArray<{ readonly name: string; readonly invisible?: boolean | undefined }>;

/** The parameters of the report request. */
export interface ReportParams {
  readonly property_id: string;
  readonly dateRanges?:
    | ReadonlyArray<{ readonly startDate: string; readonly endDate: string; readonly name?: string | undefined }>
    | undefined;
  readonly dimensions?: ColumnList | undefined;
  readonly metrics?: ColumnList | undefined;
}

type NamesIn<P, K extends keyof ReportParams> = P extends { readonly [_ in K]: infer Columns extends ColumnList }
  ? Columns[number]['name']
  : string;

/** A row with named values: dimensions are strings, metrics are numbers. */
export type ReportRecord<P extends ReportParams> = {
  property_id: string;
  /** First day of the requested report. */
  startDate: string;
  /** Its last day. */
  endDate: string;
  /** The period's name, or date_range_0, date_range_1, …; undefined if there is only one. */
  dateRange?: string | null;
} & (string extends NamesIn<P, 'dimensions'> | NamesIn<P, 'metrics'>
  ? { [column: string]: string | number | null }
  : { [K in NamesIn<P, 'dimensions'>]: string | null } & { [K in NamesIn<P, 'metrics'>]: number | null });

/**
 * Converts report rows to flat records, typed by the column names in `params`.
 *
 * For a report's default columns, spread `reports`: `toRecords(result, { property_id, ...reports.pages })`. Throws if
 * the columns differ from the result's; property and periods come from the request.
 */
export function toRecords<const P extends ReportParams>(
  { data, meta }: Result<readonly Row[], ReportMeta>,
  params: P,
): Array<ReportRecord<P>> {
  const { property_id, date_ranges: ranges, dimension_headers: dimensions, metric_headers: metrics } = meta;
  const requestedDimensions = dimensions.filter(({ name }) => name !== 'dateRange');
  // A report with no rows may also have no headers.
  if (data.length > 0) {
    checkColumns('dimensions', requestedDimensions, params.dimensions);
    checkColumns('metrics', metrics, params.metrics);
  }
  return data.map(({ dimensionValues, metricValues }) => {
    if (dimensionValues?.length !== dimensions.length || metricValues?.length !== metrics.length) {
      throw new ConnectorError(
        'invalid_params',
        'The rows have missing values. Request the report without selectFields or excludeFields.',
      );
    }
    const dimensionsByName = Object.fromEntries(
      dimensions.map(({ name }, at) => [name, dimensionValues[at]?.value ?? null]),
    );
    const range =
      ranges.find(({ name }, at) => (name ?? `date_range_${at}`) === dimensionsByName.dateRange) ?? ranges[0];
    return {
      property_id,
      startDate: range?.startDate,
      endDate: range?.endDate,
      ...dimensionsByName,
      ...Object.fromEntries(metrics.map(({ name }, at) => [name, numberOf(metricValues[at]?.value)])),
    } as unknown as ReportRecord<P>;
  });
}

const columnNames = (columns: ColumnList) =>
  columns.flatMap(({ name, invisible }) => (invisible ? [] : name)).join(', ') || 'none';

/** Rejects columns that the result does not have, since they determine the records' types. */
function checkColumns(kind: string, actual: ColumnList, expected: ColumnList | undefined): void {
  if (!expected || columnNames(expected) === columnNames(actual)) return;
  throw new ConnectorError(
    'invalid_params',
    `The ${kind} in the report are ${columnNames(actual)}, but params list ${columnNames(expected)}. Pass the params from the report request.`,
  );
}

function numberOf(text: string | undefined): number | null {
  const number = text?.trim() ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}
