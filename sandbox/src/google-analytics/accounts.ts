import { apiErrors } from './errors.js';
import { type Property, properties, propertyIds } from './properties.js';

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
