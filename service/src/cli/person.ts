import { closeSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import type { Collection, Store } from '../data/records/index.js';
import { type Client, tokenScopes } from '../data/state/rows.js';
import type { SealedEntry, State } from '../data/state/types.js';
import { recordChange, runAs } from '../domain/audit/record-audit.js';
import type { Arguments } from './arguments.js';
import { resolveOrganizations, withState } from './clients.js';
import { newFile, withRecords } from './records.js';
import type { Terminal } from './terminal.js';

/** What is searched for whom. */
interface Search {
  readonly store: Store;
  readonly state: State;
  readonly organizationIds: readonly string[];
  readonly mentions: (value: unknown) => boolean;
}

/** Exports or erases what organizations store about a person: records with their texts and files, writes and plans. */
export async function person(args: Arguments, terminal: Terminal): Promise<void> {
  const { rest, about, json } = args;
  const [verb, path, ...more] = rest;
  const isErasure = verb === 'erase' && path === undefined;
  if (!isErasure && (verb !== 'export' || path === undefined || more.length > 0)) {
    throw new Error('Pass export <file or ->, or erase; and --about <email, name or id>, repeatable.');
  }
  // An empty text, such as an unset shell variable, would be found in almost every record.
  if (about.some((text) => !/[\p{L}\p{N}]{2}/u.test(normalize(text)))) {
    throw new Error('--about must contain a word or number of at least two characters.');
  }
  if (about.length === 0) throw new Error(`person ${verb} needs --about <email, name or id>.`);
  await withState(args, async (state) => {
    const organizationIds = await resolveOrganizations(args, state);
    await withRecords(args, async (store) => {
      const search = { store, state, organizationIds, mentions: mentionsOf(about) };
      let counts: Counts;
      if (isErasure) {
        const found = await findAll(search);
        await confirmErasure(found, args, terminal);
        // While the question was open, the service may have stored more.
        counts = await erase(search, args.yes ? found : await findAll(search), about);
      } else counts = await exportTo(path!, search, terminal);
      if (json && path !== '-') terminal.out(`${JSON.stringify(counts)}\n`);
      else if (path !== '-') terminal.out(summaryOf(counts, isErasure));
    });
  });
}

/** Says what will be erased, and asks; without a person to ask, `--yes` is required. */
async function confirmErasure({ counts, records }: Found, { yes }: Arguments, terminal: Terminal): Promise<void> {
  if (yes) return;
  const places = [...records.values()].map(
    ({ collection: { connectorId, entity }, ids }) => `  ${ids.length} ${entity} of connector ${connectorId}\n`,
  );
  terminal.error(`To be erased: ${amountsOf(counts)}.\n${places.join('')}`);
  if (!terminal.canAnswer) throw new Error('Nothing was erased, since there is no terminal to confirm on: pass --yes.');
  terminal.error('This cannot be undone. Type yes to continue: ');
  const lines = createInterface({ input: terminal.input(), terminal: false });
  try {
    for await (const line of lines) {
      if (line.trim().toLowerCase() === 'yes') return;
      break;
    }
  } finally {
    lines.close();
  }
  throw new Error('Cancelled: nothing was erased.');
}

/** What was found. */
interface Counts {
  records: number;
  writes: number;
  plans: number;
  /** Names of readers in the history of changes, such as earlier holders of a permission. */
  readers: number;
  /** Stored writes that cannot be erased, because they are in progress. */
  in_progress: number;
  /** Clients that are bound to the person, or have its name. */
  clients: string[];
}

const amountsOf = ({ records, writes, plans, readers }: Counts): string =>
  `${records} records, ${writes} stored writes, ${plans} plans, ${readers} readers in the change history`;

function summaryOf(counts: Counts, isErasure: boolean): string {
  const { in_progress, clients } = counts;
  const lines = [`${isErasure ? 'Erased' : 'Exported'}: ${amountsOf(counts)}.`];
  if (isErasure && in_progress > 0) lines.push(`Kept for up to a day: ${in_progress} stored writes in progress.`);
  if (clients.length > 0) lines.push(`Clients of the person: ${clients.join(', ')} (see delete-client).`);
  if (isErasure) {
    lines.push('Records that the vendor still has return with one of the next syncs: erase them there first.');
    lines.push('Backups and audit logs were not changed.');
  }
  return `${lines.join('\n')}\n`;
}

const noCounts = (): Counts => ({ records: 0, writes: 0, plans: 0, readers: 0, in_progress: 0, clients: [] });

async function exportTo(path: string, search: Search, terminal: Terminal): Promise<Counts> {
  const counts = noCounts();
  const file = path === '-' ? undefined : newFile(path);
  const write = (line: object) => {
    const text = `${JSON.stringify(line)}\n`;
    if (file === undefined) terminal.out(text);
    else writeSync(file, text);
  };
  try {
    for await (const { collection, record } of recordsAbout(search)) {
      counts.records += 1;
      write({ kind: 'record', connector_id: collection.connectorId, entity: collection.entity, record });
    }
    for await (const { collection, readers } of readersAbout(search)) {
      counts.readers += readers.length;
      write({ kind: 'readers', connector_id: collection.connectorId, entity: collection.entity, readers });
    }
    for await (const { kind, id, connectorId, content } of entriesAbout(search)) {
      counts[`${kind}s`] += 1;
      write({ kind, id, connector_id: connectorId, content });
    }
    for (const { id, name, asUser } of await clientsAbout(search)) {
      counts.clients.push(id);
      write({ kind: 'client', id, name, as_user: asUser });
    }
  } finally {
    if (file !== undefined) closeSync(file);
  }
  return counts;
}

/** What is stored about a person. */
interface Found {
  readonly counts: Counts;
  readonly records: ReadonlyMap<string, { readonly collection: Collection; readonly ids: string[] }>;
  readonly entries: readonly SealedEntry[];
}

async function findAll(search: Search): Promise<Found> {
  const counts = noCounts();
  counts.clients = (await clientsAbout(search)).map(({ id }) => id);
  const records = new Map<string, { readonly collection: Collection; readonly ids: string[] }>();
  for await (const { collection, id } of recordsAbout(search)) {
    const key = JSON.stringify(collection);
    const known = records.get(key) ?? { collection, ids: [] };
    records.set(key, known);
    known.ids.push(id);
    counts.records += 1;
  }
  for await (const { readers } of readersAbout(search)) counts.readers += readers.length;
  const entries: SealedEntry[] = [];
  for await (const entry of entriesAbout(search)) {
    if (entry.isErasable) {
      entries.push(entry);
      counts[`${entry.kind}s`] += 1;
    } else counts.in_progress += 1;
  }
  return { counts, records, entries };
}

async function erase(search: Search, { counts, records, entries }: Found, about: readonly string[]): Promise<Counts> {
  const { store, state, organizationIds } = search;
  const erased = { ...counts, records: 0, readers: 0 };
  for (const { collection, ids } of records.values()) {
    const removed = await store.remove(collection, ids);
    await state.replicas.addToCount(collection.connectorId, collection.entity, -removed);
    erased.records += removed;
  }
  // Removing a record notes its readers, so the history comes last.
  for await (const { collection, readers } of readersAbout(search)) {
    await store.forgetReaders(collection, readers);
    erased.readers += readers.length;
  }
  for (const entry of entries) await state.sealedEntries.erase(entry);
  const operator = { clientId: '', scopes: tokenScopes, via: 'cli', requestId: null, address: undefined };
  runAs(operator, () => {
    for (const organizationId of organizationIds) {
      recordChange(state.audit, { event: 'person.erased', organizationId, params: about });
    }
  });
  return erased;
}

async function* recordsAbout(search: Search) {
  for await (const collection of collectionsOf(search)) {
    for await (const { id, record } of search.store.records(collection)) {
      if (search.mentions(record)) yield { collection, id, record };
    }
  }
}

async function* readersAbout(search: Search) {
  for await (const collection of collectionsOf(search)) {
    const readers = (await search.store.historyReaders(collection)).filter(search.mentions);
    if (readers.length > 0) yield { collection, readers };
  }
}

async function* collectionsOf({ store, state, organizationIds }: Search): AsyncGenerator<Collection> {
  for (const connectorId of await store.connectors()) {
    for (const organizationId of organizationIds) {
      const row = await state.connectors.get({ organizationId }, connectorId);
      const entities = store.entities.filter(({ type }) => type === row?.type);
      for (const { type, entity } of entities) {
        yield { connectorId, type, entity };
      }
    }
  }
}

async function* entriesAbout({ state, organizationIds, mentions }: Search): AsyncGenerator<SealedEntry> {
  for (const organizationId of organizationIds) {
    for await (const entry of state.sealedEntries.all(organizationId)) if (mentions(entry.content)) yield entry;
  }
}

async function clientsAbout({ state, organizationIds, mentions }: Search): Promise<Client[]> {
  const clients = await state.clients.list();
  return clients.filter(
    ({ name, asUser, organizationIds: own }) =>
      own.some((id) => organizationIds.includes(id)) && mentions([name, asUser?.email]),
  );
}

/**
 * Tests whether a value contains one of the texts as whole words, in any case and with any spaces; also in JSON inside a
 * text.
 */
function mentionsOf(about: readonly string[]): (value: unknown) => boolean {
  const patternOf = (text: string): string => {
    const escaped = normalize(text)
      .trim()
      .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll(/\s+/g, '\\s+');
    // Punctuation belongs to an address only between letters, unlike that of a list or of emphasis; four characters of it
    // are looked at, so that long rows cost no more.
    if (/[@\d]/.test(text)) {
      return `(?<![\\p{L}\\p{N}][._+-]{0,4})${escaped}(?!-{0,4}[\\p{L}\\p{N}]|\\.[\\p{L}\\p{N}])`;
    }
    // Names in scripts without spaces stand within other letters.
    if (/[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}]/u.test(text)) return escaped;
    return `(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`;
  };
  const pattern = new RegExp(about.map(patternOf).join('|'), 'u');
  const mentions = (value: unknown): boolean => {
    if (typeof value === 'string') return pattern.test(normalize(value)) || mentionsInside(value);
    if (typeof value !== 'object' || value === null) return false;
    return Object.entries(value).some(([key, item]) => mentions(item) || pattern.test(normalize(key)));
  };
  /** A stored response is JSON in a text, where escapes could hide a name. */
  const mentionsInside = (text: string): boolean => {
    if (!/^[[{].*\\u/s.test(text)) return false;
    try {
      return mentions(JSON.parse(text));
    } catch {
      return false;
    }
  };
  return mentions;
}

const normalize = (text: string): string => text.normalize('NFKC').toLowerCase();
