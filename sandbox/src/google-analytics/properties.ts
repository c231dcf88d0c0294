import { accounts } from './credentials.js';

/** One property: a stream of visits with a time zone and a currency. */
export interface Property {
  id: string;
  timeZone: string;
  currencyCode: string;
  /** The addresses of the accounts that may read it. */
  viewers: readonly string[];
  /** Visits on a usual day at scale 1; none for a property that collects nothing. */
  dailyVisits: number;
  site: 'website' | 'application';
}

/** The ids of the sandbox's properties, by what they are. */
export const propertyIds = {
  /** The company's website and help centre. */
  website: '320200001',
  /** The product itself, which counts days in another time zone. */
  application: '320200002',
  /** Nothing has ever been collected: reports have no rows. */
  empty: '320200003',
  /** A customer's, which none of the credentials may read. */
  foreign: '320200009',
} as const;

/** Every property that exists. */
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
