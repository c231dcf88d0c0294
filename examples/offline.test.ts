// #region offline
import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox } from 'agent-connectors-sandbox';
import { expect, test } from 'vitest';

test('what happens when Linear goes down for a moment', async () => {
  const sandbox = createSandbox({ seed: 1 });
  sandbox.faults.add({ kind: '503', rootField: 'issues' });

  const linear = new LinearConnector({
    credentials: sandbox.vendors.linear.credentials.api_key,
    fetch: sandbox.fetch,
  });

  expect((await linear.issues.list({ first: 3 })).data).toHaveLength(3);
  expect(sandbox.requests.map(({ status }) => status)).toEqual([503, 200]);
});
// #endregion
