const [zero, nine] = [48, 57];

/** Sorts distinct non-negative integers; fastest when they are dense. */
export class IntegerSorter {
  #numbers = new Int32Array(1024);
  #bits = new Int32Array(1024);

  /** Sorts a JSON array of numbers; the result is valid until the next call. */
  of(list: string): Int32Array {
    const { count, maximum } = this.#read(list);
    const numbers = this.#numbers.subarray(0, count);
    const length = (maximum >>> 5) + 1;
    // For a few numbers in a large range, comparison sort is faster.
    if (length > 32 * count) return numbers.sort();
    if (length > this.#bits.length) this.#bits = new Int32Array(2 * length);
    const bits = this.#bits;
    for (let index = 0; index < count; index++) bits[numbers[index]! >>> 5]! |= 1 << numbers[index]!;
    for (let at = 0, index = 0; at < length; at++) {
      for (let rest = bits[at]!; rest !== 0; rest &= rest - 1) {
        numbers[index++] = (at << 5) | (31 - Math.clz32(rest & -rest));
      }
      bits[at] = 0;
    }
    return numbers;
  }

  /** Parsed digit by digit: JSON.parse would allocate a throwaway array for every search. */
  #read(list: string): { readonly count: number; readonly maximum: number } {
    let [count, maximum, number, digits] = [0, 0, 0, 0];
    for (let at = 0; at < list.length; at++) {
      const code = list.charCodeAt(at);
      if (code >= zero && code <= nine) {
        number = 10 * number + code - zero;
        digits++;
      } else if (digits > 0) {
        if (count === this.#numbers.length) {
          const more = new Int32Array(2 * count);
          more.set(this.#numbers);
          this.#numbers = more;
        }
        this.#numbers[count++] = number;
        if (number > maximum) maximum = number;
        [number, digits] = [0, 0];
      }
    }
    return { count, maximum };
  }
}
