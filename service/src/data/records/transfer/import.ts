import type { Collection, StoredRecord } from '../entity.js';
import type { PassageVector } from '../passages/types.js';
import type { Store, TextsOf } from '../types.js';
import { checkHeader, decodeVector, readLine, type VectorsLine } from './lines.js';

const batchSize = 500;

/** What an import stored, and what it skipped. */
export interface ImportCounts {
  readonly records: number;
  /** Number of records skipped because the store does not have their entity. */
  readonly left: number;
  /** Number of passages imported with vectors; all others are embedded again. */
  readonly vectors: number;
}

/** Returns how a collection's texts are split; undefined if nothing is searched semantically. */
export type TextsOfCollection = (collection: Collection) => TextsOf | undefined;

/** Lines of one collection, imported together. */
interface PendingBatch {
  readonly collection: Collection;
  readonly records: StoredRecord[];
  readonly vectors: VectorsLine[];
}

/**
 * Imports the lines of an export; importing them again changes nothing. Texts are split again, and a passage reuses its
 * exported vector if it is unchanged and the embedder's dimensions match.
 */
export async function importRecords(
  store: Store,
  lines: AsyncIterable<string> | Iterable<string>,
  textsOf: TextsOfCollection = () => undefined,
): Promise<ImportCounts> {
  let [records, left, vectors, headerSeen] = [0, 0, 0, false];
  let pending: PendingBatch | undefined;
  const loads = new Map<string, Collection>();
  const flush = async (): Promise<void> => {
    if (!pending) return;
    const { collection } = pending;
    const load = `${collection.type} ${collection.entity}`;
    if (!loads.has(load)) await store.startLoad(collection);
    loads.set(load, collection);
    await store.write(collection, pending.records, textsOf(collection));
    vectors += await importVectors(store, pending);
    pending = undefined;
  };
  for await (const text of lines) {
    if (text.trim() === '') continue;
    if (!headerSeen) {
      headerSeen = true;
      checkHeader(text);
      continue;
    }
    const line = readLine(text);
    const { connector_id: connectorId, type, entity } = line;
    if (!store.entities.some((one) => one.type === type && one.entity === entity)) {
      if ('record' in line) left += 1;
      continue;
    }
    const same = pending?.collection;
    const isOther = same?.connectorId !== connectorId || same.type !== type || same.entity !== entity;
    if (isOther || ('record' in line && pending!.records.length >= batchSize)) await flush();
    pending ??= { collection: { connectorId, type, entity }, records: [], vectors: [] };
    if ('vectors' in line) pending.vectors.push(line.vectors);
    else {
      pending.records.push(line.record);
      records += 1;
    }
  }
  await flush();
  for (const collection of loads.values()) await store.finishLoad(collection);
  return { records, left, vectors };
}

/** Reuses exported vectors for identical passages; returns how many. */
async function importVectors(store: Store, { collection, vectors }: PendingBatch): Promise<number> {
  if (vectors.length === 0) return 0;
  const texts = await store.textsOf(collection, [...new Set(vectors.map(({ of }) => of))]);
  const textOf = new Map(texts.map((text) => [JSON.stringify([text.record, text.field]), text]));
  const vectorsByEmbedder = new Map<string, PassageVector[]>();
  const lengths = new Map<string, number>();
  for (const { of, field, digest, embedder, dimensions, passages } of vectors) {
    const text = textOf.get(JSON.stringify([of, field]));
    if (!lengths.has(embedder)) lengths.set(embedder, (await store.dimensionsOf(embedder)) ?? dimensions);
    if (text?.digest !== digest || lengths.get(embedder) !== dimensions) continue;
    const found = passages.flatMap((value, index): PassageVector[] => {
      const vector = value === null ? undefined : decodeVector(value, dimensions);
      const passage = text.passages[index];
      return vector && passage !== undefined ? [{ passage, vector }] : [];
    });
    vectorsByEmbedder.set(embedder, [...(vectorsByEmbedder.get(embedder) ?? []), ...found]);
  }
  let importedCount = 0;
  for (const [embedder, found] of vectorsByEmbedder) {
    await store.embed(embedder, found);
    importedCount += found.length;
  }
  return importedCount;
}
