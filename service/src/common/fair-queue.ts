interface QueuedWork<Slot> {
  /** The only slot that can run the job; undefined allows any slot. */
  readonly slot: Slot | undefined;
  readonly start: (slot: Slot) => Promise<void>;
  readonly reject: (error: Error) => void;
  /** Rejects the job if it has waited too long. */
  readonly timer: NodeJS.Timeout | undefined;
}

/** Jobs of a tenant by caller, in turn order. */
type Callers<Slot> = Map<string, Array<QueuedWork<Slot>>>;

/** A tenant, or one of its callers, which share the tenant's turns. */
export type Requester = string | { readonly tenant: string; readonly caller: string };

/** How long the jobs of callers can wait. */
interface WaitingLimit {
  readonly ms: number;
  readonly error: () => Error;
}

/**
 * Shares a few slots fairly: tenants take turns and, if there are several slots, no tenant can occupy them all. A
 * tenant's turns are shared fairly among its callers.
 */
export class FairQueue<Slot> {
  readonly #slots: () => readonly Slot[];
  readonly #limit: WaitingLimit | undefined;
  readonly #busy = new Set<Slot>();
  readonly #running = new Map<string, number>();
  /** Waiting jobs by tenant, in turn order. */
  readonly #waiting = new Map<string, Callers<Slot>>();
  #closeError: Error | undefined;

  constructor(slots: () => readonly Slot[], limit?: WaitingLimit) {
    this.#slots = slots;
    this.#limit = limit;
  }

  /** Runs `work` in a slot once it is the requester's turn. */
  run<T>(requester: Requester, work: (slot: Slot) => Promise<T>, slot?: Slot): Promise<T> {
    if (this.#closeError) return Promise.reject(this.#closeError);
    const { tenant, caller } = typeof requester === 'string' ? { tenant: requester, caller: '' } : requester;
    return new Promise((resolve, reject) => {
      const callers = this.#waiting.get(tenant) ?? new Map();
      this.#waiting.set(tenant, callers);
      const jobs = callers.get(caller) ?? [];
      callers.set(caller, jobs);
      const start = (free: Slot) => work(free).then(resolve, reject);
      const late = () => {
        jobs.splice(jobs.indexOf(job), 1);
        reject(this.#limit!.error());
      };
      // Jobs without a caller are the service's own, and can wait.
      const timer = this.#limit && caller !== '' ? setTimeout(late, this.#limit.ms).unref() : undefined;
      const job: QueuedWork<Slot> = { slot, start, reject, timer };
      jobs.push(job);
      this.#dispatch();
    });
  }

  /** Rejects all pending and future work. */
  close(error: Error): void {
    this.#closeError = error;
    for (const callers of this.#waiting.values()) {
      for (const { reject, timer } of [...callers.values()].flat()) {
        clearTimeout(timer);
        reject(error);
      }
    }
    this.#waiting.clear();
  }

  #dispatch(): void {
    const slots = this.#slots();
    const share = Math.max(1, slots.length - 1);
    for (const [tenant, callers] of [...this.#waiting]) {
      if ((this.#running.get(tenant) ?? 0) >= share) continue;
      const free = slots.find((slot) => !this.#busy.has(slot));
      const next = this.#takeNext(callers, free);
      // Reinserted to give the other tenants their turns.
      if (next || callers.size === 0) this.#waiting.delete(tenant);
      if (next && callers.size > 0) this.#waiting.set(tenant, callers);
      if (next) this.#start(tenant, next.job, next.slot);
    }
  }

  /** Takes the next job that can start, and moves its caller to the end. */
  #takeNext(callers: Callers<Slot>, free: Slot | undefined) {
    for (const [caller, jobs] of [...callers]) {
      const index = jobs.findIndex(({ slot = free }) => slot !== undefined && !this.#busy.has(slot));
      const [job] = index < 0 ? [] : jobs.splice(index, 1);
      if (job || jobs.length === 0) callers.delete(caller);
      if (job && jobs.length > 0) callers.set(caller, jobs);
      if (job) return { job, slot: job.slot ?? free! };
    }
    return undefined;
  }

  #start(tenant: string, { start, timer }: QueuedWork<Slot>, slot: Slot): void {
    clearTimeout(timer);
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
