import type { Terms } from './dialect.js';
import type { Condition, FieldRef, Pattern } from './plan.js';
import { canonicalText, digest, escapeText, isScalar, type Layout } from './schema.js';
import { scopeOf, termOf, type Vocabularies, wordsOf } from './words.js';

/** Terms that find the records matching a condition, and whether they are exact. */
export interface TermLookup {
  readonly terms: Terms;
  readonly exact: boolean;
}

/** Term of a word in a field. */
const wordTerm = (scope: string, word: string): string => `${scope}w${termOf(word)}`;

/** Term of an array element. */
const elementTerm = (scope: string, element: unknown): string => `${scope}e${hashName(canonicalText(element))}`;

/** Term of a value inside an object. */
const leafTerm = (scope: string, path: readonly string[], value: unknown): string =>
  `${scope}p${hashName(canonicalText([...path.map(escapeText), value]))}`;

/** Marks a field with more terms than are indexed. */
const overflowTerm = (scope: string): string => `${scope}m`;

const nameCache = new Map<string, string>();

// Cached, since the same few values recur.
function hashName(text: string): string {
  const known = nameCache.get(text);
  if (known !== undefined) return known;
  const name = digest(text, 16);
  if (nameCache.size > 50_000) nameCache.clear();
  if (text.length < 200) nameCache.set(text, name);
  return name;
}

const maxLeaves = 40;

/** Terms of the scalars inside an object; arrays are skipped, since paths do not extend into them. */
function leafTerms(scope: string, object: object): string[] {
  const terms: string[] = [];
  const walk = (value: object, path: readonly string[]): void => {
    for (const [name, item] of Object.entries(value)) {
      if (terms.length > maxLeaves) return;
      if (typeof item === 'object' && item !== null && !Array.isArray(item)) walk(item, [...path, name]);
      else if (!Array.isArray(item) && item !== null && item !== undefined)
        terms.push(leafTerm(scope, [...path, name], item));
    }
  };
  walk(object, []);
  return terms.length > maxLeaves ? [overflowTerm(scope)] : terms;
}

const any = (parts: readonly Terms[]): Terms => (parts.length === 1 ? parts[0]! : { any: parts });
const all = (parts: readonly Terms[]): Terms => (parts.length === 1 ? parts[0]! : { all: parts });

const maxPieces = 3;
const maxTerms = 400;

/** Determines the term lookups that find the records of a connector that match a condition. */
export class TermLookups {
  readonly #connector: number;
  readonly #vocabularies: Vocabularies;
  readonly #checkTime: () => void;
  readonly #isServed: (condition: Condition) => boolean;
  readonly #known = new Map<Condition, TermLookup | undefined>();

  /** `checkTime` throws if the search takes too long; a condition that another index serves needs no terms. */
  constructor(
    connector: number,
    vocabularies: Vocabularies,
    checkTime = () => {},
    isServed: (condition: Condition) => boolean = () => false,
  ) {
    this.#connector = connector;
    this.#vocabularies = vocabularies;
    this.#checkTime = checkTime;
    this.#isServed = isServed;
  }

  /** The lookup for a condition; undefined if every record has to be scanned. */
  of(condition: Condition): TermLookup | undefined {
    // Cached: scanning a vocabulary is slow, and conditions are compiled several times.
    if (!this.#known.has(condition)) this.#known.set(condition, this.#lookup(condition));
    return this.#known.get(condition);
  }

  #lookup(condition: Condition): TermLookup | undefined {
    if (!('ref' in condition) || this.#isServed(condition)) return undefined;
    const { ref } = condition;
    const scope = scopeOf(this.#connector, ref.column);
    switch (condition.test) {
      case 'among':
        return membershipLookup(scope, ref, condition.values);
      case 'holds':
        if (ref.path.length > 0 || !condition.values.every((value) => value === null || isScalar(value)))
          return undefined;
        return { terms: { any: condition.values.map((value) => elementTerm(scope, value)) }, exact: true };
      case 'keyword':
        if (!isWordIndexed(ref)) return undefined;
        return { terms: { any: condition.words.map((word) => wordTerm(scope, word)) }, exact: true };
      case 'fuzzy':
        return isWordIndexed(ref) ? this.#fuzzy(scope, condition.words) : undefined;
      case 'like':
        return isWordIndexed(ref) ? this.#like(scope, condition.pattern) : undefined;
      default:
        return undefined;
    }
  }

  #fuzzy(scope: string, words: readonly string[]): TermLookup | undefined {
    const near = words.map((word) => {
      this.#checkTime();
      return this.#vocabularies.of(scope).near(word);
    });
    if (near.includes(undefined)) return undefined;
    const groups = near.map((terms): Terms => ({ any: terms!.map((term) => wordTerm(scope, term)) }));
    return { terms: all(groups), exact: words.length === 1 };
  }

  #like(scope: string, pattern: Pattern): TermLookup | undefined {
    const pieces = pattern.flatMap((part) => ('literal' in part ? (part.literal.match(/[a-z0-9]+/gi) ?? []) : []));
    const longest = pieces.sort((one, other) => other.length - one.length).slice(0, maxPieces);
    const groups = longest.flatMap((piece): Terms[] => {
      this.#checkTime();
      const terms = this.#vocabularies.of(scope).containing(piece.toLowerCase(), maxTerms);
      return terms ? [{ any: terms.map((term) => `${scope}w${term}`) }] : [];
    });
    return groups.length > 0 ? { terms: all(groups), exact: false } : undefined;
  }
}

const isWordIndexed = ({ column, path }: FieldRef): boolean => path.length === 0 && column.wordIndexed;

function membershipLookup(
  scope: string,
  { column, path }: FieldRef,
  values: readonly unknown[],
): TermLookup | undefined {
  if (values.length === 0 || values.length > 50 || values.includes(null)) return undefined;
  const inside = path.length > 0;
  if (inside && column.kind === 'object' && values.every((value) => value === null || isScalar(value))) {
    return { terms: any([...values.map((value) => leafTerm(scope, path, value)), overflowTerm(scope)]), exact: false };
  }
  if (inside || !(column.wordIndexed || column.kind === 'array')) return undefined;
  const groups = values.map((value) =>
    column.wordIndexed
      ? [...new Set(wordsOf(value as string))].map((word) => wordTerm(scope, word))
      : (value as unknown[]).filter((item) => item === null || isScalar(item)).map((item) => elementTerm(scope, item)),
  );
  return groups.every((terms) => terms.length > 0) ? { terms: any(groups.map(all)), exact: false } : undefined;
}

/** Scopes of the vocabularies that a condition's lookups need. */
export function vocabulariesFor(condition: Condition, connector: number): string[] {
  if ('parts' in condition) return condition.parts.flatMap((part) => vocabulariesFor(part, connector));
  if (condition.test === 'not') return vocabulariesFor(condition.part, connector);
  const asks = (condition.test === 'fuzzy' || condition.test === 'like') && isWordIndexed(condition.ref);
  return asks ? [scopeOf(connector, condition.ref.column)] : [];
}

/** A record's terms, and its words by scope. */
export interface RecordTerms {
  readonly terms: readonly string[];
  readonly words: ReadonlyMap<string, ReadonlySet<string>>;
}

/** All terms of a record. */
export function termsOfRecord(
  layout: Layout,
  connector: number,
  record: Readonly<Record<string, unknown>>,
): RecordTerms {
  const terms: string[] = [];
  const words = new Map<string, Set<string>>();
  for (const column of layout.columns) {
    const value = record[column.field];
    if (value === null || value === undefined) continue;
    const scope = scopeOf(connector, column);
    if (column.wordIndexed && typeof value === 'string') {
      const wordTerms = new Set(wordsOf(value).map(termOf));
      words.set(scope, wordTerms);
      for (const term of wordTerms) terms.push(`${scope}w${term}`);
    } else if (column.kind === 'array' && Array.isArray(value)) {
      const scalars = value.filter((item) => item === null || isScalar(item));
      for (const term of new Set(scalars.map((item) => elementTerm(scope, item)))) terms.push(term);
    } else if (column.kind === 'object' && typeof value === 'object') {
      terms.push(...leafTerms(scope, value));
    }
  }
  return { terms, words };
}

/** A term and its scope. */
export type ScopedTerm = readonly [scope: string, term: string];

/** Terms by scope; a scope may occur more than once. */
export type TermsByScope = Iterable<readonly [scope: string, terms: ReadonlySet<string>]>;

/** Maximum number of cached terms. */
export const maxKnownTerms = 500_000;
