import type { DateRange } from '../dates.js';
import type { Dimension } from '../schema/dimensions.js';
import type { Tally } from '../schema/metrics.js';
import { bitOf, type VisitStream } from '../visits/stream.js';
import { Column, Combinations, forEachHit, type Hit } from './columns.js';

/** What to count in a report. */
export interface CountQuery {
  stream: VisitStream;
  range: DateRange;
  /** The property's current day and minute; later hits have not happened yet. */
  localNow: { day: number; minute: number };
  dimensions: readonly Dimension[];
  /** Dimensions used only by the filter. */
  filterDimensions: readonly Dimension[];
  matchesFilter: (hit: Hit) => boolean;
  hasWindows: boolean;
  rowsBeforeOther: number;
}

/** A report row before formatting. */
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

const otherLabel = '(other)';
const firstVisit = bitOf('first_visit');
const engagement = bitOf('user_engagement');
const keyEvent = bitOf('sign_up');

/** Counts the visits in a range by dimension; the rarest combinations may be merged. */
export function count(query: CountQuery): { rows: CountedRow[]; isRolledUp: boolean } {
  const full = new Counter(query);
  full.run();
  if (full.combinations.values.length <= query.rowsBeforeOther) return { rows: full.rows(), isRolledUp: false };
  const reduced = new Counter(query, full.topByEvents(query.rowsBeforeOther - 1));
  reduced.run();
  return { rows: reduced.rows(), isRolledUp: true };
}

class Counter {
  readonly combinations: Combinations;
  private readonly query: CountQuery;
  private readonly days: Combinations;
  private readonly topCombinations: ReadonlySet<number> | undefined;
  private readonly groups = new Map<number, Group>();
  private readonly windows = new Map<number, MovingWindow>();
  /** Users counted per row, in several sets because a single set is limited to several million entries. */
  private readonly seen = Array.from({ length: 16 }, () => new Set<number>());
  private readonly seenActive = Array.from({ length: 16 }, () => new Set<number>());

  constructor(query: CountQuery, topCombinations?: ReadonlySet<number>) {
    const { stream, dimensions } = query;
    this.query = query;
    this.topCombinations = topCombinations;
    const columns = dimensions.map((dimension) => new Column(stream, dimension));
    this.combinations = new Combinations(columns.filter(({ dimension }) => dimension.read.per !== 'day'));
    this.days = new Combinations(columns.filter(({ dimension }) => dimension.read.per === 'day'));
  }

  run(): void {
    const { stream, range, localNow, dimensions, filterDimensions, hasWindows } = this.query;
    const grains = [...dimensions, ...filterDimensions].map(({ read }) => read.per);
    const grain = grains.includes('event') ? 'event' : grains.includes('view') ? 'view' : 'session';
    if (grains.includes('item')) return;
    const last = Math.min(range.last, localNow.day);
    for (let day = range.first - (hasWindows ? 27 : 0); day <= last; day += 1) {
      const days = this.days.read({ day, session: 0, view: 0, events: 0 });
      const isCounted = day >= range.first;
      for (let session = stream.startOf(day); session < stream.startOf(day + 1); session += 1) {
        if (day === localNow.day && stream.minute[session]! > localNow.minute) break;
        forEachHit(stream, session, grain, (hit) => {
          if (!this.query.matchesFilter(hit)) return;
          const combination = this.combinationOf(hit);
          if (hasWindows) this.trackWindow(combination, session, day);
          if (isCounted) this.add(this.groupOf(combination, days), hit);
        });
      }
      if (hasWindows && isCounted) this.closeWindows(day, days);
    }
  }

  rows(): CountedRow[] {
    const isDay = this.query.dimensions.map(({ read }) => read.per === 'day');
    return [...this.groups.values()].map(({ combination, days, tally }) => {
      const ofDay = this.days.labels(days);
      const rest = combination < 0 ? undefined : this.combinations.labels(combination);
      return { values: isDay.map((one) => (one ? ofDay.shift()! : (rest?.shift() ?? otherLabel))), tally };
    });
  }

  /** The combinations with the most events. */
  topByEvents(limit: number): ReadonlySet<number> {
    const events = new Map<number, number>();
    for (const { combination, tally } of this.groups.values()) {
      events.set(combination, (events.get(combination) ?? 0) + tally.events);
    }
    const sorted = [...events].sort(([, one], [, another]) => another - one);
    return new Set(sorted.slice(0, limit).map(([combination]) => combination));
  }

  private combinationOf(hit: Hit): number {
    const combination = this.combinations.read(hit);
    return !this.topCombinations || this.topCombinations.has(combination) ? combination : -1;
  }

  private groupOf(combination: number, days: number): Group {
    const key = (combination + 1) * 2 ** 20 + days;
    const existing = this.groups.get(key);
    if (existing) return existing;
    const tally: Tally = {
      users: 0,
      activeUsers: 0,
      newUsers: 0,
      sessions: 0,
      engagedSessions: 0,
      seconds: 0,
      engagementSeconds: 0,
      views: 0,
      events: 0,
      keyEvents: 0,
      windows: [0, 0, 0],
    };
    const group = { number: this.groups.size, combination, days, lastSession: -1, tally };
    this.groups.set(key, group);
    return group;
  }

  private add(group: Group, hit: Hit): void {
    const { stream } = this.query;
    const { session, view, events } = hit;
    const { tally } = group;
    if (group.lastSession !== session) {
      group.lastSession = session;
      tally.sessions += 1;
      tally.seconds += stream.seconds[session]!;
      if (stream.isEngaged[session]) tally.engagedSessions += 1;
      const user = stream.user[session]!;
      if (addIfNew(this.seen, group.number, user)) tally.users += 1;
      if (this.isActive(session) && addIfNew(this.seenActive, group.number, user)) tally.activeUsers += 1;
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
    if (events & engagement) tally.engagementSeconds += this.query.stream.engagementSeconds[view]!;
    for (let rest = events; rest > 0; rest &= rest - 1) tally.events += 1;
  }

  /** Users who engage or visit for the first time count as active. */
  private isActive(session: number): boolean {
    const { isEngaged, events, firstView } = this.query.stream;
    return isEngaged[session]! || (events[firstView[session]!]! & firstVisit) !== 0;
  }

  private trackWindow(combination: number, session: number, day: number): void {
    if (!this.isActive(session)) return;
    let window = this.windows.get(combination);
    if (!window) {
      window = new MovingWindow();
      this.windows.set(combination, window);
    }
    window.record(this.query.stream.user[session]!, day);
  }

  /** Stores the windows that end on a given day, replacing those of an earlier day in the same row. */
  private closeWindows(day: number, days: number): void {
    for (const [combination, window] of this.windows) {
      const users = window.at(day);
      if (users[2] > 0) this.groupOf(combination, days).tally.windows = users;
    }
  }
}

function addIfNew(sets: Set<number>[], group: number, user: number): boolean {
  const set = sets[user & 15]!;
  const before = set.size;
  set.add(group * 2 ** 26 + user);
  return set.size > before;
}

/** Counts distinct users over rolling windows of days. */
class MovingWindow {
  private readonly lastSeen = new Map<number, number>();
  private readonly byLastDay = new Map<number, number>();

  record(user: number, day: number): void {
    const before = this.lastSeen.get(user);
    if (before === day) return;
    if (before !== undefined) this.byLastDay.set(before, this.byLastDay.get(before)! - 1);
    this.lastSeen.set(user, day);
    this.byLastDay.set(day, (this.byLastDay.get(day) ?? 0) + 1);
  }

  /** Users active in the last 1, 7 and 28 days. */
  at(day: number): [number, number, number] {
    let sum = 0;
    const counts: number[] = [];
    for (let back = 0; back < 28; back += 1) {
      sum += this.byLastDay.get(day - back) ?? 0;
      if (back === 0 || back === 6 || back === 27) counts.push(sum);
    }
    return counts as [number, number, number];
  }
}
