import type { Budget, Limits, ResponseEvent } from 'agent-connectors';

/** What a vendor said last of one of its limits. */
export interface ToldBudget extends Budget {
  /** Milliseconds since 1970. */
  readonly toldAt: number;
}

/** A limit that is known beforehand, and what of it was used from here. */
export interface UsedLimit {
  readonly requests: number;
  readonly seconds: number;
  readonly sent: number;
}

/** What is known of the limits that a connector's calls run into. */
export interface Quota {
  readonly told: readonly ToldBudget[];
  readonly limits: readonly UsedLimit[];
  readonly sentLastMinute: number;
  readonly sentLastDay: number;
  /** When the vendor last refused a request because there were too many; null where it has not. */
  readonly refusedAt: number | null;
}

/** Notes what connectors send and what vendors tell of their limits, since this process began. */
export interface Quotas {
  /** When it began, in milliseconds since 1970. */
  readonly since: number;
  sent(id: string): void;
  replied(id: string, event: Pick<ResponseEvent, 'status' | 'budgets'>): void;
  of(id: string, limits: Limits | undefined): Quota;
}

interface Notes {
  /** Times of the last requests, oldest first. */
  recent: number[];
  /** Requests by the minute in which they went out. */
  readonly minutes: Map<number, number>;
  readonly told: Map<string, ToldBudget>;
  refusedAt: number | null;
}

const minute = 60_000;
const day = 24 * 60 * minute;
/** No window of a vendor's holds more. */
const mostRecent = 5_000;
const mostConnectors = 5_000;

/** Begins to note. */
export function openQuotas(now: () => number): Quotas {
  const known = new Map<string, Notes>();
  const notesOf = (id: string): Notes => {
    const notes = known.get(id) ?? { recent: [], minutes: new Map(), told: new Map(), refusedAt: null };
    known.delete(id);
    known.set(id, notes);
    if (known.size > mostConnectors) known.delete(known.keys().next().value!);
    return notes;
  };
  const forget = (notes: Notes) => {
    const at = now();
    const first = notes.recent.findIndex((time) => time > at - minute);
    notes.recent = first < 0 ? [] : notes.recent.slice(Math.max(first, notes.recent.length - mostRecent));
    for (const slot of notes.minutes.keys()) {
      if (slot > Math.floor((at - day) / minute)) break;
      notes.minutes.delete(slot);
    }
  };

  return {
    since: now(),
    sent(id) {
      const notes = notesOf(id);
      const slot = Math.floor(now() / minute);
      notes.recent.push(now());
      notes.minutes.set(slot, (notes.minutes.get(slot) ?? 0) + 1);
      if (notes.recent.length > 2 * mostRecent) forget(notes);
    },
    replied(id, { status, budgets = [] }) {
      const notes = notesOf(id);
      for (const budget of budgets) notes.told.set(budget.name, { ...budget, toldAt: now() });
      const isUsedUp = budgets.some(({ remaining }) => remaining <= 0);
      if (status === 429 || (status >= 400 && isUsedUp)) notes.refusedAt = now();
    },
    of(id, { windows = [], perDay } = {}) {
      const notes = notesOf(id);
      forget(notes);
      const within = (ms: number) => notes.recent.filter((time) => time > now() - ms).length;
      const sentLastDay = [...notes.minutes.values()].reduce((sum, count) => sum + count, 0);
      const used = windows.map(({ requests, perMs }) => ({ requests, seconds: perMs / 1000, sent: within(perMs) }));
      const daily = perDay === undefined ? [] : [{ requests: perDay, seconds: day / 1000, sent: sentLastDay }];
      return {
        told: [...notes.told.values()],
        limits: [...used, ...daily],
        ...{ sentLastMinute: within(minute), sentLastDay, refusedAt: notes.refusedAt },
      };
    },
  };
}
