import { InvalidCursor } from './rows.js';

/** Where a page ended: the next begins behind it. */
export interface Position {
  readonly createdAt: string;
  readonly id: string;
}

/** Writes a position as text whose inside is nobody's business. */
export const writeCursor = ({ createdAt, id }: Position): string =>
  Buffer.from(JSON.stringify([createdAt, id])).toString('base64url');

/** Reads a cursor that `writeCursor` wrote, and refuses everything else. */
export function readCursor(cursor: string): Position {
  const [createdAt, id] = listIn(cursor);
  if (typeof createdAt === 'string' && typeof id === 'string' && writeCursor({ createdAt, id }) === cursor) {
    return { createdAt, id };
  }
  throw new InvalidCursor('The cursor is not one that this list gave; start again without it.');
}

function listIn(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
