import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
import { createSandbox } from 'agent-connectors-sandbox';
import { start, subjectOf } from '../subject.js';

/** A week contains working days, whenever the tests run. */
const report = () => ({
  property_id: '320200001',
  dateRanges: [{ startDate: '7daysAgo', endDate: 'yesterday' }],
});

export const analytics = subjectOf({
  Connector: GoogleAnalyticsConnector,
  sandbox: () => createSandbox({ seed: 7, scale: 0.1, now: () => start }),
  credentials: ({ vendors }) => {
    const { oauth, access_token } = vendors['google-analytics'].credentials;
    return { ...oauth, ...access_token };
  },
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
  small: () => ({ limit: 3 }),
});
