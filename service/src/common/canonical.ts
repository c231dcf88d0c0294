import { createHash } from 'node:crypto';

/** JSON that is the same for the same value, in whatever order its names come. */
export const canonicalJson = (value: unknown): string => JSON.stringify(sortKeys(value));

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  // Pairs, since an object would take some of the keys for its own.
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return ['{', ...entries.map(([key, item]) => [key, sortKeys(item)])];
}

/** A digest of what a write is to do: the same for the same JSON in whatever order. */
export const digestOf = (value: unknown): string =>
  createHash('sha256').update(canonicalJson(value)).digest('base64url');
