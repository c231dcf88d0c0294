import { isUtf8 } from 'node:buffer';
import { inflateRawSync } from 'node:zlib';
import { flatParts } from './flat-package.js';
import { UnreadableError } from './unreadable.js';

const mebibyte = 1024 * 1024;

/** Maximum total unpacked size of the parts that are read. */
const maxUnpackedBytes = 128 * mebibyte;
const maxParts = 20_000;

/** Signatures of the archive's structures, at whose start they are. */
const signatures = { entry: 0x02014b50, end: 0x06054b50, largeEnd: 0x06064b50, locator: 0x07064b50 };
const endSize = 22;
const maxCommentSize = 65_535;
const maxUint32 = 0xffffffff;

interface Entry {
  readonly isEncrypted: boolean;
  readonly method: number;
  readonly packedSize: number;
  readonly size: number;
  /** Where its own header starts, which its bytes follow. */
  readonly start: number;
}

/** A part that is not packed. */
const flatEntry: Omit<Entry, 'size'> = { isEncrypted: false, method: 0, packedSize: 0, start: 0 };

/**
 * The parts of an archive, by path, each unpacked when it is read (format:
 * https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT).
 */
export class Parts {
  /** A file is opened to find out its format, and again to be read. */
  static readonly #opened = new WeakMap<Uint8Array, Parts>();
  readonly #bytes: Buffer;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #read: Map<string, Uint8Array>;
  #pathsByLowerCase: ReadonlyMap<string, string> | undefined;
  #unpacked = 0;

  private constructor(bytes: Buffer, entries: ReadonlyMap<string, Entry>, read = new Map<string, Uint8Array>()) {
    this.#bytes = bytes;
    this.#entries = entries;
    this.#read = read;
  }

  /** Reads the list of parts of an archive, or of an Office document saved as one XML file. Throws for other bytes. */
  static open(bytes: Uint8Array): Parts {
    const known = Parts.#opened.get(bytes);
    if (known) return known;
    const parts = Parts.#partsOf(bytes);
    Parts.#opened.set(bytes, parts);
    return parts;
  }

  static #partsOf(bytes: Uint8Array): Parts {
    if (bytes[0] === 0xd0 && bytes[1] === 0xcf)
      throw new Error('It is password-protected or in an older format than its extension indicates.');
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const flat = flatParts(buffer);
    if (flat) {
      const entries = [...flat].map(([path, { length }]) => [path, { ...flatEntry, size: length }] as const);
      return new Parts(buffer, new Map(entries), flat);
    }
    try {
      return new Parts(buffer, entriesOf(buffer));
    } catch (error) {
      throw error instanceof RangeError ? new Error('Its archive is truncated.') : error;
    }
  }

  get paths(): Iterable<string> {
    return this.#entries.keys();
  }

  has(path: string): boolean {
    return this.#entries.has(path);
  }

  /** The size of a part when unpacked, as it is declared; 0 if it is missing. */
  sizeOf(path: string): number {
    return this.#entries.get(path)?.size ?? 0;
  }

  /** The path as it is written in the archive: names of parts are not case-sensitive. */
  storedPath(path: string): string {
    if (this.has(path)) return path;
    this.#pathsByLowerCase ??= new Map([...this.paths].map((stored) => [stored.toLowerCase(), stored]));
    return this.#pathsByLowerCase.get(path.toLowerCase()) ?? path;
  }

  /** Unpacks a part; undefined if it is missing. Throws if it is larger than declared, or all are too large. */
  read(path: string): Uint8Array | undefined {
    const entry = this.#entries.get(path);
    const known = this.#read.get(path);
    if (!entry || known) return known;
    if (entry.isEncrypted) throw new UnreadableError('password', 'It is password-protected.');
    this.#unpacked += entry.size;
    if (this.#unpacked > maxUnpackedBytes)
      throw new UnreadableError('too_large', `It exceeds ${maxUnpackedBytes / mebibyte} MiB when unpacked.`);
    if (this.#read.size >= maxParts) throw new UnreadableError('too_large', `It has more than ${maxParts} parts.`);
    const part = unpack(this.#bytes, entry);
    this.#read.set(path, part);
    return part;
  }
}

function unpack(bytes: Buffer, { start, method, packedSize, size }: Entry): Uint8Array {
  if (start + 30 > bytes.length) throw new Error('Its archive is truncated.');
  const from = start + 30 + bytes.readUInt16LE(start + 26) + bytes.readUInt16LE(start + 28);
  const packed = bytes.subarray(from, from + packedSize);
  if (packed.length < packedSize) throw new Error('Its archive is truncated.');
  if (method === 0) return packed;
  if (method !== 8) throw new Error(`Its archive is packed in an unknown way (${method}).`);
  return size === 0
    ? new Uint8Array()
    : inflateRawSync(packed, { maxOutputLength: size, chunkSize: Math.max(64, size + 1) });
}

function entriesOf(bytes: Buffer): ReadonlyMap<string, Entry> {
  let end = bytes.length - endSize;
  const first = Math.max(0, end - maxCommentSize);
  while (end >= first && bytes.readUInt32LE(end) !== signatures.end) end -= 1;
  if (end < first) throw new Error('Its archive is truncated.');
  let at = bytes.readUInt32LE(end + 16);
  let directorySize = bytes.readUInt32LE(end + 12);
  if (end >= 20 && bytes.readUInt32LE(end - 20) === signatures.locator) {
    const largeEnd = Number(bytes.readBigUInt64LE(end - 12));
    if (bytes.readUInt32LE(largeEnd) === signatures.largeEnd) {
      directorySize = Number(bytes.readBigUInt64LE(largeEnd + 40));
      at = Number(bytes.readBigUInt64LE(largeEnd + 48));
      end = largeEnd;
    }
  }
  // Other bytes may precede an archive, which does not count them.
  const shift = end - directorySize - at;
  const base = shift > 0 && bytes.readUInt32LE(end - directorySize) === signatures.entry ? shift : 0;
  const entries = new Map<string, Entry>();
  for (at += base; at + 46 <= end && bytes.readUInt32LE(at) === signatures.entry; ) {
    const nameEnd = at + 46 + bytes.readUInt16LE(at + 28);
    const extraEnd = nameEnd + bytes.readUInt16LE(at + 30);
    const name = bytes.subarray(at + 46, nameEnd);
    let [packedSize, size, start] = [20, 24, 42].map((offset) => bytes.readUInt32LE(at + offset)) as [
      number,
      number,
      number,
    ];
    if (size === maxUint32 || packedSize === maxUint32 || start === maxUint32) {
      const large = largeNumbers(bytes.subarray(nameEnd, extraEnd));
      if (size === maxUint32) size = large.shift() ?? size;
      if (packedSize === maxUint32) packedSize = large.shift() ?? packedSize;
      if (start === maxUint32) start = large.shift() ?? start;
    }
    entries.set(pathOf(name.toString(isUtf8(name) ? 'utf8' : 'latin1')), {
      isEncrypted: (bytes.readUInt16LE(at + 8) & 1) !== 0,
      method: bytes.readUInt16LE(at + 10),
      packedSize,
      size,
      start: start + base,
    });
    at = extraEnd + bytes.readUInt16LE(at + 32);
  }
  return entries;
}

/** The numbers of an entry that do not fit into 32 bits. */
function largeNumbers(extra: Buffer): number[] {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    const field = extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2));
    return Array.from({ length: Math.floor(field.length / 8) }, (_, index) => Number(field.readBigUInt64LE(8 * index)));
  }
  return [];
}

/** Some programs write backslashes, or a leading slash. */
const pathOf = (name: string): string => name.replaceAll('\\', '/').replace(/^\//, '');
