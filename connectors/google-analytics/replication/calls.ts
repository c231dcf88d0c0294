import type { Action } from '../../../src/authoring.js';
import { list } from '../operations.js';
import { reports } from '../reports.js';

/** The name of a report. */
export type ReportName = keyof typeof reports;

/** The names of all reports. */
export const reportNames = Object.keys(reports) as readonly ReportName[];

/** The same report with a sort order, for stable pages: Google does not define an order among equal metrics. */
function orderedReport(name: ReportName): Action {
  const { dimensions } = reports[name];
  const orderBys = dimensions.map((dimension) => ({ dimension: { dimensionName: dimension.name } }));
  return list('Report for a replica.', reports[name], { orderBys });
}

/** Calls of the replication: each report by name. */
export const replicationActions: Readonly<Record<string, Action>> = Object.fromEntries(
  reportNames.map((name) => [name, orderedReport(name)]),
);
