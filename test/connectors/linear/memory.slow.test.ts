import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox } from 'agent-connectors-sandbox';
import { expect, test } from 'vitest';

test('pages 10,000 records in constant memory', { timeout: 300_000 }, async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };
  const sandbox = createSandbox({ seed: 3, scale: 40 });
  const linear = new LinearConnector({
    credentials: sandbox.vendors.linear.credentials.api_key,
    fetch: sandbox.fetch,
  });

  const seen: number[] = [];
  let count = 0;
  for await (const { id } of linear.paginate('issues', 'list', { first: 250 })) {
    expect(id).toBeTruthy();
    if (++count % 2500 !== 0) continue;
    sandbox.requests.clear();
    seen.push(heap());
  }
  expect(count).toBeGreaterThan(10_000);
  // A page of 250 issues is about half a megabyte; all of them would be over ten.
  expect(Math.max(...seen) - seen[0]!).toBeLessThan(3);
});
