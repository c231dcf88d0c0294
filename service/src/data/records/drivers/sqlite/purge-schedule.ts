/** A purge rewrites the indexes of words, which is too much after every batch that a sync removes. */
const delayMs = 60 * 60 * 1000;
/** So long a purge may hold up a close; the next start continues it. */
const closeTimeoutMs = 2000;

/** Runs the steps of purges in the background, so that other writes come between them. */
export class PurgeSchedule {
  readonly #step: () => Promise<boolean>;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosing = false;

  /** `step` tells whether there is more to do. */
  constructor(step: () => Promise<boolean>) {
    this.#step = step;
  }

  /** Starts a purge now, unless one runs. */
  readonly start = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // What fails stays noted in the file, and is tried again.
    this.#running ??= this.#run(() => this.#isClosing)
      .catch(() => undefined)
      .finally(() => {
        this.#running = undefined;
      });
  };

  /** Starts one within the hour. */
  startLater(): void {
    this.#timer ??= setTimeout(this.start, delayMs).unref();
  }

  /** Does what is left as far as there is time. */
  async finish(): Promise<void> {
    clearTimeout(this.#timer);
    this.#isClosing = true;
    await this.#running;
    const end = performance.now() + closeTimeoutMs;
    await this.#run(() => performance.now() > end).catch(() => undefined);
  }

  async #run(isOver: () => boolean): Promise<void> {
    while (!isOver() && (await this.#step()));
  }
}
