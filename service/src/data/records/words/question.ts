import { lengthOf } from './edits.js';
import { bareOf, foldWords, isTypewritten, withoutUmlauts } from './fold.js';
import { type Chunk, type Run, scan } from './scan.js';
import {
  bareRun,
  borderPairs,
  decoratedOf,
  isCompoundOf,
  isCompoundPart,
  isHashOf,
  pairsOf,
  phonesIn,
  phoneTermOf,
  segmentsOf,
  shortHash,
  termOf,
  visitWords,
  wholeOf,
  withoutVersionMark,
  wordsOf,
} from './terms.js';

/** What a word of a question matches, as a combination of terms. */
export type Wanted =
  | string
  | { readonly any: readonly Wanted[] }
  | { readonly all: readonly Wanted[] }
  /** At least this many of these. */
  | { readonly least: number; readonly of: readonly Wanted[] }
  | Variant;

/** Terms that only a vocabulary can list. */
export type Variant =
  /** Compounds with a word. */
  | { readonly partOf: string }
  /** Hashes that begin with a shortened one. */
  | { readonly startOf: string }
  /** Pairs with a character, of a script without spaces. */
  | { readonly within: string };

/** Share of a word's pairs that a text must have. */
const pairShare = 0.7;
const anyOf = (parts: readonly Wanted[]): Wanted => (parts.length === 1 ? parts[0]! : { any: parts });
const allOf = (parts: readonly Wanted[]): Wanted => (parts.length === 1 ? parts[0]! : { all: parts });

const mostOf = (pairs: readonly string[]): Wanted => {
  const distinct = [...new Set(pairs)];
  const least = Math.ceil(distinct.length * pairShare);
  return least === distinct.length ? allOf(distinct) : { least, of: distinct };
};

const [arabic, hebrew] = [/^[\u0621-\u064a]+$/, /^[\u05d0-\u05ea]+$/];
/** Articles, prepositions and conjunctions that are written together with the next word. */
const prefixes = {
  arabic: ['ال', 'و', 'ب', 'ل', 'وال', 'بال', 'لل'],
  hebrew: ['ה', 'ו', 'ב', 'ל', 'מ', 'ש', 'כ', 'וה'],
};

/** The forms in which a text can have a word. */
function formsOf(part: string): Wanted[] {
  const bare = bareOf(part);
  const spelled = withoutUmlauts(part);
  const forms: Wanted[] = [termOf(bare), ...(spelled === undefined ? [] : [termOf(spelled)])];
  for (const word of spelled === undefined ? [bare] : [bare, spelled]) {
    if (isCompoundPart(word)) forms.push({ partOf: word });
  }
  if (shortHash.test(bare)) forms.push({ startOf: bare });
  const own = arabic.test(bare) ? prefixes.arabic : hebrew.test(bare) ? prefixes.hebrew : [];
  if (bare.length >= 3) for (const prefix of own) forms.push(termOf(prefix + bare));
  if (own === prefixes.arabic && bare.startsWith('ال') && bare.length >= 5) forms.push(bare.slice(2));
  return forms;
}

const wordWanted = (part: string): Wanted => anyOf(formsOf(part));

const apostropheBefore = /^(?:[ldjmtsnc]|qu|all|dell|nell|sull|un)$/;

/** A word with apostrophes: as a whole, or without an article before it or an ending after it. */
function apostropheWanted(chunk: Chunk): Wanted {
  const { parts } = chunk;
  const rest =
    parts.length === 2 && apostropheBefore.test(bareOf(parts[0]!))
      ? parts[1]
      : parts.length === 2 && parts[1] === 's'
        ? parts[0]
        : undefined;
  const whole = wholeOf(chunk);
  return anyOf([
    ...(hebrew.test(whole) ? formsOf(whole) : [termOf(whole)]),
    ...(rest === undefined ? [] : formsOf(rest)),
  ]);
}

const [hasDigit, isNumber] = [/[0-9]/, /^[0-9]+$/];

const uuid = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/;

/** Other spellings of an identifier: a UUID without or with hyphens, a version without its `v`, and a phone number. */
function spellingsOf(chunk: Chunk): string[] {
  const { parts, joiners } = chunk;
  if (parts.length === 1) {
    const groups = uuid.exec(parts[0]!)?.slice(1);
    if (groups) return [wholeOf({ ...chunk, parts: groups, joiners: groups.slice(1).map(() => '-') })];
    const phone = isNumber.test(parts[0]!) ? phoneTermOf(parts[0]!) : undefined;
    return phone === undefined ? [] : [phone];
  }
  if (joiners.every((sign) => sign === '-') && uuid.test(parts.join('-'))) return [parts.join('')];
  const version = withoutVersionMark(chunk);
  return version === undefined ? [] : [termOf(version)];
}

/** An identifier, address or path: as a whole, or all its parts, but never one part alone. */
function chunkWanted(chunk: Chunk): Wanted {
  const { parts, joiners, isDotted, suffix } = chunk;
  const decorated = decoratedOf(chunk).map(termOf);
  const spellings = spellingsOf(chunk);
  if (parts.length === 1) return anyOf(decorated.length > 0 ? decorated : [...formsOf(parts[0]!), ...spellings]);
  if (joiners.every((sign) => sign === "'")) return apostropheWanted(chunk);
  const forms: Wanted[] = [termOf(wholeOf(chunk)), ...spellings];
  const segments = segmentsOf(chunk);
  if (segments.length > 1) {
    const own = segments.filter((_, index) => index > 0 || joiners[0] !== '://');
    const isLong = own.some(({ parts: [first], joiners: signs }) => signs.length > 0 || first!.length > 2);
    if (isLong && !joiners.includes('@')) {
      forms.push(allOf(own.map((one) => termOf(one.parts.length > 1 ? wholeOf(one) : bareOf(one.parts[0]!)))));
    }
  } else if (!isDotted && suffix === '' && parts.every((part) => part.length > 1 && !hasDigit.test(part))) {
    forms.push(allOf(parts.map(wordWanted)));
  }
  if (suffix !== '') forms.push(allOf([...parts.slice(0, -1).map((part) => termOf(bareOf(part))), decorated[0]!]));
  return anyOf(forms);
}

/** Endings that are written together with a Korean noun, longest first. */
const particles =
  '에서는 으로서 으로써 이라는 에서 에게 에는 에도 으로 까지 부터 보다 처럼 하고 이나 라는 들이 들을 들은 들의 이다 입니다 을 를 이 가 은 는 에 의 와 과 도 로 만 들'
    .split(' ')
    .sort((one, other) => other.length - one.length);

/** A Korean word, with or without a particle. */
function hangulWanted(text: string): Wanted {
  const letters = [...text];
  if (letters.length === 1) {
    const followed = particles.filter((particle) => particle.length === 1).map((particle) => text + particle);
    return anyOf([text, ...followed]);
  }
  const particle = particles.find((one) => text.endsWith(one) && letters.length >= one.length + 2);
  const stem = particle === undefined ? undefined : text.slice(0, -particle.length);
  return anyOf([mostOf(pairsOf(text)), ...(stem === undefined ? [] : [mostOf(pairsOf(stem))])]);
}

function runWanted(run: Run, isAlone: boolean): Wanted | undefined {
  const text = bareRun(run);
  const isSingle = [...text].length === 1;
  if (run.kind === 'hangul') return isSingle && !isAlone ? undefined : hangulWanted(text);
  const borders = borderPairs(run);
  if (isSingle && borders.length > 0) return allOf(borders);
  return isSingle ? { within: text } : mostOf([...borders, ...pairsOf(text)]);
}

/** With more words in a question than this, the longest count. */
const maxCounted = 6;

/** The words of a question, and those that count for its order: all, or the longest of many. */
export interface Question {
  readonly wanted: readonly Wanted[];
  readonly counted: readonly Wanted[];
}

/** The distinct words of a question, separated by spaces or signs. */
export function questionOf(text: string): Question {
  const words = wordsIn(text);
  const counted = words.length > maxCounted ? words.sort((one, other) => other.length - one.length) : words;
  return {
    wanted: wantedIn(text),
    counted: counted.slice(0, maxCounted).map(({ wanted }) => wanted),
  };
}

/** The words of a question; a text matches if it has any of them. */
export const wantedIn = (question: string): Wanted[] => wordsIn(question).map(({ wanted }) => wanted);

interface QuestionWord {
  readonly wanted: Wanted;
  /** In characters, without signs. */
  readonly length: number;
}

function wordsIn(question: string): QuestionWord[] {
  const words = new Map<string, QuestionWord>();
  let rest = foldWords(question);
  for (const { text, term } of phonesIn(rest)) {
    const digits = text.match(/[0-9]+/g)!;
    const number = digits.join('');
    words.set(text, { wanted: anyOf([term, allOf(digits), number]), length: number.length });
    rest = rest.replace(text, ' ');
  }
  const groups = groupsIn(rest);
  const plain = groups.map(plainWordOf);
  for (const [index, group] of groups.entries()) {
    const parts = group.flatMap((one) => {
      const wanted = one.kind === 'chunk' ? chunkWanted(one) : runWanted(one, group.length === 1);
      return wanted === undefined ? [] : [wanted];
    });
    if (parts.length === 0) continue;
    const own = group.map((one) => ({ ...one, isAttached: false }));
    const letters = own.map((one) => (one.kind === 'chunk' ? one.parts.join('') : one.text)).join('');
    const key = JSON.stringify(own);
    const known = words.get(key)?.wanted ?? allOf(parts);
    const together = joinedWith(plain, index);
    words.set(key, { wanted: anyOf([known, ...together]), length: lengthOf(letters) });
  }
  return [...words.values()];
}

/** The words of a folded question; one of several scripts is a group. */
function groupsIn(folded: string): Array<Array<Chunk | Run>> {
  const groups: Array<Array<Chunk | Run>> = [];
  scan(folded, (found) => {
    const last = groups.at(-1)?.at(-1);
    const isMixed = found.isAttached && last !== undefined && (found.kind !== 'chunk' || last.kind !== 'chunk');
    if (isMixed) groups.at(-1)!.push(found);
    else groups.push([found]);
    return false;
  });
  return groups;
}

/** A word without signs, of Latin letters and digits. */
function plainWordOf([first, second]: ReadonlyArray<Chunk | Run>): string | undefined {
  if (first?.kind !== 'chunk' || second !== undefined) return undefined;
  const { parts, isDotted, suffix } = first;
  const word = parts.length === 1 && !isDotted && suffix === '' ? bareOf(parts[0]!) : '';
  return /^[a-z0-9]+$/.test(word) ? word : undefined;
}

/** Whether texts may join a word with the one next to it: numbers and single letters, as in `RFC 2616` and `e mail`. */
const isJoinable = (word: string): boolean => word.length === 1 || isNumber.test(word);

/** The terms of texts that join a word with its neighbors: with one, and with all in a number of groups. */
function joinedWith(words: ReadonlyArray<string | undefined>, index: number): string[] {
  const word = words[index];
  if (word === undefined) return [];
  const [before, after] = [words[index - 1], words[index + 1]];
  const joined: string[] = [];
  if (before !== undefined && (isJoinable(word) || isJoinable(before))) joined.push(before + word);
  if (after !== undefined && (isJoinable(word) || isJoinable(after))) joined.push(word + after);
  let [first, last] = [index, index];
  while (hasDigit.test(words[first - 1] ?? '')) first--;
  while (hasDigit.test(words[last + 1] ?? '')) last++;
  if (hasDigit.test(word) && last - first > 1) joined.push(words.slice(first, last + 1).join(''));
  return joined.map(termOf);
}

/** Whether terms satisfy what is wanted. */
export function satisfies(terms: ReadonlySet<string>, wanted: Wanted): boolean {
  if (typeof wanted === 'string') return terms.has(wanted);
  if ('any' in wanted) return wanted.any.some((part) => satisfies(terms, part));
  if ('all' in wanted) return wanted.all.every((part) => satisfies(terms, part));
  if ('of' in wanted) return wanted.of.filter((part) => satisfies(terms, part)).length >= wanted.least;
  for (const term of terms) if (isVariant(term, wanted)) return true;
  return false;
}

/** Whether a term contains a wanted character, is a compound with a wanted word, or continues a wanted hash. */
function isVariant(term: string, wanted: Variant): boolean {
  if ('partOf' in wanted) return isCompoundOf(term, wanted.partOf);
  return 'startOf' in wanted ? isHashOf(term, wanted.startOf) : [...term].length <= 2 && term.includes(wanted.within);
}

const isOneVariant = (wanted: Exclude<Wanted, string>): wanted is Variant =>
  'partOf' in wanted || 'startOf' in wanted || 'within' in wanted;

/** A predicate for texts that have any of the wanted words. */
export function hasAnyOf(wanted: readonly Wanted[]): (text: string) => boolean {
  const alternatives = wanted.flatMap((one) => (typeof one === 'object' && 'any' in one ? one.any : [one]));
  const words = new Set(alternatives.filter((one) => typeof one === 'string'));
  const parts = alternatives.filter((one) => typeof one === 'object' && isOneVariant(one));
  const others = alternatives.filter((one) => typeof one === 'object' && !isOneVariant(one));
  const plain = [...words].filter((word) => isPlain.test(word));
  // Only letters and digits: such a word and its compounds contain it, unless signs inside them are left out.
  const isSimple =
    plain.length === words.size &&
    others.length === 0 &&
    parts.every((one) => words.has('partOf' in one ? one.partOf : 'startOf' in one ? one.startOf : ''));
  return (text) => {
    const lower = text.toLowerCase();
    if (plain.some((word) => standsIn(lower, word))) return true;
    if (isSimple && isTypewritten(text)) {
      const letters = lower.replaceAll(inside, '');
      if (!plain.some((word) => letters.includes(word))) return false;
    }
    const terms = new Set<string>();
    const isFound = visitWords(text, (word) => {
      const term = termOf(word);
      if (words.has(term) || parts.some((one) => isVariant(term, one))) return true;
      if (others.length > 0) terms.add(term);
      return false;
    });
    return isFound || others.some((one) => satisfies(terms, one));
  };
}

const isPlain = /^[a-z0-9]+$/;

/** Signs that may be left out of a word, in typewritten texts. */
const inside = /[-_'.,~\u2010\u2018\u2019\u201b]+/g;

/** Whether a word of letters and digits stands between ASCII signs; finds most words without looking at others. */
function standsIn(lower: string, word: string): boolean {
  for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + 1)) {
    if (isBorder(lower.charCodeAt(at - 1)) && isBorder(lower.charCodeAt(at + word.length))) return true;
  }
  return false;
}

/** Set for ASCII signs; not for the apostrophe, which may join the word with another one. */
const borders = Uint8Array.from({ length: 0x80 }, (_, code) => Number(!/[a-z0-9']/i.test(String.fromCharCode(code))));

/** Whether a code unit ends a word, or is past the text's end. */
const isBorder = (code: number): boolean => Number.isNaN(code) || borders[code] === 1;

/** A word of a question for approximate matching: spelled out, or pairs of which most must follow. */
export type Approximate = string | { readonly least: number; readonly of: readonly string[] };

/** The words of a question for approximate matching, in order. */
export function approximatesIn(question: string): Approximate[] {
  const words: Approximate[] = [];
  scan(question, (found) => {
    if (found.kind === 'chunk') {
      const parts = wordsOf(found);
      words.push(...(parts.length > 0 ? parts.map(bareOf) : [wholeOf(found)]));
      return false;
    }
    const of = [...new Set(pairsOf(bareRun(found)))];
    words.push({ of, least: Math.ceil(of.length * pairShare) });
    return false;
  });
  return words;
}
