/** A term under its scope. */
export type ScopedTerm = readonly [scope: string, term: string];

/** Terms by scope; a scope may come more than once. */
export type FoundTerms = Iterable<readonly [scope: string, terms: ReadonlySet<string>]>;

/** So many terms at most are remembered. */
const most = 500_000;

/** Terms that are in a database for certain: they leave it with their connector alone, whose number never comes again. */
export class KnownTerms {
  readonly #scopes = new Map<string, Set<string>>();
  #size = 0;

  /** Terms that are not known, each once. */
  unknown(found: FoundTerms): ScopedTerm[] {
    const fresh = new Map<string, Set<string>>();
    for (const [scope, terms] of found) {
      const known = this.#scopes.get(scope);
      const list = fresh.get(scope) ?? new Set();
      for (const term of terms) if (!known?.has(term)) list.add(term);
      fresh.set(scope, list);
    }
    return [...fresh].flatMap(([scope, terms]) => [...terms].map((term): ScopedTerm => [scope, term]));
  }

  /** Remembers terms that have been kept. */
  learn(terms: readonly ScopedTerm[]): void {
    if (this.#size + terms.length > most) {
      this.#scopes.clear();
      this.#size = 0;
    }
    for (const [scope, term] of terms) {
      const known = this.#scopes.get(scope);
      if (known) known.add(term);
      else this.#scopes.set(scope, new Set([term]));
    }
    this.#size += terms.length;
  }
}
