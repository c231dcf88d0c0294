import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { openRecords } from '../context-store.js';
import { exportRecords, importRecords, type Store } from '../data/records/index.js';
import type { TextsOf } from '../data/records/types.js';
import { textsOf } from '../data/search/passages/cut.js';
import { requireState } from '../data/state/place.js';
import { chooseKeys } from '../data/vault/choose.js';
import { type Definitions, definitionsOf } from '../domain/connectors/definitions.js';
import { placeOf } from '../options.js';
import type { Arguments } from './arguments.js';
import type { Terminal } from './terminal.js';

/** Writes all replicated records into a new file, or to the output. */
export const exportAll = (given: Arguments, terminal: Terminal): Promise<void> =>
  withRecords(given, async (store) => {
    const path = pathIn(given);
    if (path === '-') {
      for await (const line of exportRecords(store)) terminal.out(`${line}\n`);
      return;
    }
    const file = newFile(path);
    const counts = { records: 0, vectors: 0 };
    try {
      for await (const line of exportRecords(store, counts)) writeSync(file, `${line}\n`);
    } finally {
      closeSync(file);
    }
    const said = `${counts.records} records are in ${path}${counts.vectors > 0 ? `, and vectors of ${counts.vectors} passages` : ''}.`;
    terminal.out(given.json ? `${JSON.stringify({ ...counts, file: path })}\n` : `${said}\n`);
  });

/** Takes in the records of an export; a store that has records already is left as it is. */
export const importAll = (given: Arguments, terminal: Terminal): Promise<void> =>
  withRecords(given, async (store, definitions) => {
    const path = pathIn(given);
    if ((await store.connectors()).length > 0) {
      throw new Error('The store has records already, which an import could replace by older ones: use an empty one.');
    }
    const target = await cutting(store, definitions);
    // Read from at once: lines that come before are lost.
    const input = path === '-' ? terminal.input() : createReadStream(path);
    const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
    const taken = await importRecords(target, lines);
    const said = [
      `${taken.records} records were taken in`,
      ...(taken.vectors > 0 ? [`${taken.vectors} of their passages need not be embedded again`] : []),
      ...(taken.left > 0 ? [`${taken.left} are of entities that this release does not keep`] : []),
    ].join('; ');
    terminal.out(given.json ? `${JSON.stringify(taken)}\n` : `${said}.\n`);
  });

async function withRecords(
  given: Arguments,
  work: (store: Store, definitions: Definitions) => Promise<void>,
): Promise<void> {
  const { options } = given;
  const place = placeOf(options);
  requireState(place);
  const { folder, databaseUrl } = place;
  const definitions = definitionsOf(options.connectors);
  const keys = chooseKeys({ ...options, ...place });
  const store = await openRecords({ folder, databaseUrl, now: options.now ?? Date.now, keys, definitions });
  try {
    await work(store, definitions);
  } finally {
    await store.close();
  }
}

function pathIn({ command, rest }: Arguments): string {
  const [path, ...more] = rest;
  if (path === undefined || more.length > 0) throw new Error(`${command} takes one file, or - for none.`);
  return path;
}

function newFile(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (cause) {
    const exists = (cause as NodeJS.ErrnoException).code === 'EEXIST';
    throw new Error(exists ? `There is a file ${path} already: move it away.` : (cause as Error).message, { cause });
  }
}

/** The same store, which cuts texts into passages as replication does: an export has records alone. */
async function cutting(store: Store, definitions: Definitions): Promise<Store> {
  const texts = new Map<string, TextsOf>();
  for (const { type, entity, semantic = [] } of store.entities) {
    const replica = (await (await definitions.of(type)).replication())?.entities[entity];
    if (replica) texts.set(`${type} ${entity}`, textsOf(replica, semantic));
  }
  return {
    ...store,
    write: (collection, records) =>
      store.write(collection, records, texts.get(`${collection.type} ${collection.entity}`)),
  };
}
