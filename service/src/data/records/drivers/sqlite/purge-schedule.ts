/** A purge rewrites the word indexes, which is too expensive to do after every batch that a sync deletes. */
const delayMs = 60 * 60 * 1000;
/** How long a purge may delay closing; it resumes on the next start. */
const closeTimeoutMs = 2000;

/** Runs purge steps in the background, so that other writes can run in between. */
export class PurgeSchedule {
  readonly #step: () => Promise<boolean>;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosing = false;

  /** `step` returns whether there is more to do. */
  constructor(step: () => Promise<boolean>) {
    this.#step = step;
  }

  /** Starts a purge unless one is running. */
  readonly start = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // A failed purge stays recorded in the file and is retried.
    this.#running ??= this.#run(() => this.#isClosing)
      .catch(() => undefined)
      .finally(() => {
        this.#running = undefined;
      });
  };

  /** Starts a purge within the hour. */
  startLater(): void {
    this.#timer ??= setTimeout(this.start, delayMs).unref();
  }

  /** Continues the purge while time allows. */
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
