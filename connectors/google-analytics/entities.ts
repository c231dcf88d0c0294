import { entity, type Search } from '../../src/authoring.js';
import { list } from './operations.js';
import { reports } from './reports.js';
import * as searchable from './searchable.js';

const report = <const S extends Search>(name: keyof typeof reports, description: string, search: S) =>
  entity({ description, search, actions: { list: list(`Report ${description}`, reports[name]) } });

export const website_overview = report(
  'website_overview',
  'users, sessions, page views, bounce rate and session duration by date.',
  searchable.website_overview,
);

export const daily_active_users = report(
  'daily_active_users',
  'daily active users by date.',
  searchable.daily_active_users,
);

export const weekly_active_users = report(
  'weekly_active_users',
  'active users over the seven days up to each date.',
  searchable.weekly_active_users,
);

export const four_weekly_active_users = report(
  'four_weekly_active_users',
  'active users over the 28 days up to each date.',
  searchable.four_weekly_active_users,
);

export const traffic_sources = report(
  'traffic_sources',
  'visits by session source, session medium and date.',
  searchable.traffic_sources,
);

export const pages = report('pages', 'page views by host name, page path and date.', searchable.pages);

export const devices = report(
  'devices',
  'visits by device category, operating system, browser and date.',
  searchable.devices,
);

export const locations = report('locations', 'visits by region, country, city and date.', searchable.locations);
