import { randomUUID } from 'node:crypto';
import type { StoredRecord } from './entity.js';
import { singleCells } from './rows.js';
import type { Layout } from './schema.js';

/** A list of records as JSON in UTF-8, for a response that contains them unchanged: they are never parsed. */
export class RecordsJson {
  readonly count: number;
  readonly #parts: readonly Uint8Array[];
  #mark: string | undefined;

  /** `parts` contain the records, separated by commas. */
  constructor(parts: readonly Uint8Array[], count: number) {
    this.#parts = parts;
    this.count = count;
  }

  static of(records: readonly StoredRecord[]): RecordsJson {
    const list = JSON.stringify(records).slice(1, -1);
    return new RecordsJson(list === '' ? [] : [Buffer.from(list)], records.length);
  }

  /** The JSON of a value that contains this list, in pieces. */
  within(value: unknown): Uint8Array[] {
    this.#mark = randomUUID();
    const [before = '', after = ''] = JSON.stringify(value).split(`"${this.#mark}"`);
    this.#mark = undefined;
    const records = this.#parts.flatMap((part, index) => (index > 0 ? [comma, part] : [part]));
    return [Buffer.from(`${before}[`), ...records, Buffer.from(`]${after}`)];
  }

  toJSON(): string | StoredRecord[] {
    return this.#mark ?? JSON.parse(Buffer.concat(this.within(this)).toString());
  }
}

const comma = Buffer.from(',');
/** How stored texts begin that differ from what callers get. */
const escaped = '\\u0001';
const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket, separator, lineEnd] =
  Buffer.from('"\\{}[],\n');

type Cells = Readonly<Record<string, unknown>>;

/**
 * Returns a function that joins rows to JSON in UTF-8; undefined if what they store differs from what callers get.
 * `lines` contains the JSON objects of each row, `rest` being the last of them.
 */
export function rowsJson(
  layout: Layout,
  objectsOfRow: number,
): (rows: readonly Cells[], lines: Uint8Array) => Buffer<ArrayBuffer> | undefined {
  const structured = layout.columns.filter(({ type }) => type === 'json').map(({ field }) => field);
  // In the order of the members of `rest`.
  const names = [...structured].sort((one, other) => (one < other ? -1 : 1)).map((name) => Buffer.from(name));
  const single = singleCells(layout, true);
  const absentIn = (present: number) =>
    names.flatMap((name, index) => (Math.floor(present / 2 ** index) % 2 === 0 ? [`"${name}":null`] : []));
  const absent = new Map<number, readonly string[]>();
  return (rows, lines) => {
    if (names.length > maxNames) return undefined;
    const heads: string[] = [];
    const ends: number[] = [];
    let [size, from] = [lines.length, 0];
    for (const row of rows) {
      for (let object = 1; object < objectsOfRow; object++) {
        from = endOfLine(lines, from) + 1;
        ends.push(from - 1);
      }
      const present = presentNames(lines, from, names);
      if (present === undefined) return undefined;
      const nulls = absent.get(present) ?? absentIn(present);
      absent.set(present, nulls);
      const head = [...nulls, ...single(row)].join(',');
      heads.push(head);
      size += Buffer.byteLength(head) + 4;
      from = endOfLine(lines, from) + 1;
      ends.push(from - 1);
    }
    const json = Buffer.allocUnsafeSlow(size);
    let [at, start] = [0, 0];
    for (const [index, head] of heads.entries()) {
      if (index > 0) json[at++] = separator!;
      json[at++] = openBrace!;
      at += json.write(head, at);
      for (const end of ends.slice(index * objectsOfRow, (index + 1) * objectsOfRow)) {
        if (end - start > 2) {
          if (json[at - 1] !== openBrace) json[at++] = separator!;
          json.set(lines.subarray(start + 1, end - 1), at);
          at += end - start - 2;
        }
        start = end + 1;
      }
      json[at++] = closeBrace!;
    }
    const written = json.subarray(0, at);
    return written.includes(escaped) ? undefined : written;
  };
}

/** Most names whose presence fits into a number. */
const maxNames = 52;

function endOfLine(lines: Uint8Array, from: number): number {
  const end = lines.indexOf(lineEnd!, from);
  return end < 0 ? lines.length : end;
}

/**
 * Which of the sorted names the JSON object at `at` has, as the sum of powers of 2; undefined if it has another one: a
 * value of an undeclared type replaces its column's.
 */
function presentNames(text: Uint8Array, from: number, names: readonly Uint8Array[]): number | undefined {
  let [depth, next, present] = [0, 0, 0];
  let isName = false;
  for (let at = from; at < text.length && text[at] !== lineEnd; at++) {
    const byte = text[at];
    if (byte === quote) {
      const start = at + 1;
      for (at = start; text[at] !== quote; at++) if (text[at] === backslash) at += 1;
      if (!isName || depth !== 1) continue;
      while (next < names.length && !isAt(text, start, at, names[next]!)) next += 1;
      if (next === names.length) return undefined;
      present += 2 ** next;
      isName = false;
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1;
      isName = depth === 1;
    } else if (byte === closeBrace || byte === closeBracket) depth -= 1;
    else if (byte === separator) isName = depth === 1;
  }
  return present;
}

function isAt(text: Uint8Array, start: number, end: number, name: Uint8Array): boolean {
  if (end - start !== name.length) return false;
  for (let index = 0; index < name.length; index++) if (text[start + index] !== name[index]) return false;
  return true;
}
