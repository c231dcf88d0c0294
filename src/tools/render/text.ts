const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object that is no list. */
export const objectOf = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  isObject(value) ? value : undefined;

/** Text on one line, escaped as in JSON but for its quotes: no line can be forged by what it says. */
export const onOneLine = (text: string): string => JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');

/** A value without the fields that are null. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([key, item]) =>
    item === null || item === undefined ? [] : [[key, withoutNulls(item)]],
  );
  return Object.fromEntries(entries);
}

/** A value as JSON on one line, without what is null. */
export const compactJson = (value: unknown): string => JSON.stringify(withoutNulls(value)) ?? 'null';
