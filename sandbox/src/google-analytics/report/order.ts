import { apiErrors } from '../errors.js';
import type { OrderBy } from '../request/bodies.js';

/** A response row before its numbers are formatted. */
export interface ReportRow {
  values: string[];
  numbers: number[];
}

type Compare = (one: ReportRow, other: ReportRow) => number;

/** Sorts rows as requested, or by the first metric in descending order. The sort is stable. */
export function sortRows(
  rows: readonly ReportRow[],
  orderBys: readonly OrderBy[],
  dimensionNames: readonly string[],
  metricNames: readonly string[],
): ReportRow[] {
  const rules: Compare[] = orderBys.map((orderBy) => comparatorOf(orderBy, dimensionNames, metricNames));
  if (rules.length === 0 && metricNames.length > 0) rules.push((one, other) => other.numbers[0]! - one.numbers[0]!);
  return [...rows].sort((one, other) => {
    for (const rule of rules) {
      const order = rule(one, other);
      if (order !== 0) return order;
    }
    return 0;
  });
}

function comparatorOf(orderBy: OrderBy, dimensionNames: readonly string[], metricNames: readonly string[]): Compare {
  const { desc = false, metric, dimension } = orderBy;
  const sign = desc ? -1 : 1;
  if (metric) {
    const index = columnIndexOf(metricNames, metric.metricName ?? '', 'metric');
    return (one, other) => sign * (one.numbers[index]! - other.numbers[index]!);
  }
  if (!dimension) throw apiErrors.invalid('An OrderBy must have a metric or a dimension.');
  const index = columnIndexOf(dimensionNames, dimension.dimensionName ?? '', 'dimension');
  const compare = textOrder(dimension.orderType);
  return (one, other) => sign * compare(one.values[index]!, other.values[index]!);
}

function columnIndexOf(names: readonly string[], name: string, kind: string): number {
  const index = names.indexOf(name);
  if (index < 0) throw apiErrors.invalid(`The ${kind} ${name} in orderBys is not one of the request's ${kind}s.`);
  return index;
}

function textOrder(orderType: string | undefined): (one: string, other: string) => number {
  const byUnits = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
  if (orderType === 'NUMERIC') {
    return (one, other) => (Number.parseFloat(one) || 0) - (Number.parseFloat(other) || 0) || byUnits(one, other);
  }
  if (orderType !== 'CASE_INSENSITIVE_ALPHANUMERIC') return byUnits;
  return (one, other) => byUnits(one.toLowerCase(), other.toLowerCase());
}
