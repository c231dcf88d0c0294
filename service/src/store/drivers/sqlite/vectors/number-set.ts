/** A set of whole numbers that are not negative. */
export class NumberSet {
  readonly #bits: Int32Array;
  readonly size: number;

  constructor(numbers: readonly number[]) {
    this.size = numbers.length;
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

  /** The same where `count` numbers do not fall, quicker for a set of few: it goes through the set. */
  placesInRising(numbers: Int32Array, count: number, places: Int32Array): number {
    const bits = this.#bits;
    if (count === 0) return 0;
    const last = Math.min(bits.length - 1, numbers[count - 1]! >>> 5);
    let [found, place] = [0, 0];
    for (let at = numbers[0]! >>> 5; at <= last; at++) {
      for (let rest = bits[at]!; rest !== 0; rest &= rest - 1) {
        const number = (at << 5) | (31 - Math.clz32(rest & -rest));
        place = firstFrom(numbers, place, count, number);
        while (place < count && numbers[place] === number) places[found++] = place++;
      }
    }
    return found;
  }
}

/** The first place in a stretch of numbers that do not fall whose number is not below another. */
function firstFrom(numbers: Int32Array, from: number, end: number, number: number): number {
  let [low, high] = [from, end];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return low;
}
