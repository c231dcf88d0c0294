import {
  type Batch,
  ConnectorError,
  type Failure,
  type Replica,
  type Source,
  type StoredRecord,
} from '../../../src/authoring.js';
import { pages } from './pages.js';

const day = 86_400_000;
/** Length of a window. */
const windowMs = 30 * day;
/** Period that is reread, since calls appear late and gain data over time. */
const lookBackMs = 7 * day;
/** Default history. */
const historyMs = 365 * day;

/** Start inclusive, end exclusive. */
export interface Period {
  readonly fromDateTime: string;
  readonly toDateTime: string;
}

/** Result of one request. */
interface WindowPage {
  readonly records: readonly StoredRecord[];
  readonly removed?: readonly string[] | undefined;
  readonly failed?: readonly Failure[] | undefined;
  /** From Gong's list; `total_records` is undefined for an empty result. */
  readonly meta: { readonly cursor: string | null; readonly total_records: number };
}

type FetchWindowPage = (period: Period, cursor?: string) => Promise<WindowPage>;

/** A period in milliseconds since 1970, end exclusive. */
type Window = { readonly from: number; readonly to: number };

/** Read position. */
type Checkpoint = Window & {
  /** Start of the replicated period. */
  readonly start: number;
  /** When the window's first page was requested. */
  readonly asked: number;
  /** Where to resume the window; null once it is complete. */
  readonly cursor: string | null;
};

/** The last position; undefined at first, and if it was recorded by a clock that has been set back since. */
function lastCheckpoint({ state, now }: Source): Checkpoint | undefined {
  const checkpoint = state as Checkpoint | undefined;
  return checkpoint && checkpoint.asked <= now() + day ? checkpoint : undefined;
}

/** Start of the replicated period: from the state or, for a new replica, from its settings or the default. */
export function startOf(source: Source): number {
  const checkpoint = lastCheckpoint(source);
  const date = source.config.start_date;
  return checkpoint?.start ?? (typeof date === 'string' ? Date.parse(date) : source.now() - historyMs);
}

/** The windows of a period. */
export function* windowsOf({ from: start, to: end }: Window): Generator<Window> {
  for (let from = start; from < end; from += windowMs) yield { from, to: Math.min(from + windowMs, end) };
}

/** A window in the format of Gong's filters. */
export const periodOf = ({ from, to }: Window): Period => ({
  fromDateTime: new Date(from).toISOString(),
  toDateTime: new Date(to).toISOString(),
});

/** Reads from the last position until now: window by window, one batch per page. */
export async function* readInWindows(source: Source, fetchPage: FetchWindowPage): AsyncGenerator<Batch> {
  const now = source.now();
  const start = startOf(source);
  const last = lastCheckpoint(source);
  const next = last ? Math.max(start, Math.min(last.to, last.asked - lookBackMs)) : start;
  const began = last ? Math.min(last.from, next) : start;
  const batchOf = (
    { records, removed, failed, meta: { cursor } }: WindowPage,
    { from, to }: Window,
    requestedAt: number,
  ): Batch => ({
    records,
    removed,
    failed,
    state: { start, from, to, asked: requestedAt, cursor } satisfies Checkpoint,
    progress: ((cursor === null ? to : from) - began) / (Math.max(now, to) - began),
  });

  if (last && last.cursor !== null) {
    for await (const page of resumeWindow(periodOf(last), last.cursor, fetchPage))
      yield batchOf(page, last, last.asked);
  }
  for (const window of windowsOf({ from: next, to: now })) {
    const period = periodOf(window);
    for await (const page of pages((cursor) => fetchPage(period, cursor))) yield batchOf(page, window, now);
  }
}

/** What a first run has not read yet; `field` is the record's time by which Gong filters. */
export const remainingBy =
  (field: string): NonNullable<Replica['remaining']> =>
  ({ state }) => {
    const { from, to, cursor } = state as Checkpoint;
    return { field, after: new Date(cursor === null ? to : from).toISOString() };
  };

/** The rest of a window, or all of it if the cursor has expired. */
async function* resumeWindow(period: Period, cursor: string, fetchPage: FetchWindowPage): AsyncGenerator<WindowPage> {
  const first = await fetchPage(period, cursor).catch((error: unknown) => {
    if (ConnectorError.is(error) && (error.code === 'invalid_params' || error.code === 'not_found')) return undefined;
    throw error;
  });
  // A valid cursor always returns more records, so an empty page means that it has expired.
  const isGood = first !== undefined && first.meta.total_records > 0;
  if (isGood) yield first;
  const rest = isGood ? first.meta.cursor : undefined;
  if (rest !== null) yield* pages((more) => fetchPage(period, more), rest);
}
