import { format, isDateFormat } from 'numfmt';
import { readMarkup } from './markup.js';
import { elementIn } from './parts.js';

/** A cell's text as displayed; empty if its format displays nothing. */
export interface CellFormat {
  number(stored: string): string;
  text(text: string): string;
}

/**
 * Formats by the id that Office assigns to them. The others depend on the reader's locale: their dates are in ISO 8601,
 * and their currencies in dollars.
 */
const builtInFormats: Readonly<Record<number, string>> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  5: '"$"#,##0;("$"#,##0)',
  6: '"$"#,##0;("$"#,##0)',
  7: '"$"#,##0.00;("$"#,##0.00)',
  8: '"$"#,##0.00;("$"#,##0.00)',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  12: '# ?/?',
  13: '# ??/??',
  14: 'yyyy-mm-dd',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'yyyy-mm-dd hh:mm',
  37: '#,##0;(#,##0)',
  38: '#,##0;(#,##0)',
  39: '#,##0.00;(#,##0.00)',
  40: '#,##0.00;(#,##0.00)',
  41: '#,##0;(#,##0);"-"',
  42: '"$"#,##0;("$"#,##0);"$-"',
  43: '#,##0.00;(#,##0.00);"-"',
  44: '"$"#,##0.00;("$"#,##0.00);"$-"',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
  48: '##0.0E+0',
  49: '@',
};
const isLocalDate = (id: number): boolean => (id >= 27 && id <= 36) || (id >= 50 && id <= 58);

/** Excel accepts no longer codes, and parsing one takes more than linear time. */
const maxCodeLength = 255;

const unformatted: CellFormat = { number: plainNumber, text: (text) => text };

/** The workbook's cell formats by style. */
export async function cellFormatsOf(source: string, since1904: boolean): Promise<readonly CellFormat[]> {
  const codes = new Map<number, string>();
  const styles: number[] = [];
  let inCellFormats = false;
  await readMarkup(elementIn(source, 'numFmts') + elementIn(source, 'cellXfs'), true, {
    open(name, attributes) {
      const id = Number(attributes.numFmtId ?? 0);
      if (name === 'numFmt') codes.set(id, attributes.formatCode ?? '');
      else if (name === 'cellXfs') inCellFormats = true;
      else if (name === 'xf' && inCellFormats) styles.push(id);
    },
    close(name) {
      if (name === 'cellXfs') inCellFormats = false;
    },
  });
  const formats = new Map<number, CellFormat>();
  return styles.map((id) => {
    const code = codes.get(id) ?? builtInFormats[id] ?? (isLocalDate(id) ? 'yyyy-mm-dd' : 'General');
    const known = formats.get(id) ?? cellFormat(code, since1904);
    formats.set(id, known);
    return known;
  });
}

/** The format of cells with this format code; without one, numbers are displayed as they are. */
export function cellFormat(code = 'General', since1904 = false): CellFormat {
  if (/^(?:general|@)?$/i.test(code) || code.length > maxCodeLength) return unformatted;
  let isDate: boolean;
  let appliedCode = code;
  const apply = (value: number | string): string => normalizeSpaces(String(format(appliedCode, value)));
  let around: readonly string[];
  try {
    isDate = isDateFormat(code);
    // Excel uses the locale of a currency only for its symbol; the separators are those of the reader's locale.
    if (!isDate) appliedCode = code.replace(/\[\$([^\]-]*)-[^\]]*\]/g, (_, symbol) => (symbol ? `[$${symbol}]` : ''));
    around = apply('\u0001').split('\u0001');
  } catch {
    // An invalid code.
    return unformatted;
  }
  const isDuration = /\[(?:h+|m+|s+)\]/i.test(code.replace(/"[^"]*(?:"|$)|\\./g, ''));
  const textOf = isDate && !isDuration ? (value: number) => dateText(value, since1904, apply) : undefined;
  return {
    number(stored) {
      const value = Number(stored);
      if (!Number.isFinite(value)) return stored;
      if (textOf) return textOf(value);
      const shown = apply(isDuration ? value : decimalHalfUp(value));
      return isDuration || shown === '' ? shown : withValue(shown, plainNumber(stored));
    },
    text: around.length === 2 ? (text) => around.join(text) : () => '',
  };
}

/**
 * The next larger number: Office rounds 1.005 as a person does, to 1.01, although the nearest binary number is smaller.
 * No other fraction with up to 15 digits changes.
 */
const decimalHalfUp = (value: number): number => (Number.isInteger(value) ? value : value * (1 + Number.EPSILON));

const normalizeSpaces = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** A number without a format. Office computes with 17 significant digits and displays at most 15. */
function plainNumber(stored: string): string {
  if (stored.length < 16 && !stored.includes('E') && !stored.includes('e')) return stored;
  const value = Number(stored);
  // Identifiers may have more digits than a number can represent.
  if (!Number.isFinite(value) || /^-?\d+$/.test(stored)) return stored;
  const shortest = String(value);
  return shortest.length <= 16 ? shortest : String(Number(value.toPrecision(15)));
}

/** The displayed text, followed by the value unless it contains it, so that a search finds both. */
function withValue(shown: string, value: string): string {
  const at = shown.indexOf(value);
  const isWord = at >= 0 && !/[\d.,]$/.test(shown.slice(0, at)) && !/^[.,]?\d/.test(shown.slice(at + value.length));
  return isWord ? shown : `${shown} (${value})`;
}

const day = 86_400_000;

function dateText(value: number, since1904: boolean, apply: (value: number) => string): string {
  const date = dateOf(value, since1904);
  // Days between the starts of the two date systems.
  const shown = apply(since1904 ? value + 1462 : value);
  return shown === '' || date.startsWith(shown) ? date : `${shown} (${date})`;
}

/** A cell's number as an ISO 8601 date or time. */
function dateOf(value: number, since1904: boolean): string {
  // Excel treats 1900 as a leap year, so its first two months are off by one day.
  const start = since1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, value < 60 ? 31 : 30);
  const time = new Date(Math.round((start + value * day) / 1000) * 1000);
  if (Number.isNaN(time.getTime())) return String(value);
  const [date, clock] = time.toISOString().slice(0, 19).split('T') as [string, string];
  if (value < 1) return clock;
  return clock === '00:00:00' ? date : `${date} ${clock}`;
}
