import { inLine } from './colour.js';
import { labelOf } from './field-order.js';

/** Formats a value on one line, with objects shown by name or title if they have one. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'string') return inLine(value);
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(cellText).join(', ');
  return inLine(typeof value === 'object' ? (labelOf(value) ?? JSON.stringify(value)) : String(value));
}

/** Whether a value fits in a cell; text, numbers and named objects do. */
export const isShort = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.every(isShort)
    : typeof value !== 'object' || value === null || labelOf(value) !== undefined;

/** Truncates a timestamp to the minute; JSON output keeps full precision. */
export const shortMoment = (text: string): string =>
  text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/, '$1 $2$4');

/** A moment within a day of now as its distance, such as `5 min ago`; anything else as `shortMoment` shows it. */
export function nearMoment(text: string, now: number): string {
  const distance = /^\d{4}-\d\d-\d\dT/.test(text) ? Math.round((Date.parse(text) - now) / 60_000) : Number.NaN;
  const minutes = Math.abs(distance);
  if (!(minutes < 24 * 60)) return shortMoment(text);
  if (minutes === 0) return 'now';
  const size = minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
  return distance < 0 ? `${size} ago` : `in ${size}`;
}

/** A moment in local time for a line of a log: the time of day, after the date if it is not today's. */
export function localMoment(text: string, now: number): string {
  // Swedish dates are ISO dates.
  const [today, [date, time]] = [now, text].map((at) => new Date(at).toLocaleString('sv').split(' ')) as [
    string[],
    string[],
  ];
  return date === today[0] ? time! : `${date} ${time}`;
}

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;

/** Width of text in terminal columns. */
export function widthOf(text: string): number {
  let width = 0;
  for (const letter of text) width += /\p{M}/u.test(letter) ? 0 : wide.test(letter) ? 2 : 1;
  return width;
}

/** Text padded or truncated to a given number of columns. */
export function fitToWidth(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text + ' '.repeat(columns - widthOf(text));
  let cut = '';
  let left = columns - 1;
  for (const letter of text) {
    const width = widthOf(letter);
    if (width > left) break;
    left -= width;
    cut += letter;
  }
  return `${cut}…${' '.repeat(Math.max(0, left))}`;
}

/** Wraps text with an indent; overlong words are not broken. */
export function wrapText(text: string, maxWidth: number, indent = ''): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > maxWidth - indent.length) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((each) => indent + each).join('\n');
}

/** Wraps Markdown prose; code and tables are left unchanged, and wrapped list items are indented past their marker. */
export function wrapMarkdown(text: string, maxWidth: number): string {
  let isCode = false;
  return text
    .split('\n')
    .map((line) => {
      const isFence = /^\s*(```|~~~)/.test(line);
      if (isFence) isCode = !isCode;
      if (isFence || isCode || /^\s*\|/.test(line) || widthOf(line) <= maxWidth) return line;
      const mark = /^\s*(?:(?:[-*+>]|\d+[.)])\s+)?/.exec(line)![0];
      return mark + wrapText(line.slice(mark.length), maxWidth, ' '.repeat(mark.length)).trimStart();
    })
    .join('\n');
}
