import type { Action } from '../../../src/authoring.js';
import { list } from '../operations.js';
import { reports } from '../reports.js';

/** The name of a report. */
export type ReportName = keyof typeof reports;

/** The names of all reports. */
export const reportNames = Object.keys(reports) as readonly ReportName[];

/**
 * The report with an explicit sort order, so that pages are stable: Google does not define an order for equal metrics.
 */
function orderedReport(name: ReportName): Action {
  const { dimensions } = reports[name];
  const orderBys = dimensions.map((dimension) => ({ dimension: { dimensionName: dimension.name } }));
  return list('Report for a replica.', reports[name], { orderBys });
}

/** Replication requests: each report by name. */
export const replicationActions: Readonly<Record<string, Action>> = Object.fromEntries(
  reportNames.map((name) => [name, orderedReport(name)]),
);
