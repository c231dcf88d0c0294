import type { Blob, ByteArray, Checksums } from '../byte-array.js';

import { checksumsOf } from '../checksums.js';

const blockSize = 65_536;

/** Content in memory. */
export class MemoryBlob implements Blob {
  readonly bytes: ByteArray;
  private cachedChecksums: Checksums | undefined;

  constructor(bytes: ByteArray) {
    this.bytes = bytes;
  }

  get length(): number {
    return this.bytes.length;
  }

  *read(from: number, to: number): Generator<Uint8Array> {
    for (let at = from; at < to; at += blockSize) yield this.bytes.slice(at, Math.min(at + blockSize, to));
  }

  checksums(): Checksums {
    this.cachedChecksums ??= checksumsOf(this.bytes);
    return this.cachedChecksums;
  }
}

/** Content of any size generated from its offset: each 64 KiB block is a pattern that starts with the block number. */
export class VirtualBlob implements Blob {
  readonly length: number;
  private readonly sums: Checksums;

  constructor(length: number, sums: Checksums) {
    this.length = length;
    this.sums = sums;
  }

  *read(from: number, to: number): Generator<Uint8Array> {
    for (let at = from; at < to; ) {
      const index = Math.floor(at / blockSize);
      const start = at - index * blockSize;
      const end = Math.min(blockSize, start + to - at);
      const piece = pattern().slice();
      new DataView(piece.buffer).setUint32(0, index);
      yield start === 0 && end === blockSize ? piece : piece.subarray(start, end);
      at += end - start;
    }
  }

  checksums(): Checksums {
    return this.sums;
  }
}

let patternCache: ByteArray | undefined;

function pattern(): ByteArray {
  if (patternCache) return patternCache;
  const bytes = new Uint8Array(blockSize);
  let state = 0x2545f491;
  for (let index = 0; index < blockSize; index += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[index] = state >>> 24;
  }
  patternCache = bytes;
  return bytes;
}

/** Bytes as base64, for JSON state. */
export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}

/** Decodes base64. */
export function fromBase64(text: string): ByteArray {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
