import { apiErrors } from '../errors.js';
import { type Dimension, dimensions } from './dimensions.js';
import { type Metric, metrics } from './metrics.js';

const dimensionsByName = new Map(dimensions.map((dimension) => [dimension.name, dimension]));
const metricsByName = new Map(metrics.map((metric) => [metric.name, metric]));

/** Finds a dimension by name, or throws. */
export function requireDimension(name: string): Dimension {
  const found = dimensionsByName.get(name);
  if (!found) throw apiErrors.unknownName('dimension', name, nearest(name, [...dimensionsByName.keys()]));
  return found;
}

/** Finds a metric by name, or throws. */
export function requireMetric(name: string): Metric {
  const found = metricsByName.get(name);
  if (!found) throw apiErrors.unknownName('metric', name, nearest(name, [...metricsByName.keys()]));
  return found;
}

/** Metrics that must be removed before the report is valid: visit metrics cannot be combined with item metrics. */
export function incompatibleMetrics(
  requestedDimensions: readonly Dimension[],
  requestedMetrics: readonly Metric[],
): string[] {
  const isOfItems = requestedDimensions.some(({ read }) => read.per === 'item');
  return isOfItems ? requestedMetrics.filter(({ scope }) => scope !== 'item').map(({ name }) => name) : [];
}

function nearest(name: string, names: readonly string[]): string | undefined {
  const lowerName = name.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.ceil(name.length / 2);
  for (const one of names) {
    const distance = editDistance(lowerName, one.toLowerCase());
    if (distance >= bestDistance) continue;
    bestDistance = distance;
    best = one;
  }
  return best;
}

function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let index = 1; index <= one.length; index += 1) {
    const next = [index];
    for (let place = 1; place <= other.length; place += 1) {
      const changed = row[place - 1]! + (one[index - 1] === other[place - 1] ? 0 : 1);
      next.push(Math.min(changed, row[place]! + 1, next[place - 1]! + 1));
    }
    row = next;
  }
  return row[other.length]!;
}
