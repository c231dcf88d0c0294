/**
 * Google Analytics: the connector, the types of its records, and `toRecords`.
 * @module agent-connectors/google-analytics
 */
import { connector, entity, oauthRefresh, type Search, serviceAccount, VERSION } from '../../src/authoring.js';
import { fault } from './faults.js';
import { list } from './operations.js';
import { reports } from './reports.js';
import * as searchable from './searchable.js';

export type { ReportMeta, Row } from './records.js';
export { reports } from './reports.js';
export { type ReportRecord, toRecords } from './to-records.js';

const report = <const S extends Search>(name: keyof typeof reports, description: string, search: S) =>
  entity({ description, search, actions: { list: list(`Report ${description}`, reports[name]) } });

/** Google Analytics 4 reports on visitors to a website or app. */
export class GoogleAnalyticsConnector extends connector({
  name: 'google-analytics',
  aliases: ['google-analytics-data-api'],
  title: 'Google Analytics',
  description: 'Google Analytics 4 reports on visitors to a website or app.',
  version: VERSION,
  definitionId: '3cc2eafd-84aa-4dca-93af-322d9dfeec1a',
  guide: () => import('./guide.md'),
  setup: () => import('./setup.js'),
  endpoints: {
    api: 'https://analyticsdata.googleapis.com',
    admin: 'https://analyticsadmin.googleapis.com',
    auth: 'https://oauth2.googleapis.com',
  },
  auth: {
    oauth: oauthRefresh('OAuth client with a refresh token and the analytics.readonly scope.', {
      path: '/token',
      style: 'form',
      revoke: '/revoke',
      authorize: {
        // Without these two parameters, Google does not issue a refresh token
        // (developers.google.com/identity/protocols/oauth2/web-server).
        params: { access_type: 'offline', prompt: 'consent' },
        url: 'https://accounts.google.com/o/oauth2/v2/auth',
        scopes: ['https://www.googleapis.com/auth/analytics.readonly'],
      },
    }),
    service_account: serviceAccount('Service account added to the property as a Viewer.', {
      scope: 'https://www.googleapis.com/auth/analytics.readonly',
    }),
  },
  // Ten concurrent requests per property. After ten failures in an hour, Google rejects all requests, so retries are
  // limited (developers.google.com/analytics/devguides/reporting/data/v1/quotas).
  limits: { concurrent: 8, retries: 2 },
  fault,
  replication: () => import('./replication/index.js'),
  entities: {
    website_overview: report(
      'website_overview',
      'users, sessions, page views, bounce rate and session duration by date.',
      searchable.website_overview,
    ),
    daily_active_users: report('daily_active_users', 'daily active users by date.', searchable.daily_active_users),
    weekly_active_users: report(
      'weekly_active_users',
      'active users over the seven days up to each date.',
      searchable.weekly_active_users,
    ),
    four_weekly_active_users: report(
      'four_weekly_active_users',
      'active users over the 28 days up to each date.',
      searchable.four_weekly_active_users,
    ),
    traffic_sources: report(
      'traffic_sources',
      'visits by session source, session medium and date.',
      searchable.traffic_sources,
    ),
    pages: report('pages', 'page views by host name, page path and date.', searchable.pages),
    devices: report('devices', 'visits by device category, operating system, browser and date.', searchable.devices),
    locations: report('locations', 'visits by region, country, city and date.', searchable.locations),
  },
}) {}
