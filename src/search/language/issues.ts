import { type Hint, type Issue, maxIssues } from '../../action/params.js';

/** Collects the problems with a search, up to a number. */
export class Issues {
  readonly list: Issue[] = [];
  readonly #limit: number;

  /** By default one more than an error lists, so it can say that there are more. */
  constructor(limit = maxIssues + 1) {
    this.#limit = limit;
  }

  /** Whether no more issues will be reported. */
  get isFull(): boolean {
    return this.list.length >= this.#limit;
  }

  /** Adds an issue; returns undefined, so that a parser can return its result. */
  add(path: readonly string[], message: string, hint?: Hint): undefined {
    if (!this.isFull) this.list.push({ path, message, hint });
  }
}
