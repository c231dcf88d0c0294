/** The k best scores, as a min-heap. */
export class TopK {
  readonly #limit: number;
  readonly #scores: number[] = [];
  readonly passages: number[] = [];
  /** Score a passage must exceed to be among the best. */
  threshold = Number.NEGATIVE_INFINITY;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(passage: number, score: number): void {
    if (this.passages.length < this.#limit) this.#siftUp(this.passages.push(passage) - 1, passage, score);
    else this.#siftDown(passage, score);
    if (this.passages.length === this.#limit) this.threshold = this.#scores[0]!;
  }

  /** The passages, best first. */
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

  #siftUp(from: number, passage: number, score: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#scores[parent]! <= score) break;
      this.#put(at, this.passages[parent]!, this.#scores[parent]!);
      at = parent;
    }
    this.#put(at, passage, score);
  }

  #siftDown(passage: number, score: number): void {
    const length = this.passages.length;
    let at = 0;
    for (let child = 1; child < length; child = 2 * at + 1) {
      if (child + 1 < length && this.#scores[child + 1]! < this.#scores[child]!) child += 1;
      if (this.#scores[child]! >= score) break;
      this.#put(at, this.passages[child]!, this.#scores[child]!);
      at = child;
    }
    this.#put(at, passage, score);
  }
}
