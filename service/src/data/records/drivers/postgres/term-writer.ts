import type { KnownTerms } from '../../rows.js';
import type { ScopedTerm, TermsByScope } from '../../terms.js';
import type { Query } from './connection.js';

/** Adds terms inside of a transaction; what is known of them is to be learnt when it has been kept. */
export class TermWriter {
  readonly #query: Query;
  readonly #knownTerms: KnownTerms;
  readonly added: ScopedTerm[] = [];

  constructor(query: Query, knownTerms: KnownTerms) {
    this.#query = query;
    this.#knownTerms = knownTerms;
  }

  async add(termsByScope: TermsByScope): Promise<void> {
    const pairs = this.#knownTerms.filterUnknown(termsByScope);
    if (pairs.length === 0) return;
    await this.#query(
      `insert into terms (scope, term) select given.scope, given.term from unnest($1::text[], $2::text[]) as given (scope, term)
        where not exists (select 1 from terms t where t.scope = given.scope collate "C" and t.term = given.term collate "C")
        on conflict do nothing`,
      [pairs.map(([scope]) => scope), pairs.map(([, term]) => term)],
    );
    this.added.push(...pairs);
  }
}
