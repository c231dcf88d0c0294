/** The best of many, kept as a heap whose first is the least of them. */
export class Best {
  readonly #most: number;
  readonly #scores: number[] = [];
  readonly passages: number[] = [];
  /** What a score has to exceed to be among the best. */
  least = Number.NEGATIVE_INFINITY;

  constructor(most: number) {
    this.#most = most;
  }

  add(passage: number, score: number): void {
    if (this.passages.length < this.#most) this.#rise(this.passages.push(passage) - 1, passage, score);
    else this.#sink(passage, score);
    if (this.passages.length === this.#most) this.least = this.#scores[0]!;
  }

  /** The passages, the best first. */
  sorted(): number[] {
    const scores = this.#scores;
    return this.passages
      .map((_, at) => at)
      .sort((one, other) => scores[other]! - scores[one]!)
      .map((at) => this.passages[at]!);
  }

  #put(at: number, passage: number, score: number): void {
    this.passages[at] = passage;
    this.#scores[at] = score;
  }

  #rise(from: number, passage: number, score: number): void {
    let at = from;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (this.#scores[above]! <= score) break;
      this.#put(at, this.passages[above]!, this.#scores[above]!);
      at = above;
    }
    this.#put(at, passage, score);
  }

  #sink(passage: number, score: number): void {
    const length = this.passages.length;
    let at = 0;
    for (let below = 1; below < length; below = 2 * at + 1) {
      if (below + 1 < length && this.#scores[below + 1]! < this.#scores[below]!) below += 1;
      if (this.#scores[below]! >= score) break;
      this.#put(at, this.passages[below]!, this.#scores[below]!);
      at = below;
    }
    this.#put(at, passage, score);
  }
}
