import { type Dialect, likePattern, type Mark, type Terms } from '../../dialect.js';
import type { Place } from '../../plan.js';
import { canonicalText, type Layout, quoted } from '../../schema.js';

const manyMarks = 16;

const column = ({ column: { compared } }: Place): string => `r.${quoted(compared)}`;
const isInside = ({ column: { type }, path }: Place): boolean => path.length > 0 || type === 'json';

/** A place in `rest`, as SQLite's functions name it. */
const route = ({ column: { field }, path }: Place, mark: Mark): string =>
  mark(`$${[field, ...path].map((name) => `."${name}"`).join('')}`);

const json = (place: Place, mark: Mark): string => `(r.rest -> ${route(place, mark)})`;

function text(place: Place, mark: Mark): string {
  if (!isInside(place)) return `r.${quoted(place.column.stored)}`;
  const at = route(place, mark);
  return `(case when json_type(r.rest, ${at}) = 'text' then r.rest ->> ${at} end)`;
}

function oneOf(sql: string, values: readonly unknown[], mark: Mark): string {
  if (values.length === 1) return `${sql} = ${mark(values[0])}`;
  if (values.length <= manyMarks) return `${sql} in (${values.map(mark).join(', ')})`;
  return `${sql} in (select value from json_each(${mark(JSON.stringify(values))}))`;
}

/** Terms as a query of FTS5; each is a string of its own, so that nothing in it is an operator. */
export function matchQuery(terms: Terms): string {
  if (typeof terms === 'string') return `"${terms.replaceAll('"', '""')}"`;
  const [parts, by] = 'any' in terms ? [terms.any, ' OR '] : [terms.all, ' AND '];
  // No record holds a term without a scope.
  return parts.length === 0 ? '"none"' : `(${parts.map(matchQuery).join(by)})`;
}

/** SQLite's way of saying things, for the table of one entity. */
export function sqliteDialect({ words }: Layout): Dialect {
  return {
    among(place, values, mark) {
      if (!isInside(place)) return oneOf(column(place), values, mark);
      return oneOf(json(place, mark), values.map(canonicalText), mark);
    },
    missing(place, mark) {
      if (!isInside(place)) return `r.${quoted(place.column.stored)} is null`;
      return `coalesce(json_type(r.rest, ${route(place, mark)}), 'null') = 'null'`;
    },
    compare(place, sign, value, mark) {
      if (!isInside(place)) return `${column(place)} ${sign} ${mark(value)}`;
      const at = route(place, mark);
      const types = typeof value === 'string' ? "('text')" : "('integer', 'real')";
      const type = typeof value === 'string' ? 'text' : 'real';
      return `(json_type(r.rest, ${at}) in ${types} and cast(r.rest ->> ${at} as ${type}) ${sign} ${mark(value)})`;
    },
    like: (place, pattern, mark) => `${text(place, mark)} like ${mark(likePattern(pattern))} escape '\\'`,
    words: ({ test, place, words: wanted }, mark) =>
      `${test === 'keyword' ? 'has_word' : 'has_words'}(${text(place, mark)}, ${mark(JSON.stringify(wanted))})`,
    holds: (place, values, mark) =>
      `holds_one(${json(place, mark)}, ${mark(JSON.stringify(values.map(canonicalText)))})`,
    // The sign keeps SQLite from beginning with them.
    leadsTo: (terms, mark) =>
      `+r.rid in (select rowid from ${quoted(words)} where ${quoted(words)} match ${mark(matchQuery(terms))})`,
    isOne: (records, mark, first) =>
      `${first ? '' : '+'}r.rid in (select value from json_each(${mark(JSON.stringify(records))}))`,
    order(place, mark) {
      const typed = (value: string) => value;
      if (!isInside(place)) return [{ sql: column(place), typed }];
      const at = route(place, mark);
      const type = `json_type(r.rest, ${at})`;
      const value = `(r.rest ->> ${at})`;
      return [
        `(case when ${type} in ('integer', 'real') then 0 when ${type} = 'text' then 1 when ${type} in ('true', 'false') then 2 end)`,
        `cast(case when ${type} in ('integer', 'real', 'true', 'false') then ${value} end as real)`,
        `(case when ${type} = 'text' then ${value} end)`,
      ].map((sql) => ({ sql, typed }));
    },
    not: (sql) => `((${sql}) is not true)`,
  };
}
