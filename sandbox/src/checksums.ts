import type { Checksums } from './byte-array.js';

/**
 * MD5, SHA-1 and SHA-256: from Node if available, otherwise in plain JavaScript, since browsers only provide
 * asynchronous versions.
 */
export function checksumsOf(bytes: Uint8Array): Checksums {
  const crypto = globalThis.process?.getBuiltinModule?.('node:crypto');
  if (!crypto) return { md5: md5(bytes), sha1: sha1(bytes), sha256: sha256(bytes) };
  const hash = (algorithm: keyof Checksums) => crypto.createHash(algorithm).update(bytes).digest('hex');
  return { md5: hash('md5'), sha1: hash('sha1'), sha256: hash('sha256') };
}

type Step = (state: Uint32Array, words: DataView, at: number) => void;

function digest(bytes: Uint8Array, start: readonly number[], isLittle: boolean, step: Step): string {
  const state = Uint32Array.from(start);
  const whole = bytes.length - (bytes.length % 64);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < whole; at += 64) step(state, view, at);
  const rest = bytes.length - whole;
  const tail = new Uint8Array(rest < 56 ? 64 : 128);
  tail.set(bytes.subarray(whole));
  tail[rest] = 0x80;
  const end = new DataView(tail.buffer);
  end.setBigUint64(tail.length - 8, BigInt(bytes.length) * 8n, isLittle);
  for (let at = 0; at < tail.length; at += 64) step(state, end, at);
  const out = new DataView(new ArrayBuffer(state.length * 4));
  for (const [index, word] of state.entries()) out.setUint32(index * 4, word, isLittle);
  return Array.from(new Uint8Array(out.buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function rotateLeft(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

function rotateRight(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

const md5Shifts = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];
const md5Table = Uint32Array.from({ length: 64 }, (_, index) => Math.floor(Math.abs(Math.sin(index + 1)) * 2 ** 32));
const initialState = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];

function md5(bytes: Uint8Array): string {
  const words = new Uint32Array(16);
  return digest(bytes, initialState, true, (state, view, at) => {
    for (let index = 0; index < 16; index += 1) words[index] = view.getUint32(at + index * 4, true);
    let [a, b, c, d] = state as unknown as [number, number, number, number];
    for (let index = 0; index < 64; index += 1) {
      const round = index >> 4;
      let mixed: number;
      let place: number;
      if (round === 0) [mixed, place] = [(b & c) | (~b & d), index];
      else if (round === 1) [mixed, place] = [(d & b) | (~d & c), (5 * index + 1) & 15];
      else if (round === 2) [mixed, place] = [b ^ c ^ d, (3 * index + 5) & 15];
      else [mixed, place] = [c ^ (b | ~d), (7 * index) & 15];
      const sum = (mixed + a + md5Table[index]! + words[place]!) | 0;
      a = d;
      d = c;
      c = b;
      b = (b + rotateLeft(sum, md5Shifts[round * 4 + (index & 3)]!)) | 0;
    }
    add(state, [a, b, c, d]);
  });
}

function sha1(bytes: Uint8Array): string {
  const words = new Int32Array(80);
  return digest(bytes, [...initialState, 0xc3d2e1f0], false, (state, view, at) => {
    for (let index = 0; index < 16; index += 1) words[index] = view.getInt32(at + index * 4);
    for (let index = 16; index < 80; index += 1) {
      words[index] = rotateLeft(words[index - 3]! ^ words[index - 8]! ^ words[index - 14]! ^ words[index - 16]!, 1);
    }
    let [a, b, c, d, e] = state as unknown as [number, number, number, number, number];
    for (let index = 0; index < 80; index += 1) {
      let mixed: number;
      if (index < 20) mixed = ((b & c) | (~b & d)) + 0x5a827999;
      else if (index < 40) mixed = (b ^ c ^ d) + 0x6ed9eba1;
      else if (index < 60) mixed = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
      else mixed = (b ^ c ^ d) + 0xca62c1d6;
      const sum = (rotateLeft(a, 5) + mixed + e + words[index]!) | 0;
      e = d;
      d = c;
      c = rotateLeft(b, 30);
      b = a;
      a = sum;
    }
    add(state, [a, b, c, d, e]);
  });
}

const primes = Array.from({ length: 312 }, (_, index) => index).filter((number) => {
  for (let factor = 2; factor * factor <= number; factor += 1) if (number % factor === 0) return false;
  return number > 1;
});
const fraction = (number: number) => Math.floor((number - Math.floor(number)) * 2 ** 32);
const sha256Table = Int32Array.from(primes.slice(0, 64), (prime) => fraction(Math.cbrt(prime)) | 0);
const sha256Start = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));

function sha256(bytes: Uint8Array): string {
  const words = new Int32Array(64);
  return digest(bytes, sha256Start, false, (state, view, at) => {
    for (let index = 0; index < 16; index += 1) words[index] = view.getInt32(at + index * 4);
    for (let index = 16; index < 64; index += 1) {
      const near = words[index - 2]!;
      const far = words[index - 15]!;
      const mixedNear = rotateRight(near, 17) ^ rotateRight(near, 19) ^ (near >>> 10);
      const mixedFar = rotateRight(far, 7) ^ rotateRight(far, 18) ^ (far >>> 3);
      words[index] = (mixedNear + words[index - 7]! + mixedFar + words[index - 16]!) | 0;
    }
    let [a, b, c, d, e, f, g, h] = Array.from(state) as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    for (let index = 0; index < 64; index += 1) {
      const high = rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25);
      const one = (h + high + ((e & f) ^ (~e & g)) + sha256Table[index]! + words[index]!) | 0;
      const low = rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22);
      const two = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + one) | 0;
      d = c;
      c = b;
      b = a;
      a = (one + two) | 0;
    }
    add(state, [a, b, c, d, e, f, g, h]);
  });
}

function add(state: Uint32Array, words: readonly number[]): void {
  for (const [index, word] of words.entries()) state[index] = (state[index]! + word) >>> 0;
}
