import type { AnyConnector } from '../any-connector.js';
import type { ActionDescription } from '../manifest/describe.js';
import { pageSizeOf } from './page-size.js';
import { matchingForm } from './schema.js';

type Values = Readonly<Record<string, unknown>>;

/** An action's outcome, as used by hints. */
export interface Outcome {
  readonly entity: string;
  readonly action: ActionDescription;
  readonly params: Values;
  readonly data: unknown;
  readonly meta: Values;
}

const capitalize = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

/** Next-page parameters derived from descriptions and meta, for connectors without `following`. */
function nextPageFromMeta({ action, params, meta }: Outcome): Values | undefined {
  if (Object.entries(meta).some(([key, value]) => /more|hasnext/i.test(key) && value === false)) return undefined;
  for (const [name, { description = '' }] of Object.entries(matchingForm(action.params, params).properties ?? {})) {
    const metaKey = /`?(?:meta\.)?(\w+)`? of the previous page/.exec(description)?.[1];
    const key = [metaKey, `next${capitalize(name)}`].find((found) => found !== undefined && Object.hasOwn(meta, found));
    if (key !== undefined) return meta[key] === null || meta[key] === undefined ? undefined : { [name]: meta[key] };
  }
  return undefined;
}

/** Parameters of the next page; undefined at the end. */
export function nextPage(connector: Pick<AnyConnector, 'following'>, outcome: Outcome): Values | undefined {
  const { entity, action, params, data, meta } = outcome;
  if (!action.paginated || !Array.isArray(data)) return undefined;
  if (!connector.following) return nextPageFromMeta(outcome);
  return connector.following(entity, action.name, params, { data, meta }) as Values | undefined;
}

const totalKeys = ['row_count', 'total_records'];

/** Total number of records, if meta reports it and fewer were returned. */
export function totalOf({ data, meta }: Pick<Outcome, 'data' | 'meta'>): number | undefined {
  const total = totalKeys.map((key) => meta[key]).find((value) => typeof value === 'number');
  return Array.isArray(data) && total !== undefined && total > data.length ? total : undefined;
}

// A cursor is external and hints are not fenced, so it must not be readable as words.
const plainToken = /^[\w.~+/=:,|%$!-]+$/;

const isPlain = (value: unknown): boolean =>
  typeof value === 'string' ? plainToken.test(value) : typeof value === 'number' || typeof value === 'boolean';

/** A hint about the next page. */
interface NextPageHint {
  readonly text: string;
  /** Whether it contains the values, rather than only their location in meta. */
  readonly isNamed: boolean;
}

/** Lists the next page's parameters with their values, or with their location in meta if the values are not plain. */
export function nextPageHint(next: Values | undefined, outcome: Outcome, maxLength: number): NextPageHint | undefined {
  if (!next) return undefined;
  const total = totalOf(outcome);
  const start = total === undefined ? 'There are more results. For' : `${total} in total. For`;
  const entries = Object.entries(next);
  if (entries.some(([, value]) => value === undefined || value === null || value === '')) {
    return { text: 'There are more results, but the vendor sent no cursor.', isNamed: true };
  }
  const json = JSON.stringify(next);
  if (entries.every(([, value]) => isPlain(value)) && json.length <= maxLength) {
    return { text: `${start} the next page, repeat the call with ${json} in params.`, isNamed: true };
  }
  const assignments = entries.map(([name, value]) => {
    const key = Object.keys(outcome.meta).find((found) => outcome.meta[found] === value);
    return `${name} set to meta.${key ?? name}`;
  });
  return { text: `${start} the next page, repeat the call with ${assignments.join(', ')}.`, isNamed: false };
}

/** A hint that there may be more, based only on the page size. */
export function fullPageHint({ action, params, data, meta }: Outcome): string | undefined {
  if (!action.paginated || !Array.isArray(data)) return undefined;
  const size = pageSizeOf(action.params, params);
  const known = totalKeys.some((key) => typeof meta[key] === 'number');
  const total = totalOf({ data, meta });
  if (total !== undefined && size) return `${total} in total; increase ${size.name} for more.`;
  const ended = Object.entries(meta).some(
    ([key, value]) => /more|hasnext|cursor|token|^next/i.test(key) && (value === false || value === null),
  );
  if (known || ended || !size || data.length < Number(params[size.name])) return undefined;
  return `The result reached the ${size.name} limit; there may be more.`;
}
