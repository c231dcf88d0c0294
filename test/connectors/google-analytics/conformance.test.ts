import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
import { createSandbox } from 'agent-connectors-sandbox';
import { testConnector } from 'agent-connectors-sandbox/testing';
import { readyCredentials } from './setup.js';

// A whole second: the Date header knows no fractions.
const start = Math.floor(Date.now() / 1000) * 1000;

/** A report whose rows are the same however often it is asked for: the quota's state is another each time. */
const report = () => ({
  property_id: '320200001',
  // A week has working days in it, whenever the tests run.
  dateRanges: [{ startDate: '7daysAgo', endDate: 'yesterday' }],
  returnPropertyQuota: false,
});

testConnector({
  Connector: GoogleAnalyticsConnector,
  sandbox: () => createSandbox({ seed: 7, scale: 0.1, now: () => start }),
  credentials: ({ vendors }) => readyCredentials(vendors['google-analytics'].credentials),
  guide: new URL('../../../connectors/google-analytics/guide.md', import.meta.url),
  // The vendor is told where a page begins, so none of its own can mislead.
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
