import { createHmac, timingSafeEqual } from 'node:crypto';
import { invalidParams } from 'agent-connectors/search';
import { openText, sealText } from '../vault/keys.js';
import type { Collection } from './entity.js';
import type { PagePosition } from './plan.js';
import { canonicalText, digest, type Layout } from './schema.js';

/** The query, collection and tenant that a cursor belongs to. */
export interface CursorScope {
  readonly collection: Collection;
  readonly query: unknown;
}

/** What a cursor is read for. */
export interface CursorCall {
  readonly name: string;
  /** Says that a cursor is not one of this call, and what to do. */
  readonly rejection: string;
}

const searchCall: CursorCall = {
  name: 'context_store_search',
  rejection: 'is not a cursor for this search; start over without a cursor, or repeat the original query',
};

const version = 1;
const signatureLength = 16;
/** Sealed positions are padded, since their length would tell how large their numbers are. */
const blockLength = 64;

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
  read(cursor: string, scope: CursorScope, { entity }: Layout): PagePosition {
    const bytes = Buffer.from(cursor, 'base64url');
    const content = bytes.subarray(signatureLength);
    const whole = bytes.toString('base64url') === cursor && bytes.length > signatureLength;
    const isSignedBy = (key: Uint8Array) =>
      timingSafeEqual(bytes.subarray(0, signatureLength), signatureOf(key, content, scope));
    if (!whole || !this.#keys().some(isSignedBy)) throw notACursor(entity, searchCall);
    const [, values, id] = JSON.parse(content.toString()) as [number, PagePosition['values'], string];
    return { values, id };
  }

  /** Encodes a position that its holder cannot read. */
  seal(values: PagePosition['values'], scope: CursorScope): string {
    const content = JSON.stringify([version, values]);
    const padded = content.padEnd(Math.ceil(content.length / blockLength) * blockLength);
    return sealText(sealingKey(this.#keys()[0]), scopeOf(scope), padded).toString('base64url');
  }

  /** Decodes a sealed position; rejects one that was altered or belongs to a different query. */
  unseal(cursor: string, scope: CursorScope, { entity }: Layout, call: CursorCall): PagePosition['values'] {
    const bytes = Buffer.from(cursor, 'base64url');
    const isWhole = bytes.toString('base64url') === cursor;
    for (const key of isWhole ? this.#keys() : []) {
      const content = openText(sealingKey(key), scopeOf(scope), bytes);
      if (content !== undefined) return (JSON.parse(content) as [number, PagePosition['values']])[1];
    }
    throw notACursor(entity, call);
  }
}

const notACursor = (entity: string, { name, rejection }: CursorCall) =>
  invalidParams(`${entity}.${name}`, [{ path: ['cursor'], message: rejection }]);

const sealingKey = (key: Uint8Array): Buffer => createHmac('sha256', key).update('sealed cursors').digest();

// The query is signed but not part of the cursor, so a cursor for a different query fails like an altered one.
function signatureOf(key: Uint8Array, content: Buffer, scope: CursorScope): Buffer {
  return createHmac('sha256', key).update(scopeOf(scope)).update(content).digest().subarray(0, signatureLength);
}

const scopeOf = ({ collection: { connectorId, type, entity }, query }: CursorScope): Buffer =>
  Buffer.from(`${digest(canonicalText([connectorId, type, entity, query]), 64)}\n`);
