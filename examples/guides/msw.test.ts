// #region server
import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox } from 'agent-connectors-sandbox';
import { handlers, respondOnce } from 'agent-connectors-sandbox/msw';
import { HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, beforeAll, expect, test } from 'vitest';

const sandbox = createSandbox({ seed: 1 });
const server = setupServer(...handlers(sandbox));
beforeAll(() => server.listen({ onUnhandledRequest: 'error' })); // msw 3: onUnhandledFrame
afterAll(() => server.close());

test('what happens when Linear goes down for a moment', async () => {
  sandbox.faults.add({ kind: '503', rootField: 'teams' });
  const linear = new LinearConnector({ credentials: sandbox.vendors.linear.credentials.api_key });

  expect((await linear.teams.list()).data).not.toHaveLength(0);
  expect(sandbox.requests.map(({ status }) => status)).toEqual([503, 200]);
});

// #endregion

// #region override
test('one request gets a response of your own', async () => {
  const empty = { data: { teams: { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } } } };
  server.use(respondOnce(sandbox, { vendor: 'linear', rootField: 'teams' }, () => HttpResponse.json(empty)));
  const linear = new LinearConnector({ credentials: sandbox.vendors.linear.credentials.api_key });

  expect((await linear.teams.list()).data).toEqual([]);
  expect((await linear.teams.list()).data).not.toHaveLength(0);
});
// #endregion
