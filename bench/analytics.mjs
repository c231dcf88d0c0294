import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
import { table, time } from './measure.mjs';

/**
 * Runs a traffic source report with every client.
 *
 * @param {string} origin @param {{ analytics: any, property_id: string }} vendor @param {any} googleapis
 */
export async function analyticsTables(origin, { analytics: credentials, property_id }, { analyticsdata, auth }) {
  const endpoints = `${origin}/google-analytics`;
  const analytics = new GoogleAnalyticsConnector({ credentials, endpoints });
  let address = '';
  /** @type {RequestInit} */
  let sent = {};
  const recorder = new GoogleAnalyticsConnector({
    credentials,
    endpoints,
    fetch: (input, init) => {
      address = String(input);
      sent = init ?? {};
      return fetch(input, init);
    },
  });
  const params = { property_id, limit: 500 };
  await recorder.traffic_sources.list(params);
  const { headers, body } = /** @type {{ headers: Record<string, string>, body: string }} */ (sent);
  const client = new auth.OAuth2();
  client.setCredentials({ access_token: credentials.access_token });
  const api = analyticsdata({ version: 'v1beta', auth: client });
  const requestBody = JSON.parse(body);
  const clients = {
    'bare `fetch`': async () => (await (await fetch(address, { method: 'POST', headers, body })).json()).rows.length,
    '`@googleapis/analyticsdata`': async () =>
      (
        await api.properties.runReport(
          { property: `properties/${property_id}`, requestBody },
          { rootUrl: `${endpoints}/` },
        )
      ).data.rows.length,
    '`execute`': async () => (await analytics.execute('traffic_sources', 'list', params)).data.length,
  };
  const what = `Google Analytics, report with ${await clients['bare `fetch`']()} rows`;
  return [
    table(`${what}, sequential calls`, await time(clients, 600, 1)),
    table(`${what}, 50 concurrent calls`, await time(clients, 40, 50)),
  ];
}
