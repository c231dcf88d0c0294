import { LinearConnector } from 'agent-connectors/linear';
import { table, time } from './measure.mjs';

/**
 * Fetches all issues of a long list page by page with every client.
 *
 * @param {string} origin @param {string} api_key @param {any} sdkModule
 */
export async function pageTables(origin, api_key, { LinearClient }) {
  const tables = [];
  for (const [total, rounds] of /** @type {const} */ ([
    [10_000, 10],
    [100_000, 4],
  ])) {
    const base = `${origin}/counted/${total}`;
    tables.push(
      table(
        `Linear, ${total.toLocaleString('en')} issues, ${total / 50} pages`,
        await time(clientsOf(base, api_key, LinearClient), rounds, 1),
      ),
    );
  }
  return tables;
}

/** @param {string} base @param {string} api_key @param {any} LinearClient */
function clientsOf(base, api_key, LinearClient) {
  /** @type {RequestInit} */
  let sent = {};
  const recorder = new LinearConnector({
    credentials: { api_key },
    endpoints: base,
    fetch: (input, init) => {
      sent = init ?? {};
      return fetch(input, init);
    },
  });
  const linear = new LinearConnector({ credentials: { api_key }, endpoints: base });
  const sdk = new LinearClient({ apiKey: api_key, apiUrl: `${base}/graphql` });
  return {
    'bare `fetch`': async () => {
      if (!sent.body) await recorder.issues.list({ first: 50 });
      const { query } = JSON.parse(String(sent.body));
      const headers = /** @type {Record<string, string>} */ (sent.headers);
      let count = 0;
      for (let after; ; ) {
        const body = JSON.stringify({ query, variables: { first: 50, after } });
        const reply = await (await fetch(`${base}/graphql`, { method: 'POST', headers, body })).json();
        const { nodes, pageInfo } = /** @type {any} */ (reply).data.issues;
        count += nodes.length;
        if (!pageInfo.hasNextPage) return count;
        after = pageInfo.endCursor;
      }
    },
    '`@linear/sdk`, `issues()`': async () => {
      let count = 0;
      for (let after; ; ) {
        const { nodes, pageInfo } = await sdk.issues({ first: 50, after });
        count += nodes.length;
        if (!pageInfo.hasNextPage) return count;
        after = pageInfo.endCursor;
      }
    },
    '`paginate`': async () => {
      let count = 0;
      for await (const _ of linear.paginate('issues', 'list', { first: 50 })) count++;
      return count;
    },
  };
}
