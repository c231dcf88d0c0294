import assert from 'node:assert/strict';
import { ConnectorError, connectors } from 'agent-connectors';
import { LinearConnector } from 'agent-connectors/linear';
import { serve } from 'agent-connectors-sandbox/server';

const server = await serve();
try {
  const linear = new LinearConnector({
    credentials: server.sandbox.vendors.linear.credentials.api_key,
    endpoints: `${server.url}/linear`,
  });
  const { data, meta } = await linear.execute('issues', 'list', { first: 2 });
  assert.equal(data.length, 2);
  assert.equal(meta.hasNextPage, true);
  const { data: created } = await linear.issues.create({ teamId: data[0].team.id, title: 'Smoke' });
  const { data: read } = await linear.issues.get({ id: created.issue.id });
  assert.equal(read.title, 'Smoke');
  await assert.rejects(
    linear.execute('issues', 'lisp'),
    (error) => error instanceof ConnectorError && error.code === 'unknown_action',
  );
  assert.equal(await connectors.linear(), LinearConnector);
} finally {
  await server.close();
}
console.log('works');
