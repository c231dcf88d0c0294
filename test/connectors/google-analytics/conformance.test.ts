import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
import { createSandbox } from 'agent-connectors-sandbox';
import { testConnector } from 'agent-connectors-sandbox/testing';
import { readyCredentials } from './setup.js';

// A whole second, since the Date header has no fractions.
const start = Math.floor(Date.now() / 1000) * 1000;

/** A report that returns the same rows each time; only the quota state differs. */
const report = () => ({
  property_id: '320200001',
  // A week contains working days, whenever the tests run.
  dateRanges: [{ startDate: '7daysAgo', endDate: 'yesterday' }],
  returnPropertyQuota: false,
});

testConnector({
  Connector: GoogleAnalyticsConnector,
  sandbox: () => createSandbox({ seed: 7, scale: 0.1, now: () => start }),
  credentials: ({ vendors }) => readyCredentials(vendors['google-analytics'].credentials),
  guide: new URL('../../../connectors/google-analytics/guide.md', import.meta.url),
  // Requests specify the offset of a page, so there are no misleading cursors from Google to test.
  pages: { sizeParameter: 'limit', maxSize: 250_000, faults: [] },
  params: {
    'website_overview.list': report,
    'daily_active_users.list': report,
    'weekly_active_users.list': report,
    'four_weekly_active_users.list': report,
    'traffic_sources.list': report,
    'pages.list': report,
    'devices.list': report,
    'locations.list': report,
  },
});
