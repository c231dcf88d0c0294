import { closeSync, createReadStream, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { openRecords } from '../context-store.js';
import { exportRecords, exportTables, importRecords, type Store } from '../data/records/index.js';
import { textsOf } from '../data/records/passages/split-passages.js';
import type { TextsOf } from '../data/records/types.js';
import { requireState } from '../data/state/location.js';
import { chooseKeys } from '../data/vault/choose.js';
import { type Definitions, loadDefinitions } from '../domain/connectors/definitions.js';
import { stateLocation } from '../options.js';
import type { Arguments } from './arguments.js';
import { exportedEntities, reportIncomplete } from './export-gaps.js';
import type { Terminal } from './terminal.js';

/** Exports all replicated records to a new file or to standard output. */
export const exportAll = (args: Arguments, terminal: Terminal): Promise<void> =>
  withRecords(args, async (store, definitions) => {
    const path = requirePath(args);
    if (path === '-') {
      for await (const line of exportRecords(store)) terminal.out(`${line}\n`);
      reportIncomplete(await exportedEntities(args, store, definitions), terminal);
      return;
    }
    const file = newFile(path);
    const counts = { records: 0, vectors: 0 };
    try {
      for await (const line of exportRecords(store, counts)) writeSync(file, `${line}\n`);
    } finally {
      closeSync(file);
    }
    const message = `Records exported to ${path}: ${counts.records}${counts.vectors > 0 ? `; passages with vectors: ${counts.vectors}` : ''}.`;
    const entities = await exportedEntities(args, store, definitions);
    terminal.out(args.json ? `${JSON.stringify({ ...counts, file: path, entities })}\n` : `${message}\n`);
    reportIncomplete(entities, terminal);
  });

/** Exports all replicated records to a new folder, with a file of JSON lines for each entity that has records. */
export const exportToTables = (args: Arguments, terminal: Terminal): Promise<void> =>
  withRecords(args, async (store, definitions) => {
    const [folder, ...more] = args.rest;
    if (folder === undefined || more.length > 0) throw new Error(`${args.command} takes one folder.`);
    mkdirSync(folder, { mode: 0o700 });
    const files = new Map<string, { readonly file: number; records: number }>();
    try {
      for await (const { table, line } of exportTables(store)) {
        const known = files.get(table) ?? { file: newFile(join(folder, `${table}.jsonl`)), records: 0 };
        files.set(table, known);
        writeSync(known.file, `${line}\n`);
        known.records += 1;
      }
    } finally {
      for (const { file } of files.values()) closeSync(file);
    }
    const tables = Object.fromEntries([...files].map(([table, { records }]) => [table, records]));
    const records = Object.values(tables).reduce((sum, count) => sum + count, 0);
    const message = `Records exported to ${folder}: ${records}, in tables: ${files.size}.`;
    const entities = await exportedEntities(args, store, definitions);
    terminal.out(args.json ? `${JSON.stringify({ records, tables, folder, entities })}\n` : `${message}\n`);
    reportIncomplete(entities, terminal);
  });

/** Imports an export's records; rejects a store that already contains records. */
export const importAll = (args: Arguments, terminal: Terminal): Promise<void> =>
  withRecords(args, async (store, definitions) => {
    const path = requirePath(args);
    if ((await store.connectors()).length > 0) {
      throw new Error('The store already has records that an import could overwrite: use an empty store.');
    }
    const target = withPassages(store, definitions);
    const input = path === '-' ? terminal.input() : createReadStream(path);
    const imported = await importRecords(target, linesOf(input));
    const message = [
      `Records imported: ${imported.records}`,
      ...(imported.vectors > 0 ? [`passages with vectors: ${imported.vectors}`] : []),
      ...(imported.left > 0 ? [`skipped, with entities not in this release: ${imported.left}`] : []),
    ].join('; ');
    terminal.out(args.json ? `${JSON.stringify(imported)}\n` : `${message}.\n`);
  });

/** Opens the records of a service, which may be running. */
export async function withRecords(
  args: Arguments,
  work: (store: Store, definitions: Definitions) => Promise<void>,
): Promise<void> {
  const { options } = args;
  const location = stateLocation(options);
  requireState(location);
  const { folder, databaseUrl } = location;
  const definitions = await loadDefinitions(options.connectors);
  const keys = await chooseKeys({ ...options, ...location });
  const { now = Date.now, objects } = options;
  const store = await openRecords({ folder, databaseUrl, now, keys, definitions, objects });
  try {
    await work(store, definitions);
  } finally {
    await store.close();
  }
}

/** Lines that end in `\n`; `node:readline` also splits at U+2028, which texts can contain. */
async function* linesOf(input: Readable): AsyncGenerator<string> {
  let start: string[] = [];
  for await (const chunk of input.setEncoding('utf8') as AsyncIterable<string>) {
    const [end = '', ...lines] = chunk.split('\n');
    start.push(end);
    for (const line of lines) {
      yield start.join('');
      start = [line];
    }
  }
  yield start.join('');
}

function requirePath({ command, rest }: Arguments): string {
  const [path, ...more] = rest;
  if (path === undefined || more.length > 0)
    throw new Error(`${command} takes one file, or - for standard input or output.`);
  return path;
}

/** Creates a file that only its owner can read; rejects an existing one. */
export function newFile(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (cause) {
    const exists = (cause as NodeJS.ErrnoException).code === 'EEXIST';
    throw new Error(exists ? `File ${path} already exists: move it first.` : (cause as Error).message, { cause });
  }
}

/** A store that splits text into passages the same way replication does, since an export contains only records. */
function withPassages(store: Store, definitions: Definitions): Store {
  const texts = new Map<string, TextsOf>();
  for (const { type, entity, semantic = [], about } of store.entities) {
    const replica = definitions.of(type).replication?.entities[entity];
    if (replica) texts.set(`${type} ${entity}`, textsOf(replica, semantic, about));
  }
  return {
    ...store,
    write: (collection, records) =>
      store.write(collection, records, texts.get(`${collection.type} ${collection.entity}`)),
  };
}
