import { refusals } from './refusals.js';
import { dimensionsOf, metricsOf } from './report/plan.js';
import type { ReportRequest } from './request/bodies.js';
import { type Dimension, dimensions } from './schema/dimensions.js';
import { type Metric, metrics } from './schema/metrics.js';
import { clashes } from './schema/names.js';

/** What a question about compatibility is asked with. */
export interface CompatibilityRequest extends ReportRequest {
  compatibilityFilter?: string;
}

const listed = dimensions.filter(({ read }) => read.per !== 'range');

function dimensionView({ name, title, category, isCustom }: Dimension): object {
  return {
    ...{ apiName: name, uiName: title, description: `${title} of the visit.`, category },
    ...(isCustom && { customDefinition: true }),
  };
}

function metricView({ name, title, category, type }: Metric): object {
  return { apiName: name, uiName: title, description: `${title} of the row.`, type, category };
}

/** What a property can be asked for; property 0 stands for what all have in common. */
export function metadataOf(property: string): object {
  const isCommon = property === '0';
  return {
    dimensions: listed.filter(({ isCustom }) => !isCommon || !isCustom).map(dimensionView),
    metrics: metrics.map(metricView),
    name: `properties/${property}/metadata`,
  };
}

/** Which dimensions and metrics can be added to a report. */
export function compatibilityOf(request: CompatibilityRequest): object {
  const asked = dimensionsOf(request);
  const wanted = metricsOf(request);
  if (clashes(asked, wanted).length > 0) throw refusals.invalid('The dimensions and metrics are incompatible.');
  const wish = request.compatibilityFilter ?? 'COMPATIBILITY_UNSPECIFIED';
  const isWanted = ({ compatibility }: { compatibility: string }) =>
    wish === 'COMPATIBILITY_UNSPECIFIED' || wish === compatibility;
  const verdict = (isPossible: boolean) => (isPossible ? 'COMPATIBLE' : 'INCOMPATIBLE');
  return {
    dimensionCompatibilities: listed
      .map((one) => ({
        dimensionMetadata: dimensionView(one),
        compatibility: verdict(clashes([...asked, one], wanted).length === 0),
      }))
      .filter(isWanted),
    metricCompatibilities: metrics
      .map((one) => ({
        metricMetadata: metricView(one),
        compatibility: verdict(clashes(asked, [...wanted, one]).length === 0),
      }))
      .filter(isWanted),
  };
}
