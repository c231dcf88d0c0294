/**
 * An instant as stored, ISO 8601 in UTC; undefined for years outside 0000 to 9999, which do not sort correctly as text.
 */
export function momentOf(text: string): string | undefined {
  const time = Date.parse(text);
  const moment = Number.isNaN(time) ? '' : new Date(time).toISOString();
  return /^\d{4}-/.test(moment) ? moment : undefined;
}
