import type { Condition } from './plan.js';
import type { Wanted } from './words/question.js';

/** Maximum number of records with all words whose texts are compared with the question. */
export const maxCompared = 500;

type Keyword = Extract<Condition, { test: 'keyword' }>;

/** Whether a keyword's words decide the order; those of fields without an index of words do not. */
const isRanked = (condition: Condition): condition is Keyword =>
  condition.test === 'keyword' && condition.ref.path.length === 0 && condition.ref.column.wordIndexed;

/** Conditions on `keyword` that a record has to meet, or one of which it may meet. */
function keywordsIn(condition: Condition): Keyword[] {
  if ('parts' in condition) return condition.parts.flatMap(keywordsIn);
  return isRanked(condition) && condition.wanted.length > 0 ? [condition] : [];
}

/** A keyword as a stricter condition. */
type Stricter = (keyword: Keyword) => Condition;

const withStricter = (condition: Condition, stricter: Stricter): Condition =>
  'parts' in condition
    ? { ...condition, parts: condition.parts.map((part) => withStricter(part, stricter)) }
    : isRanked(condition) && condition.wanted.length > 0
      ? stricter(condition)
      : condition;

/** All words, then one fewer each time, down to any. */
function fewerAndFewer({ wanted, counted }: Keyword): Wanted[] {
  if (wanted.length < 2) return [];
  const isCut = counted.length < wanted.length;
  const least = isCut ? 1 : 2;
  const counts = Array.from({ length: counted.length - least }, (_, index) => counted.length - 1 - index);
  return [
    ...(isCut ? [{ all: wanted }] : []),
    { all: counted },
    ...counts.map((count) => ({ least: count, of: counted })),
  ];
}

const never: Condition = { test: 'some', parts: [] };

/**
 * Conditions by relevance, each of which the next one includes: a title or name that is the question, texts with the
 * whole phrase, texts with all words, and with fewer and fewer. The last one is the filter itself. A filter without
 * `keyword` has just that one.
 */
export function ranksOf(filter: Condition): Condition[] {
  const keywords = keywordsIn(filter);
  const most = Math.max(0, ...keywords.map((keyword) => fewerAndFewer(keyword).length));
  const steps: Stricter[] = [];
  const inForm = (keyword: Keyword, form: 'whole' | 'phrase'): Condition => ({
    ...keyword,
    wanted: [{ all: keyword.wanted }],
    form,
  });
  const isTitle = ({ ref }: Keyword) => ref.column.indexed;
  if (keywords.some(isTitle)) steps.push((keyword) => (isTitle(keyword) ? inForm(keyword, 'whole') : never));
  if (most > 0) steps.push((keyword) => (keyword.wanted.length > 1 ? inForm(keyword, 'phrase') : keyword));
  for (let step = 0; step < most; step++) {
    steps.push((keyword) => {
      const wanted = fewerAndFewer(keyword)[step];
      return wanted === undefined ? keyword : { ...keyword, wanted: [wanted] };
    });
  }
  return [...steps.map((stricter) => withStricter(filter, stricter)), filter];
}

/** The condition of one rank alone. */
export const onlyRank = (ranks: readonly Condition[], rank: number): Condition =>
  rank === 0 ? ranks[0]! : { test: 'all', parts: [ranks[rank]!, { test: 'not', part: ranks[rank - 1]! }] };
