/**
 * OpenTelemetry for connectors: a span for each call, and one for each of its requests.
 * @module agent-connectors/telemetry
 */
import type * as Api from '@opentelemetry/api';
import type { AnyConnector } from '../any-connector.js';
import type { CommonOptions, Hooks, RequestEvent } from '../call/options.js';
import { ConnectorError } from '../errors/connector-error.js';
import { VERSION } from '../version.js';

/** A connector class whose options can contain hooks. */
export type TraceableClass = new (...args: any[]) => AnyConnector;

/** What is needed of the module `@opentelemetry/api`, whichever version 1 it is: its classes differ by private members. */
export interface TracingApi extends Pick<typeof Api, 'createContextKey' | 'SpanKind' | 'SpanStatusCode'> {
  /** The active context. */
  readonly context: Pick<Api.ContextAPI, 'active' | 'with'>;
  /** Where tracers come from. */
  readonly trace: Pick<Api.TraceAPI, 'getTracer'>;
}

/**
 * A connector class whose calls are traced: a span for each call, with a client span for each attempt, according to
 * OpenTelemetry's semantic conventions for HTTP. Pass the module `@opentelemetry/api`, which this package does not load.
 * Spans contain names, numbers, outcomes and URLs without their query, but no parameters, results or credentials.
 * @example
 * const connector = new (traced(MyConnector, api))({ credentials });
 */
export function traced<C extends TraceableClass>(Class: C, api: TracingApi): C {
  const { context, SpanKind, SpanStatusCode, trace } = api;
  const tracer = trace.getTracer('agent-connectors', VERSION);
  const attemptsKey = api.createContextKey('agent-connectors attempts');
  const attempts = () => context.active().getValue(attemptsKey) as Map<string, Api.Span> | undefined;

  const fail = (span: Api.Span, type: string) => {
    span.setAttribute('error.type', type);
    span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  };
  const take = (event: RequestEvent) => {
    const span = attempts()?.get(keyOf(event));
    attempts()?.delete(keyOf(event));
    return span;
  };
  const hooks: Pick<Hooks, 'onRequest' | 'onResponse' | 'onRetry'> = {
    onRequest(event) {
      const { method, attempt } = event;
      const url = new URL(event.url);
      const attributes: Api.Attributes = {
        'http.request.method': method,
        'server.address': url.hostname,
        'server.port': Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
        'url.full': event.url,
      };
      if (attempt > 1) attributes['http.request.resend_count'] = attempt - 1;
      // The action went on after this attempt failed without a response.
      const former = take(event);
      if (former) fail(former, '_OTHER');
      attempts()?.set(keyOf(event), tracer.startSpan(method, { kind: SpanKind.CLIENT, attributes }));
    },
    onResponse(event) {
      const span = take(event);
      span?.setAttribute('http.response.status_code', event.status);
      if (span && event.status >= 400) fail(span, String(event.status));
      else span?.end();
    },
    onRetry(event) {
      const span = take(event);
      if (span) fail(span, event.error.code);
    },
  };

  return class extends Class {
    constructor(...args: any[]) {
      const [options = {}] = args as [CommonOptions?];
      super({ ...options, hooks: both(options.hooks ?? {}, hooks) });
    }

    override execute(...call: Parameters<AnyConnector['execute']>): ReturnType<AnyConnector['execute']> {
      const [entity, action] = call;
      const { name } = (Class as unknown as { readonly manifest: { readonly name: string } }).manifest;
      const attributes = { 'agent_connectors.connector_type': name };
      return tracer.startActiveSpan(`${entity}.${action}`, { attributes }, async (span) => {
        const open = new Map<string, Api.Span>();
        try {
          // Called at once, since the caller may change the parameters later.
          const result = context.with(context.active().setValue(attemptsKey, open), () => super.execute(...call));
          return await result;
        } catch (error) {
          const type = ConnectorError.is(error) ? error.code : '_OTHER';
          for (const attempt of open.values()) fail(attempt, type);
          open.clear();
          span.setAttribute('error.type', type);
          span.setStatus({ code: SpanStatusCode.ERROR });
          throw error;
        } finally {
          // Those whose failure the action has caught.
          for (const attempt of open.values()) fail(attempt, '_OTHER');
          span.end();
        }
      });
    }
  };
}

const keyOf = ({ attempt, method, url }: RequestEvent) => `${attempt} ${method} ${url}`;

/** Hooks that call the caller's and then these. */
const both = (own: Hooks, added: Pick<Hooks, 'onRequest' | 'onResponse' | 'onRetry'>): Hooks => ({
  ...own,
  onRequest: (event) => inTurn(own.onRequest, added.onRequest, event),
  onResponse: (event) => inTurn(own.onResponse, added.onResponse, event),
  onRetry: (event) => inTurn(own.onRetry, added.onRetry, event),
});

/** Calls both, even if the first throws. */
function inTurn<E>(first: ((event: E) => void) | undefined, second: ((event: E) => void) | undefined, event: E): void {
  try {
    first?.(event);
  } finally {
    second?.(event);
  }
}
