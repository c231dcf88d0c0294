import { setImmediate } from 'node:timers/promises';
import type { StoredRecord } from './entity.js';
import type { FieldText } from './passages/types.js';
import type { TextsOf } from './types.js';

/** So many records share a transaction: with fewer the indexes cost more, with more other writers wait longer. */
const most = 2000;
/** So many characters of texts do. */
const mostCharacters = 1_000_000;
/** So long, in milliseconds, cutting texts may hold up everything else. */
const patience = 8;

/** Records to be written together, with the texts of each where any are searched by meaning. */
export interface RecordBatch {
  readonly records: readonly StoredRecord[];
  readonly texts: ReadonlyArray<readonly FieldText[]> | undefined;
}

/** Parts a list. */
export function* batches<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += most) yield items.slice(at, at + most);
}

/** Parts records, and cuts the texts of each once. */
export async function* recordBatches(
  records: readonly StoredRecord[],
  textsOf: TextsOf | undefined,
): AsyncGenerator<RecordBatch> {
  if (!textsOf) {
    for (const part of batches(records)) yield { records: part, texts: undefined };
    return;
  }
  let [part, texts, characters]: [StoredRecord[], Array<readonly FieldText[]>, number] = [[], [], 0];
  let since = performance.now();
  for (const record of records) {
    const cut = textsOf(record);
    part.push(record);
    texts.push(cut);
    characters += cut.reduce((sum, { text }) => sum + text.length, 0);
    if (part.length >= most || characters >= mostCharacters) {
      yield { records: part, texts };
      [part, texts, characters] = [[], [], 0];
    }
    if (performance.now() - since > patience) {
      await setImmediate();
      since = performance.now();
    }
  }
  if (part.length > 0) yield { records: part, texts };
}
