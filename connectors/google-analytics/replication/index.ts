import type { Replica, Replication } from '../../../src/authoring.js';
import { reports } from '../reports.js';
import { ownCalls, type ReportName, reportNames } from './calls.js';
import { reading } from './read.js';

/** A row is told from others by property, date and its other dimensions; the period is that of whichever report it came with last. */
const replicaOf = (name: ReportName): Replica => ({
  key: ['property_id', ...reports[name].dimensions.map((dimension) => dimension.name)],
  read: reading(name),
});

/** How the rows of Google Analytics' reports come into a replica. */
export const replication: Replication = {
  calls: ownCalls,
  entities: Object.fromEntries(reportNames.map((name) => [name, replicaOf(name)])),
};
