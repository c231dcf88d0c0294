import type * as Api from '@opentelemetry/api';
import { ConnectorError, type Hooks, type RequestEvent } from 'agent-connectors';
import { Counter, Histogram, Registry } from 'prom-client';
import { VERSION } from '../version.js';
import { type Gauges, openGauges } from './gauges.js';

/** Telemetry, and a promise that resolves once its optional package is loaded or known to be missing. */
export interface TelemetryHandle {
  readonly telemetry: Telemetry;
  /** Resolves once the package is loaded or known to be missing. */
  readonly loaded: Promise<void>;
}

const noopTelemetry: Telemetry = {
  withRemoteContext: (_, work) => work(),
  span: (_, __, work) => work(),
  call: (_, work) => work(),
  vendorHooks: () => ({}),
  vendor: { headers: () => ({}), recordQuota: () => {} },
};

/** Starts telemetry with `@opentelemetry/api`; without that package it does nothing. */
export function openTelemetry(options: TelemetryOptions): TelemetryHandle {
  let current = noopTelemetry;
  const load = async () => {
    const api = await import('@opentelemetry/api').catch((error: unknown) => {
      if ((error as { readonly code?: unknown }).code === 'ERR_MODULE_NOT_FOUND') return undefined;
      throw error;
    });
    if (!api) return;
    current = telemetryBy(api, options);
  };
  const telemetry: Telemetry = {
    withRemoteContext: (headers, work) => current.withRemoteContext(headers, work),
    span: (name, attributes, work) => current.span(name, attributes, work),
    call: (call, work) => current.call(call, work),
    vendorHooks: (type) => current.vendorHooks(type),
    vendor: {
      headers: () => current.vendor.headers(),
      recordQuota: (url, headers) => current.vendor.recordQuota(url, headers),
    },
  };
  return { telemetry, loaded: load() };
}

/** An instrumented `fetch`. It is shared, because vendor rate limits are tracked per `fetch`. */
export const instrumentedFetch =
  (fetch: typeof globalThis.fetch, { vendor }: Telemetry): typeof globalThis.fetch =>
  async (input, init) => {
    const added = Object.entries(vendor.headers());
    const response = await fetch(
      input,
      added.length > 0 ? { ...init, headers: mergeHeaders(init?.headers, added) } : init,
    );
    vendor.recordQuota(input instanceof Request ? input.url : String(input), response.headers);
    return response;
  };

function mergeHeaders(base: HeadersInit | undefined, added: ReadonlyArray<readonly [string, string]>): Headers {
  const headers = new Headers(base);
  for (const [name, value] of added) headers.set(name, value);
  return headers;
}

const scopeName = 'agent-connectors-service';

/** Response headers in which vendors report the remaining quota. */
const quotaHeaders: Readonly<Record<string, string>> = {
  'x-ratelimit-remaining': 'requests',
  'x-ratelimit-requests-remaining': 'requests',
  'ratelimit-remaining': 'requests',
  'x-ratelimit-complexity-remaining': 'complexity',
};

/** Measures how long a call waits before its first request. */
type QueueWait = { readonly startedAt: number; recorded: boolean };

/** Telemetry through OpenTelemetry's API; the application's SDK decides where it is sent. */
function telemetryBy(api: typeof Api, { traceVendors }: TelemetryOptions): Telemetry {
  const { context, metrics, propagation, SpanKind, SpanStatusCode, trace } = api;
  const tracer = trace.getTracer(scopeName, VERSION);
  const meter = metrics.getMeter(scopeName, VERSION);
  const calls = meter.createCounter('agent_connectors.calls', { description: 'Actions executed, by outcome.' });
  const seconds = { unit: 's' } as const;
  const durations = meter.createHistogram('agent_connectors.call.duration', seconds);
  const waits = meter.createHistogram('agent_connectors.call.queue_wait', seconds);
  const quotas = meter.createGauge('agent_connectors.vendor.quota_remaining');
  const queueWaitKey = api.createContextKey('agent-connectors waiting');

  const span: Telemetry['span'] = (name, attributes, work) =>
    tracer.startActiveSpan(name, { attributes: prefixAttributes(attributes) }, async (current) => {
      try {
        const result = await work();
        current.setAttribute('agent_connectors.outcome', 'success');
        return result;
      } catch (error) {
        const outcome = outcomeOf(error);
        // Only the code, since an error message may quote tenant data.
        current.setAttribute('agent_connectors.outcome', outcome);
        current.setStatus({ code: SpanStatusCode.ERROR, message: outcome });
        throw error;
      } finally {
        current.end();
      }
    });

  const recordVendorSpan = (
    type: string,
    event: RequestEvent,
    durationMs: number,
    extra: Attributes,
    failed: boolean,
  ) => {
    const { entity, action, method, url, attempt } = event;
    const now = Date.now();
    const attributes = {
      ...prefixAttributes({ connector_type: type, entity, action, attempt }),
      'http.request.method': method,
      'server.address': new URL(url).hostname,
      ...extra,
    };
    const vendorSpan = tracer.startSpan(method, { kind: SpanKind.CLIENT, startTime: now - durationMs, attributes });
    if (failed) vendorSpan.setStatus({ code: SpanStatusCode.ERROR });
    vendorSpan.end(now);
  };

  return {
    span,
    withRemoteContext(headers, work) {
      // The host has already opened a span for these headers.
      if (trace.getSpan(context.active())) return work();
      const remoteContext = propagation.extract(context.active(), headers, {
        get: (carrier, key) => carrier.get(key) ?? undefined,
        keys: (carrier) => [...carrier.keys()],
      });
      return context.with(remoteContext, work);
    },
    async call(call, work) {
      const { type, entity, action } = call;
      const attributes = { connector_type: type, entity, action };
      const startedAt = performance.now();
      let outcome = 'success';
      const queueWait: QueueWait = { startedAt, recorded: false };
      try {
        return await context.with(context.active().setValue(queueWaitKey, queueWait), () =>
          span(`execute ${entity}.${action}`, attributes, work),
        );
      } catch (error) {
        outcome = outcomeOf(error);
        throw error;
      } finally {
        const callAttributes = { ...attributes, outcome };
        calls.add(1, callAttributes);
        durations.record((performance.now() - startedAt) / 1000, callAttributes);
      }
    },
    vendorHooks: (type) => ({
      onRequest() {
        const queueWait = context.active().getValue(queueWaitKey) as QueueWait | undefined;
        if (!queueWait || queueWait.recorded) return;
        queueWait.recorded = true;
        waits.record((performance.now() - queueWait.startedAt) / 1000, { connector_type: type });
      },
      onResponse(event) {
        const { status, durationMs } = event;
        recordVendorSpan(type, event, durationMs, { 'http.response.status_code': status }, status >= 400);
      },
      onRetry(event) {
        const { status, code } = event.error;
        // Calls with a response have already been reported.
        if (status === undefined) recordVendorSpan(type, event, 0, { 'error.type': code }, true);
      },
    }),
    vendor: {
      headers() {
        const carrier: Record<string, string> = {};
        if (traceVendors) propagation.inject(context.active(), carrier);
        return carrier;
      },
      recordQuota(url, headers) {
        for (const [name, quota] of Object.entries(quotaHeaders)) {
          const remaining = headers.get(name);
          if (remaining !== null && /^\d{1,15}$/.test(remaining))
            quotas.record(Number(remaining), { 'server.address': new URL(url).hostname, quota });
        }
      },
    },
  };
}

const outcomeOf = (error: unknown): string => {
  // Service errors wrap the error that callers see.
  const { error: wrapped } = error as { readonly error?: unknown };
  const known = ConnectorError.is(error) ? error : ConnectorError.is(wrapped) ? wrapped : undefined;
  return known?.code ?? 'failed';
};

const prefixAttributes = (attributes: Attributes): Record<string, string | number | boolean> =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`agent_connectors.${name}`, value]));

/** Span attributes: names, numbers and outcomes, never tenant data. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** Attributes of one action call. */
export interface CallAttributes {
  readonly type: string;
  readonly entity: string;
  readonly action: string;
}

/** Receives traces and metrics. */
export interface Telemetry {
  /** Runs a request's work in the trace identified by its headers. */
  withRemoteContext<T>(headers: Headers, work: () => Promise<T>): Promise<T>;
  /** Runs work in its own span. */
  span<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T>;
  /** Runs an action in a span and counts it. */
  call<T>(call: CallAttributes, work: () => Promise<T>): Promise<T>;
  /** Hooks that record a vendor's responses. */
  vendorHooks(type: string): Pick<Hooks, 'onRequest' | 'onResponse' | 'onRetry'>;
  /** Returns the headers to add to vendor requests and records quotas from response headers. */
  readonly vendor: {
    headers(): Readonly<Record<string, string>>;
    recordQuota(url: string, headers: Headers): void;
  };
}

export interface TelemetryOptions {
  /** Whether requests to vendors carry the trace context. */
  readonly traceVendors: boolean;
}

/** The service's metrics; labels never identify a tenant. */
export interface Metrics extends Gauges {
  request(of: { readonly route: string; readonly method: string; readonly status: number }, seconds: number): void;
  execution(of: {
    readonly type: string;
    readonly entity: string;
    readonly action: string;
    readonly outcome: string;
  }): void;
  vendorReply(type: string, status: number): void;
  /** Records that replication wrote, left unchanged, removed or could not read. */
  replication(of: { readonly type: string; readonly entity: string }, counts: Readonly<Record<string, number>>): void;
  /** A finished replication job. */
  job(of: { readonly type: string; readonly outcome: string }): void;
}

/** Counts by labels itself and passes sums on when metrics are read, since the library sorts and joins labels each time. */
function openCounter<Label extends string>(
  registry: Registry,
  options: { readonly name: string; readonly help: string; readonly labelNames: readonly Label[] },
) {
  interface Sum {
    readonly labels: Readonly<Record<Label, string | number>>;
    count: number;
  }
  const sums = new Map<string, Sum>();
  new Counter({
    ...options,
    registers: [registry],
    collect() {
      for (const sum of sums.values()) {
        if (sum.count > 0) this.inc(sum.labels, sum.count);
        sum.count = 0;
      }
    },
  });
  return {
    inc(labels: Sum['labels'], count = 1) {
      let key = '';
      for (const name of options.labelNames) key += `${labels[name]} `;
      const sum = sums.get(key);
      if (sum) sum.count += count;
      else sums.set(key, { labels, count });
    },
  };
}

/** Creates the metrics, separate from those of other services in the process. */
export function createMetrics(report?: (error: unknown) => void): Metrics {
  const registry = new Registry();
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    openCounter(registry, { name: `agent_connectors_${name}`, help, labelNames });
  const requests = counter('http_requests_total', 'Completed requests.', ['route', 'method', 'status']);
  const durations = new Histogram({
    name: 'agent_connectors_http_request_duration_seconds',
    help: 'Time until the response headers arrive.',
    labelNames: ['route', 'method'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
    registers: [registry],
  });
  const ofAction = ['connector_type', 'entity', 'action', 'outcome'] as const;
  const executions = counter('executions_total', 'Actions executed, by outcome.', ofAction);
  const replies = counter('vendor_replies_total', 'Vendor responses, by status.', ['connector_type', 'status']);
  const records = counter('replicated_records_total', 'Replicated records, by outcome.', [
    'connector_type',
    'entity',
    'outcome',
  ]);
  const jobs = counter('replication_jobs_total', 'Finished replication jobs, by outcome.', [
    'connector_type',
    'outcome',
  ]);
  return {
    request({ route, method, status }, seconds) {
      requests.inc({ route, method, status });
      durations.observe({ route, method }, seconds);
    },
    execution({ type, entity, action, outcome }) {
      executions.inc({ connector_type: type, entity, action, outcome });
    },
    vendorReply(type, status) {
      replies.inc({ connector_type: type, status });
    },
    replication({ type, entity }, counts) {
      for (const [outcome, count] of Object.entries(counts)) {
        if (count > 0) records.inc({ connector_type: type, entity, outcome }, count);
      }
    },
    job({ type, outcome }) {
      jobs.inc({ connector_type: type, outcome });
    },
    ...openGauges(registry, report),
  };
}
