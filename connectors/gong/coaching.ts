import * as z from 'zod';
import { action, entity, get, many } from '../../src/authoring.js';
import { Coaching } from './measures.js';
import { emptyIfNotFound, id, instant, listIn, periodError, startsBeforeEnd } from './operations.js';
import { id as idOf } from './records.js';

/** Maps each count in the contract to the call list that it counts. */
const lists = {
  callsListened: 'callsListenedTo',
  callsAttended: 'callsManagerAttended',
  callsWithFeedback: 'callsWithFeedback',
  callsWithComments: 'callsManagerCommentedOn',
  scorecardsFilled: 'callsWithScorecardFilled',
} as const;

type Metrics = Record<keyof typeof lists, number>;

const countsOf = (metrics: any): Metrics =>
  Object.fromEntries(
    Object.entries(lists).map(([name, list]) => [name, Array.isArray(metrics?.[list]) ? metrics[list].length : 0]),
  ) as Metrics;

const sumOf = (all: readonly Metrics[]): Metrics =>
  Object.fromEntries(
    Object.keys(lists).map((name) => [name, all.reduce((sum, metrics) => sum + metrics[name as keyof Metrics], 0)]),
  ) as Metrics;

const recordOf = (person: any, isManager: boolean, coachingMetrics: Metrics) => ({
  userId: idOf(person?.id) ?? null,
  userEmailAddress: person?.emailAddress ?? null,
  userName: [person?.firstName, person?.lastName].filter(Boolean).join(' ') || null,
  isManager,
  coachingMetrics,
});

/** A manager and their reports, one record each. */
function flattenTeam(team: any) {
  if (team === null) return [];
  const { manager, directReportsMetrics, ...rest } = team;
  // Gong emulators may send the records directly.
  if (rest.userId !== undefined) return [rest];
  const reports = (directReportsMetrics ?? []).map((direct: any) => ({
    report: direct?.report,
    counts: countsOf(direct?.metrics),
  }));
  return [
    recordOf(manager, true, sumOf(reports.map(({ counts }: any) => counts))),
    ...reports.map(({ report, counts }: any) => recordOf(report, false, counts)),
  ];
}

export const coaching = entity({
  description: 'How often managers coach their reports, as call counts.',
  actions: {
    list: action({
      description: 'List coaching counts for a manager (team totals) and each team member, including indirect reports.',
      params: z
        .strictObject({
          'workspace-id': id('From `workspaces.list`.'),
          'manager-id': id('From `users.list`.'),
          from: instant('At or after this time'),
          to: instant('Before this time'),
        })
        .refine(startsBeforeEnd('from', 'to'), periodError('from', 'to')),
      returns: many(Coaching, z.object({})),
      request: (params) => emptyIfNotFound(get('/v2/coaching', params), 'coachingData'),
      read: (body) => {
        const managers = listIn(body, 'coachingData');
        return { data: Array.isArray(managers) ? managers.flatMap(flattenTeam) : managers, meta: {} };
      },
      example: {
        'workspace-id': '623457276584334',
        'manager-id': '234599484848423',
        from: '2026-09-01T00:00:00Z',
        to: '2026-10-01T00:00:00Z',
      },
    }),
  },
});
