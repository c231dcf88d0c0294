/**
 * Google Analytics: the connector, the types of its records, and `toRecords`.
 * @module agent-connectors/google-analytics
 */
import { connector, oauthRefresh, serviceAccount, VERSION } from '../../src/authoring.js';
import {
  daily_active_users,
  devices,
  four_weekly_active_users,
  locations,
  pages,
  traffic_sources,
  website_overview,
  weekly_active_users,
} from './entities.js';
import { fault } from './faults.js';

export type { DimensionName, MetricName } from './names.js';
export type { ReportMeta, Row } from './records.js';
export { reports } from './reports.js';
export { type ReportRecord, toRecords } from './to-records.js';

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
  // developers.google.com/analytics/devguides/reporting/data/v1/rest/v1beta/properties/runReport
  scopes: { '*': ['analytics.readonly', 'analytics'] },
  entities: {
    website_overview,
    daily_active_users,
    weekly_active_users,
    four_weekly_active_users,
    traffic_sources,
    pages,
    devices,
    locations,
  },
}) {}
