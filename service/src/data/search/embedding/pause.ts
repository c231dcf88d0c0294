/** Waits that others can end, and that do not keep the process alive. */
export interface Pauses {
  /** Waits so long, or until the next poke; not at all where there was one since the last such wait. */
  orPoke(ms: number): Promise<void>;
  /** Waits so long, whoever pokes. */
  full(ms: number): Promise<void>;
  poke(): void;
  /** Ends every wait, now and from now on. */
  end(): void;
}

/** Makes the waits of one loop, which has one of them at a time. */
export function pauses(): Pauses {
  let wake: (() => void) | undefined;
  let heedsPokes = false;
  let poked = false;
  let ended = false;

  const wait = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(() => wake?.(), ms);
      timer.unref();
      wake = () => {
        clearTimeout(timer);
        wake = undefined;
        resolve();
      };
      if (ended) wake();
    });

  return {
    async orPoke(ms) {
      heedsPokes = true;
      if (!poked) await wait(ms);
      heedsPokes = false;
      poked = false;
    },
    full: wait,
    poke() {
      poked = true;
      if (heedsPokes) wake?.();
    },
    end() {
      ended = true;
      wake?.();
    },
  };
}
