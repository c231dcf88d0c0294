import { readMarkup } from './markup.js';

/** Built-in number formats that show a date or a time. */
const isBuiltInDateFormat = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47);

/** Indices of the workbook's cell styles that show a number as a date or time. */
export async function dateFormats(source: string): Promise<ReadonlySet<number>> {
  const customFormats = new Map<number, boolean>();
  const styles: number[] = [];
  let inCellFormats = false;
  await readMarkup(source, true, {
    open(name, attributes) {
      const id = Number(attributes.numFmtId);
      if (name === 'numFmt') customFormats.set(id, isDateCode(attributes.formatCode ?? ''));
      else if (name === 'cellXfs') inCellFormats = true;
      else if (name === 'xf' && inCellFormats) styles.push(id);
    },
    close(name) {
      if (name === 'cellXfs') inCellFormats = false;
    },
  });
  return new Set(
    styles.flatMap((id, position) => ((customFormats.get(id) ?? isBuiltInDateFormat(id)) ? [position] : [])),
  );
}

/**
 * Whether a format has a date or time letter outside quotes. An unterminated quote extends to the end; searching for its
 * end repeatedly would take quadratic time.
 */
const isDateCode = (code: string): boolean =>
  /[ymdhs]/i.test(code.replace(/"[^"]*(?:"|$)|\\.|\[[^\]]*(?:\]|$)|General/gi, ''));

const day = 86_400_000;

/** A cell's number as an ISO 8601 date or time. */
export function dateOf(value: number, since1904: boolean): string {
  // Excel treats 1900 as a leap year, so its first two months are off by one day.
  const start = since1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, value < 60 ? 31 : 30);
  const time = new Date(Math.round((start + value * day) / 1000) * 1000);
  if (Number.isNaN(time.getTime())) return String(value);
  const [date, clock] = time.toISOString().slice(0, 19).split('T') as [string, string];
  if (value < 1) return clock;
  return clock === '00:00:00' ? date : `${date} ${clock}`;
}
