import type { ByteArray } from '../../byte-array.js';
/** A file in an archive. */
export interface ZipEntry {
  name: string;
  content: string | Uint8Array;
}

/** A ZIP archive without compression. */
export function zipOf(entries: readonly ZipEntry[]): ByteArray {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const { name, content } of entries) {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    const nameBytes = new TextEncoder().encode(name);
    const common = [20, 0x0800, 0, 0, 0x5b21] as const;
    const sizes = [crc32(bytes), bytes.length, bytes.length] as const;
    const header = littleEndianBytes(30, [
      [0x04034b50, 4] as const,
      ...common.map((word) => [word, 2] as const),
      ...sizes.map((word) => [word, 4] as const),
      [nameBytes.length, 2] as const,
      [0, 2] as const,
    ]);
    directory.push(
      littleEndianBytes(46, [
        [0x02014b50, 4] as const,
        [20, 2] as const,
        ...common.map((word) => [word, 2] as const),
        ...sizes.map((word) => [word, 4] as const),
        ...[nameBytes.length, 0, 0, 0, 0].map((word) => [word, 2] as const),
        [0, 4] as const,
        [offset, 4] as const,
      ]),
      nameBytes,
    );
    parts.push(header, nameBytes, bytes);
    offset += header.length + nameBytes.length + bytes.length;
  }
  const directoryLength = directory.reduce((sum, { length }) => sum + length, 0);
  const end = littleEndianBytes(22, [
    [0x06054b50, 4],
    ...[0, 0, entries.length, entries.length].map((word) => [word, 2] as const),
    [directoryLength, 4] as const,
    [offset, 4] as const,
    [0, 2] as const,
  ]);
  return concatBytes([...parts, ...directory, end]);
}

/** The CRC used by ZIP and PNG. */
export function crc32(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = table[(sum ^ byte) & 0xff]! ^ (sum >>> 8);
  return (sum ^ 0xffffffff) >>> 0;
}

export function concatBytes(parts: readonly Uint8Array[]): ByteArray {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

const table = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

function littleEndianBytes(length: number, values: readonly (readonly [number, 2 | 4])[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(length));
  let at = 0;
  for (const [value, width] of values) {
    if (width === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += width;
  }
  return new Uint8Array(view.buffer);
}
