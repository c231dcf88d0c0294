import type { Search } from '../../src/authoring.js';

const period = ['date', 'startDate', 'endDate', 'property_id'] as const;

/** As Google sends them, such as 20260831. */
const compactDates = ['date'] as const;

const visits = {
  integer: ['newUsers', 'screenPageViews', 'sessions', 'totalUsers'],
  number: ['averageSessionDuration', 'bounceRate', 'screenPageViewsPerSession', 'sessionsPerUser'],
} as const;

/**
 * Each report's content in the context store: one flat record per row, with dimensions as text and metrics as numbers.
 */
export const website_overview = { compactDates, fields: { string: period, ...visits } } as const satisfies Search;
export const daily_active_users = {
  compactDates,
  fields: { string: period, integer: ['active1DayUsers'] },
} as const satisfies Search;
export const weekly_active_users = {
  compactDates,
  fields: { string: period, integer: ['active7DayUsers'] },
} as const satisfies Search;
export const four_weekly_active_users = {
  compactDates,
  fields: { string: period, integer: ['active28DayUsers'] },
} as const satisfies Search;
export const traffic_sources = {
  compactDates,
  fields: { string: [...period, 'sessionMedium', 'sessionSource'], ...visits },
} as const satisfies Search;
export const pages = {
  compactDates,
  fields: {
    string: [...period, 'hostName', 'pagePathPlusQueryString'],
    integer: ['screenPageViews'],
    number: ['bounceRate'],
  },
} as const satisfies Search;
export const devices = {
  compactDates,
  fields: { string: [...period, 'browser', 'deviceCategory', 'operatingSystem'], ...visits },
} as const satisfies Search;
export const locations = {
  compactDates,
  fields: { string: [...period, 'city', 'country', 'region'], ...visits },
} as const satisfies Search;
