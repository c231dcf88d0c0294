import type { Collection, Store, StoredRecord, TextsOf } from './types.js';

const format = 'agent-connectors-records';
const version = 1;
const batch = 500;

/** Writes all records of a store as lines of JSON, for another store of whichever kind to take in. */
export async function* exportRecords(store: Store): AsyncGenerator<string> {
  yield JSON.stringify({ format, version });
  for (const connectorId of await store.connectors()) {
    for (const { type, entity } of store.entities) {
      for await (const { record } of store.records({ connectorId, type, entity })) {
        yield JSON.stringify({ connector_id: connectorId, type, entity, record });
      }
    }
  }
}

/** What an import took in, and what it had no place for. */
export interface Imported {
  readonly records: number;
  /** Records of entities that the store does not keep. */
  readonly left: number;
}

interface Line {
  readonly connector_id: string;
  readonly type: string;
  readonly entity: string;
  readonly record: StoredRecord;
}

/** Says how the texts of a collection's records are cut; none where nothing of them is searched by meaning. */
export type TextsOfCollection = (collection: Collection) => TextsOf | undefined;

/** Takes in the lines of an export; doing it again changes nothing. Passages are cut anew, and have no vectors to begin with. */
export async function importRecords(
  store: Store,
  lines: AsyncIterable<string> | Iterable<string>,
  textsOf: TextsOfCollection = () => undefined,
): Promise<Imported> {
  let [records, left, begun] = [0, 0, false];
  let waiting: { readonly collection: Collection; readonly records: StoredRecord[] } | undefined;
  const flush = async (): Promise<void> => {
    if (waiting) await store.write(waiting.collection, waiting.records, textsOf(waiting.collection));
    waiting = undefined;
  };
  for await (const line of lines) {
    if (line.trim() === '') continue;
    const value = parsed(line);
    if (!begun) {
      begun = true;
      if (value.format !== format || value.version !== version)
        throw new Error('This is no export of records that this release can read.');
      continue;
    }
    const { connector_id: connectorId, type, entity, record } = value as unknown as Line;
    if (!store.entities.some((one) => one.type === type && one.entity === entity)) {
      left += 1;
      continue;
    }
    const same = waiting?.collection;
    if (same?.connectorId !== connectorId || same.type !== type || same.entity !== entity) await flush();
    waiting ??= { collection: { connectorId, type, entity }, records: [] };
    waiting.records.push(record);
    records += 1;
    if (waiting.records.length >= batch) await flush();
  }
  await flush();
  return { records, left };
}

function parsed(line: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    throw new Error('A line of the export is no JSON; it may have been cut off.');
  }
}
