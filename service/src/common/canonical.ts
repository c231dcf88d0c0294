import { createHash } from 'node:crypto';

/** JSON with sorted keys, so equal values produce identical text. */
export const canonicalJson = (value: unknown): string => JSON.stringify(sortKeys(value));

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  // An array of pairs, since an object would treat keys such as `__proto__` specially.
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return ['{', ...entries.map(([key, item]) => [key, sortKeys(item)])];
}

/** Digest of a write's input, independent of key order. */
export const digestOf = (value: unknown): string =>
  createHash('sha256').update(canonicalJson(value)).digest('base64url');
