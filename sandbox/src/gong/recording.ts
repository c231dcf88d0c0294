import type { ByteSource } from '../byte-array.js';
import type { CallRow } from './rows.js';

const maxChunkBytes = 65_536;
const millisecondsPerFrame = 24;

/** A call's audio: silent MP3 frames of 24 ms, each with its own number. */
export function audioOf({ duration, recording }: CallRow): ByteSource {
  const size = (72 * recording.bitrate) / 24_000;
  const frame = new Uint8Array(size);
  // MPEG-2 layer III without a checksum, at 24 kHz and in mono.
  frame.set([0xff, 0xf3, recording.bitrate === 8_000 ? 0x14 : 0x84, 0xc4]);
  const frames = Math.ceil((duration * 1000) / millisecondsPerFrame);
  return { length: frames * size, read: (from, to) => repeatFrame(frame, from, to) };
}

/** A call's video: a valid container around meaningless bytes. */
export function videoOf(call: CallRow): ByteSource {
  const sound = audioOf(call);
  const length = sound.length + 32;
  const head = new Uint8Array(32);
  head.set(new TextEncoder().encode('ftypisom'), 4);
  head.set(new TextEncoder().encode('isommdat'), 16);
  const view = new DataView(head.buffer);
  view.setUint32(0, 24);
  view.setUint32(12, 512);
  // The second box starts after the size and name of the first.
  head.copyWithin(28, 20, 24);
  head.fill(0, 20, 24);
  head.set(new TextEncoder().encode('mp42'), 20);
  view.setUint32(24, length - 24);
  return {
    length,
    *read(from, to) {
      if (from < head.length) yield head.slice(from, Math.min(to, head.length));
      const rest = Math.max(from, head.length);
      if (rest < to) yield* sound.read(rest - head.length, to - head.length) as Iterable<Uint8Array>;
    },
  };
}

/** A byte range of a repeated frame whose last four bytes are its number. */
function* repeatFrame(frame: Uint8Array, from: number, to: number): Generator<Uint8Array> {
  const size = frame.length;
  const framesPerChunk = Math.floor(maxChunkBytes / size);
  const chunk = new Uint8Array(framesPerChunk * size);
  for (let index = 0; index < framesPerChunk; index += 1) chunk.set(frame, index * size);
  const view = new DataView(chunk.buffer);
  for (let at = from; at < to; ) {
    const first = Math.floor(at / size);
    for (let index = 0; index < framesPerChunk; index += 1) view.setUint32((index + 1) * size - 4, first + index);
    const start = at - first * size;
    const end = Math.min(chunk.length, start + to - at);
    yield chunk.slice(start, end);
    at += end - start;
  }
}
