/** Delays that can be interrupted and do not keep the process alive. */
export interface Sleeper {
  /** Waits for `ms` or until the next wake; returns immediately if a wake has occurred since the last such wait. */
  sleepUntilWake(ms: number): Promise<void>;
  /** Waits for `ms`, regardless of wakes. */
  sleep(ms: number): Promise<void>;
  wake(): void;
  /** Ends all current and future waits. */
  end(): void;
}

/** Creates the sleeper for one loop, which waits for one delay at a time. */
export function createSleeper(): Sleeper {
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
