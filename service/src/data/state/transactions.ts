import { AsyncLocalStorage } from 'node:async_hooks';

// One for all databases: Node 20 and 22 copy each storage to every promise until the process ends, so that one for each
// database would slow a process down with every service that it has opened and closed.
const currentTransactions = new AsyncLocalStorage<ReadonlyMap<object, object>>();

/** Counts what is running, for whoever must wait until nothing is. */
export class Running {
  #count = 0;
  #waiting: (() => void)[] = [];

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count === 0) for (const resume of this.#waiting.splice(0)) resume();
  }

  /** Resolves when nothing is running. */
  async idle(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resume) => this.#waiting.push(resume));
  }
}

/** An open transaction, with the statements in it that are running. */
export interface OpenTransaction {
  readonly running: Running;
}

/** Tells which open transaction of a database the calling code belongs to. */
export class TransactionContext<Transaction extends OpenTransaction> {
  readonly #open = new Set<Transaction>();

  /** Undefined once the transaction has ended: statements that come later are no part of it. */
  get current(): Transaction | undefined {
    const transaction = currentTransactions.getStore()?.get(this) as Transaction | undefined;
    return transaction && this.#open.has(transaction) ? transaction : undefined;
  }

  /** Runs `work` as a part of the transaction, and waits for statements that it began without waiting for them. */
  async run<T>(transaction: Transaction, work: () => Promise<T>): Promise<T> {
    this.#open.add(transaction);
    try {
      return await this.#enter(transaction, work);
    } finally {
      this.#open.delete(transaction);
      await transaction.running.idle();
    }
  }

  /** Runs `work` as a part of no transaction. */
  runOutside<T>(work: () => T): T {
    return this.#enter(undefined, work);
  }

  #enter<T>(transaction: Transaction | undefined, work: () => T): T {
    const all = new Map(currentTransactions.getStore());
    if (transaction) all.set(this, transaction);
    else all.delete(this);
    return currentTransactions.run(all, work);
  }
}
