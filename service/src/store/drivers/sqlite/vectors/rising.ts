/** Puts whole numbers that are not negative, each at most once, into their order; fastest where they lie close. */
export class Rising {
  #bits = new Int32Array(1024);

  of(numbers: readonly number[]): Int32Array {
    let most = 0;
    // By places: an iterator would leave an object behind for each of them.
    for (let index = 0; index < numbers.length; index++) most = Math.max(most, numbers[index]!);
    const length = (most >>> 5) + 1;
    // Few among many are found faster by comparing them.
    if (length > 32 * numbers.length) return Int32Array.from(numbers).sort();
    if (length > this.#bits.length) this.#bits = new Int32Array(2 * length);
    const bits = this.#bits;
    for (let index = 0; index < numbers.length; index++) bits[numbers[index]! >>> 5]! |= 1 << numbers[index]!;
    const sorted = new Int32Array(numbers.length);
    let count = 0;
    for (let at = 0; at < length; at++) {
      for (let rest = bits[at]!; rest !== 0; rest &= rest - 1) {
        sorted[count++] = (at << 5) | (31 - Math.clz32(rest & -rest));
      }
      bits[at] = 0;
    }
    return sorted.subarray(0, count);
  }
}
