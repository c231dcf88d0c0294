import * as z from 'zod';
import { action, entity, many, post, type RecordShape } from '../../src/authoring.js';
import { ActivityTotals, AnsweredScorecard, DailyActivity, Interaction } from './measures.js';
import {
  callId,
  cursor,
  emptyIfNotFound,
  extraCursor,
  ids,
  instant,
  listIn,
  nextPageParams,
  Page,
  pageOf,
  paginatedList,
  periodError,
  startsBeforeEnd,
} from './operations.js';
import * as searchable from './searchable.js';

/** Start inclusive, end exclusive. */
export interface Period {
  readonly fromDateTime: string;
  readonly toDateTime: string;
}

const dayMs = 86_400_000;
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/**
 * The days that cover a period in every time zone: Gong interprets days in the company's time zone, which it does not
 * report.
 *
 * The end is exclusive, as in Gong; undefined if it is in the future, since nothing has been reviewed yet.
 */
export function reviewDays({ fromDateTime, toDateTime }: Period, now = Date.now()) {
  const end = Date.parse(toDateTime) + 2 * dayMs;
  return {
    reviewFromDate: dayOf(Date.parse(fromDateTime) - dayMs),
    ...(end <= now && { reviewToDate: dayOf(end) }),
  };
}

/** Whether an instant is within a period; true if the time is unknown. */
export function isWithinPeriod(instant: unknown, { fromDateTime, toDateTime }: Period): boolean {
  const time = typeof instant === 'string' ? Date.parse(instant) : Number.NaN;
  return Number.isNaN(time) || (time >= Date.parse(fromDateTime) && time < Date.parse(toDateTime));
}

const day = (description: string) => z.iso.date().describe(`${description}: YYYY-MM-DD in the company's time zone.`);
const days = ['fromDate', 'toDate'] as const;

const statistics = <T>(description: string, record: RecordShape<T>, name: string, key: string) =>
  paginatedList({
    description,
    params: z.strictObject({
      filter: z
        .strictObject({
          fromDate: day('The first day'),
          toDate: day('The day after the last day, no later than today'),
          userIds: ids('Only these users, from `users.list`.'),
        })
        .refine(startsBeforeEnd(...days), periodError(...days))
        .describe('Days and users to include.'),
      cursor: extraCursor,
    }),
    record,
    key,
    request: (params) => post(`/v2/stats/${name}`, params),
    example: { filter: { fromDate: '2026-09-01', toDate: '2026-09-08' } },
  });

export const stats_activity_aggregate = entity({
  description: 'Activity counts by user for a period; users without activity are omitted.',
  actions: {
    list: statistics(
      'List activity counts by user.',
      ActivityTotals,
      'activity/aggregate',
      'usersAggregateActivityStats',
    ),
  },
});

export const stats_activity_day_by_day = entity({
  description: 'Daily activity per user in a period, as call ids.',
  actions: {
    list: statistics('List activity by user and day.', DailyActivity, 'activity/day-by-day', 'usersDetailedActivities'),
  },
});

export const stats_interaction = entity({
  description: 'Talk metrics per user, counting only calls with the in-call assistant (Whisper) enabled.',
  actions: {
    list: statistics(
      'List talk metrics by user, counting only calls with the in-call assistant (Whisper) enabled.',
      Interaction,
      'interaction',
      'peopleInteractionStats',
    ),
  },
});

const period = ['fromDateTime', 'toDateTime'] as const;

const isAmong = (list: readonly string[] | undefined, value: unknown) =>
  list === undefined || list.includes(String(value));

export const stats_activity_scorecards = entity({
  description: 'Call scorecards completed by reviewers or by Gong.',
  search: searchable.stats_activity_scorecards,
  actions: {
    list: action({
      description: 'List completed scorecards by review time. A short or empty page is not necessarily the last.',
      params: z.strictObject({
        filter: z
          .strictObject({
            fromDateTime: instant('Only reviews at or after this time'),
            toDateTime: instant('Only reviews before this time'),
            scorecardIds: ids('Only these scorecards, from `settings_scorecards.list`.'),
            reviewedUserIds: ids('Only reviews for these users.'),
            reviewerUserIds: ids('Only reviews by these users.'),
            callIds: ids('Only reviews of these calls.', callId),
          })
          .refine(startsBeforeEnd(...period), periodError(...period))
          .describe('Which reviews.'),
        cursor,
      }),
      returns: many(AnsweredScorecard, Page),
      request: ({ filter, cursor: from }) => {
        const { scorecardIds, reviewedUserIds } = filter;
        // Without reviewMethod, Gong omits its own reviews.
        const gongFilter = { ...reviewDays(filter), scorecardIds, reviewedUserIds, reviewMethod: 'BOTH' };
        return emptyIfNotFound(
          post('/v2/stats/activity/scorecards', { filter: gongFilter, cursor: from }),
          'answeredScorecards',
        );
      },
      read: (body, { filter }) => ({ data: matching(listIn(body, 'answeredScorecards'), filter), meta: pageOf(body) }),
      next: nextPageParams,
      example: { filter: { fromDateTime: '2026-09-01T00:00:00Z', toDateTime: '2026-09-08T00:00:00Z' } },
    }),
  },
});

/** Gong filters only by whole days, and not by reviewer or call. */
function matching(
  records: any,
  filter: Period & { reviewerUserIds?: string[] | undefined; callIds?: string[] | undefined },
): any {
  if (!Array.isArray(records)) return records;
  return records.filter(
    (review) =>
      isWithinPeriod(review?.reviewTime, filter) &&
      isAmong(filter.reviewerUserIds, review?.reviewerUserId) &&
      isAmong(filter.callIds, review?.callId),
  );
}
