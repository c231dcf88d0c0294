import { apiErrors } from '../errors.js';
import type { Property } from '../properties.js';
import type { Dimension } from '../schema/dimensions.js';
import { requireDimension } from '../schema/names.js';
import type { VisitStream } from '../visits/stream.js';
import { Column, type Hit } from './columns.js';
import { type CountedRow, type CountQuery, count } from './count.js';
import { type Predicate, predicateOf } from './filter.js';
import { type ReportRow, sortRows } from './order.js';
import type { Plan } from './plan.js';

/** Context of a report. */
export interface ReportContext {
  property: Property;
  stream: VisitStream;
  localNow: { day: number; minute: number };
  rowsBeforeOther: number;
}

/** A report without the quota state. */
export interface Report {
  body: Record<string, unknown>;
  /** Number of rows before pagination, which determines the cost. */
  rowCount: number;
}

/** Rows with fewer users are withheld if they could identify someone. */
const minUsersPerRow = 10;

/** Runs a report. */
export function runReport(plan: Plan, context: ReportContext): Report {
  const { dimensions, metrics, request, isThresholded } = plan;
  const counted = countRows(plan, context, dimensions);
  const names = metrics.map(({ name }) => name);
  const test = metricPredicate(plan);
  const rows = counted.rows
    .filter(({ tally }) => !isThresholded || tally.users >= minUsersPerRow)
    .map((row) => toReportRow(plan, row))
    .filter(({ numbers }) => request.keepEmptyRows || numbers.length === 0 || numbers.some((number) => number !== 0))
    .filter(test);
  const dimensionNames = dimensions.map(({ name }) => name);
  const sortedRows = sortRows(rows, request.orderBys ?? [], dimensionNames, names);
  const page = sortedRows.slice(plan.offset, plan.offset + plan.limit);
  const visible = metrics.filter(({ isInvisible }) => !isInvisible);
  const { property } = context;
  return {
    rowCount: rows.length,
    body: {
      ...(dimensions.length > 0 && { dimensionHeaders: dimensionNames.map((name) => ({ name })) }),
      ...(visible.length > 0 && { metricHeaders: visible.map(({ name, type }) => ({ name, type })) }),
      ...(page.length > 0 && { rows: page.map((row) => rowBody(plan, row)) }),
      ...(rows.length > 0 && aggregates(plan, context, rows)),
      ...(rows.length > 0 && { rowCount: rows.length }),
      metadata: {
        ...(counted.isRolled && { dataLossFromOtherRow: true }),
        currencyCode: request.currencyCode || property.currencyCode,
        timeZone: property.timeZone,
        ...(isThresholded && { subjectToThresholding: true }),
      },
    },
  };
}

function countRows(plan: Plan, context: ReportContext, dimensions: readonly Dimension[]) {
  const { ranges, filterDimensions, metrics } = plan;
  const { stream, localNow, rowsBeforeOther } = context;
  const rangeIndex = dimensions.findIndex(({ read }) => read.per === 'range');
  const ownDimensions = dimensions.filter(({ read }) => read.per !== 'range');
  const hasWindows = metrics.some(({ scope }) => scope === 'window');
  const matchesFilter = hitPredicate(plan, stream);
  let isRolledUp = false;
  const rows: CountedRow[] = [];
  for (const range of ranges) {
    const query: CountQuery = {
      stream,
      range,
      localNow,
      filterDimensions,
      matchesFilter,
      hasWindows,
      rowsBeforeOther,
      dimensions: ownDimensions,
    };
    const found = count(query);
    isRolledUp ||= found.isRolledUp;
    for (const row of found.rows) {
      rows.push(rangeIndex < 0 ? row : { ...row, values: row.values.toSpliced(rangeIndex, 0, range.name) });
    }
  }
  return { rows, isRolled: isRolledUp };
}

function hitPredicate({ request }: Plan, stream: VisitStream): Predicate<Hit> {
  if (!request.dimensionFilter) return () => true;
  return predicateOf<Hit>(request.dimensionFilter, (field, passes) => {
    const column = new Column(stream, requireDimension(field));
    const results: boolean[] = [];
    return (hit) => {
      const number = column.read(hit);
      results[number] ??= passes(column.labels[number]!);
      return results[number];
    };
  });
}

function metricPredicate({ request, metrics }: Plan): Predicate<ReportRow> {
  if (!request.metricFilter) return () => true;
  return predicateOf<ReportRow>(request.metricFilter, (field, passes) => {
    const index = metrics.findIndex(({ name }) => name === field);
    if (index < 0) throw apiErrors.invalid(`The metric ${field} in metricFilter is not one of the request's metrics.`);
    return ({ numbers }) => passes(String(numbers[index]));
  });
}

function toReportRow({ metrics }: Plan, { values, tally }: CountedRow): ReportRow {
  return { values, numbers: metrics.map((metric) => metric.value(tally)) };
}

function rowBody({ metrics }: Plan, { values, numbers }: ReportRow): object {
  const visibleNumbers = numbers.filter((_, index) => !metrics[index]!.isInvisible);
  return {
    ...(values.length > 0 && { dimensionValues: values.map((value) => ({ value })) }),
    ...(visibleNumbers.length > 0 && { metricValues: visibleNumbers.map((number) => ({ value: String(number) })) }),
  };
}

/** Totals, minimums and maximums, one row per date range. */
function aggregates(plan: Plan, context: ReportContext, rows: readonly ReportRow[]): Record<string, object[]> {
  const { request, dimensions, ranges } = plan;
  const wanted = request.metricAggregations ?? [];
  const rangeIndex = dimensions.findIndex(({ read }) => read.per === 'range');
  const label = (name: string, range: string) => dimensions.map((_, index) => (index === rangeIndex ? range : name));
  const inRange = (name: string) => rows.filter(({ values }) => rangeIndex < 0 || values[rangeIndex] === name);
  const extreme = (name: string, pick: (...numbers: number[]) => number) =>
    ranges.map((range) => {
      const own = inRange(range.name);
      const numbers = plan.metrics.map((_, index) =>
        own.reduce((best, row) => pick(best, row.numbers[index]!), own[0]?.numbers[index] ?? 0),
      );
      return rowBody(plan, { values: label(name, range.name), numbers });
    });
  const totals = () =>
    ranges.map((range) => {
      const whole = countRows({ ...plan, ranges: [range] }, context, []).rows[0];
      const numbers = whole ? toReportRow(plan, whole).numbers : plan.metrics.map(() => 0);
      return rowBody(plan, { values: label('RESERVED_TOTAL', range.name), numbers });
    });
  return {
    ...(wanted.includes('TOTAL') && { totals: totals() }),
    ...(wanted.includes('MAXIMUM') && { maximums: extreme('RESERVED_MAX', Math.max) }),
    ...(wanted.includes('MINIMUM') && { minimums: extreme('RESERVED_MIN', Math.min) }),
  };
}
