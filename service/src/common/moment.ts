/** An instant as stored, ISO 8601 in UTC; undefined outside the years 0000 to 9999, which do not sort as text. */
export function momentOf(text: string): string | undefined {
  const time = Date.parse(text);
  const moment = Number.isNaN(time) ? '' : new Date(time).toISOString();
  return /^\d{4}-/.test(moment) ? moment : undefined;
}
