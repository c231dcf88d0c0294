import type { Property } from '../properties.js';
import { refusals } from '../refusals.js';
import type { Dimension } from '../schema/dimensions.js';
import { dimensionBy } from '../schema/names.js';
import type { VisitStream } from '../visits/stream.js';
import { Column, type Hit } from './columns.js';
import { type CountedRow, count, type Question } from './count.js';
import { type Test, testOf } from './filter.js';
import { type ReportRow, sorted } from './order.js';
import type { Plan } from './plan.js';

/** What a report is made from. */
export interface Setting {
  property: Property;
  stream: VisitStream;
  until: { day: number; minute: number };
  rowsBeforeOther: number;
}

/** A report as it is answered, without the state of the quotas. */
export interface Report {
  body: Record<string, unknown>;
  /** How many rows were counted, which is what a report costs by. */
  rowCount: number;
}

/** Rows of fewer users are withheld where they could tell who somebody is. */
const fewestUsers = 10;

/** Makes a report. */
export function runReport(plan: Plan, setting: Setting): Report {
  const { dimensions, metrics, request, isThresholded } = plan;
  const counted = countRows(plan, setting, dimensions);
  const names = metrics.map(({ name }) => name);
  const test = metricTest(plan);
  const rows = counted.rows
    .filter(({ tally }) => !isThresholded || tally.users >= fewestUsers)
    .map((row) => numbered(plan, row))
    .filter(({ numbers }) => request.keepEmptyRows || numbers.length === 0 || numbers.some((number) => number !== 0))
    .filter(test);
  const dimensionNames = dimensions.map(({ name }) => name);
  const ordered = sorted(rows, request.orderBys ?? [], dimensionNames, names);
  const page = ordered.slice(plan.offset, plan.offset + plan.limit);
  const visible = metrics.filter(({ isInvisible }) => !isInvisible);
  const { property } = setting;
  return {
    rowCount: rows.length,
    body: {
      ...(dimensions.length > 0 && { dimensionHeaders: dimensionNames.map((name) => ({ name })) }),
      ...(visible.length > 0 && { metricHeaders: visible.map(({ name, type }) => ({ name, type })) }),
      ...(page.length > 0 && { rows: page.map((row) => written(plan, row)) }),
      ...(rows.length > 0 && aggregates(plan, setting, rows)),
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

function countRows(plan: Plan, setting: Setting, dimensions: readonly Dimension[]) {
  const { ranges, filtered, metrics } = plan;
  const { stream, until, rowsBeforeOther } = setting;
  const rangePlace = dimensions.findIndex(({ read }) => read.per === 'range');
  const usual = dimensions.filter(({ read }) => read.per !== 'range');
  const hasWindows = metrics.some(({ scope }) => scope === 'window');
  const isKept = hitTest(plan, stream);
  let isRolled = false;
  const rows: CountedRow[] = [];
  for (const range of ranges) {
    const question: Question = {
      ...{ stream, range, until, filtered, isKept, hasWindows, rowsBeforeOther },
      dimensions: usual,
    };
    const found = count(question);
    isRolled ||= found.isRolled;
    for (const row of found.rows) {
      rows.push(rangePlace < 0 ? row : { ...row, values: row.values.toSpliced(rangePlace, 0, range.name) });
    }
  }
  return { rows, isRolled };
}

function hitTest({ request }: Plan, stream: VisitStream): Test<Hit> {
  if (!request.dimensionFilter) return () => true;
  return testOf<Hit>(request.dimensionFilter, (field, passes) => {
    const column = new Column(stream, dimensionBy(field));
    const known: boolean[] = [];
    return (hit) => {
      const number = column.read(hit);
      known[number] ??= passes(column.labels[number]!);
      return known[number];
    };
  });
}

function metricTest({ request, metrics }: Plan): Test<ReportRow> {
  if (!request.metricFilter) return () => true;
  return testOf<ReportRow>(request.metricFilter, (field, passes) => {
    const place = metrics.findIndex(({ name }) => name === field);
    if (place < 0) throw refusals.invalid(`The metric ${field} in metricFilter is not one of the request's metrics.`);
    return ({ numbers }) => passes(String(numbers[place]));
  });
}

function numbered({ metrics }: Plan, { values, tally }: CountedRow): ReportRow {
  return { values, numbers: metrics.map((metric) => metric.value(tally)) };
}

function written({ metrics }: Plan, { values, numbers }: ReportRow): object {
  const shown = numbers.filter((_, place) => !metrics[place]!.isInvisible);
  return {
    ...(values.length > 0 && { dimensionValues: values.map((value) => ({ value })) }),
    ...(shown.length > 0 && { metricValues: shown.map((number) => ({ value: String(number) })) }),
  };
}

/** Totals, minimums and maximums, one row for each range. */
function aggregates(plan: Plan, setting: Setting, rows: readonly ReportRow[]): Record<string, object[]> {
  const { request, dimensions, ranges } = plan;
  const wanted = request.metricAggregations ?? [];
  const rangePlace = dimensions.findIndex(({ read }) => read.per === 'range');
  const label = (name: string, range: string) => dimensions.map((_, place) => (place === rangePlace ? range : name));
  const inRange = (name: string) => rows.filter(({ values }) => rangePlace < 0 || values[rangePlace] === name);
  const extreme = (name: string, pick: (...numbers: number[]) => number) =>
    ranges.map((range) => {
      const own = inRange(range.name);
      const numbers = plan.metrics.map((_, place) =>
        own.reduce((best, row) => pick(best, row.numbers[place]!), own[0]?.numbers[place] ?? 0),
      );
      return written(plan, { values: label(name, range.name), numbers });
    });
  const totals = () =>
    ranges.map((range) => {
      const whole = countRows({ ...plan, ranges: [range] }, setting, []).rows[0];
      const numbers = whole ? numbered(plan, whole).numbers : plan.metrics.map(() => 0);
      return written(plan, { values: label('RESERVED_TOTAL', range.name), numbers });
    });
  return {
    ...(wanted.includes('TOTAL') && { totals: totals() }),
    ...(wanted.includes('MAXIMUM') && { maximums: extreme('RESERVED_MAX', Math.max) }),
    ...(wanted.includes('MINIMUM') && { minimums: extreme('RESERVED_MIN', Math.min) }),
  };
}
