import type { EntityContract } from '../contract.js';

const period = 'date startDate endDate property_id';
const counts = 'newUsers screenPageViews sessions totalUsers';
const rates = 'averageSessionDuration bounceRate screenPageViewsPerSession sessionsPerUser';

const report = (searchable: Record<string, string>): EntityContract => ({
  record: 'dimensionValues metricValues',
  meta: 'row_count',
  metaExtensions: 'property_id date_ranges dimension_headers metric_headers property_quota metadata notes',
  actions: { list: 'property_id dateRanges? dimensions? metrics? keepEmptyRows? returnPropertyQuota? limit?' },
  extensions: { list: 'dimensionFilter? offset?' },
  searchable,
});

/** The names promised by the connector's reference, repeated here independently of the manifest. */
export const contract: Record<string, EntityContract> = {
  website_overview: report({ string: period, integer: counts, number: rates }),
  daily_active_users: report({ string: period, integer: 'active1DayUsers' }),
  weekly_active_users: report({ string: period, integer: 'active7DayUsers' }),
  four_weekly_active_users: report({ string: period, integer: 'active28DayUsers' }),
  traffic_sources: report({ string: `${period} sessionMedium sessionSource`, integer: counts, number: rates }),
  pages: report({
    string: `${period} hostName pagePathPlusQueryString`,
    integer: 'screenPageViews',
    number: 'bounceRate',
  }),
  devices: report({ string: `${period} browser deviceCategory operatingSystem`, integer: counts, number: rates }),
  locations: report({ string: `${period} city country region`, integer: counts, number: rates }),
};

const visits = [
  'totalUsers',
  'newUsers',
  'sessions',
  'sessionsPerUser',
  'averageSessionDuration',
  'screenPageViews',
  'screenPageViewsPerSession',
  'bounceRate',
];

/** Each report's default dimensions and metrics, in order: also repeated here. */
export const columns: Record<string, readonly [dimensions: readonly string[], metrics: readonly string[]]> = {
  website_overview: [['date'], visits],
  daily_active_users: [['date'], ['active1DayUsers']],
  weekly_active_users: [['date'], ['active7DayUsers']],
  four_weekly_active_users: [['date'], ['active28DayUsers']],
  traffic_sources: [['date', 'sessionSource', 'sessionMedium'], visits],
  pages: [
    ['date', 'hostName', 'pagePathPlusQueryString'],
    ['screenPageViews', 'bounceRate'],
  ],
  devices: [['date', 'deviceCategory', 'operatingSystem', 'browser'], visits],
  locations: [['region', 'country', 'city', 'date'], visits],
};
