import type { Search } from '../../src/authoring.js';

const period = ['date', 'startDate', 'endDate', 'property_id'] as const;

const visits = {
  integer: ['newUsers', 'screenPageViews', 'sessions', 'totalUsers'],
  number: ['averageSessionDuration', 'bounceRate', 'screenPageViewsPerSession', 'sessionsPerUser'],
} as const;

/**
 * Each report's content in the context store: one flat record per row, with dimensions as text and metrics as numbers.
 */
export const website_overview = { fields: { string: period, ...visits } } as const satisfies Search;
export const daily_active_users = {
  fields: { string: period, integer: ['active1DayUsers'] },
} as const satisfies Search;
export const weekly_active_users = {
  fields: { string: period, integer: ['active7DayUsers'] },
} as const satisfies Search;
export const four_weekly_active_users = {
  fields: { string: period, integer: ['active28DayUsers'] },
} as const satisfies Search;
export const traffic_sources = {
  fields: { string: [...period, 'sessionMedium', 'sessionSource'], ...visits },
} as const satisfies Search;
export const pages = {
  fields: {
    string: [...period, 'hostName', 'pagePathPlusQueryString'],
    integer: ['screenPageViews'],
    number: ['bounceRate'],
  },
} as const satisfies Search;
export const devices = {
  fields: { string: [...period, 'browser', 'deviceCategory', 'operatingSystem'], ...visits },
} as const satisfies Search;
export const locations = {
  fields: { string: [...period, 'city', 'country', 'region'], ...visits },
} as const satisfies Search;
