import { context, metrics, propagation, trace } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { createSandbox } from 'agent-connectors-sandbox';
import { type CreateOptions, serve } from 'agent-connectors-service';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectorPath, tenantOf } from '../http/setup.js';
import { recordLines } from '../recorder.js';

const canary = 'CANARY-telemetry-7d1f';
const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;

/** A service whose traces and metrics are collected here. */
async function watched(options: CreateOptions = {}) {
  const spans = new InMemorySpanExporter();
  const tracers = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  tracers.register();
  const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 3_600_000 });
  const meters = new MeterProvider({ readers: [reader] });
  metrics.setGlobalMeterProvider(meters);
  const sandbox = createSandbox({ seed: 7, scale: 0.2 });
  const sent: Headers[] = [];
  const { lines, logger } = recordLines();
  const server = await serve({
    dataFolder: ':memory:',
    dev: true,
    port: 0,
    replicate: false,
    logger,
    fetch: (input, init) => {
      sent.push(new Headers(init?.headers));
      return sandbox.fetch(input, init);
    },
    ...options,
  });
  onTestFinished(async () => {
    await server.close();
    await Promise.all([tracers.shutdown(), meters.shutdown()]);
    for (const api of [trace, context, propagation, metrics]) api.disable();
  });
  const acme = await tenantOf(server, 'Acme');
  const id = await acme.connect('linear', sandbox.vendors.linear.credentials.api_key);
  const execute = async (json: object, headers: object = {}) => {
    const response = await fetch(server.url + connectorPath(id, '/execute'), {
      method: 'POST',
      body: JSON.stringify(json),
      headers: { authorization: `Bearer ${acme.token}`, 'content-type': 'application/json', ...headers },
    });
    return response.json() as Promise<any>;
  };
  const measurements = async () => {
    await reader.forceFlush();
    return measured
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics)
      .flatMap(({ metrics: all }) => all);
  };
  const named = (name: string) => spans.getFinishedSpans().filter((span) => span.name === name);
  return { server, sandbox, sent, lines, spans, acme, id, execute, named, measurements };
}

describe('with OpenTelemetry', () => {
  test("a call is a span in its request's trace, with a span for each vendor request", async () => {
    const { execute, named, sent } = await watched();
    await execute({ entity: 'teams', action: 'list', params: { first: 1 } }, { traceparent });
    const [call] = named('execute teams.list');
    expect(call!.spanContext().traceId).toBe(traceId);
    expect(call!.attributes).toEqual({
      'agent_connectors.connector_type': 'linear',
      'agent_connectors.entity': 'teams',
      'agent_connectors.action': 'list',
      'agent_connectors.outcome': 'success',
    });
    const [vendor] = named('POST');
    expect(vendor!.parentSpanContext?.spanId).toBe(call!.spanContext().spanId);
    expect(vendor!.attributes).toMatchObject({
      'http.request.method': 'POST',
      'server.address': 'api.linear.app',
      'http.response.status_code': 200,
      'agent_connectors.attempt': 1,
    });
    // The trace is not sent to the vendor.
    for (const headers of sent) expect([headers.get('traceparent'), headers.get('tracestate')]).toEqual([null, null]);
  });

  test('the trace continues to the vendor if the operator enables it', async () => {
    const { execute, sent } = await watched({ traceVendors: true });
    await execute({ entity: 'teams', action: 'list' }, { traceparent });
    expect(sent.at(-1)!.get('traceparent')).toContain(traceId);
    expect(sent.at(-1)!.get('authorization')).not.toBeNull();
  });

  test('a failure is recorded as its error code, searches are spans, and no span contains tenant data', async () => {
    const { execute, named, spans, acme, server, lines, measurements, sandbox } = await watched();
    const calls = [
      { entity: 'issues', action: 'get', params: { id: canary } },
      { entity: canary, action: canary },
      { entity: 'issues', action: 'context_store_search', params: { query: { filter: { eq: { title: canary } } } } },
      {
        entity: 'issues',
        action: 'context_store_search',
        params: { semantic: { field: 'description', prompt: canary } },
      },
      { entity: 'comments', action: 'create', params: { issueId: 'ENG-1', body: canary }, intent: canary },
    ];
    for (const call of calls) await execute(call, { baggage: `note=${canary}`, traceparent });
    await fetch(`${server.url}/api/v1/workspaces/main/search`, {
      method: 'POST',
      body: JSON.stringify({ prompt: canary }),
      headers: { authorization: `Bearer ${acme.token}`, 'content-type': 'application/json' },
    });
    const [missing] = named('execute issues.get');
    expect([missing!.attributes['agent_connectors.outcome'], missing!.status]).toEqual([
      'not_found',
      { code: 2, message: 'not_found' },
    ]);
    expect(named('execute unknown.unknown')[0]!.attributes['agent_connectors.outcome']).toBe('unknown_entity');
    expect(named('search').map(({ attributes }) => attributes['agent_connectors.by'])).toEqual(['query', 'semantic']);
    expect(named('search workspace')).toHaveLength(1);
    const all = spans
      .getFinishedSpans()
      .map(({ name, attributes, status, events }) => ({ name, attributes, status, events }));
    const told = JSON.stringify([all, await measurements()]) + lines.join('');
    const secrets = [canary, acme.token, acme.clientSecret, sandbox.vendors.linear.credentials.api_key.api_key];
    for (const secret of secrets) expect(told).not.toContain(secret);
  });

  test("calls are counted and timed, as are delays and the vendor's remaining limits", async () => {
    const { execute, measurements } = await watched();
    await execute({ entity: 'teams', action: 'list' });
    await execute({ entity: 'issues', action: 'get', params: { id: 'ENG-99999' } });
    const all = new Map((await measurements()).map((metric) => [metric.descriptor.name, metric.dataPoints]));
    const calls = all.get('agent_connectors.calls')!;
    expect(calls.map(({ attributes, value }) => [attributes.entity, attributes.outcome, value])).toEqual([
      ['teams', 'success', 1],
      ['issues', 'not_found', 1],
    ]);
    expect(all.get('agent_connectors.call.duration')!.map(({ value }: any) => value.count)).toEqual([1, 1]);
    expect(all.get('agent_connectors.call.queue_wait')!.map(({ value }: any) => value.count)).toEqual([2]);
    const quota = all.get('agent_connectors.vendor.quota_remaining')!;
    expect(quota.map(({ attributes }) => attributes['server.address'])).toContain('api.linear.app');
  });

  test('a vendor request without a response and a retried one are recorded too', async () => {
    const sandbox = createSandbox({ seed: 7, scale: 0.2 });
    let failures = 1;
    const { execute, named } = await watched({
      fetch: async (input, init) => {
        if (failures-- > 0) throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } });
        return sandbox.fetch(input, init);
      },
    });
    await execute({ entity: 'teams', action: 'list' });
    expect(
      named('POST').map(({ attributes }) => [
        attributes['agent_connectors.attempt'],
        attributes['error.type'] ?? attributes['http.response.status_code'],
      ]),
    ).toEqual([
      [1, 'network'],
      [2, 200],
    ]);
  });

  test('replication batches are spans', async () => {
    const { named } = await watched({ replicate: true });
    await expect.poll(() => named('replicate batch').length).toBeGreaterThan(2);
    expect(named('replicate batch')[0]!.attributes).toMatchObject({
      'agent_connectors.connector_type': 'linear',
      'agent_connectors.records': expect.any(Number),
    });
  });
});
