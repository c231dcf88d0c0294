import { type Batch, ConnectorError, type Failure, type Source, type StoredRecord } from '../../../src/authoring.js';
import type { Note } from '../records.js';
import { type NotesPage, pages } from './pages.js';

/** From where a run goes on. */
type State = {
  /** When the newest note was changed that has been listed, by the vendor's clock; no later than its run began. */
  readonly changed: string | null;
  /** When the whole list was last read. */
  readonly whole: number;
  /** Notes that were listed and could not be had, by the moment of the first try. */
  readonly missing: Readonly<Record<string, number>>;
  readonly run: Run | null;
};

/** The run under way. */
type Run = {
  readonly began: number;
  readonly since: string | null;
  readonly cursor: string | null;
  readonly newest: string | null;
};

const hour = 3_600_000;
/** Notes become visible after they are dated: once they have a summary. */
const lookBackMs = hour;
/** A note that is shared, or whose folder is, may appear with an old date. */
const fullListIntervalMs = 24 * hour;
/** A note that is still being summarised is there within hours; one that is not was deleted or is no longer shared. */
const missingTtlMs = 72 * hour;
const concurrency = 4;

/** What concerns one note alone; all else ends the run, to be taken up again. */
const noteErrorCodes = new Set(['not_found', 'forbidden', 'invalid_response', 'vendor_error']);

/** Reads the notes that are new or changed since the last run, each with its transcript; lists all of them once a day. */
export async function* read(source: Source): AsyncGenerator<Batch> {
  const state = (source.state ?? { changed: null, whole: 0, missing: {}, run: null }) as State;
  if (state.run) return yield* list(source, state, state.run);
  const began = source.now();
  const isFullList = state.changed === null || began - state.whole >= fullListIntervalMs;
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
  for await (const { rows, next } of resumePages(source, since, cursor)) {
    for (const { updated_at } of rows) if (updated_at && updated_at > (latest ?? '')) latest = updated_at;
    const stored = await source.stored(rows.map(({ id }) => id));
    const fresh = rows.filter(({ id, updated_at }) => stored.get(id)?.updated_at !== updated_at);
    const notes = await fetchNotes(
      source,
      fresh.map(({ id }) => id),
    );
    const { records, failed } = notes;
    if ('interruption' in notes) {
      // What was read is not asked for again; the page is.
      yield { records, state: before };
      throw notes.interruption;
    }
    missing = stillMissing(missing, records, failed, source.now());
    const run = next === null ? null : { began, since, cursor: next, newest: latest };
    // What is changed while the list is read may have been passed already, so that the beginning counts.
    const start = new Date(began).toISOString();
    const changed = run ? state.changed : latest === null ? state.changed : latest < start ? latest : start;
    before = { changed, whole: state.whole, missing, run };
    yield { records, failed, state: before };
  }
}

/** The pages from where the last run was interrupted; from the beginning where its cursor is no longer known. */
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

/** Gets notes with their transcripts, a few at a time, until all are there or a failure concerns more than one of them. */
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
        if (!ConnectorError.is(error) || !noteErrorCodes.has(error.code)) {
          queue.length = 0;
          interruptions.push(error);
          return;
        }
        failed.push({ id, message: error.message });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, ids.length) }, work));
  return { records, failed, ...(interruptions.length > 0 && { interruption: interruptions[0] }) };
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

/** The ids of all notes that are listed. */
export async function* listedIds(source: Source): AsyncGenerator<readonly string[]> {
  for await (const { rows } of pages(source, null, null)) yield rows.map(({ id }) => id);
}
