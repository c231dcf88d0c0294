import type * as Api from '@opentelemetry/api';
import { ConnectorError, type RequestEvent } from 'agent-connectors';
import { VERSION } from '../../version.js';
import type { Attributes, Telemetry, TelemetryOptions } from './types.js';

const scope = 'agent-connectors-service';

/** What is left of a vendor's quota, as vendors tell it. */
const quotaHeaders: Readonly<Record<string, string>> = {
  'x-ratelimit-remaining': 'requests',
  'x-ratelimit-requests-remaining': 'requests',
  'ratelimit-remaining': 'requests',
  'x-ratelimit-complexity-remaining': 'complexity',
};

/** A call under way: how long it waits until its first request goes out. */
interface Waiting {
  readonly began: number;
  waited: boolean;
}

/** Telemetry by OpenTelemetry's API; where it goes is decided by whoever sets up its SDK. */
export function telemetryBy(api: typeof Api, { traceVendors }: TelemetryOptions): Telemetry {
  const { context, metrics, propagation, SpanKind, SpanStatusCode, trace } = api;
  const tracer = trace.getTracer(scope, VERSION);
  const meter = metrics.getMeter(scope, VERSION);
  const calls = meter.createCounter('agent_connectors.calls', { description: 'Actions executed, by outcome.' });
  const seconds = { unit: 's' } as const;
  const durations = meter.createHistogram('agent_connectors.call.duration', seconds);
  const waits = meter.createHistogram('agent_connectors.call.queue_wait', seconds);
  const quotas = meter.createGauge('agent_connectors.vendor.quota_remaining');
  const waitingKey = api.createContextKey('agent-connectors waiting');

  const span: Telemetry['span'] = (name, attributes, work) =>
    tracer.startActiveSpan(name, { attributes: named(attributes) }, async (current) => {
      try {
        const result = await work();
        current.setAttribute('agent_connectors.outcome', 'success');
        return result;
      } catch (error) {
        const outcome = outcomeOf(error);
        // By its code alone: what an error says may quote what a tenant sent.
        current.setAttribute('agent_connectors.outcome', outcome);
        current.setStatus({ code: SpanStatusCode.ERROR, message: outcome });
        throw error;
      } finally {
        current.end();
      }
    });

  const tellVendor = (type: string, event: RequestEvent, durationMs: number, told: Attributes, failed: boolean) => {
    const { entity, action, method, url, attempt } = event;
    const now = Date.now();
    const attributes = {
      ...named({ connector_type: type, entity, action, attempt }),
      'http.request.method': method,
      'server.address': new URL(url).hostname,
      ...told,
    };
    const ended = tracer.startSpan(method, { kind: SpanKind.CLIENT, startTime: now - durationMs, attributes });
    if (failed) ended.setStatus({ code: SpanStatusCode.ERROR });
    ended.end(now);
  };

  return {
    span,
    received(headers, work) {
      // Who instruments the server has opened a span by the same headers.
      if (trace.getSpan(context.active())) return work();
      const carried = propagation.extract(context.active(), headers, {
        get: (carrier, key) => carrier.get(key) ?? undefined,
        keys: (carrier) => [...carrier.keys()],
      });
      return context.with(carried, work);
    },
    async call(call, work) {
      const { type, entity, action } = call;
      const attributes = { connector_type: type, entity, action };
      const began = performance.now();
      let outcome = 'success';
      const waiting: Waiting = { began, waited: false };
      try {
        return await context.with(context.active().setValue(waitingKey, waiting), () =>
          span(`execute ${entity}.${action}`, attributes, work),
        );
      } catch (error) {
        outcome = outcomeOf(error);
        throw error;
      } finally {
        const told = { ...attributes, outcome };
        calls.add(1, told);
        durations.record((performance.now() - began) / 1000, told);
      }
    },
    vendorHooks: (type) => ({
      onRequest() {
        const waiting = context.active().getValue(waitingKey) as Waiting | undefined;
        if (!waiting || waiting.waited) return;
        waiting.waited = true;
        waits.record((performance.now() - waiting.began) / 1000, { connector_type: type });
      },
      onResponse(event) {
        const { status, durationMs } = event;
        tellVendor(type, event, durationMs, { 'http.response.status_code': status }, status >= 400);
      },
      onRetry(event) {
        const { status, code } = event.error;
        // One that had a reply has been told already.
        if (status === undefined) tellVendor(type, event, 0, { 'error.type': code }, true);
      },
    }),
    vendor: {
      headers() {
        const carrier: Record<string, string> = {};
        if (traceVendors) propagation.inject(context.active(), carrier);
        return carrier;
      },
      replied(host, headers) {
        for (const [name, quota] of Object.entries(quotaHeaders)) {
          const left = headers.get(name);
          if (left !== null && /^\d{1,15}$/.test(left)) quotas.record(Number(left), { 'server.address': host, quota });
        }
      },
    },
  };
}

const outcomeOf = (error: unknown): string => {
  // Refusals of the service carry the error that callers are told.
  const { error: told } = error as { readonly error?: unknown };
  const known = ConnectorError.is(error) ? error : ConnectorError.is(told) ? told : undefined;
  return known?.code ?? 'failed';
};

const named = (attributes: Attributes): Record<string, string | number | boolean> =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`agent_connectors.${name}`, value]));
