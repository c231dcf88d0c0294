import type { Outcome } from './next-page.js';
import { pageSizeOf } from './page-size.js';
import { isFilter, matchingForm, type Schema, withoutNull } from './schema.js';

const isPosition = (name: string) => /^(after|before|offset|skip|page)$|cursor|token/i.test(name);
const isId = (name: string) => /(^|_)ids?$|Ids?$/.test(name);
const isShape = (name: string) => /^(fields|sort|order|include|return|keep|content|dimensions$|metrics$)/i.test(name);

/** Whether a parameter limits the time range. */
const isPeriod = (name: string, schema: Schema) =>
  /date|time|_(after|before|since|until)$/i.test(name) || /^date/.test(withoutNull(schema).schema.format ?? '');

interface Parameter {
  readonly name: string;
  readonly schema: Schema;
  readonly value: unknown;
  readonly required: boolean;
}

/** Parameters of the intended form, including those inside an object named filter. */
function parametersOf({ action, params }: Outcome): Parameter[] {
  const within = ({ properties = {}, required = [] }: Schema, given: Outcome['params'], above = ''): Parameter[] =>
    Object.entries(properties).flatMap(([key, schema]) => {
      const value = given[key];
      const inner = withoutNull(schema).schema;
      if (key === 'filter' && inner.properties && !isFilter(inner)) {
        return within(inner, (value ?? {}) as Outcome['params'], 'filter.');
      }
      return { name: above + key, schema, value, required: required.includes(key) };
    });
  return within(matchingForm(action.params, params), params);
}

/** Time range parameters in effect for this call: those passed, and those with a default. */
const periodsOf = (outcome: Outcome): string[] =>
  parametersOf(outcome).flatMap(({ name, schema, value }) =>
    isPeriod(name, schema) && (value !== undefined || /when left out|default/.test(schema.description ?? ''))
      ? [name]
      : [],
  );

/** Filters chosen by the caller: a required value or an id is not a choice. */
function filtersOf(outcome: Outcome): string[] {
  const size = pageSizeOf(outcome.action.params, outcome.params)?.name;
  return parametersOf(outcome).flatMap(({ name, schema, value, required }) => {
    if (value === undefined || value === schema.default || JSON.stringify(value) === '{}') return [];
    const isFixed = name === size || isPosition(name) || isId(name) || isShape(name) || isPeriod(name, schema);
    // A search's query is required, but its content is the caller's choice.
    return isFixed || (required && typeof value !== 'object') ? [] : [name];
  });
}

/** What a search reports when it finds nothing: the number of records, and what they contain instead. */
interface EmptySearch {
  readonly of?: unknown;
  readonly of_is_exact?: unknown;
  readonly as_of?: unknown;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** The number of records searched, and how current they are. Field values are external, so they stay in meta. */
function countHint({ entity, meta }: Outcome): string | undefined {
  const { of, of_is_exact, as_of, fields = {} } = (meta.empty ?? {}) as EmptySearch;
  if (typeof of !== 'number') return undefined;
  const [, day, time] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(String(as_of)) ?? [];
  const replica = day === undefined ? '' : ` (replica of ${day} ${time} UTC)`;
  if (of === 0) return `The replica${replica.replace('replica of ', 'of ')} has no ${entity}.`;
  const held = Object.keys(fields).length > 0 ? ' For values of the filtered fields, see meta.empty.' : '';
  return `0 of ${of_is_exact === false ? 'more than ' : ''}${of} ${entity}${replica}.${held}`;
}

/** Says which words no hit contains, so that the hits are not taken for an answer. */
export function unmatchedHint(words: unknown): string | undefined {
  if (!Array.isArray(words) || words.length === 0) return undefined;
  return `No hit contains ${words.map((word) => JSON.stringify(word)).join(', ')}: they match by other words or by meaning at best.`;
}

/** Explains why a list is empty, if known. */
export function emptyHint(outcome: Outcome, hasNext: boolean): string | undefined {
  const { params, data, meta } = outcome;
  if (!Array.isArray(data) || data.length > 0 || Number(meta.count) > 0) return undefined;
  if (hasNext) return 'This page is empty, but it is not the last one.';
  const counted = countHint(outcome);
  const { readiness, complete } = meta as {
    readonly readiness?: { readonly ready_for_search?: boolean };
    readonly complete?: boolean;
  };
  if (complete === false) return `${counted ?? 'No results.'} The replica is incomplete.`;
  if (counted !== undefined && readiness?.ready_for_search !== false) return counted;
  if (readiness !== undefined && readiness.ready_for_search !== true) {
    return [counted ?? 'No results.', 'The replica may be incomplete: see meta.readiness.'].join(' ');
  }
  const dropped = Object.keys(meta).find((key) => /dropped|hidden/.test(key) && Number(meta[key]) > 0);
  if (dropped) return `The whole page was filtered out: see meta.${dropped}.`;
  if (Object.keys(params).some((name) => isPosition(name))) return 'There is nothing at or after this position.';
  const filters = filtersOf(outcome);
  const periods = periodsOf(outcome);
  const reasons = [
    ...(filters.length > 0 ? [`Nothing matches ${filters.join(', ')}; try fewer conditions.`] : []),
    ...(periods.length > 0 ? [`The period may be empty: try another (${periods.join(', ')}).`] : []),
  ];
  if (reasons.length > 0) return reasons.join(' ');
  const ids = parametersOf(outcome).flatMap(({ name, value, required }) =>
    required && value !== undefined ? [name] : [],
  );
  // The vendor found what the call is about: it rejects an id that does not exist.
  if (ids.length > 0) return `There are no ${outcome.entity.replaceAll('_', ' ')} for this ${ids.join(', ')}.`;
  return `There are no ${outcome.entity.replaceAll('_', ' ')} that these credentials can see.`;
}

const sampleSize = 8;

/** Each field's share of a record's JSON, largest first, estimated from the first records. */
function sharesOf(data: unknown): Array<readonly [name: string, share: number]> {
  const sample = Array.isArray(data) ? data.slice(0, sampleSize) : [data];
  const records = sample.filter((item) => typeof item === 'object' && item !== null);
  const sizes = new Map<string, number>();
  let all = 0;
  for (const record of records) {
    for (const [name, value] of Object.entries(record)) {
      if (value === null || value === undefined) continue;
      const size = (JSON.stringify(value) ?? '').length;
      sizes.set(name, (sizes.get(name) ?? 0) + size);
      all += size;
    }
  }
  return [...sizes].map(([name, size]) => [name, size / all] as const).sort(([, one], [, other]) => other - one);
}

// Field names may also be external, and hints are not fenced.
const plainName = /^\w{1,40}$/;

/** How many fields besides ids must remain for a record to be useful without its heavy ones. */
const minFieldsLeft = 2;

/** Heavy fields that can be omitted, heaviest first. */
function droppableFields({ action, params, data }: Outcome): Array<readonly [name: string, share: number]> {
  if (action.hosted_only && 'semantic' in params) return [];
  const shares = sharesOf(data);
  const informativeFields = shares.filter(([name]) => !isId(name)).length;
  const heavy = shares.filter(([name, share]) => share >= 0.2 && plainName.test(name) && !isId(name));
  return heavy.slice(0, Math.max(0, Math.min(3, informativeFields - minFieldsLeft)));
}

/** Parameters that the next call could use to request fewer records. */
function fewerRecordsHints(outcome: Outcome): string[] {
  const { action, params, data } = outcome;
  if (!Array.isArray(data) || data.length < 2) return [];
  const size = pageSizeOf(action.params, params);
  if (size) return [`a smaller ${size.name}`];
  const known = parametersOf(outcome);
  const ids = known.filter(({ name, value }) => isId(name) && Array.isArray(value) && value.length > 1);
  if (ids.length > 0) return [`fewer ${ids.map(({ name }) => name).join(', ')}`];
  const periods = known.flatMap(({ name, schema }) => (isPeriod(name, schema) ? [name] : []));
  return periods.length > 0 ? [`a shorter period (${periods.join(', ')})`] : [];
}

/** Suggests how to get a smaller result. */
export function narrowHint(outcome: Outcome): string {
  const named = droppableFields(outcome).map(([name, share]) => `${name} (${Math.round(share * 100)} %)`);
  const ways = [
    'select_fields with only the fields you need',
    ...(named.length > 0 ? [`exclude_fields with ${named.join(', ')}`] : []),
    ...fewerRecordsHints(outcome),
  ];
  return `To reduce the result: ${ways.join(', or ')}.`;
}
