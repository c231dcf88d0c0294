import type { KnownTerms } from '../../rows.js';
import type { ScopedTerm, TermsByScope } from '../../terms.js';
import type { RunStatement } from './connection.js';

/** Adds terms inside a transaction; they enter the cache only after the commit. */
export class TermWriter {
  readonly #query: RunStatement;
  readonly #knownTerms: KnownTerms;
  readonly added: ScopedTerm[] = [];

  constructor(query: RunStatement, knownTerms: KnownTerms) {
    this.#query = query;
    this.#knownTerms = knownTerms;
  }

  async add(connector: number, termsByScope: TermsByScope): Promise<void> {
    const pairs = this.#knownTerms.filterUnknown(termsByScope);
    if (pairs.length === 0) return;
    await this.#query(
      `insert into terms (connector, scope, term)
        select $1::integer, given.scope, given.term from unnest($2::text[], $3::text[]) as given (scope, term)
        on conflict do nothing`,
      [connector, pairs.map(([scope]) => scope), pairs.map(([, term]) => term)],
    );
    this.added.push(...pairs);
  }
}
