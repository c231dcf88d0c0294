import { ConnectorError } from 'agent-connectors';
import type { AccessRows } from '../../data/state/types.js';
import { isDatabaseUnavailable } from '../../data/unavailable.js';

/** Watches access to open streams. */
export interface AccessWatch {
  /**
   * Calls `end` once `check` throws, or within two seconds after the last contact to the database. Returns a function
   * that stops watching.
   */
  start(check: () => Promise<unknown>, end: (reason: unknown) => void): () => void;
}

/** Milliseconds between polls of the access revision. */
const intervalMs = 400;
/**
 * Intervals without an answer after which streams end: 1.2 s, and the last answer may be half a second old. Counted
 * instead of the time, so that a process that was frozen, and sent nothing, asks first.
 */
const maxSilentTicks = 3;
/** Milliseconds after which access is checked even if the revision is unchanged: tokens and sessions expire. */
const maxUncheckedMs = 15_000;

interface Watched {
  readonly check: () => Promise<unknown>;
  readonly end: (reason: unknown) => void;
  revision: number | undefined;
  checkedAt: number;
}

/** Checks all open streams when the revision of the rows behind access has changed. */
export function openAccessWatch({ revision: readRevision }: Pick<AccessRows, 'revision'>): AccessWatch {
  const open = new Set<Watched>();
  let timer: NodeJS.Timeout | undefined;
  let ticks = 0;
  /** The tick of the last poll that was answered. */
  let answered = 0;
  let isPolling = false;

  const stop = (watched: Watched) => {
    open.delete(watched);
    if (open.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  const end = (watched: Watched, reason: unknown) => {
    if (!open.has(watched)) return;
    stop(watched);
    watched.end(reason);
  };
  const recheck = async (watched: Watched, revision: number) => {
    const now = performance.now();
    if (watched.revision === revision && now - watched.checkedAt < maxUncheckedMs) return;
    try {
      await watched.check();
      Object.assign(watched, { revision, checkedAt: now });
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      end(watched, error);
    }
  };
  const poll = async () => {
    const asked = ticks;
    const revision = await readRevision();
    await Promise.all([...open].map((watched) => recheck(watched, revision)));
    answered = asked;
  };
  const onInterval = () => {
    ticks++;
    if (ticks - answered >= maxSilentTicks) for (const watched of [...open]) end(watched, outOfContact());
    if (isPolling) return;
    isPolling = true;
    const done = () => {
      isPolling = false;
    };
    // A failure is reported by the requests that need the database.
    poll().then(done, done);
  };
  return {
    start(check, onEnd) {
      if (!timer) {
        answered = ticks;
        timer = setInterval(onInterval, intervalMs).unref();
      }
      const watched = { check, end: onEnd, revision: undefined, checkedAt: 0 };
      open.add(watched);
      return () => stop(watched);
    },
  };
}

const outOfContact = () =>
  new ConnectorError('network', 'The database could not be reached, so access could not be checked.');

/** The same stream, which fails when access ends. */
export function watchStream(
  source: ReadableStream<Uint8Array>,
  watch: AccessWatch,
  check: () => Promise<unknown>,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  let hasEnded = false;
  let stop = () => {};
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stop = watch.start(check, (reason) => {
          hasEnded = true;
          controller.error(reason);
          reader.cancel(reason).catch(() => {});
        });
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (hasEnded) return;
          if (!done) return controller.enqueue(value);
          stop();
          controller.close();
        } catch (error) {
          stop();
          throw error;
        }
      },
      cancel(reason) {
        stop();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
