import { ConnectorError } from 'agent-connectors';
import fc from 'fast-check';
import { expect } from 'vitest';
import { check, type Fuzz } from './run.js';
import { foreign, own, smallStore } from './store.js';
import { texts } from './values.js';

const queries = [
  {},
  { sort: [{ priority: 'desc' }] },
  { filter: { keyword: { title: 'task' } } },
  { filter: { gte: { views: 1 } }, sort: [{ 'state.rank': 'asc' }, { createdAt: 'desc' }] },
] as const;

/** How to alter a cursor. */
type Alteration =
  | { readonly kind: 'flip'; readonly bit: number }
  | { readonly kind: 'cut'; readonly length: number }
  | { readonly kind: 'grown'; readonly by: string }
  | { readonly kind: 'character'; readonly at: number; readonly code: number }
  | { readonly kind: 'other'; readonly pick: number }
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'joined'; readonly pick: number }
  | { readonly kind: 'made up'; readonly text: string };

const alterations: fc.Arbitrary<Alteration> = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant('flip' as const), bit: fc.nat(4_000) }), weight: 6 },
  fc.record({ kind: fc.constant('cut' as const), length: fc.nat(400) }),
  fc.record({ kind: fc.constant('grown' as const), by: fc.constantFrom('=', '==', 'A', 'AAAA', '\n', ' ', '.', '-') }),
  {
    arbitrary: fc.record({
      kind: fc.constant('character' as const),
      at: fc.nat(400),
      code: fc.integer({ min: 0x20, max: 0xff }),
    }),
    weight: 3,
  },
  fc.record({ kind: fc.constant('other' as const), pick: fc.nat(50) }),
  fc.constant({ kind: 'elsewhere' as const }),
  fc.record({ kind: fc.constant('joined' as const), pick: fc.nat(50) }),
  fc.record({ kind: fc.constant('made up' as const), text: texts }),
);

interface IssuedCursor {
  readonly cursor: string;
  /** Index of the query that the cursor belongs to. */
  readonly of: number;
}

function alterCursor(issued: readonly IssuedCursor[], { cursor }: IssuedCursor, alteration: Alteration): string {
  switch (alteration.kind) {
    case 'flip': {
      const bytes = Buffer.from(cursor, 'base64url');
      const bit = alteration.bit % (bytes.length * 8);
      bytes[bit >> 3]! ^= 1 << (bit & 7);
      return bytes.toString('base64url');
    }
    case 'cut':
      return cursor.slice(0, alteration.length % cursor.length);
    case 'grown':
      return cursor + alteration.by;
    case 'character': {
      const at = alteration.at % cursor.length;
      return cursor.slice(0, at) + String.fromCharCode(alteration.code) + cursor.slice(at + 1);
    }
    case 'other':
      return issued[alteration.pick % issued.length]!.cursor;
    case 'joined': {
      const other = Buffer.from(issued[alteration.pick % issued.length]!.cursor, 'base64url');
      const bytes = Buffer.from(cursor, 'base64url');
      return Buffer.concat([other.subarray(0, 16), bytes.subarray(16)]).toString('base64url');
    }
    case 'elsewhere':
      return cursor;
    default:
      return alteration.text;
  }
}

/** A cursor is valid only unaltered, and only for the query and collection it was issued for. */
export const cursors: Fuzz = async (count) => {
  const store = await smallStore(9);
  try {
    const issued: IssuedCursor[] = [];
    for (const [of, query] of queries.entries()) {
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const params = { query, limit: 2, ...(cursor && { cursor }) };
        cursor = (await store.search({ ...own, params })).meta.cursor;
        if (cursor !== null) issued.push({ cursor, of });
      }
    }
    const cases = fc.record({ pick: fc.nat(50), alteration: alterations });
    await check(count, cases, async ({ pick, alteration }) => {
      const one = issued[pick % issued.length]!;
      const cursor = alterCursor(issued, one, alteration);
      const collection = alteration.kind === 'elsewhere' ? foreign : own;
      const good = collection === own && issued.some(({ cursor: own, of }) => own === cursor && of === one.of);
      const params = { query: queries[one.of], limit: 2, cursor };
      const outcome = await store.search({ ...collection, params }).catch((error: unknown) => error);
      if (good) return expect(outcome).not.toBeInstanceOf(Error);
      if (!ConnectorError.is(outcome)) throw new Error(`'${cursor}' was not refused`, { cause: outcome });
      expect([outcome.code, outcome.issues?.[0]?.path]).toEqual(['invalid_params', 'cursor']);
    });
  } finally {
    await store.close();
  }
};
