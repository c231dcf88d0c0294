import { type Batch, ConnectorError, type Failure, type Source, type StoredRecord } from '../../../src/authoring.js';
import type { Note } from '../records.js';
import { folderNames, hasOldName } from './folders.js';
import { type NotesPage, pages } from './pages.js';

/** State from which a run resumes. */
type State = {
  /**
   * Latest modification time among the listed notes, by the vendor's clock; capped at the start of the run that listed
   * them.
   */
  readonly changed: string | null;
  /** When the whole list was last read. */
  readonly whole: number;
  /** Listed but inaccessible notes, with the time of the first attempt. */
  readonly missing: Readonly<Record<string, number>>;
  readonly run: Run | null;
};

/** The current run. */
type Run = {
  readonly began: number;
  readonly since: string | null;
  readonly cursor: string | null;
  readonly newest: string | null;
};

const hour = 3_600_000;
/** Notes appear only once they have a summary, so they appear later than their date suggests. */
const lookBackMs = hour;
/** Sharing a note, or its folder, makes it appear with an old date. */
const fullListIntervalMs = 24 * hour;
/** A note that is being summarized appears within hours; otherwise it was deleted or unshared. */
const missingTtlMs = 72 * hour;
const concurrency = 4;

/** Errors that affect a single note. */
const noteErrorCodes = new Set<string>(['forbidden', 'not_found', 'too_large']);
/** Errors that may affect a single note or all of them. */
const unclearErrorCodes = new Set<string>(['invalid_params', 'invalid_response', 'network', 'timeout', 'vendor_error']);

/** Reads notes that are new or changed since the last run, with their transcripts; lists all of them once a day. */
export async function* read(source: Source): AsyncGenerator<Batch> {
  const state = (source.state ?? { changed: null, whole: 0, missing: {}, run: null }) as State;
  if (state.run) return yield* list(source, state, state.run);
  const began = source.now();
  // A time in the future was recorded by a clock that has been set back since.
  const isFullList = state.changed === null || Math.abs(began - state.whole) >= fullListIntervalMs;
  const since = isFullList ? null : new Date(Date.parse(state.changed!) - lookBackMs).toISOString();
  const run = { began, since, cursor: null, newest: null };
  let current: State = { ...state, whole: isFullList ? began : state.whole, run };
  const ids = Object.keys(state.missing);
  if (ids.length > 0) {
    const notes = await fetchNotes(source, ids);
    if ('interruption' in notes) throw notes.interruption;
    const { records, failed } = notes;
    current = { ...current, missing: stillMissing(current.missing, records, failed, began) };
    yield { records, failed, state: current };
  }
  yield* list(source, current, run);
}

async function* list(source: Source, state: State, { began, since, cursor, newest }: Run): AsyncGenerator<Batch> {
  let { missing } = state;
  let latest = newest;
  let before = state;
  // Renaming a folder or a person may not change the notes' dates.
  const folders = since === null ? await folderNames(source) : undefined;
  for await (const { rows, next } of resumePages(source, since, cursor)) {
    for (const { updated_at } of rows) if (updated_at && updated_at > (latest ?? '')) latest = updated_at;
    const stored = await source.stored(rows.map(({ id }) => id));
    const fresh = rows.filter((row) => {
      const note = stored.get(row.id);
      return note?.updated_at !== row.updated_at || (folders && hasOldName(note, row, folders));
    });
    const notes = await fetchNotes(
      source,
      fresh.map(({ id }) => id),
    );
    const { records, failed } = notes;
    if ('interruption' in notes) {
      // Stored notes are not fetched again, but the page is requested again.
      yield { records, state: before };
      throw notes.interruption;
    }
    missing = stillMissing(missing, records, failed, source.now());
    const run = next === null ? null : { began, since, cursor: next, newest: latest };
    // A note may change after its page has been read, so `changed` is capped at the start of the run.
    const start = new Date(began).toISOString();
    const changed = run ? state.changed : latest === null ? state.changed : latest < start ? latest : start;
    before = { changed, whole: state.whole, missing, run };
    yield { records, failed, state: before };
  }
}

/** The pages from where the last run stopped; from the start if its cursor has expired. */
async function* resumePages(source: Source, since: string | null, cursor: string | null): AsyncGenerator<NotesPage> {
  const rest = pages(source, since, cursor);
  try {
    const first = await rest.next();
    if (!first.done) yield first.value;
  } catch (error) {
    if (cursor === null || !ConnectorError.is(error) || error.code !== 'invalid_params') throw error;
    return yield* pages(source, since, null);
  }
  yield* rest;
}

/** Fetches notes with transcripts, a few at a time, until all are read or an error affects more than one of them. */
async function fetchNotes(source: Source, ids: readonly string[]) {
  const records: StoredRecord[] = [];
  const failed: Failure[] = [];
  const interruptions: unknown[] = [];
  const queue = [...ids];
  const work = async (): Promise<void> => {
    for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
      try {
        const { data } = await source.execute('notes', 'get', { note_id: id, include: 'transcript' });
        records.push(data as Note);
      } catch (error) {
        const interruption = await interruptionOf(source, error);
        if (interruption !== undefined) {
          queue.length = 0;
          interruptions.push(interruption);
          return;
        }
        failed.push({ id, message: (error as ConnectorError).message });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, ids.length) }, work));
  return { records, failed, ...(interruptions.length > 0 && { interruption: interruptions[0] }) };
}

/** The error that ends the run, which resumes later; undefined if reading failed for a single note only. */
async function interruptionOf(source: Source, error: unknown): Promise<unknown> {
  if (!ConnectorError.is(error)) return error;
  if (noteErrorCodes.has(error.code)) return undefined;
  if (!unclearErrorCodes.has(error.code)) return error;
  try {
    // Succeeds unless Granola as a whole cannot be read.
    await source.execute('notes', 'list', { page_size: 1 });
    return undefined;
  } catch (outage) {
    return outage;
  }
}

function stillMissing(
  missing: State['missing'],
  records: readonly StoredRecord[],
  failed: readonly Failure[],
  now: number,
): State['missing'] {
  const fetchedIds = new Set(records.map(({ id }) => id));
  const all = { ...Object.fromEntries(failed.map(({ id }) => [id, now])), ...missing };
  return Object.fromEntries(
    Object.entries(all).filter(([id, first]) => !fetchedIds.has(id) && now - first < missingTtlMs),
  );
}

/** Reads listed notes that have become accessible without a new modification time, such as newly shared ones. */
export async function readNotes(source: Source, ids: readonly string[]) {
  const { missing = {} } = (source.state ?? {}) as Partial<State>;
  const { records, failed, ...rest } = await fetchNotes(
    source,
    // The next run reads these anyway.
    ids.filter((id) => !Object.hasOwn(missing, id)),
  );
  if ('interruption' in rest) throw rest.interruption;
  return { records, failed };
}

/** Ids of all listed notes. */
export async function* listedIds(source: Source): AsyncGenerator<readonly string[]> {
  for await (const { rows } of pages(source, null, null)) yield rows.map(({ id }) => id);
}

/** Number of listed notes tried, since any of them may be inaccessible. */
const controlNotes = 5;

/** Whether Granola answers requests for single notes: its reference documents no response for a note that is gone. */
export async function canReadListed(source: Source, listed: ReadonlySet<string>): Promise<boolean> {
  for (const id of [...listed].slice(0, controlNotes)) {
    try {
      await source.execute('notes', 'get', { note_id: id });
      return true;
    } catch (error) {
      const interruption = await interruptionOf(source, error);
      if (interruption !== undefined) throw interruption;
    }
  }
  // If no note is left, the list itself is all that can be read.
  return listed.size === 0;
}
