import type { Collection, StoredRecord } from '../entity.js';

const format = 'agent-connectors-records';
/** Since version 2 an export has vectors too. */
const versions: readonly unknown[] = [1, 2];

/** The collection that a line is of. */
interface CollectionFields {
  readonly connector_id: string;
  readonly type: string;
  readonly entity: string;
}

/** A record, or what an embedder made of the passages of one text of a record that stands before. */
export type Line = CollectionFields & ({ readonly record: StoredRecord } | { readonly vectors: VectorsLine });

/** What an embedder made of the passages of one text. */
export interface VectorsLine {
  /** Id of the record. */
  readonly of: string;
  readonly field: string;
  /** Of the text and its passages: vectors are of no use for others. */
  readonly digest: string;
  readonly embedder: string;
  readonly dimensions: number;
  /** One for each passage, in their order: numbers of four bytes, the lowest first, in base64. */
  readonly passages: ReadonlyArray<string | null>;
}

/** The first line of an export. */
export const headerLine = JSON.stringify({ format, version: versions.at(-1) });

/** Refuses a first line that is none of an export. */
export function checkHeader(line: string): void {
  const { format: found, version } = parseJsonLine(line);
  if (found !== format || !versions.includes(version))
    throw new Error('Not a record export, or one from an unsupported release.');
}

/** Reads a line behind the first. */
export const readLine = (line: string): Line => parseJsonLine(line) as unknown as Line;

/** Names the collection of a line. */
export const collectionFields = ({ connectorId, type, entity }: Collection): CollectionFields => ({
  connector_id: connectorId,
  type,
  entity,
});

/** A vector as text. */
export function encodeVector(vector: Float32Array): string {
  const bytes = Buffer.alloc(4 * vector.length);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, 4 * index);
  return bytes.toString('base64');
}

/** A vector of so many numbers out of its text; nothing where it has others. */
export function decodeVector(text: string, dimensions: number): Float32Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== 4 * dimensions) return undefined;
  return Float32Array.from({ length: dimensions }, (_, index) => bytes.readFloatLE(4 * index));
}

function parseJsonLine(line: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    throw new Error('The export contains invalid or truncated JSON.');
  }
}
