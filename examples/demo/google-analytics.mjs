import { ConnectorError } from 'agent-connectors';
import { GoogleAnalyticsConnector, reports, toRecords } from 'agent-connectors/google-analytics';
import { paint, show } from './show.mjs';

/**
 * Reports on a website's visitors, with OAuth and with a service account.
 *
 * @param {import('agent-connectors-sandbox/server').SandboxServer} server
 */
export async function tourAnalytics(server) {
  const { credentials, properties } = server.sandbox.vendors['google-analytics'];
  const endpoints = `${server.url}/google-analytics`;
  const property_id = properties.website;
  const byKey = new GoogleAnalyticsConnector({ credentials: credentials.service_account, endpoints });
  const byUser = new GoogleAnalyticsConnector({ credentials: credentials.oauth, endpoints });
  console.log(`\nGoogle Analytics, emulated at ${endpoints}: eight reports\n`);

  await show(
    'website_overview.list({ … }) by a service account',
    () => byKey.website_overview.list({ property_id, limit: 3 }),
    ({ data, meta }) =>
      toRecords({ data, meta }, { property_id, ...reports.website_overview })
        .map(({ date, sessions, totalUsers }) => `\n    ${date}  ${sessions} sessions of ${totalUsers} users`)
        .join(''),
  );

  const dateRanges = [{ startDate: '28daysAgo', endDate: 'yesterday' }];
  const columns = /** @type {const} */ ({
    dimensions: [{ name: 'sessionSource' }],
    metrics: [{ name: 'sessions' }, { name: 'bounceRate' }],
  });
  await show(
    'traffic_sources.list({ dimensions, metrics }) by OAuth',
    () => byUser.traffic_sources.list({ property_id, dateRanges, ...columns, limit: 3 }),
    (result) =>
      toRecords(result, { property_id, dateRanges, ...columns })
        .map(({ sessionSource, sessions, bounceRate }) => {
          return `\n    ${String(sessionSource).padEnd(12)} ${sessions} sessions, ${((bounceRate ?? 0) * 100).toFixed(0)} % bounced`;
        })
        .join(''),
  );

  console.log("\nA property that the account cannot access: Google's error message, and a hint:\n");
  try {
    await byKey.pages.list({ property_id: properties.foreign });
  } catch (error) {
    if (!ConnectorError.is(error)) throw error;
    console.log(`${paint('red', error.code)}  ${error.message}\n    ${error.hint}`);
  }
}
