import { activitiesOf, type Counter } from './call-activities.js';
import { visibleCalls } from './calls.js';
import { type GongContext, parseTimestampParameter } from './context.js';
import { apiErrors } from './errors.js';
import type { UserRow } from './rows.js';

/** Gong's coaching metrics for a manager, each with the counter it reports. */
const metrics: readonly (readonly [string, Counter])[] = [
  ['callsListenedTo', 'othersCallsListenedTo'],
  ['callsManagerAttended', 'callsAttended'],
  ['callsWithFeedback', 'callsGaveFeedback'],
  ['callsManagerCommentedOn', 'callsCommentsGiven'],
  ['callsWithScorecardFilled', 'callsScorecardsFilled'],
];

const requiredParameters = ['workspace-id', 'manager-id', 'from', 'to'] as const;

/** GET /v2/coaching: the requested user, and every manager among their reports. */
export function listCoaching(context: GongContext): object {
  const { search, world } = context;
  const missing = requiredParameters.filter((name) => !search.get(name));
  if (missing.length > 0) throw apiErrors.malformed(missing.map((name) => `${name}: must not be null`));
  const workspaceId = search.get('workspace-id')!;
  if (!world.workspaces.some(({ id }) => id === workspaceId)) throw apiErrors.notFound('Workspace', workspaceId);
  const manager = world.users.find(({ id }) => id === search.get('manager-id'));
  if (!manager) throw apiErrors.notFound('User', search.get('manager-id')!);
  const from = parseTimestampParameter(search.get('from'), 'from')!;
  const to = parseTimestampParameter(search.get('to'), 'to')!;
  const activities = visibleCalls(context)
    .filter((call) => call.workspaceId === workspaceId && call.started >= from && call.started < to)
    .flatMap((call) => activitiesOf(call, world));

  const reportsOf = (one: UserRow) => world.users.filter(({ managerKey }) => managerKey === one.key);
  const managers = [manager, ...reportsOf(manager).filter((one) => reportsOf(one).length > 0)];
  const metricsOf = (one: UserRow) => (report: UserRow) => ({
    report: personView(report),
    metrics: Object.fromEntries(
      metrics.map(([name, counter]) => {
        const matching = activities.filter((activity) => activity.userId === one.id && activity.counter === counter);
        return [name, matching.filter(({ call }) => call.hostId === report.id).map(({ call }) => call.id)];
      }),
    ),
  });
  return {
    coachingData: managers.map((one) => {
      const reports = reportsOf(one);
      // Gong sends null if nobody reports to the manager.
      return {
        manager: personView(one),
        directReportsMetrics: reports.length === 0 ? null : reports.map(metricsOf(one)),
      };
    }),
  };
}

function personView({ id, email, name, title }: UserRow) {
  const [firstName = '', ...others] = name.split(' ');
  return { id, emailAddress: email, firstName, lastName: others.join(' '), title };
}
