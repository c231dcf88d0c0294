import { visibleCalls } from './calls.js';
import { counters, deedsOf } from './deeds.js';
import { measuresOf } from './interaction.js';
import { dayStart, dayText, momentText, nextDay, timeZone } from './moments.js';
import { dayIn, filterOf, idsIn, listed, momentIn, type Reading } from './reading.js';
import { refusals } from './refusals.js';
import type { CallRow, UserRow } from './rows.js';

/** The days that are asked for, and whose. */
interface Period {
  from: number;
  /** Not part of it any more. */
  to: number;
  users: readonly UserRow[];
}

/** POST /v2/stats/activity/aggregate */
export function listAggregate(reading: Reading): object {
  const period = periodOf(reading);
  const rows = activeUsers(reading, period);
  const view = ({ user, calls }: Active) => ({
    userId: user.id,
    userEmailAddress: user.email,
    userAggregateActivityStats: Object.fromEntries(counters.map((counter) => [counter, calls(counter).length])),
  });
  return { ...span(period), ...listed(reading, 'usersAggregateActivityStats', { rows, keyOf }, view) };
}

/** POST /v2/stats/activity/day-by-day */
export function listDayByDay(reading: Reading): object {
  const period = periodOf(reading);
  const rows = activeUsers(reading, period);
  const view = ({ user, calls }: Active) => ({
    userId: user.id,
    userEmailAddress: user.email,
    userDailyActivityStats: daysOf(period).flatMap(([from, to]) => {
      const lists = counters.map((counter) => {
        const ids = calls(counter).filter(({ started }) => started >= from && started < to);
        return [counter, ids.map(({ id }) => id)] as const;
      });
      if (lists.every(([, ids]) => ids.length === 0)) return [];
      return [{ ...Object.fromEntries(lists), fromDate: momentText(from), toDate: momentText(to) }];
    }),
  });
  return listed(reading, 'usersDetailedActivities', { rows, keyOf }, view);
}

/** POST /v2/stats/interaction, of calls with Whisper alone. */
export function listInteraction(reading: Reading): object {
  const period = periodOf(reading);
  const calls = callsIn(reading, period).filter(({ isWhisperEnabled }) => isWhisperEnabled);
  const rows = period.users.flatMap((user) => {
    const own = calls.filter(({ hostId }) => hostId === user.id);
    return own.length === 0 ? [] : [{ user, own }];
  });
  if (rows.length === 0) throw refusals.noStats();
  const listing = { rows, keyOf: ({ user }: (typeof rows)[number]) => user.id };
  const stats = listed(reading, 'peopleInteractionStats', listing, ({ user, own }) => ({
    userId: user.id,
    userEmailAddress: user.email,
    personInteractionStats: averagesOf(own),
  }));
  return { ...span(period), ...stats };
}

/** Somebody who did something, with the calls that it was done with. */
interface Active {
  user: UserRow;
  calls(counter: (typeof counters)[number]): CallRow[];
}

const keyOf = ({ user }: Active) => user.id;

function activeUsers(reading: Reading, period: Period): Active[] {
  const deeds = callsIn(reading, period).flatMap((call) => deedsOf(call, reading.world));
  const rows = period.users.flatMap((user): Active[] => {
    const own = deeds.filter(({ userId }) => userId === user.id);
    const calls: Active['calls'] = (wanted) => own.flatMap(({ counter, call }) => (counter === wanted ? [call] : []));
    return own.length === 0 ? [] : [{ user, calls }];
  });
  if (rows.length === 0) throw refusals.empty('users');
  return rows;
}

function averagesOf(calls: readonly CallRow[]) {
  const measures = calls.map(measuresOf);
  const mean = (pick: (measure: (typeof measures)[number]) => number) =>
    measures.reduce((sum, measure) => sum + pick(measure), 0) / measures.length;
  const hours = calls.reduce((sum, { duration }) => sum + duration, 0) / 3600;
  const questions = measures.reduce((sum, measure) => sum + measure.questions.own, 0);
  return [
    { name: 'Longest Monologue', value: mean((measure) => measure.longestMonologue) },
    { name: 'Longest Customer Story', value: mean((measure) => measure.longestCustomerStory) },
    { name: 'Interactivity', value: mean((measure) => measure.interactivity) },
    { name: 'Patience', value: mean((measure) => measure.patience) },
    { name: 'Question Rate', value: questions / hours },
  ];
}

function callsIn(reading: Reading, { from, to }: Period): CallRow[] {
  return visibleCalls(reading).filter(({ started }) => started >= from && started < to);
}

function periodOf(reading: Reading): Period {
  const filter = filterOf(reading);
  const first = dayIn(filter, 'fromDate');
  const end = dayIn(filter, 'toDate');
  const missing = Object.entries({ fromDate: first, toDate: end }).filter(([, value]) => value === undefined);
  if (first === undefined || end === undefined) {
    throw refusals.malformed(missing.map(([name]) => `filter.${name}: must not be null`));
  }
  if (end > dayText(reading.now)) throw refusals.malformed('filter.toDate: must not be later than today');
  const ids = idsIn(filter, 'userIds');
  const since = momentIn(filter.createdFromDateTime, 'filter.createdFromDateTime') ?? Number.NEGATIVE_INFINITY;
  const until = momentIn(filter.createdToDateTime, 'filter.createdToDateTime') ?? Number.POSITIVE_INFINITY;
  const users = reading.world.users.filter(
    ({ id, created }) => (!ids || ids.has(id)) && created >= since && created < until,
  );
  return { from: dayStart(first), to: dayStart(end), users };
}

function span({ from, to }: Period) {
  return { fromDateTime: momentText(from), toDateTime: momentText(to), timeZone };
}

function daysOf({ from, to }: Period): [number, number][] {
  const days: [number, number][] = [];
  for (let day = from; day < to; day = nextDay(day)) days.push([day, nextDay(day)]);
  return days;
}
