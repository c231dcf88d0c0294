import { createHmac, timingSafeEqual } from 'node:crypto';
import { invalidParams } from 'agent-connectors/search';
import type { Collection } from './entity.js';
import type { PagePosition } from './plan.js';
import { canonicalText, digest, type Layout } from './schema.js';

/** The query, collection and tenant that a cursor belongs to. */
export interface CursorScope {
  readonly collection: Collection;
  readonly query: unknown;
}

const version = 1;
const signatureLength = 16;

/** Encodes and decodes cursors; each is valid for one query on one collection. */
export class Cursors {
  readonly #keys: () => readonly [Uint8Array, ...Uint8Array[]];

  /** The first key signs; all keys verify. */
  constructor(keys: () => readonly [Uint8Array, ...Uint8Array[]]) {
    this.#keys = keys;
  }

  write({ values, id }: PagePosition, scope: CursorScope): string {
    const content = Buffer.from(JSON.stringify([version, values, id]));
    return Buffer.concat([signatureOf(this.#keys()[0], content, scope), content]).toString('base64url');
  }

  /** Decodes the position in a cursor; rejects one that was altered or belongs to a different query. */
  read(cursor: string, scope: CursorScope, { entity }: Layout, call = 'context_store_search'): PagePosition {
    const bytes = Buffer.from(cursor, 'base64url');
    const content = bytes.subarray(signatureLength);
    const whole = bytes.toString('base64url') === cursor && bytes.length > signatureLength;
    const isSignedBy = (key: Uint8Array) =>
      timingSafeEqual(bytes.subarray(0, signatureLength), signatureOf(key, content, scope));
    if (!whole || !this.#keys().some(isSignedBy)) {
      const message = 'is not a cursor for this search; start over without a cursor, or repeat the original query';
      throw invalidParams(`${entity}.${call}`, [{ path: ['cursor'], message }]);
    }
    const [, values, id] = JSON.parse(content.toString()) as [number, PagePosition['values'], string];
    return { values, id };
  }
}

// The query is signed but not part of the cursor, so a cursor for a different query fails like an altered one.
function signatureOf(key: Uint8Array, content: Buffer, { collection, query }: CursorScope): Buffer {
  const { connectorId, type, entity } = collection;
  const scope = digest(canonicalText([connectorId, type, entity, query]), 64);
  return createHmac('sha256', key).update(`${scope}\n`).update(content).digest().subarray(0, signatureLength);
}
