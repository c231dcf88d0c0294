import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Collection } from './entity.js';
import type { FaultCollector } from './faults.js';
import type { Position } from './plan.js';
import { canonicalText, digest, type Layout } from './schema.js';

/** The query that a cursor belongs to; whose page it is, and of what. */
export interface CursorScope {
  readonly collection: Collection;
  readonly query: unknown;
}

const version = 1;
const signatureLength = 16;

/** Writes and reads cursors, each good for one query of one collection. */
export class Cursors {
  readonly #keys: () => readonly [Uint8Array, ...Uint8Array[]];

  /** The first of the keys signs, and each of them tells what it signed. */
  constructor(keys: () => readonly [Uint8Array, ...Uint8Array[]]) {
    this.#keys = keys;
  }

  write({ values, id }: Position, scope: CursorScope): string {
    const content = Buffer.from(JSON.stringify([version, values, id]));
    return Buffer.concat([signatureOf(this.#keys()[0], content, scope), content]).toString('base64url');
  }

  /** The position in a cursor; one that was altered, or belongs to something else, is refused. */
  read(cursor: string, scope: CursorScope, layout: Layout, faults: FaultCollector): Position {
    const bytes = Buffer.from(cursor, 'base64url');
    const content = bytes.subarray(signatureLength);
    const whole = bytes.toString('base64url') === cursor && bytes.length > signatureLength;
    const isSignedBy = (key: Uint8Array) =>
      timingSafeEqual(bytes.subarray(0, signatureLength), signatureOf(key, content, scope));
    if (!whole || !this.#keys().some(isSignedBy)) {
      faults.add('cursor', 'is not a cursor of this search; start over without it, or repeat its query');
      faults.throwIfAny(layout);
    }
    const [, values, id] = JSON.parse(content.toString()) as [number, Position['values'], string];
    return { values, id };
  }
}

// The query is no part of the cursor, only of what is signed: a foreign one then fails as an altered one does.
function signatureOf(key: Uint8Array, content: Buffer, { collection, query }: CursorScope): Buffer {
  const { connectorId, type, entity } = collection;
  const scope = digest(canonicalText([connectorId, type, entity, query]), 64);
  return createHmac('sha256', key).update(`${scope}\n`).update(content).digest().subarray(0, signatureLength);
}
