import type { ByteArray } from '../../byte-array.js';
import { concatBytes, crc32 } from './zip.js';

/** A single-color PNG without compression. */
export function pngOf(width: number, height: number, [red, green, blue]: readonly [number, number, number]): ByteArray {
  const row = new Uint8Array(1 + width * 3);
  for (let at = 1; at < row.length; at += 3) row.set([red, green, blue], at);
  const pixels = concatBytes(Array.from({ length: height }, () => row));
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, width);
  header.setUint32(4, height);
  header.setUint16(8, 0x0802);
  return concatBytes([
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk('IHDR', new Uint8Array(header.buffer)),
    chunk('IDAT', deflateStored(pixels)),
    chunk('IEND', new Uint8Array(0)),
  ]);
}

function chunk(type: string, content: Uint8Array): Uint8Array {
  const body = concatBytes([new TextEncoder().encode(type), content]);
  return concatBytes([uint32Bytes(content.length), body, uint32Bytes(crc32(body))]);
}

function deflateStored(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [Uint8Array.of(0x78, 0x01)];
  for (let at = 0; at === 0 || at < bytes.length; at += 65_535) {
    const piece = bytes.subarray(at, at + 65_535);
    const { length } = piece;
    const isLast = at + length >= bytes.length ? 1 : 0;
    parts.push(Uint8Array.of(isLast, length & 255, length >> 8, ~length & 255, (~length >> 8) & 255), piece);
  }
  return concatBytes([...parts, uint32Bytes(adler32(bytes))]);
}

function adler32(bytes: Uint8Array): number {
  let low = 1;
  let high = 0;
  for (const byte of bytes) {
    low = (low + byte) % 65_521;
    high = (high + low) % 65_521;
  }
  return high * 65_536 + low;
}

function uint32Bytes(value: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, value);
  return new Uint8Array(view.buffer);
}
