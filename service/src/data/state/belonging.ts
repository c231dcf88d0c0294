import { AsyncLocalStorage } from 'node:async_hooks';

// One for all databases: Node 20 and 22 copy each storage to every promise until the process ends, so that one for each
// database would slow a process down with every service that it has opened and closed.
const followed = new AsyncLocalStorage<ReadonlyMap<object, object>>();

/** Tells which open transaction of a database whatever runs belongs to. */
export class Belonging<Transaction extends object> {
  readonly #open = new Set<Transaction>();

  /** Nothing once the transaction has ended: what it left behind stands on its own. */
  get current(): Transaction | undefined {
    const transaction = followed.getStore()?.get(this) as Transaction | undefined;
    return transaction && this.#open.has(transaction) ? transaction : undefined;
  }

  /** Whether a transaction is open, whoever's it is. */
  get any(): boolean {
    return this.#open.size > 0;
  }

  begin(transaction: Transaction): void {
    this.#open.add(transaction);
  }

  end(transaction: Transaction): void {
    this.#open.delete(transaction);
  }

  /** Carries out work as a part of a transaction, or of none. */
  within<T>(transaction: Transaction | undefined, work: () => T): T {
    const all = new Map(followed.getStore());
    if (transaction) all.set(this, transaction);
    else all.delete(this);
    return followed.run(all, work);
  }
}
