import { readMarkup } from './markup.js';

/** Formats of numbers that every workbook has, and that show a day or a time. */
const isBuiltInDateFormat = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47);

/** The styles of a workbook that show a number as a day or a time, by position. */
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
 * Whether a format has a letter for days or hours outside what it quotes. A quotation that is never closed reaches to the
 * end: to look for the end of each of them again would take the square of the length.
 */
const isDateCode = (code: string): boolean =>
  /[ymdhs]/i.test(code.replace(/"[^"]*(?:"|$)|\\.|\[[^\]]*(?:\]|$)|General/gi, ''));

const day = 86_400_000;

/** The day or time that a cell's number stands for, as in ISO 8601. */
export function dateOf(value: number, since1904: boolean): string {
  // Excel takes 1900 for a leap year, so that its first two months are a day off.
  const start = since1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, value < 60 ? 31 : 30);
  const time = new Date(Math.round((start + value * day) / 1000) * 1000);
  if (Number.isNaN(time.getTime())) return String(value);
  const [date, clock] = time.toISOString().slice(0, 19).split('T') as [string, string];
  if (value < 1) return clock;
  return clock === '00:00:00' ? date : `${date} ${clock}`;
}
