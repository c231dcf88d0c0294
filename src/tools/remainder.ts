import { randomToken } from './fence.js';
import { bytesOf } from './tokens.js';

/** What is left of a result that was too long. */
export interface Remainder {
  readonly text: string;
  /** Where the next part begins. */
  readonly from: number;
  readonly provenance: string;
  readonly title: string;
}

interface StoredRemainder extends Omit<Remainder, 'from'> {
  readonly bytes: number;
  readonly until: number;
}

const ttlMs = 15 * 60_000;
const maxTotalBytes = 64 * 2 ** 20;

/** Long results in memory, for those who hold a handle: fifteen minutes each, 64 MB in all, the oldest out first. */
export class Remainders {
  readonly #entries = new Map<string, StoredRemainder>();
  #bytes = 0;

  /** Keeps a result and gives back its name, unless it is too large to be kept at all. */
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

  /** What a handle stands for, if it is still there. */
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

/** The handle for what follows a place in a kept result. */
export const handleOf = (name: string, from: number): string => `${name}.${from}`;

/** Where a part that begins here and takes no more than so many bytes ends: after a line if one ends late enough. */
export function endOfPart(text: string, from: number, bytes: number): number {
  let end = from;
  for (let left = bytes; end < text.length; ) {
    const code = text.codePointAt(end)!;
    left -= code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    // A part of nothing would be followed by another for ever.
    if (left < 0 && end > from) break;
    end += code < 0x10000 ? 1 : 2;
  }
  if (end === text.length) return end;
  const line = text.lastIndexOf('\n', end - 1) + 1;
  return line > from + (end - from) / 2 ? line : end;
}
