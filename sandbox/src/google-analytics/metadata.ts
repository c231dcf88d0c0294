import { apiErrors } from './errors.js';
import { dimensionsOf, metricsOf } from './report/plan.js';
import type { ReportRequest } from './request/bodies.js';
import { type Dimension, dimensions } from './schema/dimensions.js';
import { type Metric, metrics } from './schema/metrics.js';
import { incompatibleMetrics } from './schema/names.js';

/** A compatibility request. */
export interface CompatibilityRequest extends ReportRequest {
  compatibilityFilter?: string;
}

const listedDimensions = dimensions.filter(({ read }) => read.per !== 'range');

function dimensionView({ name, title, category, isCustom }: Dimension): object {
  return {
    apiName: name,
    uiName: title,
    description: `${title} of the visit.`,
    category,
    ...(isCustom && { customDefinition: true }),
  };
}

function metricView({ name, title, category, type }: Metric): object {
  return { apiName: name, uiName: title, description: `${title} of the row.`, type, category };
}

/** A property's dimensions and metrics; property 0 returns those common to all. */
export function metadataOf(property: string): object {
  const isCommon = property === '0';
  return {
    dimensions: listedDimensions.filter(({ isCustom }) => !isCommon || !isCustom).map(dimensionView),
    metrics: metrics.map(metricView),
    name: `properties/${property}/metadata`,
  };
}

/** Dimensions and metrics that can be added to a report. */
export function compatibilityOf(request: CompatibilityRequest): object {
  const requestedDimensions = dimensionsOf(request);
  const requestedMetrics = metricsOf(request);
  if (incompatibleMetrics(requestedDimensions, requestedMetrics).length > 0)
    throw apiErrors.invalid('The dimensions and metrics are incompatible.');
  const compatibilityFilter = request.compatibilityFilter ?? 'COMPATIBILITY_UNSPECIFIED';
  const isWanted = ({ compatibility }: { compatibility: string }) =>
    compatibilityFilter === 'COMPATIBILITY_UNSPECIFIED' || compatibilityFilter === compatibility;
  const verdict = (isPossible: boolean) => (isPossible ? 'COMPATIBLE' : 'INCOMPATIBLE');
  return {
    dimensionCompatibilities: listedDimensions
      .map((one) => ({
        dimensionMetadata: dimensionView(one),
        compatibility: verdict(incompatibleMetrics([...requestedDimensions, one], requestedMetrics).length === 0),
      }))
      .filter(isWanted),
    metricCompatibilities: metrics
      .map((one) => ({
        metricMetadata: metricView(one),
        compatibility: verdict(incompatibleMetrics(requestedDimensions, [...requestedMetrics, one]).length === 0),
      }))
      .filter(isWanted),
  };
}
