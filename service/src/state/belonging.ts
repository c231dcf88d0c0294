import { AsyncLocalStorage } from 'node:async_hooks';

/** Tells which open transaction of a database whatever runs belongs to. */
export class Belonging<Transaction extends object> {
  readonly #followed = new AsyncLocalStorage<Transaction | undefined>();
  readonly #open = new Set<Transaction>();

  /** Nothing once the transaction has ended: what it left behind stands on its own. */
  get current(): Transaction | undefined {
    const transaction = this.#followed.getStore();
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
    return this.#followed.run(transaction, work);
  }
}
