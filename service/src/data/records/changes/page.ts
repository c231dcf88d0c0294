import { ConnectorError } from 'agent-connectors';
import type { CursorCall, Cursors } from '../cursor.js';
import type { Collection, IdentifiedRecord, StoredRecord } from '../entity.js';
import { untypedId } from '../rows.js';
import { digest, type Layout, separator } from '../schema.js';
import { type ChangeHead, wasVisible } from './history.js';

/** A change of a collection's record, compared with what a reader of the feed has. */
export interface RecordChange {
  readonly change: 'added' | 'updated' | 'deleted';
  /** The value of the record's key; several values are joined by `|`. */
  readonly id: string;
  /** Time of the latest change, in milliseconds since 1970. */
  readonly at: number;
  /** The current values; null if it is deleted. */
  readonly record: StoredRecord | null;
}

/** Part of a change feed. */
export interface ChangePage {
  readonly changes: readonly RecordChange[];
  /** Position of the next page, which may be empty. */
  readonly cursor: string;
  readonly has_more: boolean;
}

/** An entry of the history: at this position, a record was stored or deleted. */
export interface ChangeEntry {
  readonly n: number;
  readonly id: string;
  readonly at: number;
}

/** Which part of a collection's history to read. */
export interface HistoryRequest {
  /** Entries after this position. */
  readonly after: number;
  /** Of the entries up to here, only those that were a record's latest at this position. */
  readonly asOf: number | undefined;
  /** The opening of the store in which a cursor was issued. */
  readonly opening: string | undefined;
  readonly limit: number;
}

/** Part of a collection's history. */
export interface HistoryPart {
  /** The newest position in the store. */
  readonly newest: number;
  /** Entries up to here may be gone. */
  readonly forgotten: number;
  /** The latest opening of the store. */
  readonly opening: string;
  /** The newest position in the requested opening; undefined if the opening is unknown. */
  readonly lastOfOpening: number | undefined;
  readonly entries: readonly ChangeEntry[];
  /** The latest changes of the entries' records. */
  readonly heads: readonly ChangeHead[];
}

/** A position in a feed. */
interface FeedPosition {
  readonly n: number;
  /** A feed that starts without a cursor first lists the records as of this position. */
  readonly asOf: number;
}

/** How often a page is read again if records change meanwhile. */
const maxReads = 5;

const changesCall: CursorCall = {
  name: 'changes',
  rejection:
    'is not a cursor of this feed: each entity of each connector has its own cursors; pass the last one of this entity, or start over without a cursor',
};

/** What a feed reads from. */
interface FeedSource {
  readonly layout: Layout;
  readonly cursors: Cursors;
  readonly history: (request: HistoryRequest) => Promise<HistoryPart>;
  /** The current records that are visible to the collection's readers. */
  readonly records: (ids: readonly string[]) => Promise<readonly IdentifiedRecord[]>;
}

/** The cursor after all changes so far. */
export async function newestCursor(
  { cursors, history }: Pick<FeedSource, 'cursors' | 'history'>,
  { connectorId, type, entity }: Collection,
): Promise<string> {
  const { newest, opening } = await history({ after: 0, asOf: undefined, opening: undefined, limit: 0 });
  const scope = { collection: { connectorId, type, entity }, query: 'changes' };
  return cursors.seal([newest, newest, opening, ''], scope);
}

/** Reads the changes of a collection since a cursor, coalesced by record. */
export async function readChanges(
  { layout, cursors, history, records }: FeedSource,
  { connectorId, type, entity, readers }: Collection,
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
): Promise<ChangePage> {
  const scope = { collection: { connectorId, type, entity }, query: 'changes' };
  const seenBy = readers ? digest(JSON.stringify([...readers].sort())) : '';
  const holders = readers ? (layout.readers ? readers : []) : [''];
  const values = cursor === undefined ? undefined : cursors.unseal(cursor, scope, layout, changesCall);
  const [n = 0, asOf, opening, by] = (values ?? []) as [number?, number?, string?, string?];
  if (values && by !== seenBy) throw expired('The access of the user that the token is bound to has changed');
  for (let reads = 1; ; reads++) {
    const part = await visibleHistory(history, { after: n, asOf, opening, limit: limit + 1 }, holders);
    const from = { n, asOf: asOf ?? part.newest };
    if (values) requireKnown(from, part);
    const { scannedTo: newest = part.newest } = part;
    const scanned = { ...part, newest };
    let page = coalesced(scanned, from, { holders, limit });
    const ids = page.changes.flatMap(({ change, head }) => (change === 'deleted' ? [] : [head.id]));
    const recordOf = new Map((await records(ids)).map(({ id, record }) => [id, record]));
    const isUnread = ({ change, head }: FoundChange) => change !== 'deleted' && !recordOf.has(head.id);
    const unread = page.changes.find(isUnread);
    if (unread && reads < maxReads) continue;
    // A record that exists and cannot be read is being read again from the vendor: the page ends before it.
    if (unread) page = coalesced(until(scanned, unread.entry.n - 1), from, { holders, limit });
    const next = [page.end, Math.max(from.asOf, page.end), part.opening, seenBy];
    return {
      changes: page.changes.map(({ change, head, entry }) => ({
        change,
        id: untypedId(head.id).replaceAll(separator, '|'),
        at: entry.at,
        record: recordOf.get(head.id) ?? null,
      })),
      cursor: cursors.seal(next, scope),
      has_more: unread === undefined && (page.has_more || part.scannedTo !== undefined),
    };
  }
}

/** Entries read at once after the first ones, and at most for one page. */
const [entriesPerRead, maxEntries] = [1000, 100_000];

/**
 * Reads entries that the holders could see before or after, and skips the others, so that neither the length nor the
 * number of pages tells how many there are. Of very many, it reads only those up to `scannedTo`.
 */
async function visibleHistory(
  history: FeedSource['history'],
  request: HistoryRequest,
  holders: readonly string[],
): Promise<HistoryPart & { readonly scannedTo?: number }> {
  const entries: ChangeEntry[] = [];
  const headOf = new Map<string, ChangeHead>();
  let [{ after, asOf, limit }, read] = [request, 0];
  for (;;) {
    const part = await history({ ...request, after, asOf, limit });
    for (const head of part.heads) headOf.set(head.id, head);
    const concerns = ({ id, n }: ChangeEntry) => {
      const head = headOf.get(id);
      return head && [n - 1, n].some((position) => wasVisible(head, holders, position));
    };
    entries.push(...part.entries.filter(concerns));
    read += part.entries.length;
    asOf ??= part.newest;
    // A feed that starts lists the records as of the first read.
    const newest = request.asOf === undefined ? asOf : part.newest;
    const found = { ...part, newest, entries, heads: [...headOf.values()] };
    if (part.entries.length < limit || entries.length >= request.limit) return found;
    after = part.entries.at(-1)!.n;
    if (read >= maxEntries) return { ...found, scannedTo: after };
    limit = entriesPerRead;
  }
}

/** The part of a history up to a position. */
const until = (part: HistoryPart, newest: number): HistoryPart => ({
  ...part,
  newest,
  entries: part.entries.filter(({ n }) => n <= newest),
});

interface FoundChange {
  readonly change: RecordChange['change'];
  readonly head: ChangeHead;
  readonly entry: ChangeEntry;
}

/** What differs for the holders between two positions of a feed. */
function coalesced(
  { entries, heads, newest }: HistoryPart,
  { n: start, asOf }: FeedPosition,
  { holders, limit }: { readonly holders: readonly string[]; readonly limit: number },
): { readonly changes: readonly FoundChange[]; readonly end: number; readonly has_more: boolean } {
  const isListing = start < asOf;
  // What was there at the start is listed as of one position; a page does not go beyond it.
  const usable = isListing ? entries.filter(({ n }) => n <= asOf) : entries;
  const page = usable.slice(0, limit);
  const end = usable.length > limit ? page.at(-1)!.n : Math.max(start, Math.min(isListing ? asOf : newest, newest));
  const [before, after] = isListing ? [0, asOf] : [start, end];
  const headOf = new Map(heads.map((head) => [head.id, head]));
  const latest = new Map(page.map((entry) => [entry.id, entry]));
  const changes = [...latest.values()].flatMap((entry): FoundChange[] => {
    const head = headOf.get(entry.id);
    // Its deletion has been forgotten.
    if (!head) return [];
    const [had, has] = [before, after].map((position) => wasVisible(head, holders, position));
    if (had && !has) return [{ change: 'deleted', head, entry }];
    // If it is not the latest entry, a later one reports the update or deletion.
    if (had && has) return head.n === entry.n ? [{ change: 'updated', head, entry }] : [];
    return has && wasVisible(head, holders, head.n) ? [{ change: 'added', head, entry }] : [];
  });
  changes.sort((one, other) => one.entry.n - other.entry.n);
  return { changes, end, has_more: page.length < entries.length };
}

/** Throws unless everything that has happened since a cursor was issued is still known. */
function requireKnown({ n, asOf }: FeedPosition, { newest, forgotten, lastOfOpening }: HistoryPart): void {
  const reached = Math.max(n, asOf);
  if (lastOfOpening === undefined || reached > Math.min(newest, lastOfOpening)) {
    throw expired('The record store has been replaced or restored from a backup since the cursor was issued');
  }
  if (reached < forgotten) throw expired('The cursor is older than the retention of changes');
}

const expired = (reason: string): ConnectorError =>
  new ConnectorError('cursor_expired', `${reason}: changes may be missing.`, {
    hint: 'Read the feed again without a cursor: it lists all records as added. Then remove the records that it did not list.',
  });
