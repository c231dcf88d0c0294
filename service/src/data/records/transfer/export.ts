import type { Collection } from '../entity.js';
import type { Store } from '../types.js';
import { collectionFields, encodeVector, headerLine, type VectorsLine } from './lines.js';

const batchSize = 200;

/** Contents of an export. */
export interface ExportCounts {
  records: number;
  /** Passages with vectors. */
  vectors: number;
}

/**
 * Exports all records in a store and their passage vectors as JSON lines, which any kind of store can import; returns the
 * counts.
 */
export async function* exportRecords(
  store: Store,
  counts: ExportCounts = { records: 0, vectors: 0 },
): AsyncGenerator<string> {
  yield headerLine;
  for (const connectorId of await store.connectors()) {
    for (const { type, entity, semantic = [] } of store.entities) {
      const collection = { connectorId, type, entity };
      let ids: string[] = [];
      for await (const { id, record } of store.records(collection)) {
        yield JSON.stringify({ ...collectionFields(collection), record });
        counts.records += 1;
        if (semantic.length > 0) ids.push(id);
        if (ids.length < batchSize) continue;
        yield* vectorLines(store, collection, ids, counts);
        ids = [];
      }
      yield* vectorLines(store, collection, ids, counts);
    }
  }
}

async function* vectorLines(
  store: Store,
  collection: Collection,
  ids: readonly string[],
  counts: ExportCounts,
): AsyncGenerator<string> {
  if (ids.length === 0) return;
  const texts = await store.textsOf(collection, ids);
  const vectors = await store.vectorsOf(
    collection.connectorId,
    texts.flatMap(({ passages }) => passages),
  );
  const embedders = new Map<string, Map<number, Float32Array>>();
  for (const { passage, embedder, vector } of vectors) {
    const known = embedders.get(embedder);
    if (known) known.set(passage, vector);
    else embedders.set(embedder, new Map([[passage, vector]]));
  }
  for (const { record, field, digest, passages } of texts) {
    for (const [embedder, vectorOf] of embedders) {
      const found = passages.map((passage) => vectorOf.get(passage));
      const first = found.find((vector) => vector !== undefined);
      if (!first) continue;
      counts.vectors += found.filter((vector) => vector !== undefined).length;
      const line: VectorsLine = {
        of: record,
        field,
        digest,
        embedder,
        dimensions: first.length,
        passages: found.map((vector) => (vector ? encodeVector(vector) : null)),
      };
      yield JSON.stringify({ ...collectionFields(collection), vectors: line });
    }
  }
}
