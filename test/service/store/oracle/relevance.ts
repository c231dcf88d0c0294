import { matches } from './matches.js';
import { valueAt } from './paths.js';
import type { Entity, Filter, Item } from './types.js';
import { formsOf, hasPhrase, questionWords } from './words.js';

/** Fields whose words decide the order, and those of them that are titles or names. */
const ranked = new Set(['title', 'name', 'body', 'workspace']);
const titles = new Set(['title', 'name']);

/** With more records than this that have all words, phrases do not count. */
const maxPhrases = 500;

/** How well a text fits the words of a question. */
interface Fit {
  readonly isWhole: boolean;
  readonly isPhrase: boolean;
  /** Whether it has all words. */
  readonly isComplete: boolean;
  /** Number of words that count, and of those of them that the text has. */
  readonly counted: number;
  readonly had: number;
}

function fitOf(text: unknown, question: string): Fit {
  const words = questionWords(question);
  const counted = words.length > 6 ? [...words].sort((one, other) => other.length - one.length).slice(0, 6) : words;
  const forms = new Set(typeof text === 'string' ? formsOf(text) : []);
  const isComplete = typeof text === 'string' && words.every(({ test }) => test(forms));
  return {
    isWhole: isComplete && hasPhrase(text, question, true),
    isPhrase: isComplete && hasPhrase(text, question, false),
    isComplete,
    counted: counted.length,
    had: counted.filter(({ test }) => test(forms)).length,
  };
}

/** Whether a record meets a keyword closely enough for a level. */
type Level = (record: Item, path: string, question: string) => boolean;

const isRanked = (path: string, question: unknown): boolean =>
  ranked.has(path) && questionWords(`${question}`).length > 0;

/** The fields and questions of `keyword` that a record may meet. */
function keywordsOf({ and = [], or = [], keyword = {} }: Filter): Array<readonly [path: string, question: string]> {
  const own = Object.entries(keyword).filter(([path, question]) => isRanked(path, question));
  return [...[...and, ...or].flatMap(keywordsOf), ...own.map(([path, question]) => [path, `${question}`] as const)];
}

function meets(entity: Entity, record: Item, { and = [], or, keyword = {}, ...rest }: Filter, level: Level): boolean {
  return (
    and.every((part) => meets(entity, record, part, level)) &&
    (or === undefined || or.some((part) => meets(entity, record, part, level))) &&
    matches(entity, record, rest) &&
    Object.entries(keyword).every(([path, question]) =>
      isRanked(path, question)
        ? level(record, path, `${question}`)
        : matches(entity, record, { keyword: { [path]: question } }),
    )
  );
}

/** The rank of each record by relevance to a filter: 0 for the most relevant. */
export function ranking(entity: Entity, records: readonly Item[], filter: Filter): (record: Item) => number {
  const keywords = keywordsOf(filter);
  const fits = new Map<Item, Map<string, Fit>>();
  const fitIn = (record: Item, path: string, question: string): Fit => {
    const own = fits.get(record) ?? new Map<string, Fit>();
    fits.set(record, own);
    const key = JSON.stringify([path, question]);
    const known = own.get(key) ?? fitOf(valueAt(record, path), question);
    own.set(key, known);
    return known;
  };
  const isFew = (path: string, question: string): boolean =>
    records.filter((record) => fitIn(record, path, question).isComplete).length <= maxPhrases;
  const few = new Map(keywords.map(([path, question]) => [JSON.stringify([path, question]), isFew(path, question)]));
  const areFew = (path: string, question: string) => few.get(JSON.stringify([path, question]));
  const counts = keywords.map(([, question]) => questionWords(question).length);
  const levels: Level[] = [];
  if (keywords.some(([path]) => titles.has(path))) {
    levels.push((record, path, question) => {
      const { isWhole } = fitIn(record, path, question);
      return isWhole && titles.has(path) && areFew(path, question) === true;
    });
  }
  if (Math.max(0, ...counts) > 1) {
    const isSingle = (question: string) => questionWords(question).length === 1;
    levels.push((record, path, question) => {
      const { had, isPhrase } = fitIn(record, path, question);
      return isSingle(question) ? had > 0 : isPhrase && areFew(path, question) === true;
    });
    levels.push((record, path, question) => fitIn(record, path, question).isComplete);
    for (let step = 1; step <= 6; step++) {
      levels.push((record, path, question) => {
        const { counted, had } = fitIn(record, path, question);
        const missing = questionWords(question).length > counted ? step - 1 : step;
        return had >= Math.max(1, counted - missing);
      });
    }
  }
  return (record) => {
    const rank = levels.findIndex((level) => meets(entity, record, filter, level));
    return rank < 0 ? levels.length : rank;
  };
}
