import { type DateRange, dateRangesOf } from '../dates.js';
import { refusals } from '../refusals.js';
import type { ReportRequest } from '../request/bodies.js';
import type { Dimension } from '../schema/dimensions.js';
import type { Metric } from '../schema/metrics.js';
import { clashes, dimensionBy, metricBy } from '../schema/names.js';
import { fieldsOf } from './filter.js';

/** A request that can be carried out. */
export interface Plan {
  request: ReportRequest;
  ranges: DateRange[];
  /** What was asked for; the range's own column is the last where nobody asked for it. */
  dimensions: Dimension[];
  metrics: (Metric & { isInvisible: boolean })[];
  /** The dimensions that only the filter looks at. */
  filtered: Dimension[];
  limit: number;
  offset: number;
  isThresholded: boolean;
}

const mostRows = 250_000;
const usualRows = 10_000;

/** Checks a request and looks up what it names; `today` is the property's. */
export function planOf(request: ReportRequest, today: number): Plan {
  refuseUnknownKinds(request);
  const dimensions = dimensionsOf(request);
  const metrics = metricsOf(request);
  if (dimensions.length + metrics.length === 0) {
    throw refusals.invalid('At least one dimension or metric is required.');
  }
  const ranges = dateRangesOf(request.dateRanges ?? [], today);
  const filtered = request.dimensionFilter ? fieldsOf(request.dimensionFilter).map(dimensionBy) : [];
  const wrong = clashes([...dimensions, ...filtered], metrics);
  if (wrong.length > 0) throw refusals.incompatible(wrong);
  const { limit = 0, offset = 0 } = request;
  if (limit < 0) throw refusals.invalid(`The limit must be positive. The limit in the request is ${limit}.`);
  if (offset < 0) throw refusals.invalid(`The offset must not be negative. The offset in the request is ${offset}.`);
  if (ranges.length > 1 && !dimensions.some(({ read }) => read.per === 'range')) {
    dimensions.push(dimensionBy('dateRange'));
  }
  return {
    ...{ request, ranges, dimensions, metrics, filtered, offset },
    limit: Math.min(limit || usualRows, mostRows),
    isThresholded: [...dimensions, ...filtered].some((one) => one.isThresholded),
  };
}

/** The dimensions of a request, which may not be too many nor named twice. */
export function dimensionsOf({ dimensions = [] }: Pick<ReportRequest, 'dimensions'>): Dimension[] {
  refuseTooMany('dimension', dimensions.length, 9);
  const names = dimensions.map(({ name = '', dimensionExpression }) => {
    if (dimensionExpression) throw refusals.invalid(`The dimensionExpression of ${name} is beyond this sandbox.`);
    return name;
  });
  refuseTwice('dimension', names);
  return names.map(dimensionBy);
}

/** The metrics of a request, under the same conditions. */
export function metricsOf({ metrics = [] }: Pick<ReportRequest, 'metrics'>): Plan['metrics'] {
  refuseTooMany('metric', metrics.length, 10);
  const named = metrics.map(({ name = '', expression, invisible = false }) => {
    if (expression !== undefined && expression !== name) {
      throw refusals.invalid(`The expression of the metric ${name} is beyond this sandbox.`);
    }
    return { name, isInvisible: invisible };
  });
  const names = named.map(({ name }) => name);
  refuseTwice('metric', names);
  return named.map(({ name, isInvisible }) => ({ ...metricBy(name), isInvisible }));
}

function refuseTooMany(kind: string, count: number, most: number): void {
  if (count <= most) return;
  throw refusals.invalid(
    `Requests are limited to ${most} ${kind}s within a nested request. This request is for ${count} ${kind}s.`,
  );
}

function refuseTwice(kind: string, names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw refusals.invalid(`The ${kind} ${twice} is used more than once in the request.`);
}

function refuseUnknownKinds({ cohortSpec, comparisons, metricAggregations = [] }: ReportRequest): void {
  if (cohortSpec) throw refusals.invalid('Cohort reports are beyond this sandbox.');
  if (comparisons?.length) throw refusals.invalid('Comparisons are beyond this sandbox.');
  if (metricAggregations.includes('COUNT')) {
    throw refusals.invalid('The metric aggregation COUNT is beyond this sandbox.');
  }
}
