import { type Batch, ConnectorError, type Source, type StoredRecord } from '../../../src/authoring.js';
import { pages } from './pages.js';

const day = 86_400_000;
/** So much time is asked for at once. */
const windowMs = 30 * day;
/** So much of what has been read is read again: calls appear late, and what is known of them grows. */
const lookBackMs = 7 * day;
/** How old the oldest records are where nobody has said. */
const historyMs = 365 * day;

/** From one instant on, and before another. */
export interface Period {
  readonly fromDateTime: string;
  readonly toDateTime: string;
}

/** What one request gave. */
interface WindowPage {
  readonly records: readonly StoredRecord[];
  readonly removed?: readonly string[] | undefined;
  /** Of Gong's list; it counts nothing where it found nothing. */
  readonly meta: { readonly cursor: string | null; readonly total_records: number };
}

type FetchWindowPage = (period: Period, cursor?: string) => Promise<WindowPage>;

/** A stretch of time in milliseconds since 1970, its end left out. */
type Window = { readonly from: number; readonly to: number };

/** How far reading has come. */
type Checkpoint = Window & {
  /** Since when records are kept. */
  readonly start: number;
  /** When the window's first page was asked for. */
  readonly asked: number;
  /** Where the window goes on; null once it has been read whole. */
  readonly cursor: string | null;
};

/** Since when records are kept: since reading began with, or would begin with now. */
export function startOf(source: Source): number {
  const checkpoint = source.state as Checkpoint | undefined;
  const date = source.config.start_date;
  return checkpoint?.start ?? (typeof date === 'string' ? Date.parse(date) : source.now() - historyMs);
}

/** The windows that make up a stretch of time. */
export function* windowsOf({ from: start, to: end }: Window): Generator<Window> {
  for (let from = start; from < end; from += windowMs) yield { from, to: Math.min(from + windowMs, end) };
}

/** A window as Gong's filters take it. */
export const periodOf = ({ from, to }: Window): Period => ({
  fromDateTime: new Date(from).toISOString(),
  toDateTime: new Date(to).toISOString(),
});

/** Reads on from where the last run ended until now: window after window, a batch for each page. */
export async function* readInWindows(source: Source, fetchPage: FetchWindowPage): AsyncGenerator<Batch> {
  const now = source.now();
  const start = startOf(source);
  const last = source.state as Checkpoint | undefined;
  const next = last ? Math.max(start, Math.min(last.to, last.asked - lookBackMs)) : start;
  const began = last ? Math.min(last.from, next) : start;
  const batchOf = (
    { records, removed, meta: { cursor } }: WindowPage,
    { from, to }: Window,
    requestedAt: number,
  ): Batch => ({
    records,
    removed,
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

/** The rest of a window, or all of it where the cursor has not outlived the pause. */
async function* resumeWindow(period: Period, cursor: string, fetchPage: FetchWindowPage): AsyncGenerator<WindowPage> {
  const first = await fetchPage(period, cursor).catch((error: unknown) => {
    if (ConnectorError.is(error) && (error.code === 'invalid_params' || error.code === 'not_found')) return undefined;
    throw error;
  });
  // A cursor is given only where more is to come, so that after one there is never nothing.
  const isGood = first !== undefined && first.meta.total_records > 0;
  if (isGood) yield first;
  const rest = isGood ? first.meta.cursor : undefined;
  if (rest !== null) yield* pages((more) => fetchPage(period, more), rest);
}
