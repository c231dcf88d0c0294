import { isDeepStrictEqual } from 'node:util';
import { serve } from 'agent-connectors-service';
import { describe, expect, onTestFinished, test } from 'vitest';
import { samplesOf } from './metrics.js';
import { connectorPath, type Requester, startTestService } from './setup.js';

test('counts requests by route pattern and executions by outcome without naming a tenant', async () => {
  const { tenant, sandbox, ask } = await startTestService();
  const acme = await tenant();
  const id = await acme.connect('linear', sandbox.vendors.linear.credentials.api_key);
  const run = (entity: string, action: string) =>
    acme.ask('POST', connectorPath(id, '/execute'), { json: { entity, action } });
  await run('teams', 'list');
  await run('issues', 'get');
  await run('made-up-entity', 'list');
  expect((await ask('GET', '/metrics')).status).toBe(401);
  const scoped = await acme.ask('POST', '/api/v1/account/applications/scoped-token', {
    json: { workspace_name: acme.workspace },
  });
  const authorization = `Bearer ${scoped.body.token}`;
  expect((await ask('GET', '/metrics', { headers: { authorization } })).status).toBe(403);
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

test('counts separately from another service in the same process', async () => {
  const [busy, idle] = [await startTestService(), await startTestService()];
  for (let count = 0; count < 3; count++) await busy.ask('GET', '/health');
  const { ask } = await idle.tenant();
  const { text } = await ask('GET', '/metrics');
  expect(samplesOf(text).map(({ labels }) => labels.route)).not.toContain('/health');
  expect(text).toContain('# TYPE agent_connectors_executions_total counter');
});

describe('gauges', () => {
  const value = async (ask: Requester, name: string, labels: object = {}) =>
    samplesOf((await ask('GET', '/metrics')).text).find(
      (sample) => sample.name === name && isDeepStrictEqual(sample.labels, labels),
    )?.value;

  test('show the number of due jobs, and how long they have been due', async () => {
    let time = Date.now();
    const { tenant, sandbox, service } = await startTestService({ now: () => time });
    const { ask, connect } = await tenant();
    const jobs = (state: string) => value(ask, 'agent_connectors_replication_queue_jobs', { state });
    const age = () => value(ask, 'agent_connectors_replication_oldest_due_seconds');
    expect([await jobs('due'), await age()]).toEqual([0, 0]);
    const id = await connect('linear', sandbox.vendors.linear.credentials.api_key);
    await connect('granola');
    expect([await jobs('due'), await age()]).toEqual([1, 0]);
    await ask('POST', connectorPath(id, '/sync'));
    time += 90_000;
    expect([await jobs('due'), await age()]).toEqual([1, 90]);
    const claim = await service.state.jobs.claim(['linear']);
    expect([await jobs('due'), await jobs('running'), await age()]).toEqual([0, 1, 0]);
    // Its process no longer sends heartbeats.
    time += 25_000;
    expect([await jobs('due'), await jobs('running'), await age()]).toEqual([1, 0, 10]);
    await service.state.jobs.end(claim!, { status: 'queued', nextAttemptAt: time + 60_000, failed: true, error: null });
  });

  test('show the number of pending webhook deliveries, and how long they have been due', async () => {
    let time = Date.now();
    const { tenant, service } = await startTestService({ now: () => time, fetch: () => new Promise(() => {}) });
    const { ask, organizationId } = await tenant();
    const pending = () => value(ask, 'agent_connectors_webhook_deliveries_pending');
    const age = () => value(ask, 'agent_connectors_webhook_oldest_due_seconds');
    const scope = { organizationId };
    const { row } = await service.state.webhooks.create(scope, {
      url: 'https://receiver.example/hook',
      events: null,
      workspaceId: null,
    });
    expect([await pending(), await age()]).toEqual([0, 0]);
    await service.state.webhooks.sendTest(scope, row.id);
    time += 40_000;
    expect([await pending(), await age()]).toEqual([1, 40]);
  });

  test('report process metrics once, even with several services in the process', async () => {
    const { ask } = await (await startTestService()).tenant();
    expect(await value(ask, 'process_resident_memory_bytes')).toBeGreaterThan(2 ** 20);
    for (const name of ['process_cpu_seconds_total', 'nodejs_eventloop_lag_p99_seconds']) {
      expect(await value(ask, name), name).toEqual(expect.any(Number));
    }
  });

  test('are omitted if the database does not respond', async () => {
    const server = await serve({ dataFolder: ':memory:', dev: true, port: 0, replicate: false, embedders: [] });
    onTestFinished(() => server.close());
    const metrics = async () => (await fetch(`${server.url}/metrics`)).text();
    expect(await metrics()).toContain('\nagent_connectors_webhook_deliveries_pending 0\n');
    await server.state.close();
    const text = await metrics();
    expect(text).toContain('process_resident_memory_bytes');
    expect(text).not.toMatch(/^agent_connectors_(webhook|replication_oldest|replication_queue)/m);
  });
});

test('successful probes and scrapes are logged at debug, all other requests at info', async () => {
  const logged: Record<'debug' | 'info', unknown[]> = { debug: [], info: [] };
  const note = (level: 'debug' | 'info') => (fields: object) => void logged[level].push((fields as any).route);
  const logger = { debug: note('debug'), info: note('info'), warn: () => {}, error: () => {} };
  const { ask, tenant } = await startTestService({ logger });
  const acme = await tenant();
  logged.info.length = 0;
  for (const path of ['/health', '/ready', '/api/v1/health']) await ask('GET', path);
  await acme.ask('GET', '/metrics');
  await ask('GET', '/metrics');
  await acme.ask('GET', '/api/v1/workspaces');
  expect(logged).toEqual({
    debug: ['/health', '/ready', '/api/v1/health', '/metrics'],
    info: ['/metrics', '/api/v1/workspaces'],
  });
});
