import type { Collection, StoredRecord } from '../entity.js';

const format = 'agent-connectors-records';
/** Version 2 added vectors. */
const versions: readonly unknown[] = [1, 2];

/** The collection that a line belongs to. */
interface CollectionFields {
  readonly connector_id: string;
  readonly type: string;
  readonly entity: string;
}

/** A record, or the passage vectors of one text of an earlier record. */
export type Line = CollectionFields & ({ readonly record: StoredRecord } | { readonly vectors: VectorsLine });

/** The passage vectors of one text. */
export interface VectorsLine {
  /** Id of the record. */
  readonly of: string;
  readonly field: string;
  /** Digest of the text and passages that the vectors belong to. */
  readonly digest: string;
  readonly embedder: string;
  readonly dimensions: number;
  /** One per passage, in order: little-endian 32-bit floats in base64. */
  readonly passages: ReadonlyArray<string | null>;
}

/** The first line of an export. */
export const headerLine = JSON.stringify({ format, version: versions.at(-1) });

/** Rejects a file that does not start with an export header. */
export function checkHeader(line: string): void {
  const { format: found, version } = parseJsonLine(line);
  if (found !== format || !versions.includes(version))
    throw new Error('The input is not a record export, or was exported by an unsupported release.');
}

/** Parses a line after the header. */
export const readLine = (line: string): Line => parseJsonLine(line) as unknown as Line;

/** A line's collection fields. */
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

/** Decodes a vector; undefined if its dimensions differ. */
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
