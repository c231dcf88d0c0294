// #region analytics
import { GoogleAnalyticsConnector, reports, toRecords } from 'agent-connectors/google-analytics';

const analytics = new GoogleAnalyticsConnector({
  // The contents of a service account's key file; the account needs the Viewer role for the property.
  credentials: { credentials_json: process.env.GOOGLE_CREDENTIALS_JSON ?? '' },
});

const property_id = process.env.GOOGLE_ANALYTICS_PROPERTY_ID ?? '';
const result = await analytics.traffic_sources.list({ property_id, limit: 20 });
for (const { date, sessionSource, sessions } of toRecords(result, { property_id, ...reports.traffic_sources })) {
  console.log(date, sessionSource, sessions); // string or null, string or null, number or null
}
// #endregion
