/** A set of whole numbers that are not negative. */
export class NumberSet {
  readonly #bits: Int32Array;

  constructor(numbers: readonly number[]) {
    let most = 0;
    for (const number of numbers) if (number > most) most = number;
    this.#bits = new Int32Array((most >> 5) + 1);
    for (const number of numbers) this.#bits[number >> 5]! |= 1 << number;
  }

  /** Writes to `places` where among the numbers those of the set are, and tells how many that are; gone ones are below 0. */
  placesIn(numbers: Int32Array, places: Int32Array): number {
    const bits = this.#bits;
    let found = 0;
    for (let place = 0; place < numbers.length; place++) {
      const number = numbers[place]!;
      // What is below 0 lies behind the end when its sign is taken for a digit.
      const at = number >>> 5;
      if (at < bits.length && (bits[at]! & (1 << number)) !== 0) places[found++] = place;
    }
    return found;
  }
}
