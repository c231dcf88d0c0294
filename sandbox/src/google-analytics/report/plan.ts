import { type DateRange, dateRangesOf } from '../dates.js';
import { apiErrors } from '../errors.js';
import type { ReportRequest } from '../request/bodies.js';
import type { Dimension } from '../schema/dimensions.js';
import type { Metric } from '../schema/metrics.js';
import { incompatibleMetrics, requireDimension, requireMetric } from '../schema/names.js';
import { fieldsOf } from './filter.js';

/** A validated request. */
export interface Plan {
  request: ReportRequest;
  ranges: DateRange[];
  /** The requested dimensions; the date range column comes last if it was not requested. */
  dimensions: Dimension[];
  metrics: (Metric & { isInvisible: boolean })[];
  /** Dimensions used only by the filter. */
  filterDimensions: Dimension[];
  limit: number;
  offset: number;
  isThresholded: boolean;
}

const maxRows = 250_000;
const defaultRows = 10_000;

/** Validates a request and resolves its names; `today` is in the property's time zone. */
export function planOf(request: ReportRequest, today: number): Plan {
  assertSupported(request);
  const dimensions = dimensionsOf(request);
  const metrics = metricsOf(request);
  if (dimensions.length + metrics.length === 0) {
    throw apiErrors.invalid('At least one dimension or metric is required.');
  }
  const ranges = dateRangesOf(request.dateRanges ?? [], today);
  const filterDimensions = request.dimensionFilter ? fieldsOf(request.dimensionFilter).map(requireDimension) : [];
  const conflicts = incompatibleMetrics([...dimensions, ...filterDimensions], metrics);
  if (conflicts.length > 0) throw apiErrors.incompatible(conflicts);
  const { limit = 0, offset = 0 } = request;
  if (limit < 0) throw apiErrors.invalid(`The limit must be positive. The limit in the request is ${limit}.`);
  if (offset < 0) throw apiErrors.invalid(`The offset must not be negative. The offset in the request is ${offset}.`);
  if (ranges.length > 1 && !dimensions.some(({ read }) => read.per === 'range')) {
    dimensions.push(requireDimension('dateRange'));
  }
  return {
    request,
    ranges,
    dimensions,
    metrics,
    filterDimensions,
    offset,
    limit: Math.min(limit || defaultRows, maxRows),
    isThresholded: [...dimensions, ...filterDimensions].some((one) => one.isThresholded),
  };
}

/** The dimensions in a request: limited in number and without duplicates. */
export function dimensionsOf({ dimensions = [] }: Pick<ReportRequest, 'dimensions'>): Dimension[] {
  assertAtMost('dimension', dimensions.length, 9);
  const names = dimensions.map(({ name = '', dimensionExpression }) => {
    if (dimensionExpression)
      throw apiErrors.invalid(`The dimensionExpression for ${name} is not supported by this sandbox.`);
    return name;
  });
  assertUnique('dimension', names);
  return names.map(requireDimension);
}

/** The requested metrics, validated like the dimensions. */
export function metricsOf({ metrics = [] }: Pick<ReportRequest, 'metrics'>): Plan['metrics'] {
  assertAtMost('metric', metrics.length, 10);
  const named = metrics.map(({ name = '', expression, invisible = false }) => {
    if (expression !== undefined && expression !== name) {
      throw apiErrors.invalid(`The expression for the metric ${name} is not supported by this sandbox.`);
    }
    return { name, isInvisible: invisible };
  });
  const names = named.map(({ name }) => name);
  assertUnique('metric', names);
  return named.map(({ name, isInvisible }) => ({ ...requireMetric(name), isInvisible }));
}

function assertAtMost(kind: string, count: number, max: number): void {
  if (count <= max) return;
  throw apiErrors.invalid(
    `Requests are limited to ${max} ${kind}s within a nested request. This request is for ${count} ${kind}s.`,
  );
}

function assertUnique(kind: string, names: readonly string[]): void {
  const duplicate = names.find((name, index) => names.indexOf(name) < index);
  if (duplicate !== undefined)
    throw apiErrors.invalid(`The ${kind} ${duplicate} is used more than once in the request.`);
}

function assertSupported({ cohortSpec, comparisons, metricAggregations = [] }: ReportRequest): void {
  if (cohortSpec) throw apiErrors.invalid('Cohort reports are not supported by this sandbox.');
  if (comparisons?.length) throw apiErrors.invalid('Comparisons are not supported by this sandbox.');
  if (metricAggregations.includes('COUNT')) {
    throw apiErrors.invalid('The metric aggregation COUNT is not supported by this sandbox.');
  }
}
