import { randomToken } from './fence.js';
import { bytesOf, type TokenBudget } from './tokens.js';

/** The rest of a truncated result. */
export interface Remainder {
  readonly text: string;
  /** Where the next part starts. */
  readonly from: number;
  readonly provenance: string;
  readonly title: string;
  /** Mark of the fence around each part. */
  readonly mark: string;
}

interface StoredRemainder extends Omit<Remainder, 'from'> {
  readonly bytes: number;
  readonly until: number;
}

const ttlMs = 15 * 60_000;
const maxTotalBytes = 64 * 2 ** 20;

/** Long results in memory, accessible by handle for 15 minutes; 64 MB in total, oldest evicted first. */
export class Remainders {
  readonly #entries = new Map<string, StoredRemainder>();
  #bytes = 0;

  /** Stores a result and returns its handle, unless it is too large. */
  store(result: Omit<Remainder, 'from'>): string | undefined {
    this.#sweep();
    const bytes = bytesOf(result.text);
    if (bytes > maxTotalBytes) return undefined;
    while (this.#bytes + bytes > maxTotalBytes) this.#drop(this.#entries.keys().next().value!);
    const name = randomToken();
    this.#entries.set(name, { ...result, bytes, until: Date.now() + ttlMs });
    this.#bytes += bytes;
    return name;
  }

  /** The result for a handle, if it still exists. */
  find(handle: string): (Remainder & { readonly name: string }) | undefined {
    this.#sweep();
    const [, name = '', at = ''] = /^([a-z2-7]{16})\.(\d{1,9})$/.exec(handle.trim()) ?? [];
    const entry = this.#entries.get(name);
    return entry && { ...entry, name, from: Number(at) };
  }

  #sweep(): void {
    const now = Date.now();
    for (const [name, { until }] of this.#entries) if (until <= now) this.#drop(name);
  }

  #drop(name: string): void {
    this.#bytes -= this.#entries.get(name)?.bytes ?? 0;
    this.#entries.delete(name);
  }
}

/** The handle for the part of a stored result that starts at a position. */
export const handleOf = (name: string, from: number): string => `${name}.${from}`;

/**
 * Where to end a part that starts here so that it fits the budget when rendered. Prefers a line break close to the end.
 */
export function endOfPart(
  text: string,
  from: number,
  { max, count }: TokenBudget,
  write: (part: string, end: number) => string,
): number {
  // No more than this can fit, so there is no need to count long texts in full.
  let end = wholeCharacters(text, from, Math.min(text.length, from + max * 8));
  for (;;) {
    const tokens = count(write(text.slice(from, end), end));
    if (tokens <= max) break;
    const overhead = count(write('', end));
    const share = Math.max(0, (max - overhead) / Math.max(1, tokens - overhead));
    // Parts are never empty: an empty part would repeat forever.
    const shorter = wholeCharacters(text, from, from + Math.floor((end - from) * share * 0.98));
    if (shorter === end) break;
    end = shorter;
  }
  if (end === text.length) return end;
  const line = text.lastIndexOf('\n', end - 1) + 1;
  return line > from + (end - from) / 2 ? line : end;
}

/** An end that does not split a character and is after the start. */
function wholeCharacters(text: string, from: number, end: number): number {
  const isHalf = (at: number) => at < text.length && (text.codePointAt(at - 1) ?? 0) > 0xffff;
  const least = from + 1;
  const wanted = Math.max(least, end);
  return isHalf(wanted) ? (wanted === least ? wanted + 1 : wanted - 1) : wanted;
}
