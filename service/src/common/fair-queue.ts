interface Job<Slot> {
  /** The only slot that can run the job; undefined allows any slot. */
  readonly slot: Slot | undefined;
  readonly start: (slot: Slot) => Promise<void>;
  readonly reject: (error: Error) => void;
}

/** Shares a few slots fairly: tenants take turns and, if there are several slots, no tenant can occupy them all. */
export class FairQueue<Slot> {
  readonly #slots: () => readonly Slot[];
  readonly #busy = new Set<Slot>();
  readonly #running = new Map<string, number>();
  /** Jobs by tenant, in turn order. */
  readonly #waiting = new Map<string, Array<Job<Slot>>>();
  #closeError: Error | undefined;

  constructor(slots: () => readonly Slot[]) {
    this.#slots = slots;
  }

  /** Runs `work` in a slot once it is the tenant's turn. */
  run<T>(tenant: string, work: (slot: Slot) => Promise<T>, slot?: Slot): Promise<T> {
    if (this.#closeError) return Promise.reject(this.#closeError);
    return new Promise((resolve, reject) => {
      const start = (free: Slot) => work(free).then(resolve, reject);
      const jobs = this.#waiting.get(tenant);
      if (jobs) jobs.push({ slot, start, reject });
      else this.#waiting.set(tenant, [{ slot, start, reject }]);
      this.#dispatch();
    });
  }

  /** Rejects all pending and future work. */
  close(error: Error): void {
    this.#closeError = error;
    for (const { reject } of [...this.#waiting.values()].flat()) reject(error);
    this.#waiting.clear();
  }

  #dispatch(): void {
    const slots = this.#slots();
    const share = Math.max(1, slots.length - 1);
    for (const [tenant, jobs] of [...this.#waiting]) {
      if ((this.#running.get(tenant) ?? 0) >= share) continue;
      const free = slots.find((slot) => !this.#busy.has(slot));
      const index = jobs.findIndex(({ slot = free }) => slot !== undefined && !this.#busy.has(slot));
      if (index < 0) continue;
      const [job] = jobs.splice(index, 1);
      this.#waiting.delete(tenant);
      if (jobs.length > 0) this.#waiting.set(tenant, jobs);
      this.#start(tenant, job!, job!.slot ?? free!);
    }
  }

  #start(tenant: string, { start }: Job<Slot>, slot: Slot): void {
    this.#busy.add(slot);
    this.#running.set(tenant, (this.#running.get(tenant) ?? 0) + 1);
    void start(slot).finally(() => {
      this.#busy.delete(slot);
      const left = this.#running.get(tenant)! - 1;
      if (left > 0) this.#running.set(tenant, left);
      else this.#running.delete(tenant);
      this.#dispatch();
    });
  }
}
