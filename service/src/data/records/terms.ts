import type { Terms, WordTest } from './dialect.js';
import type { Condition, FieldRef, Pattern } from './plan.js';
import { canonicalText, digest, escapeText, isScalar, type Layout } from './schema.js';
import type { Approximate, Wanted } from './words/question.js';
import { scopeOf } from './words/ranking.js';
import { termsIn } from './words/terms.js';
import type { Vocabularies } from './words/vocabulary.js';

/** Terms that find the records matching a condition, and whether they are exact. */
export interface TermLookup {
  readonly terms: Terms;
  readonly exact: boolean;
}

/** Term of a word in a field. */
const wordTerm = (scope: string, word: string): string => `${scope}w${word}`;

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

/** With at most this many terms, all their combinations are looked up. */
const maxCombined = 8;

/** Terms that find the texts with at least so many of the terms; with many terms, possibly more texts. */
function mostOf(terms: readonly Terms[], least: number): Terms {
  if (terms.length <= maxCombined) return any(combinationsOf(terms, least).map(all));
  // If fewer terms are missing than there are groups, some group is complete.
  const groups = terms.length - least + 1;
  const size = terms.length / groups;
  return any(
    Array.from({ length: groups }, (_, index) =>
      all(terms.slice(Math.round(index * size), Math.round((index + 1) * size))),
    ),
  );
}

function combinationsOf(terms: readonly Terms[], count: number): Terms[][] {
  if (count === 0) return [[]];
  return terms.flatMap((term, index) =>
    combinationsOf(terms.slice(index + 1), count - 1).map((rest) => [term, ...rest]),
  );
}

/** Whether term lookups find exactly the texts with the wanted words. */
export const areExact = (wanted: readonly Wanted[]): boolean =>
  wanted.every((one) => {
    if (typeof one === 'string') return true;
    if ('any' in one) return areExact(one.any);
    if ('all' in one) return areExact(one.all);
    return !('of' in one) || (one.of.length <= maxCombined && areExact(one.of));
  });

/** Number of words that a condition looks for. */
export const countWords = (test: WordTest): number => (test.test === 'keyword' ? test.wanted : test.words).length;

/** Whether a wanted word can only be looked up with the words that a field contains. */
const needsVocabulary = (wanted: Wanted): boolean =>
  typeof wanted === 'object' &&
  ('any' in wanted
    ? wanted.any.some(needsVocabulary)
    : 'all' in wanted
      ? wanted.all.some(needsVocabulary)
      : 'of' in wanted
        ? wanted.of.some(needsVocabulary)
        : true);

/** Maximum number of a value's words that are looked up. */
const maxValueWords = 20;
const maxPieces = 3;
const maxTerms = 400;

/** Determines the term lookups that find the records of a connector that match a condition. */
export class TermLookups {
  readonly #connector: number;
  readonly #vocabularies: Vocabularies;
  readonly #checkTime: () => void;
  readonly #isServed: (condition: Condition) => boolean;
  readonly #known = new Map<Condition, TermLookup | undefined>();
  /** By a word that the vocabulary varies: conditions by relevance share their words. */
  readonly #variants = new Map<Wanted, Terms>();

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
        this.#checkTime();
        return {
          terms: { any: condition.wanted.map((word) => this.#wanted(scope, word)) },
          exact: condition.form === undefined && areExact(condition.wanted),
        };
      case 'fuzzy':
        return isWordIndexed(ref) ? this.#fuzzy(scope, condition.words) : undefined;
      case 'like':
        return isWordIndexed(ref) ? this.#like(scope, condition.pattern) : undefined;
      default:
        return undefined;
    }
  }

  /** Terms that find the texts with a wanted word, and possibly more if it is not exact. */
  #wanted(scope: string, wanted: Wanted): Terms {
    if (typeof wanted === 'string') return wordTerm(scope, wanted);
    if ('any' in wanted) return any(wanted.any.map((part) => this.#wanted(scope, part)));
    if ('all' in wanted) return all(wanted.all.map((part) => this.#wanted(scope, part)));
    if ('of' in wanted)
      return mostOf(
        wanted.of.map((part) => this.#wanted(scope, part)),
        wanted.least,
      );
    const known = this.#variants.get(wanted);
    if (known) return known;
    const terms = {
      any: this.#vocabularies
        .of(scope)
        .variants(wanted)
        .map((term) => wordTerm(scope, term)),
    };
    this.#variants.set(wanted, terms);
    return terms;
  }

  #fuzzy(scope: string, words: readonly Approximate[]): TermLookup | undefined {
    const groups: Terms[] = [];
    for (const word of words) {
      this.#checkTime();
      if (typeof word !== 'string') {
        groups.push(
          mostOf(
            word.of.map((term) => wordTerm(scope, term)),
            word.least,
          ),
        );
        continue;
      }
      const near = this.#vocabularies.of(scope).near(word);
      if (near === undefined) return undefined;
      groups.push({ any: near.map((term) => wordTerm(scope, term)) });
    }
    return { terms: all(groups), exact: words.length === 1 && typeof words[0] === 'string' };
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
      ? [...termsIn(value as string)].slice(0, maxValueWords).map((word) => wordTerm(scope, word))
      : (value as unknown[]).filter((item) => item === null || isScalar(item)).map((item) => elementTerm(scope, item)),
  );
  return groups.every((terms) => terms.length > 0) ? { terms: any(groups.map(all)), exact: false } : undefined;
}

/** Scopes of the vocabularies that a condition's lookups need. */
export function vocabulariesFor(condition: Condition, connector: number): string[] {
  if ('parts' in condition) return condition.parts.flatMap((part) => vocabulariesFor(part, connector));
  if (condition.test === 'not') return vocabulariesFor(condition.part, connector);
  const asks =
    isWordIndexed(condition.ref) &&
    (condition.test === 'fuzzy' ||
      condition.test === 'like' ||
      (condition.test === 'keyword' && condition.wanted.some(needsVocabulary)));
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
      const wordTerms = termsIn(value);
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
