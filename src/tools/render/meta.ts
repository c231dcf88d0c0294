import type { View } from '../../call/shape.js';
import { objectOf } from './text.js';

type Meta = Readonly<Record<string, unknown>>;

/** Useful only to programs. */
const isBookkeeping = (key: string): boolean => /^(took_ms|current_page_number)$|quota/i.test(key);
/** Pagination state, which the hint about the next page repeats. */
const isPosition = (key: string): boolean => /^has_?(more|next)|cursor$/i.test(key);

const isReady = (value: unknown): boolean => {
  const { status, ready_for_search, message } = objectOf(value) ?? {};
  return status === 'ready' && ready_for_search === true && (message === null || message === undefined);
};

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === 0 ||
  value === false ||
  (Array.isArray(value) && value.length === 0);

/** The readable part of a result's meta. `next` contains the next page's parameters, which a hint may already list. */
export function metaToRead(meta: Meta, view: View, next: Meta | undefined, isNamed: boolean): Meta {
  if (view === 'full') return meta;
  const values = new Set(Object.values(next ?? {}));
  const kept = Object.entries(meta).filter(([key, value]) =>
    values.has(value) ? !isNamed : !isEmpty(value) && !isBookkeeping(key) && !isPosition(key) && !isReady(value),
  );
  return Object.fromEntries(kept);
}
