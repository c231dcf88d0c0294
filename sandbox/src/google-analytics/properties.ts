import { accounts } from '../google/analytics-credentials.js';

/** A property: a stream of visits with a time zone and a currency. */
export interface Property {
  id: string;
  timeZone: string;
  currencyCode: string;
  /** Email addresses of accounts that can read it. */
  viewers: readonly string[];
  /** Visits on an average day at scale 1; 0 for a property without data. */
  dailyVisits: number;
  site: 'website' | 'application';
}

/** Ids of the sandbox's properties, by purpose. */
export const propertyIds = {
  /** The company's website and help center. */
  website: '320200001',
  /** The product itself, with a different time zone. */
  application: '320200002',
  /** Has no data: its reports have no rows. */
  empty: '320200003',
  /** A customer's property, which no credential can read. */
  foreign: '320200009',
} as const;

/** All properties. */
export const properties: ReadonlyMap<string, Property> = new Map(
  [
    property(propertyIds.website, 'website', 'Europe/Berlin', 'EUR', 56, accounts.everything),
    property(propertyIds.application, 'application', 'America/New_York', 'USD', 34, accounts.application),
    property(propertyIds.empty, 'website', 'Europe/Berlin', 'EUR', 0, accounts.everything),
    property(propertyIds.foreign, 'website', 'Europe/Paris', 'EUR', 0, []),
  ].map((one) => [one.id, one]),
);

function property(
  id: string,
  site: Property['site'],
  timeZone: string,
  currencyCode: string,
  dailyVisits: number,
  viewers: readonly string[],
): Property {
  return { id, site, timeZone, currencyCode, dailyVisits, viewers };
}
