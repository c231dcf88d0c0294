import { closeSync, writeSync } from 'node:fs';
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
      const counts = isErasure ? await erase(search, about) : await exportTo(path!, search, terminal);
      if (json && path !== '-') terminal.out(`${JSON.stringify(counts)}\n`);
      else if (path !== '-') terminal.out(summaryOf(counts, isErasure));
    });
  });
}

/** What was found. */
interface Counts {
  records: number;
  writes: number;
  plans: number;
  /** Stored writes that cannot be erased, because they are in progress. */
  in_progress: number;
  /** Clients that are bound to the person, or have its name. */
  clients: string[];
}

function summaryOf({ records, writes, plans, in_progress, clients }: Counts, isErasure: boolean): string {
  const lines = [`${isErasure ? 'Erased' : 'Exported'}: ${records} records, ${writes} stored writes, ${plans} plans.`];
  if (isErasure && in_progress > 0) lines.push(`Kept for up to a day: ${in_progress} stored writes in progress.`);
  if (clients.length > 0) lines.push(`Clients of the person: ${clients.join(', ')} (see delete-client).`);
  if (isErasure) {
    lines.push('Records that the vendor still has return with one of the next syncs: erase them there first.');
    lines.push('Backups and audit logs were not changed.');
  }
  return `${lines.join('\n')}\n`;
}

async function exportTo(path: string, search: Search, terminal: Terminal): Promise<Counts> {
  const counts: Counts = { records: 0, writes: 0, plans: 0, in_progress: 0, clients: [] };
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

async function erase(search: Search, about: readonly string[]): Promise<Counts> {
  const { store, state, organizationIds } = search;
  const clients = (await clientsAbout(search)).map(({ id }) => id);
  const counts: Counts = { records: 0, writes: 0, plans: 0, in_progress: 0, clients };
  // Collected first, because records are read in pages.
  const found = new Map<string, { readonly collection: Collection; readonly ids: string[] }>();
  for await (const { collection, id } of recordsAbout(search)) {
    const key = JSON.stringify(collection);
    const known = found.get(key) ?? { collection, ids: [] };
    found.set(key, known);
    known.ids.push(id);
  }
  for (const { collection, ids } of found.values()) counts.records += await store.remove(collection, ids);
  for await (const entry of entriesAbout(search)) {
    if (entry.isErasable) {
      await state.sealedEntries.erase(entry);
      counts[`${entry.kind}s`] += 1;
    } else counts.in_progress += 1;
  }
  const operator = { clientId: '', scopes: tokenScopes, via: 'cli', requestId: null, address: undefined };
  runAs(operator, () => {
    for (const organizationId of organizationIds) {
      recordChange(state.audit, { event: 'person.erased', organizationId, params: about });
    }
  });
  return counts;
}

async function* recordsAbout({ store, state, organizationIds, mentions }: Search) {
  for (const connectorId of await store.connectors()) {
    for (const organizationId of organizationIds) {
      const row = await state.connectors.get({ organizationId }, connectorId);
      const entities = store.entities.filter(({ type }) => type === row?.type);
      for (const { type, entity } of entities) {
        const collection: Collection = { connectorId, type, entity };
        for await (const { id, record } of store.records(collection)) {
          if (mentions(record)) yield { collection, id, record };
        }
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

/** Tests whether a value contains one of the texts as whole words, in any case and with any spaces; also in JSON inside a text. */
function mentionsOf(about: readonly string[]): (value: unknown) => boolean {
  const patternOf = (text: string): string => {
    const escaped = normalize(text)
      .trim()
      .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll(/\s+/g, '\\s+');
    // An address ends where another character of one could not follow; a name also beside punctuation.
    if (/[@\d]/.test(text)) return `(?<![\\p{L}\\p{N}._+-])${escaped}(?![\\p{L}\\p{N}-]|\\.[\\p{L}\\p{N}])`;
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
