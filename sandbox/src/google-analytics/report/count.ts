import type { DateRange } from '../dates.js';
import type { Dimension } from '../schema/dimensions.js';
import type { Tally } from '../schema/metrics.js';
import { bitOf, type VisitStream } from '../visits/stream.js';
import { Column, Combinations, eachHit, type Hit } from './columns.js';
import { MovingWindow } from './windows.js';

/** What a report is to count. */
export interface Question {
  stream: VisitStream;
  range: DateRange;
  /** The property's day and minute: what came later has not happened yet. */
  until: { day: number; minute: number };
  dimensions: readonly Dimension[];
  /** The dimensions that only the filter looks at. */
  filtered: readonly Dimension[];
  isKept: (hit: Hit) => boolean;
  hasWindows: boolean;
  rowsBeforeOther: number;
}

/** One row of a report before it is written down. */
export interface CountedRow {
  values: string[];
  tally: Tally;
}

interface Group {
  number: number;
  combination: number;
  days: number;
  lastSession: number;
  tally: Tally;
}

const other = '(other)';
const firstVisit = bitOf('first_visit');
const engagement = bitOf('user_engagement');
const keyEvent = bitOf('sign_up');

/** Counts the visits of a range by some dimensions; the rarest combinations may be rolled into one. */
export function count(question: Question): { rows: CountedRow[]; isRolled: boolean } {
  const whole = new Counter(question);
  whole.run();
  if (whole.combinations.values.length <= question.rowsBeforeOther) return { rows: whole.rows(), isRolled: false };
  const rolled = new Counter(question, whole.frequent(question.rowsBeforeOther - 1));
  rolled.run();
  return { rows: rolled.rows(), isRolled: true };
}

class Counter {
  readonly combinations: Combinations;
  private readonly question: Question;
  private readonly days: Combinations;
  private readonly kept: ReadonlySet<number> | undefined;
  private readonly groups = new Map<number, Group>();
  private readonly windows = new Map<number, MovingWindow>();
  /** Who was counted where: several sets, since one may not hold more than some millions. */
  private readonly seen = Array.from({ length: 16 }, () => new Set<number>());
  private readonly seenActive = Array.from({ length: 16 }, () => new Set<number>());

  constructor(question: Question, kept?: ReadonlySet<number>) {
    const { stream, dimensions } = question;
    this.question = question;
    this.kept = kept;
    const columns = dimensions.map((dimension) => new Column(stream, dimension));
    this.combinations = new Combinations(columns.filter(({ dimension }) => dimension.read.per !== 'day'));
    this.days = new Combinations(columns.filter(({ dimension }) => dimension.read.per === 'day'));
  }

  run(): void {
    const { stream, range, until, dimensions, filtered, hasWindows } = this.question;
    const grains = [...dimensions, ...filtered].map(({ read }) => read.per);
    const grain = grains.includes('event') ? 'event' : grains.includes('view') ? 'view' : 'session';
    if (grains.includes('item')) return;
    const last = Math.min(range.last, until.day);
    for (let day = range.first - (hasWindows ? 27 : 0); day <= last; day += 1) {
      const days = this.days.read({ day, session: 0, view: 0, events: 0 });
      const isCounted = day >= range.first;
      for (let session = stream.startOf(day); session < stream.startOf(day + 1); session += 1) {
        if (day === until.day && stream.minute[session]! > until.minute) break;
        eachHit(stream, session, grain, (hit) => {
          if (!this.question.isKept(hit)) return;
          const combination = this.combinationOf(hit);
          if (hasWindows) this.look(combination, session, day);
          if (isCounted) this.add(this.groupOf(combination, days), hit);
        });
      }
      if (hasWindows && isCounted) this.close(day, days);
    }
  }

  rows(): CountedRow[] {
    const isDay = this.question.dimensions.map(({ read }) => read.per === 'day');
    return [...this.groups.values()].map(({ combination, days, tally }) => {
      const ofDay = this.days.labels(days);
      const rest = combination < 0 ? undefined : this.combinations.labels(combination);
      return { values: isDay.map((one) => (one ? ofDay.shift()! : (rest?.shift() ?? other))), tally };
    });
  }

  /** The combinations with the most events. */
  frequent(most: number): ReadonlySet<number> {
    const events = new Map<number, number>();
    for (const { combination, tally } of this.groups.values()) {
      events.set(combination, (events.get(combination) ?? 0) + tally.events);
    }
    const sorted = [...events].sort(([, one], [, another]) => another - one);
    return new Set(sorted.slice(0, most).map(([combination]) => combination));
  }

  private combinationOf(hit: Hit): number {
    const found = this.combinations.read(hit);
    return !this.kept || this.kept.has(found) ? found : -1;
  }

  private groupOf(combination: number, days: number): Group {
    const key = (combination + 1) * 2 ** 20 + days;
    const known = this.groups.get(key);
    if (known) return known;
    const tally: Tally = {
      ...{ users: 0, activeUsers: 0, newUsers: 0, sessions: 0, engagedSessions: 0, seconds: 0, attention: 0 },
      ...{ views: 0, events: 0, keyEvents: 0, windows: [0, 0, 0] },
    };
    const group = { number: this.groups.size, combination, days, lastSession: -1, tally };
    this.groups.set(key, group);
    return group;
  }

  private add(group: Group, hit: Hit): void {
    const { stream } = this.question;
    const { session, view, events } = hit;
    const { tally } = group;
    if (group.lastSession !== session) {
      group.lastSession = session;
      tally.sessions += 1;
      tally.seconds += stream.seconds[session]!;
      if (stream.isEngaged[session]) tally.engagedSessions += 1;
      const user = stream.user[session]!;
      if (isFresh(this.seen, group.number, user)) tally.users += 1;
      if (this.isActive(session) && isFresh(this.seenActive, group.number, user)) tally.activeUsers += 1;
    }
    if (events !== 0) {
      this.addEvents(tally, view, events);
      return;
    }
    for (let each = stream.firstView[session]!; each < stream.firstView[session + 1]!; each += 1) {
      this.addEvents(tally, each, stream.events[each]!);
    }
  }

  private addEvents(tally: Tally, view: number, events: number): void {
    if (events & 1) tally.views += 1;
    if (events & firstVisit) tally.newUsers += 1;
    if (events & keyEvent) tally.keyEvents += 1;
    if (events & engagement) tally.attention += this.question.stream.attention[view]!;
    for (let rest = events; rest > 0; rest &= rest - 1) tally.events += 1;
  }

  /** Whoever engages, or comes for the first time, is active. */
  private isActive(session: number): boolean {
    const { isEngaged, events, firstView } = this.question.stream;
    return isEngaged[session]! || (events[firstView[session]!]! & firstVisit) !== 0;
  }

  private look(combination: number, session: number, day: number): void {
    if (!this.isActive(session)) return;
    let window = this.windows.get(combination);
    if (!window) {
      window = new MovingWindow();
      this.windows.set(combination, window);
    }
    window.note(this.question.stream.user[session]!, day);
  }

  /** Writes down the windows that end with a day; a later day of the same row takes its place. */
  private close(day: number, days: number): void {
    for (const [combination, window] of this.windows) {
      const found = window.at(day);
      if (found[2] > 0) this.groupOf(combination, days).tally.windows = found;
    }
  }
}

function isFresh(sets: Set<number>[], group: number, user: number): boolean {
  const set = sets[user & 15]!;
  const before = set.size;
  set.add(group * 2 ** 26 + user);
  return set.size > before;
}
