import type { Manifest } from '../manifest/manifest.js';

const conditions = /^(q|query|search|filters?|where|sort(by)?|order(by)?)$/i;

/** What to say of a name that a list does not take, where the search of its entity finds or sorts by it. */
export function searchInstead(
  { entities }: Manifest,
  entity: string,
  action: string,
): (name: string) => string | undefined {
  return (name) => {
    const { search, actions } = entities[entity]!;
    const { returns, hostedOnly } = actions[action]!;
    if (!search || returns.kind !== 'records' || hostedOnly) return undefined;
    const known = Object.values(search.fields).flat().includes(name);
    return known || conditions.test(name)
      ? `${entity}.context_store_search finds and sorts records by their fields, where there is a service: {"query":{"filter":{"eq":{"${known ? name : '<field>'}":<value>}}}}. Without one, read the pages and keep what fits.`
      : undefined;
  };
}
