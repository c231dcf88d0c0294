import type { Dimension } from '../schema/dimensions.js';
import { eventNames, type VisitStream } from '../visits/stream.js';

/** A counted unit: a session, a page view within it, or an event on that page. */
export interface Hit {
  day: number;
  session: number;
  view: number;
  /** The counted events, as bits. */
  events: number;
}

/** Values of a dimension, encoded as small integers. */
export class Column {
  readonly dimension: Dimension;
  readonly labels: string[] = [];
  private readonly stream: VisitStream;
  private readonly byLabel = new Map<string, number>();
  private readonly byCode = new Map<number, number>();

  constructor(stream: VisitStream, dimension: Dimension) {
    this.stream = stream;
    this.dimension = dimension;
  }

  /** The index of a hit's value. */
  read(hit: Hit): number {
    const code = this.codeOf(hit);
    let number = this.byCode.get(code);
    if (number === undefined) {
      number = this.numberOf(this.labelOf(code));
      this.byCode.set(code, number);
    }
    return number;
  }

  private codeOf({ day, session, view, events }: Hit): number {
    const { read } = this.dimension;
    if (read.per === 'day') return day;
    if (read.per === 'session') return read.code(this.stream, session);
    if (read.per === 'view') return read.code(this.stream, view);
    return read.per === 'event' ? 31 - Math.clz32(events) : 0;
  }

  private labelOf(code: number): string {
    const { read } = this.dimension;
    return read.per === 'day' ? read.value(code) : read.value(this.stream, code);
  }

  private numberOf(label: string): number {
    const existing = this.byLabel.get(label);
    if (existing !== undefined) return existing;
    this.byLabel.set(label, this.labels.length);
    return this.labels.push(label) - 1;
  }
}

/** Combinations of values, encoded as integers. */
export class Combinations {
  readonly values: number[][] = [];
  private readonly levels: Map<number, number>[];
  private readonly columns: readonly Column[];
  private readonly current: number[] = [];

  constructor(columns: readonly Column[]) {
    this.columns = columns;
    this.levels = columns.map(() => new Map<number, number>());
    if (columns.length === 0) this.values.push([]);
  }

  /** The index of a hit's combination. */
  read(hit: Hit): number {
    let number = 0;
    for (let level = 0; level < this.columns.length; level += 1) {
      const value = this.columns[level]!.read(hit);
      this.current[level] = value;
      const numbers = this.levels[level]!;
      const key = number * 2 ** 26 + value;
      const found = numbers.get(key);
      number = found ?? numbers.size;
      if (found !== undefined) continue;
      numbers.set(key, number);
      if (level === this.columns.length - 1) this.values.push([...this.current]);
    }
    return number;
  }

  /** A combination's values as strings. */
  labels(number: number): string[] {
    return this.columns.map(({ labels }, level) => labels[this.values[number]![level]!]!);
  }
}

/** Invokes a callback for every hit in a session, at the granularity the dimensions need. */
export function forEachHit(
  stream: VisitStream,
  session: number,
  grain: 'session' | 'view' | 'event',
  visit: (hit: Hit) => void,
): void {
  const first = stream.firstView[session]!;
  const end = stream.firstView[session + 1]!;
  const day = stream.day[session]!;
  if (grain === 'session') {
    visit({ day, session, view: first, events: 0 });
    return;
  }
  for (let view = first; view < end; view += 1) {
    const events = stream.events[view]!;
    if (grain === 'view') {
      visit({ day, session, view, events });
      continue;
    }
    for (let bit = 0; bit < eventNames.length; bit += 1) {
      if (events & (1 << bit)) visit({ day, session, view, events: 1 << bit });
    }
  }
}
