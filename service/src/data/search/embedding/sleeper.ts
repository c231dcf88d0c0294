/** Waits that others can end, and that do not keep the process alive. */
export interface Sleeper {
  /** Waits so long, or until the next poke; not at all where there was one since the last such wait. */
  sleepUntilWake(ms: number): Promise<void>;
  /** Waits so long, whoever pokes. */
  sleep(ms: number): Promise<void>;
  wake(): void;
  /** Ends every wait, now and from now on. */
  end(): void;
}

/** Makes the waits of one loop, which has one of them at a time. */
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
