/** A seeded random number generator. Its whole state is one integer, so `dump` can store it. */
export class Random {
  /** Current state; assign a stored state to continue from it. */
  state: number;

  /** Starts at a seed: the same seed gives the same numbers. */
  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** A number in [0, 1). */
  next(): number {
    return this.word() / 4294967296;
  }

  /** An integer in [from, to]. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  /** True with the given probability. */
  chance(likelihood: number): boolean {
    return this.next() < likelihood;
  }

  /** One of the list's members. */
  pick<Item>(list: readonly Item[]): Item {
    return list[Math.floor(this.next() * list.length)]!;
  }

  /** A version 4 UUID. */
  uuid(): string {
    const a = hex(this.word());
    const b = hex(this.word());
    const c = hex(this.word());
    const d = hex(this.word());
    const variant = '89ab'[Number.parseInt(c[0]!, 16) & 3];
    return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-${variant}${c.slice(1, 4)}-${c.slice(4)}${d}`;
  }

  private word(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }
}

function hex(word: number): string {
  return word.toString(16).padStart(8, '0');
}
