import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { builtFile } from '../../../../common/built-file.js';
import { WordPieces } from './word-pieces.js';

/** A vector per word piece. */
export interface EmbeddingTable {
  readonly pieces: WordPieces;
  readonly dimensions: number;
  /** Rows of integers from -127 to 127, one per piece. */
  readonly rows: Int8Array;
  /** Scale factor of each row. */
  readonly scales: Float32Array;
}

const path = 'embedding-table/all-minilm-l6-v2.bin';
/** The file is next to the bundle, or next to the sources when they run without a build. */
const tableUrl = (): URL =>
  builtFile(new URL(`../${path}`, import.meta.url)) ?? new URL(`../../../../../${path}`, import.meta.url);

/** SHA-256 of the file, as printed by `scripts/embedding-table/distil.py`. */
export const tableChecksum = 'acfeb99ded0ffa5a6374c97a05ab01e8455f5d0a3ae1396e4704369b384da49d';

/** Reads the built-in table: its sizes, scales, rows and pieces (one per line). */
export async function readTable(url: URL = tableUrl()): Promise<EmbeddingTable> {
  const bytes = await readFile(url);
  if (createHash('sha256').update(bytes).digest('hex') !== tableChecksum)
    throw new Error('This package’s embedding table is corrupt. Reinstall the package.');
  const [count, dimensions] = [bytes.readUInt32LE(0), bytes.readUInt32LE(4)];
  const scalesAt = 8;
  const rowsAt = scalesAt + 4 * count;
  const piecesAt = rowsAt + count * dimensions;
  return {
    pieces: new WordPieces(bytes.toString('utf8', piecesAt).split('\n')),
    dimensions,
    rows: new Int8Array(bytes.buffer, bytes.byteOffset + rowsAt, count * dimensions),
    scales: Float32Array.from({ length: count }, (_, row) => bytes.readFloatLE(scalesAt + 4 * row)),
  };
}
