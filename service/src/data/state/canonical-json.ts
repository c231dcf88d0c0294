import { createHash, type Hash, type Hmac } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';

/** JSON with sorted keys, so equal values produce identical text. */
export const canonicalJson = (value: unknown): string => [...canonicalPieces(value)].join('');

/** Digest of a short value, independent of key order. */
export const digestOf = (value: unknown): string =>
  createHash('sha256').update(canonicalJson(value)).digest('base64url');

/** Digest of a write's input, independent of key order; yields to other requests if it is long. */
export const digestOfInput = (value: unknown): Promise<string> => hashInSteps(createHash('sha256'), value);

/** Characters that are hashed at a time, which takes about a millisecond. */
const stepLength = 2 ** 18;

/** Digest of a value's canonical JSON; other requests are handled between its parts. */
export async function hashInSteps(hash: Hash | Hmac, value: unknown): Promise<string> {
  let text = '';
  for (const piece of canonicalPieces(value)) {
    text += piece;
    if (text.length < stepLength) continue;
    hash.update(text);
    text = '';
    await setImmediate();
  }
  return hash.update(text).digest('base64url');
}

/** Objects become arrays of pairs, since an object would treat keys such as `__proto__` specially. */
function* canonicalPieces(value: unknown): Generator<string> {
  if (typeof value === 'string') yield* textPieces(value);
  else if (Array.isArray(value)) {
    let before = '[';
    for (const item of value) {
      yield before;
      yield* canonicalPieces(item);
      before = ',';
    }
    yield before === '[' ? '[]' : ']';
  } else if (typeof value === 'object' && value !== null) {
    yield '["{"';
    for (const [key, item] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) {
      yield ',[';
      yield* textPieces(key);
      yield ',';
      yield* canonicalPieces(item);
      yield ']';
    }
    yield ']';
  } else yield JSON.stringify(value) ?? 'null';
}

function* textPieces(text: string): Generator<string> {
  if (text.length <= stepLength) {
    yield JSON.stringify(text);
    return;
  }
  yield '"';
  for (let at = 0; at < text.length; ) {
    // Not between the halves of a surrogate pair.
    const end = at + stepLength + (/[\ud800-\udbff]/.test(text.charAt(at + stepLength - 1)) ? 1 : 0);
    yield JSON.stringify(text.slice(at, end)).slice(1, -1);
    at = end;
  }
  yield '"';
}
