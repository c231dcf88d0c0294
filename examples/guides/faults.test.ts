// #region lost-reply, limit
import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox } from 'agent-connectors-sandbox';
import { expect, test } from 'vitest';

// #endregion

// #region lost-reply
test('a lost response creates one issue, not two', async () => {
  const sandbox = createSandbox({ seed: 1 });
  const { credentials } = sandbox.vendors.linear;
  const linear = new LinearConnector({ credentials: credentials.api_key, fetch: sandbox.fetch });
  const { data: teams } = await linear.teams.list();

  sandbox.faults.add({ kind: 'reset_after', rootField: 'issueCreate' });
  const { data } = await linear.issues.create({ teamId: teams[0]!.id, title: 'Only once' });

  const { data: newest } = await linear.issues.list({ first: 10 });
  expect(newest.filter(({ title }) => title === 'Only once').map(({ id }) => id)).toEqual([data.issue.id]);
});
// #endregion

// #region limit
test('an exhausted hourly limit fails immediately and reports when to retry', async () => {
  const sandbox = createSandbox({ seed: 1 });
  sandbox.vendors.linear.limits = { requestsPerHour: 1 };
  const { credentials } = sandbox.vendors.linear;
  const linear = new LinearConnector({ credentials: credentials.api_key, fetch: sandbox.fetch });

  await linear.teams.list();
  const refusal = await linear.teams.list().catch((error) => error);
  expect(refusal.code).toBe('rate_limited');
  expect(refusal.retryAfterMs).toBeGreaterThan(3_000_000);
});
// #endregion
