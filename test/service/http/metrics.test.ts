import { expect, test } from 'vitest';
import { samplesOf } from './metrics.js';
import { connectorPath, startTestService } from './setup.js';

test('counts requests by pattern and executions by outcome, without naming a tenant', async () => {
  const { tenant, sandbox, ask } = await startTestService();
  const acme = await tenant();
  const id = await acme.connect('linear', sandbox.vendors.linear.credentials.api_key);
  const run = (entity: string, action: string) =>
    acme.ask('POST', connectorPath(id, '/execute'), { json: { entity, action } });
  await run('teams', 'list');
  await run('issues', 'get');
  await run('made-up-entity', 'list');
  expect((await ask('GET', '/metrics')).status).toBe(401);
  const { text, headers } = await acme.ask('GET', '/metrics');
  expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const samples = samplesOf(text);
  const counted = (name: string, labels: object, value: number) =>
    expect(samples).toContainEqual({ name: `agent_connectors_${name}`, labels, value });
  const at = { route: '/api/v1/integrations/connectors/{id}/execute', method: 'POST' };
  counted('http_requests_total', { ...at, status: '200' }, 1);
  counted('http_requests_total', { ...at, status: '422' }, 2);
  counted('http_request_duration_seconds_bucket', { ...at, le: '+Inf' }, 3);
  counted('http_request_duration_seconds_count', at, 3);
  const buckets = samples.filter(({ name, labels }) => name.endsWith('_bucket') && labels.route === at.route);
  expect(buckets.map(({ labels }) => labels.le)).toEqual(
    '0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10 30 60 120 +Inf'.split(' '),
  );
  const execution = (entity: string, action: string, outcome: string) =>
    counted('executions_total', { connector_type: 'linear', entity, action, outcome }, 1);
  execution('teams', 'list', 'success');
  execution('issues', 'get', 'invalid_params');
  execution('unknown', 'unknown', 'unknown_entity');
  counted('vendor_replies_total', { connector_type: 'linear', status: '200' }, 1);
  for (const own of [acme.organizationId, acme.clientId, id, 'made-up']) expect(text).not.toContain(own);
});

test('counts separately from another one in the same process', async () => {
  const [busy, idle] = [await startTestService(), await startTestService()];
  for (let count = 0; count < 3; count++) await busy.ask('GET', '/health');
  const { ask } = await idle.tenant();
  const { text } = await ask('GET', '/metrics');
  expect(samplesOf(text).map(({ labels }) => labels.route)).not.toContain('/health');
  expect(text).toContain('# TYPE agent_connectors_executions_total counter');
});
