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
    const look = (end?: number) =>
      scan(history, { n, asOf, opening }, { holders, limit, end, ...(values && { check: requireKnown }) });
    let page = await look();
    const ids = page.changes.flatMap(({ change, head }) => (change === 'deleted' ? [] : [head.id]));
    const recordOf = new Map((await records(ids)).map(({ id, record }) => [id, record]));
    const isUnread = ({ change, head }: FoundChange) => change !== 'deleted' && !recordOf.has(head.id);
    const unread = page.changes.find(isUnread);
    if (unread && reads < maxReads) continue;
    // A record that exists and cannot be read is being read again from the vendor: the page ends before it.
    if (unread) page = await look(unread.entry.n - 1);
    const next = [page.end, Math.max(page.asOf, page.end), page.opening, seenBy];
    return {
      changes: page.changes.map(({ change, head, entry }) => ({
        change,
        id: untypedId(head.id).replaceAll(separator, '|'),
        at: entry.at,
        record: recordOf.get(head.id) ?? null,
      })),
      cursor: cursors.seal(next, scope),
      has_more: unread === undefined && page.has_more,
    };
  }
}

interface FoundChange {
  readonly change: RecordChange['change'];
  readonly head: ChangeHead;
  readonly entry: ChangeEntry;
}

/** What differs for a reader between two positions of a feed. */
interface Scanned {
  readonly changes: readonly FoundChange[];
  readonly asOf: number;
  readonly opening: string;
  readonly end: number;
  readonly has_more: boolean;
}

/** Entries read at once after the first ones, and at most for one page. */
const [entriesPerRead, maxEntries] = [1000, 100_000];

/**
 * Looks for what differs for the holders, until one change more than `limit` is found, so that neither the length nor
 * the number of pages tells how many changes the reader cannot see.
 */
async function scan(
  history: FeedSource['history'],
  { n, asOf: known, opening }: Pick<HistoryRequest, 'asOf' | 'opening'> & { readonly n: number },
  options: {
    readonly holders: readonly string[];
    readonly limit: number;
    /** The last position to look at. */
    readonly end?: number | undefined;
    readonly check?: typeof requireKnown;
  },
): Promise<Scanned> {
  const { holders, limit, end = Number.POSITIVE_INFINITY, check } = options;
  const found = new Map<string, FoundChange>();
  let [position, read, asOf] = [n, 0, known];
  for (;;) {
    const wanted = read === 0 ? limit + 1 : entriesPerRead;
    const part = await history({ after: position, asOf, opening, limit: wanted });
    asOf ??= part.newest;
    if (read === 0) check?.({ n, asOf }, part);
    const page = { asOf, opening: part.opening };
    const reached = (to: number, has_more: boolean): Scanned => ({
      ...page,
      changes: [...found.values()].sort((one, other) => one.entry.n - other.entry.n),
      end: to,
      has_more,
    });
    // What was there at the start is listed as of one position; a page does not go beyond it.
    const isListing = n < asOf;
    const last = Math.min(isListing ? asOf : part.newest, end);
    const headOf = new Map(part.heads.map((head) => [head.id, head]));
    for (const entry of part.entries) {
      if (entry.n > last) {
        const isListed = isListing && end >= asOf;
        const from = { n: asOf, asOf, opening };
        return reached(Math.max(n, last), isListed && (await scan(history, from, { holders, limit: 0 })).has_more);
      }
      const span = isListing ? ([0, asOf] as const) : ([n, entry.n] as const);
      const change = changeOf(entry, headOf.get(entry.id), holders, span);
      if (change && found.size === limit && !found.has(entry.id)) return reached(position, true);
      if (change) found.set(entry.id, change);
      else found.delete(entry.id);
      position = entry.n;
    }
    read += part.entries.length;
    if (part.entries.length < wanted) return reached(Math.max(n, last), false);
    if (read >= maxEntries) return reached(position, true);
  }
}

/** How a record differs for the holders between two positions, of which the second is that of its entry. */
function changeOf(
  entry: ChangeEntry,
  head: ChangeHead | undefined,
  holders: readonly string[],
  [before, after]: readonly [number, number],
): FoundChange | undefined {
  // Its deletion has been forgotten.
  if (!head) return undefined;
  const [had, has] = [before, after].map((position) => wasVisible(head, holders, position));
  if (had && !has) return { change: 'deleted', head, entry };
  // If it is not the latest entry, a later one reports the update or deletion.
  if (had && has) return head.n === entry.n ? { change: 'updated', head, entry } : undefined;
  return has && wasVisible(head, holders, head.n) ? { change: 'added', head, entry } : undefined;
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
