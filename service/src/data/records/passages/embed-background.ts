import { ConnectorError } from 'agent-connectors';
import type { Logger } from '../../../common/log.js';
import type { Embedder } from '../../search/embedding/types.js';
import type { Store } from '../types.js';
import { embedEach } from './embed-each.js';
import type { UnembeddedPassage } from './types.js';

/** Options for background embedding. */
export interface BackgroundOptions {
  readonly store: Pick<Store, 'unembedded' | 'embed' | 'keepEmbedders'>;
  /** The active one comes first. */
  readonly embedders: readonly [Embedder, ...Embedder[]];
  readonly logger?: Logger | undefined;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
  /** How often to look for passages stored by other processes. (10 s) */
  readonly pollMs?: number | undefined;
  /** Initial retry delay, doubled up to five minutes. (1 s) */
  readonly backOffMs?: number | undefined;
  /** How long `close` waits for running work before aborting it. (5 s) */
  readonly closeMs?: number | undefined;
}

/** Embedding progress. */
export interface EmbeddingStatus {
  /** Id of the active embedder. */
  readonly embedder: string;
  /** Whether there may be passages that are not embedded yet. */
  readonly pending: boolean;
  /** Why embedding has stopped, or how many passages it skips. */
  readonly error: string | null;
}

/** Controls background embedding. */
export interface BackgroundEmbedding {
  /** Signals that there may be new passages. */
  wake(): void;
  status(): EmbeddingStatus;
  /** Stops embedding; nothing is written after this resolves. */
  close(): Promise<void>;
}

/** Size of the first batch, maximum batch size, concurrent batches, and number of batches read at a time. */
const [firstBatchSize, maxBatchSize, workers, batchesRead] = [8, 64, 2, 4];
/**
 * A batch faster than `quickMs` enlarges the next one, and one slower than `slowMs` shrinks it, which limits the work
 * lost when stopping.
 */
const [quickMs, slowMs] = [1000, 4000];
/** Interval for logging progress. */
const progressMs = 60_000;
const maxBackOffMs = 5 * 60_000;
/** How long a rejected passage is skipped, and the limit on skipped passages. */
const quarantineMs = 60 * 60_000;
const maxQuarantined = 1000;

/**
 * Embeds passages in the background if the active embedder has not processed them; several processes may share a
 * store.
 */
export function openEmbedding(options: BackgroundOptions): BackgroundEmbedding {
  const { store, logger, now = Date.now, pollMs = 10_000, backOffMs = 1000, closeMs = 5000 } = options;
  const [embedder] = options.embedders;
  const sleeper = createSleeper();
  const stop = new AbortController();
  /** Rejected passages, with the time at which to retry them. */
  const quarantine = new Map<number, number>();
  let batch = firstBatchSize;
  let batchLimit = maxBatchSize;
  /** Number of passages embedded since the backlog was last empty, and when it was last logged. */
  const progress = { passages: 0, loggedAt: now(), logged: false };
  let pending = true;
  let oldVectorsRemoved = false;
  let isClosing = false;
  let failures = 0;
  let lastError: string | null = null;

  const embedBatch = async (passages: readonly UnembeddedPassage[]) => {
    const start = now();
    const outcome = await unlessAborted(embedEach(embedder, passages, stop.signal), stop.signal);
    if (outcome.vectors.length > 0) await store.embed(embedder.id, outcome.vectors);
    batchLimit = Math.min(batchLimit, outcome.maxBatchSize ?? batchLimit);
    const elapsed = now() - start;
    if (elapsed < quickMs) batch *= 2;
    else if (elapsed > slowMs) batch >>= 1;
    batch = Math.max(1, Math.min(batch, batchLimit));
    logProgress(outcome.vectors.length);
    const [first] = outcome.rejected;
    if (!first) return;
    for (const { passage } of outcome.rejected) quarantine.set(passage, now() + quarantineMs);
    const fields = {
      embedder: embedder.id,
      passages: outcome.rejected.map(({ passage }) => passage),
      err: first.error,
    };
    logger?.warn(fields, 'passages rejected by the embedder are only searched lexically');
    if (quarantine.size < maxQuarantined) return;
    quarantine.clear();
    throw first.error;
  };

  const logProgress = (passages: number) => {
    progress.passages += passages;
    if (now() - progress.loggedAt < progressMs) return;
    logger?.info({ embedder: embedder.id, passages: progress.passages }, 'embedding in progress');
    Object.assign(progress, { loggedAt: now(), logged: true });
  };

  const logEnd = () => {
    if (progress.logged) logger?.info({ embedder: embedder.id, passages: progress.passages }, 'embedding finished');
    Object.assign(progress, { passages: 0, loggedAt: now(), logged: false });
  };

  const unembedded = async (): Promise<UnembeddedPassage[]> => {
    for (const [passage, until] of quarantine) if (until <= now()) quarantine.delete(passage);
    const found = await store.unembedded(embedder.id, maxBatchSize * batchesRead + quarantine.size);
    return found.filter(({ passage }) => !quarantine.has(passage));
  };

  /** Embeds some passages; returns whether there may be more. */
  const round = async (): Promise<boolean> => {
    const waiting = await unembedded();
    pending = waiting.length > 0;
    if (!pending) {
      logEnd();
      // Only once: another process may still need the vectors of its own embedder.
      if (!oldVectorsRemoved) await store.keepEmbedders([embedder.id]);
      oldVectorsRemoved = true;
      return false;
    }
    let failed = false;
    const work = async () => {
      while (waiting.length > 0 && !failed && !isClosing) {
        try {
          await embedBatch(waiting.splice(0, batch));
        } catch (error) {
          failed = true;
          throw error;
        }
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: workers }, work));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    return true;
  };

  const recordFailure = (error: unknown): number => {
    failures += 1;
    const hint = ConnectorError.is(error) ? error.hint : undefined;
    lastError = [error instanceof Error ? error.message : String(error), hint].filter(Boolean).join(' ');
    if (failures === 1) logger?.warn({ embedder: embedder.id, err: error, hint }, 'embedding failed; retrying');
    const delayMs = Math.min(maxBackOffMs, backOffMs * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);
    return Math.max(delayMs, (ConnectorError.is(error) && error.retryAfterMs) || 0);
  };

  const recordSuccess = () => {
    if (failures > 0) logger?.info({ embedder: embedder.id }, 'embedding recovered');
    failures = 0;
    lastError = quarantine.size > 0 ? `The embedder rejected ${quarantine.size} passages.` : null;
  };

  const loop = async () => {
    while (!isClosing) {
      try {
        const more = await round();
        recordSuccess();
        if (!more) await sleeper.sleepUntilWake(pollMs);
      } catch (error) {
        if (!isClosing) await sleeper.sleep(recordFailure(error));
      }
    }
  };
  const running = loop();

  return {
    wake() {
      pending = true;
      sleeper.wake();
    },
    status: () => ({ embedder: embedder.id, pending, error: lastError }),
    async close() {
      isClosing = true;
      sleeper.end();
      const abortTimer = setTimeout(() => stop.abort(), closeMs);
      await running;
      clearTimeout(abortTimer);
    },
  };
}

/** Stops waiting for work that ignores its signal. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new ConnectorError('aborted', 'Embedding was stopped.'));
    signal.addEventListener('abort', onAbort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Delays that can be interrupted and do not keep the process alive. */
interface Sleeper {
  /** Waits for `ms` or until the next wake; returns immediately if a wake has occurred since the last such wait. */
  sleepUntilWake(ms: number): Promise<void>;
  /** Waits for `ms`, regardless of wakes. */
  sleep(ms: number): Promise<void>;
  wake(): void;
  /** Ends all current and future waits. */
  end(): void;
}

/** Creates the sleeper for one loop, which waits for one delay at a time. */
function createSleeper(): Sleeper {
  let finishWait: (() => void) | undefined;
  let isInterruptible = false;
  let wakePending = false;
  let ended = false;

  const wait = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(() => finishWait?.(), ms);
      timer.unref();
      finishWait = () => {
        clearTimeout(timer);
        finishWait = undefined;
        resolve();
      };
      if (ended) finishWait();
    });

  return {
    async sleepUntilWake(ms) {
      isInterruptible = true;
      if (!wakePending) await wait(ms);
      isInterruptible = false;
      wakePending = false;
    },
    sleep: wait,
    wake() {
      wakePending = true;
      if (isInterruptible) finishWait?.();
    },
    end() {
      ended = true;
      finishWait?.();
    },
  };
}
