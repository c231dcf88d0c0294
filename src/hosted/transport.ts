import { downloadMeta, streamBody } from '../action/download.js';
import type { Result } from '../action/result.js';
import type { ExecuteOptions } from '../call/execute-options.js';
import type { CommonOptions, Hooks } from '../call/options.js';
import { callHook, requestEvent } from '../call/options.js';
import { type Plan, PlanCreated } from '../call/plan.js';
import type { Operation, Transport } from '../call/transport.js';
import { ConnectorError } from '../errors/connector-error.js';
import type { WireResponse } from '../http/exchange.js';
import { Lifetime } from '../http/lifetime.js';
import type { Manifest } from '../manifest/manifest.js';
import type { ConnectorInspection } from '../wire/index.js';
import { ConnectorResolver } from './connector-resolver.js';
import { encodeParams } from './content.js';
import type { HostedTarget } from './options.js';
import { connectorPath, type RequestObserver, Service, type ServiceRequest, unexpectedResponse } from './service.js';

/** Route to a connector in the service. */
export interface HostedRoute {
  readonly transport: Transport;
  readonly inspect: () => Promise<ConnectorInspection>;
}

/** Runs every operation through the service, on the connector specified in the options. */
export function hostedRoute(manifest: Manifest, target: HostedTarget, options: CommonOptions): HostedRoute {
  const service = new Service(target, options);
  const resolver = new ConnectorResolver(service, target, manifest);
  const { hooks, attemptTimeoutMs: idleMs } = options;
  return {
    transport: hostedTransport(service, resolver, { hooks, idleMs }),
    async inspect() {
      const lifetime = new Lifetime(options.timeoutMs ?? 120_000, undefined);
      const path = `${connectorPath(await resolver.id(lifetime))}/inspect`;
      return service.json({ method: 'GET', path, idempotent: true, lifetime });
    },
  };
}

/** Transport options in addition to the service's. */
export interface HostedTransportOptions {
  readonly hooks?: Hooks | undefined;
  /** Idle timeout of a download in milliseconds; 60,000 by default. */
  readonly idleMs?: number | undefined;
}

/** Runs operations through the service, on the connector with this id. */
export function hostedTransport(
  service: Service,
  connector: Pick<ConnectorResolver, 'id' | 'invalidate'>,
  { hooks = {}, idleMs = 60_000 }: HostedTransportOptions = {},
): Transport {
  return async (operation) => {
    const { entity, action, effect, spec, planMode } = operation;
    const planning = planMode !== undefined && 'dryRun' in planMode;
    const lifetime = new Lifetime(operation.timeoutMs, operation.options.signal);
    try {
      lifetime.check();
      const id = await connector.id(lifetime);
      const binary = spec.returns.binary === true;
      const params = await encodeParams(operation.params, lifetime);
      // A write with its own idempotency key can be sent again safely.
      const key = effect !== 'read' && !planning && (await idempotencyKeyFor(operation.options));
      const request: ServiceRequest = {
        method: 'POST',
        path: `${connectorPath(id)}/execute`,
        json: { entity, action, params, ...shaping(operation, hooks), ...planFields(planMode) },
        headers: {
          // Compression would invalidate lengths and ranges.
          ...(binary && { accept: 'application/octet-stream, */*;q=0.9', 'accept-encoding': 'identity' }),
          ...(key && { 'idempotency-key': key }),
        },
        idempotent: true,
        change: effect === 'read' || planning ? undefined : `${entity}.${action}`,
        streaming: binary,
        lifetime,
        ...requestObserver(operation, hooks),
      };
      if (planning) throw plannedFrom(operation, await service.json(request));
      if (!binary) return resultOf(operation, await service.json(request));
      return downloadOf(operation, await service.send(request), idleMs, (text) => service.clean(text));
    } catch (error) {
      // The name may belong to a different connector by now.
      if (ConnectorError.is(error) && error.code === 'not_found' && error.status === undefined) connector.invalidate();
      throw ConnectorError.is(error) ? service.redacted(error) : error;
    }
  };
}

/** The idempotency key of a write: the caller's, or one that is reused across calls if the caller stores it. */
async function idempotencyKeyFor({ idempotencyKey, once }: ExecuteOptions): Promise<string> {
  const id = idempotencyKey ?? once?.sent?.id ?? crypto.randomUUID();
  await once?.sending({ id, by: 'id' });
  return id;
}

/** Asks the service to shape the response; it is shaped again here, so this only saves bandwidth. */
function shaping({ spec, options }: Operation, { onResponseMismatch }: Hooks): object {
  const { selectFields, excludeFields, raw, intent } = options;
  // Checking a result against its schema requires the whole result.
  const cut = !spec.returns.binary && (!onResponseMismatch || spec.hostedOnly);
  return {
    ...(cut && isWithinWireLimits(selectFields) && { select_fields: selectFields }),
    ...(cut && isWithinWireLimits(excludeFields) && { exclude_fields: excludeFields }),
    ...(raw === true && { raw }),
    ...(intent !== undefined && { intent }),
  };
}

/** Request fields for creating or executing a plan. */
function planFields(planMode: Operation['planMode']): object {
  if (!planMode) return {};
  return 'dryRun' in planMode ? { dry_run: true } : { plan: planMode.expected };
}

function plannedFrom({ entity, action }: Operation, body: any): PlanCreated {
  const plan: Plan | undefined = body?.status === 'planned' ? body.plan : undefined;
  if (typeof plan !== 'object' || plan === null || plan.entity !== entity || plan.action !== action) {
    throw unexpectedResponse(`an invalid plan for ${entity}.${action}`);
  }
  return new PlanCreated(plan);
}

/** Whether the number and length of the paths are within the API's limits. */
const isWithinWireLimits = (paths: readonly string[] | undefined): boolean =>
  paths !== undefined &&
  paths.length > 0 &&
  paths.length <= 500 &&
  paths.every(({ length }) => length > 0 && length <= 500);

function requestObserver(operation: Operation, { onRequest, onResponse, onRetry }: Hooks): RequestObserver {
  const event = (url: string, attempt: number) => requestEvent(operation, { method: 'POST' }, url, attempt);
  return {
    onAttempt: (attempt, url) => callHook(onRequest, () => event(url, attempt)),
    onResponse: ({ attempt, url, ...reply }) => callHook(onResponse, () => ({ ...event(url, attempt), ...reply })),
    onRetry: ({ attempt, url, ...retry }) => callHook(onRetry, () => ({ ...event(url, attempt), ...retry })),
  };
}

/** The result in the format of a direct call. */
function resultOf({ spec, entity, action }: Operation, body: any): Result {
  const where = `${entity}.${action}`;
  if (typeof body !== 'object' || body === null || body.status !== 'success' || !('result' in body)) {
    throw unexpectedResponse(`an invalid result of ${where}`);
  }
  const { data, meta } = spec.hostedOnly ? (body.result ?? {}) : { data: body.result, meta: body.connector_metadata };
  // For unknown types, any result is valid.
  if ((spec.returns.kind as string) === 'any') return { data, meta: meta ?? {} };
  const isList = spec.hostedOnly || spec.returns.kind === 'records';
  if (isList ? !Array.isArray(data) : typeof data !== 'object' || data === null) {
    throw unexpectedResponse(`an invalid result of ${where}`);
  }
  return { data, meta: meta ?? {} };
}

function downloadOf(
  { params, options: { signal } }: Operation,
  received: WireResponse,
  idleMs: number,
  clean: (text: string) => string,
): Result {
  const { range_header: range } = params as { readonly range_header?: string };
  const meta = downloadMeta(received, {
    method: 'GET',
    url: '',
    headers: range === undefined ? {} : { range },
  });
  const data = received.bytes ? streamBody(received, received.bytes, { signal, idleMs, clean }) : new Blob([]).stream();
  return { data, meta };
}
