import { type Issue, invalidParams } from 'agent-connectors/search';
import type { FieldRef } from './plan.js';
import type { Layout } from './schema.js';

/** A path inside an object field, and its location in the parameters. */
export interface InnerPath {
  readonly at: readonly string[];
  readonly ref: FieldRef;
}

/** Collects what is wrong with a valid search for this store and its records. */
export class FaultCollector {
  readonly #issues: Issue[] = [];
  /** Paths inside objects, to be checked against the replica. */
  readonly innerPaths: InnerPath[] = [];

  add(path: readonly string[], message: string): void {
    this.#issues.push({ path, message });
  }

  /** Throws if there are any faults. */
  throwIfAny({ entity }: Layout): void {
    if (this.#issues.length > 0) throw invalidParams(`${entity}.context_store_search`, this.#issues);
  }
}
