import type { Collection, StoredRecord } from '../entity.js';
import type { PassageVector } from '../passages/types.js';
import type { Store, TextsOf } from '../types.js';
import { checkFirst, readLine, type VectorsLine, vectorIn } from './lines.js';

const batch = 500;

/** What an import took in, and what it had no place for. */
export interface Imported {
  readonly records: number;
  /** Records of entities that the store does not keep. */
  readonly left: number;
  /** Passages whose vectors were taken in; all others are given to the embedder again. */
  readonly vectors: number;
}

/** Says how the texts of a collection's records are cut; none where nothing of them is searched by meaning. */
export type TextsOfCollection = (collection: Collection) => TextsOf | undefined;

/** Lines of one collection that are taken in together. */
interface Waiting {
  readonly collection: Collection;
  readonly records: StoredRecord[];
  readonly vectors: VectorsLine[];
}

/**
 * Takes in the lines of an export; doing it again changes nothing. Passages are cut anew, and have the vectors of the
 * export where they are the same as there, and its embedder made vectors of the same length here.
 */
export async function importRecords(
  store: Store,
  lines: AsyncIterable<string> | Iterable<string>,
  textsOf: TextsOfCollection = () => undefined,
): Promise<Imported> {
  let [records, left, vectors, begun] = [0, 0, 0, false];
  let waiting: Waiting | undefined;
  const flush = async (): Promise<void> => {
    if (!waiting) return;
    await store.write(waiting.collection, waiting.records, textsOf(waiting.collection));
    vectors += await embedded(store, waiting);
    waiting = undefined;
  };
  for await (const text of lines) {
    if (text.trim() === '') continue;
    if (!begun) {
      begun = true;
      checkFirst(text);
      continue;
    }
    const line = readLine(text);
    const { connector_id: connectorId, type, entity } = line;
    if (!store.entities.some((one) => one.type === type && one.entity === entity)) {
      if ('record' in line) left += 1;
      continue;
    }
    const same = waiting?.collection;
    const isOther = same?.connectorId !== connectorId || same.type !== type || same.entity !== entity;
    if (isOther || ('record' in line && waiting!.records.length >= batch)) await flush();
    waiting ??= { collection: { connectorId, type, entity }, records: [], vectors: [] };
    if ('vectors' in line) waiting.vectors.push(line.vectors);
    else {
      waiting.records.push(line.record);
      records += 1;
    }
  }
  await flush();
  return { records, left, vectors };
}

/** Gives passages the vectors that an export has of the very same ones, and tells how many that were. */
async function embedded(store: Store, { collection, vectors }: Waiting): Promise<number> {
  if (vectors.length === 0) return 0;
  const texts = await store.textsOf(collection, [...new Set(vectors.map(({ of }) => of))]);
  const textOf = new Map(texts.map((text) => [JSON.stringify([text.record, text.field]), text]));
  const given = new Map<string, PassageVector[]>();
  const lengths = new Map<string, number>();
  for (const { of, field, digest, embedder, dimensions, passages } of vectors) {
    const text = textOf.get(JSON.stringify([of, field]));
    if (!lengths.has(embedder)) lengths.set(embedder, (await store.dimensionsOf(embedder)) ?? dimensions);
    if (text?.digest !== digest || lengths.get(embedder) !== dimensions) continue;
    const found = passages.flatMap((value, index): PassageVector[] => {
      const vector = value === null ? undefined : vectorIn(value, dimensions);
      const passage = text.passages[index];
      return vector && passage !== undefined ? [{ passage, vector }] : [];
    });
    given.set(embedder, [...(given.get(embedder) ?? []), ...found]);
  }
  let taken = 0;
  for (const [embedder, found] of given) {
    await store.embed(embedder, found);
    taken += found.length;
  }
  return taken;
}
