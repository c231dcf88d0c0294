import { tokensOf } from './tokens.js';

const saturation = 1.2;
const lengthWeight = 0.75;

/** What is known of all passages of a field. */
export interface PassageStatistics {
  readonly passages: number;
  /** Tokens of all passages together. */
  readonly words: number;
}

/** What a token tells: the more, the fewer passages hold it. */
const weightOf = (found: number, passages: number): number => Math.log(1 + (passages - found + 0.5) / (found + 0.5));

/** So few of a field's passages hold a token that looking them up takes no time. */
const few = 0.04;
/** How much the tokens that are left out may tell together, of what the most telling one does. */
const little = 0.5;

/**
 * The tokens of a prompt that its passages are looked up by. Those that many passages hold and that tell little beside
 * the others are left out: they still count in the scores of what the others find.
 */
export function leadingTokens(frequencies: ReadonlyMap<string, number>, { passages }: PassageStatistics): string[] {
  const all = Math.max(1, passages, ...frequencies.values());
  const common = [...frequencies].sort(([, one], [, other]) => other - one);
  const rest = weightOf(common.at(-1)?.[1] ?? 0, all) * little;
  let told = 0;
  const first = common.findIndex(([, found]) => {
    told += weightOf(found, all);
    return found <= all * few || told > rest;
  });
  return common.slice(Math.max(0, first)).map(([token]) => token);
}

/** Scores passages by the words of one prompt, as BM25 does. */
export class Bm25 {
  readonly #weights: ReadonlyMap<string, number>;
  readonly #average: number;

  /** `frequencies` tells in how many passages each token of the prompt occurs. */
  constructor(frequencies: ReadonlyMap<string, number>, { passages, words }: PassageStatistics) {
    const all = Math.max(1, passages, ...frequencies.values());
    this.#weights = new Map([...frequencies].map(([token, found]) => [token, weightOf(found, all)]));
    this.#average = Math.max(1, words / Math.max(1, passages));
  }

  score(text: string): number {
    const tokens = tokensOf(text);
    const counts = new Map<string, number>();
    for (const token of tokens) if (this.#weights.has(token)) counts.set(token, (counts.get(token) ?? 0) + 1);
    return this.scoreOf(counts, tokens.length);
  }

  /** The score of a passage of so many tokens, in which those of the prompt occur so often. */
  scoreOf(counts: Iterable<readonly [token: string, count: number]>, tokens: number): number {
    const length = saturation * (1 - lengthWeight + (lengthWeight * tokens) / this.#average);
    let sum = 0;
    for (const [token, count] of counts) {
      sum += ((this.#weights.get(token) ?? 0) * count * (saturation + 1)) / (count + length);
    }
    return sum;
  }
}
