import { accounts } from '../google/analytics-credentials.js';
import { apiErrors } from './errors.js';

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

/** The company's only account, in the Admin API. */
const account = { id: '100200300', displayName: 'Fernhill Software' };

const names: Readonly<Record<string, string>> = {
  [propertyIds.website]: 'fernhill.example',
  [propertyIds.application]: 'Fernhill Ledger',
  [propertyIds.empty]: 'Nothing yet',
};

/** Handles `accountSummaries.list` of the Admin API: the accounts a user can read. */
export function accountSummaries(reader: string, search: URLSearchParams): object {
  const size = search.get('pageSize') ?? '50';
  if (!/^\d+$/.test(size)) throw apiErrors.invalid(`Invalid value at 'page_size' (TYPE_INT32), "${size}"`);
  if (search.has('pageToken')) throw apiErrors.invalid('Invalid page token.');
  const own = [...properties.values()].filter(({ viewers }) => viewers.includes(reader));
  return own.length === 0 ? {} : { accountSummaries: [{ ...summary, propertySummaries: own.map(propertyOf) }] };
}

const summary = {
  name: `accountSummaries/${account.id}`,
  account: `accounts/${account.id}`,
  displayName: account.displayName,
};

const propertyOf = ({ id }: Property) => ({
  property: `properties/${id}`,
  displayName: names[id] ?? id,
  propertyType: 'PROPERTY_TYPE_ORDINARY',
  parent: summary.account,
});
