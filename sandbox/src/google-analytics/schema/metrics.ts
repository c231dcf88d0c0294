/** Sums for a row. */
export interface Tally {
  users: number;
  activeUsers: number;
  newUsers: number;
  sessions: number;
  engagedSessions: number;
  seconds: number;
  engagementSeconds: number;
  views: number;
  events: number;
  keyEvents: number;
  /** Distinct users in the 1-, 7- and 28-day windows that end on the row's date. */
  windows: [number, number, number];
}

/** Type of a metric's values. */
export type MetricType = 'TYPE_INTEGER' | 'TYPE_FLOAT' | 'TYPE_SECONDS' | 'TYPE_CURRENCY';

/** A report metric. */
export interface Metric {
  name: string;
  title: string;
  category: string;
  type: MetricType;
  scope: 'usual' | 'window' | 'item';
  value(tally: Tally): number;
}

function metric(
  name: string,
  title: string,
  category: string,
  type: MetricType,
  value: Metric['value'],
  scope: Metric['scope'] = 'usual',
): Metric {
  return { name, title, category, type, scope, value };
}

/** A ratio, or 0 if the denominator is 0. */
const per = (count: number, whole: number) => (whole === 0 ? 0 : count / whole);
const integer = 'TYPE_INTEGER';
const float = 'TYPE_FLOAT';

/** All metrics. */
export const metrics: readonly Metric[] = [
  metric('totalUsers', 'Total users', 'User', integer, ({ users }) => users),
  metric('activeUsers', 'Active users', 'User', integer, ({ activeUsers }) => activeUsers),
  metric('newUsers', 'New users', 'User', integer, ({ newUsers }) => newUsers),
  metric('active1DayUsers', '1-day active users', 'User', integer, ({ windows }) => windows[0], 'window'),
  metric('active7DayUsers', '7-day active users', 'User', integer, ({ windows }) => windows[1], 'window'),
  metric('active28DayUsers', '28-day active users', 'User', integer, ({ windows }) => windows[2], 'window'),
  metric('dauPerWau', 'DAU / WAU', 'User', float, ({ windows }) => per(windows[0], windows[1]), 'window'),
  metric('dauPerMau', 'DAU / MAU', 'User', float, ({ windows }) => per(windows[0], windows[2]), 'window'),
  metric('wauPerMau', 'WAU / MAU', 'User', float, ({ windows }) => per(windows[1], windows[2]), 'window'),
  metric('sessions', 'Sessions', 'Session', integer, ({ sessions }) => sessions),
  metric('engagedSessions', 'Engaged sessions', 'Session', integer, ({ engagedSessions }) => engagedSessions),
  metric('engagementRate', 'Engagement rate', 'Session', float, (tally) => per(tally.engagedSessions, tally.sessions)),
  metric('bounceRate', 'Bounce rate', 'Session', float, (tally) =>
    per(tally.sessions - tally.engagedSessions, tally.sessions),
  ),
  metric('sessionsPerUser', 'Sessions per active user', 'Session', float, (tally) =>
    per(tally.sessions, tally.activeUsers),
  ),
  metric('averageSessionDuration', 'Average session duration', 'Session', 'TYPE_SECONDS', (tally) =>
    per(tally.seconds, tally.sessions),
  ),
  metric(
    'userEngagementDuration',
    'User engagement',
    'User',
    'TYPE_SECONDS',
    ({ engagementSeconds }) => engagementSeconds,
  ),
  metric('screenPageViews', 'Views', 'Page / screen', integer, ({ views }) => views),
  metric('screenPageViewsPerSession', 'Views per session', 'Page / screen', float, (tally) =>
    per(tally.views, tally.sessions),
  ),
  metric('screenPageViewsPerUser', 'Views per active user', 'Page / screen', float, (tally) =>
    per(tally.views, tally.activeUsers),
  ),
  metric('eventCount', 'Event count', 'Event', integer, ({ events }) => events),
  metric('eventCountPerUser', 'Event count per active user', 'Event', float, (tally) =>
    per(tally.events, tally.activeUsers),
  ),
  metric('eventsPerSession', 'Events per session', 'Session', float, (tally) => per(tally.events, tally.sessions)),
  metric('keyEvents', 'Key events', 'Event', float, ({ keyEvents }) => keyEvents),
  metric('totalRevenue', 'Total revenue', 'Revenue', 'TYPE_CURRENCY', () => 0),
  metric('itemsViewed', 'Items viewed', 'Ecommerce', integer, () => 0, 'item'),
  metric('itemRevenue', 'Item revenue', 'Ecommerce', 'TYPE_CURRENCY', () => 0, 'item'),
];
