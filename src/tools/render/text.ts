const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A non-array object. */
export const objectOf = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  isObject(value) ? value : undefined;

/** Text on one line, escaped as in JSON except for quotes: its content cannot forge a line. */
export const onOneLine = (text: string): string =>
  needsEscape.test(text) ? JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"') : text;

/** What JSON escapes, except for quotes. */
const needsEscape = /[\\\p{Cc}\p{Cs}]/u;

/** A value without null fields. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([key, item]) =>
    item === null || item === undefined ? [] : [[key, withoutNulls(item)]],
  );
  return Object.fromEntries(entries);
}

/** A value as JSON on one line, without nulls unless they are shown. */
export const compactJson = (value: unknown, showsNulls = false): string =>
  JSON.stringify(showsNulls ? value : withoutNulls(value)) ?? 'null';
