import * as z from 'zod';
import type { Replica, Replication } from '../../../src/authoring.js';
import { limitationNote } from '../operations.js';
import { propertiesIn } from '../properties.js';
import { reports } from '../reports.js';
import { type ReportName, replicationActions, reportNames } from './calls.js';
import { lookBackDays, remainingDays, reportReader, type State } from './read.js';

/**
 * A row is identified by property, date and its other dimensions; its period is taken from the latest report that
 * contained it.
 */
const replicaOf = (name: ReportName): Replica => ({
  key: ['property_id', ...reports[name].dimensions.map((dimension) => dimension.name)],
  read: reportReader(name),
  remaining: remainingDays,
  withheld: ({ config: { start_date }, state }) => {
    const known = limitationsIn((state ?? {}) as State);
    const possible =
      'Google may estimate figures from a sample, withhold rows with few users, and merge rare rows into (other).';
    const start = typeof start_date === 'string' ? start_date : 'two years before the first sync';
    return [...(known.length > 0 ? known : [possible]), `Days before ${start} are not replicated.`];
  },
});

/** Periods named in a sentence at most, the latest ones. */
const maxPeriods = 5;

/** What Google reported about the reports in a replica, with the days. */
const limitationsIn = (state: State): string[] =>
  Object.entries(state).flatMap(([property, { limited = {} }]) =>
    (Object.keys(limited) as (keyof typeof limited)[]).map((kind) => {
      const periods = limited[kind]!.map(([from, to]) => `${from} to ${to}`);
      const more = periods.length > maxPeriods ? ` and ${periods.length - maxPeriods} earlier periods` : '';
      return limitationNote(`Property ${property}, reports of ${periods.slice(-maxPeriods).join(', ')}${more}`, kind);
    }),
  );

const propertyId = /^\d{1,20}$/;

const config = z.object({
  property_ids: z
    .union([z.string(), z.array(z.string())], {
      error: 'must be a list of property ids: a string or an array of strings',
    })
    .refine(
      (given) => propertiesIn(given).length > 0 && propertiesIn(given).every((id) => propertyId.test(id)),
      'must contain at least one property id; ids contain only digits',
    )
    .describe('Property ids to replicate.'),
  start_date: z.iso
    .date('must be a valid date (YYYY-MM-DD)')
    .optional()
    .describe('First day to replicate, YYYY-MM-DD.'),
  look_back_days: z
    .int()
    .min(0)
    .max(90)
    .optional()
    .describe(`Days that every sync reads again because Google corrects them (default ${lookBackDays}).`),
});

/** Replication of report rows. */
export const replication: Replication = {
  config,
  calls: replicationActions,
  entities: Object.fromEntries(reportNames.map((name) => [name, replicaOf(name)])),
};
