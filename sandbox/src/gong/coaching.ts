import { visibleCalls } from './calls.js';
import { type Counter, deedsOf } from './deeds.js';
import { momentIn, type Reading } from './reading.js';
import { refusals } from './refusals.js';
import type { UserRow } from './rows.js';

/** What a manager did with the calls of somebody, by Gong's name for it. */
const metrics: readonly (readonly [string, Counter])[] = [
  ['callsListenedTo', 'othersCallsListenedTo'],
  ['callsManagerAttended', 'callsAttended'],
  ['callsWithFeedback', 'callsGaveFeedback'],
  ['callsManagerCommentedOn', 'callsCommentsGiven'],
  ['callsWithScorecardFilled', 'callsScorecardsFilled'],
];

const needed = ['workspace-id', 'manager-id', 'from', 'to'] as const;

/** GET /v2/coaching: the manager, and every manager among those who report to the manager. */
export function listCoaching(reading: Reading): object {
  const { search, world } = reading;
  const missing = needed.filter((name) => !search.get(name));
  if (missing.length > 0) throw refusals.malformed(missing.map((name) => `${name}: must not be null`));
  const workspaceId = search.get('workspace-id')!;
  if (!world.workspaces.some(({ id }) => id === workspaceId)) throw refusals.notFound('Workspace', workspaceId);
  const manager = world.users.find(({ id }) => id === search.get('manager-id'));
  if (!manager) throw refusals.notFound('User', search.get('manager-id')!);
  const from = momentIn(search.get('from'), 'from')!;
  const to = momentIn(search.get('to'), 'to')!;
  const deeds = visibleCalls(reading)
    .filter((call) => call.workspaceId === workspaceId && call.started >= from && call.started < to)
    .flatMap((call) => deedsOf(call, world));

  const reportsOf = (one: UserRow) => world.users.filter(({ managerKey }) => managerKey === one.key);
  const managers = [manager, ...reportsOf(manager)].filter((one) => reportsOf(one).length > 0);
  return {
    coachingData: managers.map((one) => ({
      manager: personView(one),
      directReportsMetrics: reportsOf(one).map((report) => ({
        report: personView(report),
        metrics: Object.fromEntries(
          metrics.map(([name, counter]) => {
            const done = deeds.filter((deed) => deed.userId === one.id && deed.counter === counter);
            return [name, done.filter(({ call }) => call.hostId === report.id).map(({ call }) => call.id)];
          }),
        ),
      })),
    })),
  };
}

function personView({ id, email, name, title }: UserRow) {
  const [firstName = '', ...others] = name.split(' ');
  return { id, emailAddress: email, firstName, lastName: others.join(' '), title };
}
