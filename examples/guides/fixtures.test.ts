import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox } from 'agent-connectors-sandbox';
import { handlers } from 'agent-connectors-sandbox/msw';
import { setupServer } from 'msw/node';
import { afterAll, beforeAll, expect, test } from 'vitest';

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: 'error' })); // msw 3: onUnhandledFrame
afterAll(() => server.close());

/** Gives a test a sandbox of its own, with the data of the seed. */
function linearWith(seed: number): LinearConnector {
  const sandbox = createSandbox({ seed });
  server.resetHandlers(...handlers(sandbox));
  return new LinearConnector({ credentials: sandbox.vendors.linear.credentials.api_key });
}

test('a new issue is the first', async () => {
  const linear = linearWith(1);
  const { data: teams } = await linear.teams.list();
  await linear.issues.create({ teamId: teams[0]!.id, title: 'Only in this test' });
  expect((await linear.issues.list({ first: 1 })).data[0]?.title).toBe('Only in this test');
});

test('the next test has the same data, unchanged', async () => {
  const { data: issues } = await linearWith(1).issues.list({ first: 1 });
  expect(issues[0]?.title).toBe('Translate the VAT report on slow connections');
});

test('another seed has other data', async () => {
  const { data: issues } = await linearWith(2).issues.list({ first: 1 });
  expect(issues[0]?.title).toBe('Bluefin Logistics: login with SSO times out after 30 s');
});
