import { fenced, hiddenNotice, visibleJson, warning } from './fence.js';
import { endOfPart, handleOf, type Remainder, type Remainders } from './remainder.js';
import { bytesOf } from './tokens.js';

/** A result before it is cut to what there is room for. */
export interface PresentableResult {
  readonly title: string;
  readonly provenance: string;
  readonly data: unknown;
  readonly meta: unknown;
  readonly hints: readonly string[];
  /** Said only if the result is cut, or large. */
  readonly narrow: () => string;
}

/** Text for the model, and how to read on where it was cut. */
export interface Presentation {
  readonly text: string;
  readonly hints: readonly string[];
  readonly handle: string | undefined;
}

/** The result as JSON, a record a line, so that a part of it can be read. */
function jsonLines(data: unknown, meta: unknown): string {
  // Meta is short and says where the next page is: it must be in the first part of what is cut.
  const start = `{"meta":${JSON.stringify(meta) ?? 'null'},\n"data":`;
  if (!Array.isArray(data)) return `${start}${JSON.stringify(data) ?? 'null'}}`;
  if (data.length === 0) return `${start}[]}`;
  const lines = data.map((record) => JSON.stringify(record) ?? 'null').join(',\n');
  return `${start}[\n${lines}\n]}`;
}

const firstPartNotice = 'This is the first part. ';

/** Tokens above which a result is worth a word on how to have less. */
const largeResultTokens = 5_000;

function renderer(result: PresentableResult) {
  const { text, hidden } = visibleJson(jsonLines(result.data, result.meta));
  const count = Array.isArray(result.data) ? `${result.data.length} records. ` : '';
  const write = (part: string, hints: readonly string[], cut = '') =>
    [...hiddenNotice(hidden), `${count}${cut}${warning(result.title)}`, fenced(part, result.provenance), ...hints].join(
      '\n',
    );
  return { text, write };
}

/** Bytes that a result takes when nothing of it is cut, with all that may be said of it. */
export function wholeBytes(result: PresentableResult): number {
  const { text, write } = renderer(result);
  return bytesOf(write(text, [...result.hints, result.narrow()]));
}

/** Writes a result between marks, in as many bytes as there may be. */
export function present(result: PresentableResult, bytes: number, remainders: Remainders): Presentation {
  const { text, write } = renderer(result);
  const size = bytesOf(text);
  const isLarge = size > Math.min(largeResultTokens * 4, bytes / 2);
  const hints = isLarge ? [...result.hints, result.narrow()] : result.hints;
  const whole = write(text, hints);
  if (bytesOf(whole) <= bytes) return { text: whole, hints, handle: undefined };
  const name = remainders.store({ text, provenance: result.provenance, title: result.title });
  const hintsAt = (end: number) => [...hints, cutHint(name, end, size)];
  const end = endOfPart(text, 0, bytes - bytesOf(write('', hintsAt(text.length), firstPartNotice)));
  const handle = name && handleOf(name, end);
  return { text: write(text.slice(0, end), hintsAt(end), firstPartNotice), hints: hintsAt(end), handle };
}

const cutHint = (name: string | undefined, end: number, size: number) =>
  name === undefined
    ? `The result is cut, and at ${size} bytes too large to be kept: ask for less.`
    : `Cut: the whole has ${size} bytes. To read on, pass continue: "${handleOf(name, end)}" within 15 minutes.`;

/** The next part of a result that was cut. */
export function presentRest({ text, from, name, provenance, title }: Remainder & { name: string }, bytes: number) {
  const write = (part: string, hint: string) => [warning(title), fenced(part, provenance), hint].join('\n');
  const more = (end: number) =>
    end < text.length ? `There is more: pass continue: "${handleOf(name, end)}".` : 'This was the last part.';
  const end = endOfPart(text, from, bytes - bytesOf(write('', more(from))) - 8);
  const handle = end < text.length ? handleOf(name, end) : undefined;
  return { text: write(text.slice(from, end), more(end)), hints: [more(end)], handle };
}
