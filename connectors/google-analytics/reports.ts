/** Column names in the format of Google's requests. */
const columns = <const Names extends readonly string[]>(...names: Names) =>
  names.map((name) => ({ name })) as unknown as { readonly [K in keyof Names]: { readonly name: Names[K] } };

const visits = columns(
  'totalUsers',
  'newUsers',
  'sessions',
  'sessionsPerUser',
  'averageSessionDuration',
  'screenPageViews',
  'screenPageViewsPerSession',
  'bounceRate',
);

/** Default columns of each report, in the order of the values in its rows. */
export const reports = {
  website_overview: { dimensions: columns('date'), metrics: visits },
  daily_active_users: { dimensions: columns('date'), metrics: columns('active1DayUsers') },
  weekly_active_users: { dimensions: columns('date'), metrics: columns('active7DayUsers') },
  four_weekly_active_users: { dimensions: columns('date'), metrics: columns('active28DayUsers') },
  traffic_sources: { dimensions: columns('date', 'sessionSource', 'sessionMedium'), metrics: visits },
  pages: {
    dimensions: columns('date', 'hostName', 'pagePathPlusQueryString'),
    metrics: columns('screenPageViews', 'bounceRate'),
  },
  devices: { dimensions: columns('date', 'deviceCategory', 'operatingSystem', 'browser'), metrics: visits },
  locations: { dimensions: columns('region', 'country', 'city', 'date'), metrics: visits },
} as const;

/** Default period. */
export const lastThirtyDays = [{ startDate: '30daysAgo', endDate: 'today' }] as const;
