import { activitiesOf, counters } from './call-activities.js';
import { visibleCalls } from './calls.js';
import {
  filterOf,
  type GongContext,
  listBody,
  parseDateParameter,
  parseIds,
  parseTimestampParameter,
} from './context.js';
import { apiErrors } from './errors.js';
import { callMetricsOf } from './interaction.js';
import type { CallRow, UserRow } from './rows.js';
import { dayStart, formatDate, formatTimestamp, nextDay, timeZone } from './timestamps.js';

/** The requested days and users. */
interface Period {
  from: number;
  /** Exclusive. */
  to: number;
  users: readonly UserRow[];
}

/** POST /v2/stats/activity/aggregate */
export function listAggregate(context: GongContext): object {
  const period = periodOf(context);
  const rows = activeUsers(context, period);
  const view = ({ user, calls }: UserActivity) => ({
    userId: user.id,
    userEmailAddress: user.email,
    userAggregateActivityStats: Object.fromEntries(counters.map((counter) => [counter, calls(counter).length])),
  });
  return { ...periodBody(period), ...listBody(context, 'usersAggregateActivityStats', { rows, keyOf }, view) };
}

/** POST /v2/stats/activity/day-by-day */
export function listDayByDay(context: GongContext): object {
  const period = periodOf(context);
  const rows = activeUsers(context, period);
  const view = ({ user, calls }: UserActivity) => ({
    userId: user.id,
    userEmailAddress: user.email,
    userDailyActivityStats: daysOf(period).flatMap(([from, to]) => {
      const lists = counters.map((counter) => {
        const ids = calls(counter).filter(({ started }) => started >= from && started < to);
        return [counter, ids.map(({ id }) => id)] as const;
      });
      if (lists.every(([, ids]) => ids.length === 0)) return [];
      return [{ ...Object.fromEntries(lists), fromDate: formatTimestamp(from), toDate: formatTimestamp(to) }];
    }),
  });
  return listBody(context, 'usersDetailedActivities', { rows, keyOf }, view);
}

/** POST /v2/stats/interaction, only for calls with Whisper. */
export function listInteraction(context: GongContext): object {
  const period = periodOf(context);
  const calls = callsIn(context, period).filter(({ isWhisperEnabled }) => isWhisperEnabled);
  const rows = period.users.flatMap((user) => {
    const own = calls.filter(({ hostId }) => hostId === user.id);
    return own.length === 0 ? [] : [{ user, own }];
  });
  if (rows.length === 0) throw apiErrors.noStats();
  const listing = { rows, keyOf: ({ user }: (typeof rows)[number]) => user.id };
  const stats = listBody(context, 'peopleInteractionStats', listing, ({ user, own }) => ({
    userId: user.id,
    userEmailAddress: user.email,
    personInteractionStats: averagesOf(own),
  }));
  return { ...periodBody(period), ...stats };
}

/** A user's activities and the calls they relate to. */
interface UserActivity {
  user: UserRow;
  calls(counter: (typeof counters)[number]): CallRow[];
}

const keyOf = ({ user }: UserActivity) => user.id;

function activeUsers(context: GongContext, period: Period): UserActivity[] {
  const activities = callsIn(context, period).flatMap((call) => activitiesOf(call, context.world));
  const rows = period.users.flatMap((user): UserActivity[] => {
    const own = activities.filter(({ userId }) => userId === user.id);
    const calls: UserActivity['calls'] = (wanted) =>
      own.flatMap(({ counter, call }) => (counter === wanted ? [call] : []));
    return own.length === 0 ? [] : [{ user, calls }];
  });
  if (rows.length === 0) throw apiErrors.empty('users');
  return rows;
}

function averagesOf(calls: readonly CallRow[]) {
  const metrics = calls.map(callMetricsOf);
  const mean = (pick: (metric: (typeof metrics)[number]) => number) =>
    metrics.reduce((sum, metric) => sum + pick(metric), 0) / metrics.length;
  const hours = calls.reduce((sum, { duration }) => sum + duration, 0) / 3600;
  const questions = metrics.reduce((sum, metric) => sum + metric.questions.own, 0);
  return [
    { name: 'Longest Monologue', value: mean((metric) => metric.longestMonologue) },
    { name: 'Longest Customer Story', value: mean((metric) => metric.longestCustomerStory) },
    { name: 'Interactivity', value: mean((metric) => metric.interactivity) },
    { name: 'Patience', value: mean((metric) => metric.patience) },
    { name: 'Question Rate', value: questions / hours },
  ];
}

function callsIn(context: GongContext, { from, to }: Period): CallRow[] {
  return visibleCalls(context).filter(({ started }) => started >= from && started < to);
}

function periodOf(context: GongContext): Period {
  const filter = filterOf(context);
  const first = parseDateParameter(filter, 'fromDate');
  const end = parseDateParameter(filter, 'toDate');
  const missing = Object.entries({ fromDate: first, toDate: end }).filter(([, value]) => value === undefined);
  if (first === undefined || end === undefined) {
    throw apiErrors.malformed(missing.map(([name]) => `filter.${name}: must not be null`));
  }
  if (end > formatDate(context.now)) throw apiErrors.malformed('filter.toDate: must not be later than today');
  const ids = parseIds(filter, 'userIds');
  const since =
    parseTimestampParameter(filter.createdFromDateTime, 'filter.createdFromDateTime') ?? Number.NEGATIVE_INFINITY;
  const until =
    parseTimestampParameter(filter.createdToDateTime, 'filter.createdToDateTime') ?? Number.POSITIVE_INFINITY;
  const users = context.world.users.filter(
    ({ id, created }) => (!ids || ids.has(id)) && created >= since && created < until,
  );
  return { from: dayStart(first), to: dayStart(end), users };
}

function periodBody({ from, to }: Period) {
  return { fromDateTime: formatTimestamp(from), toDateTime: formatTimestamp(to), timeZone };
}

function daysOf({ from, to }: Period): [number, number][] {
  const days: [number, number][] = [];
  for (let day = from; day < to; day = nextDay(day)) days.push([day, nextDay(day)]);
  return days;
}
