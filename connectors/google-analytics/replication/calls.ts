import type { Action } from '../../../src/authoring.js';
import { list } from '../operations.js';
import { reports } from '../reports.js';

/** The name of a report. */
export type ReportName = keyof typeof reports;

/** The names of all reports. */
export const reportNames = Object.keys(reports) as readonly ReportName[];

/** The same report in an order that its pages can be cut by: among equal metrics Google promises none. */
function orderedReport(name: ReportName): Action {
  const { dimensions } = reports[name];
  const orderBys = dimensions.map((dimension) => ({ dimension: { dimensionName: dimension.name } }));
  return list('Report for a replica.', reports[name], { orderBys });
}

/** What a replica is read with: each report by its name. */
export const replicationActions: Readonly<Record<string, Action>> = Object.fromEntries(
  reportNames.map((name) => [name, orderedReport(name)]),
);
