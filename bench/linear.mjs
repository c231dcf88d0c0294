import { LinearConnector } from 'agent-connectors/linear';
import { request } from 'undici';
import { table, time } from './measure.mjs';

/**
 * Fetches one page of 50 issues with every client.
 *
 * @param {string} base @param {string} api_key @param {any} sdkModule
 */
export async function linearTables(base, api_key, { LinearClient }) {
  const url = `${base}/graphql`;
  /** @type {RequestInit} */
  let sent = {};
  const linear = new LinearConnector({ credentials: { api_key }, endpoints: base });
  const recorder = new LinearConnector({
    credentials: { api_key },
    endpoints: base,
    fetch: (input, init) => {
      sent = init ?? {};
      return fetch(input, init);
    },
  });
  await recorder.issues.list({ first: 50 });
  const { query, variables } = JSON.parse(String(sent.body));
  const { method, headers, body } = /** @type {{ method: 'POST', headers: Record<string, string>, body: string }} */ (
    sent
  );
  const sdk = new LinearClient({ apiKey: api_key, apiUrl: url });

  const clients = {
    'bare `fetch`': async () => (await (await fetch(url, { method, headers, body })).json()).data.issues.nodes.length,
    '`undici.request`': async () => {
      const reply = await request(url, { method, headers, body });
      return /** @type {any} */ (await reply.body.json()).data.issues.nodes.length;
    },
    '`@linear/sdk`, same document': async () =>
      (await sdk.client.rawRequest(query, variables)).data.issues.nodes.length,
    '`@linear/sdk`, `issues()`': async () => (await sdk.issues({ first: 50 })).nodes.length,
    '`execute`': async () => (await linear.execute('issues', 'list', { first: 50 })).data.length,
  };
  return [
    table('Linear, 50 issues, sequential calls', await time(clients, 2000, 1)),
    table('Linear, 50 issues, 50 concurrent calls', await time(clients, 80, 50)),
    table('Linear, 50 issues, 1,000 concurrent calls', await time(clients, 8, 1000)),
  ];
}
