import { ConnectorError } from '../call/errors.js';
import type { Once } from '../call/execute-options.js';
import type { CommonOptions, Hooks } from '../call/options.js';
import { requestEvent, tell } from '../call/options.js';
import { type Plan, Planned } from '../call/plan.js';
import type { Result } from '../call/result.js';
import type { Operation, Transport } from '../call/transport.js';
import { downloadMeta, streamed } from '../http/download.js';
import type { Received } from '../http/exchange.js';
import { Lifetime } from '../http/lifetime.js';
import type { Manifest } from '../manifest/manifest.js';
import { plainParams } from './content.js';
import { Found } from './find.js';
import type { HostedTarget } from './options.js';
import { notOfForm, Service, type ServiceRequest, type Watcher } from './service.js';
import type { ConnectorInspection } from './wire.js';

/** A connector that a service holds. */
export interface Hosted {
  readonly transport: Transport;
  readonly inspect: () => Promise<ConnectorInspection>;
}

/** Has a service run every operation on a connector that it holds. */
export function hosted(manifest: Manifest, target: HostedTarget, options: CommonOptions): Hosted {
  const { hooks = {}, attemptTimeoutMs: idleMs = 60_000 } = options;
  const service = new Service(target, options);
  const found = new Found(service, target, manifest);

  const transport: Transport = async (operation) => {
    const { entity, action, effect, spec, intention } = operation;
    const planning = intention !== undefined && 'make' in intention;
    const lifetime = new Lifetime(operation.timeoutMs, operation.options.signal);
    const id = await found.id(lifetime);
    const binary = spec.returns.binary === true;
    const params = await plainParams(operation.params, lifetime);
    // A write that carries a key of its own can be sent again without being done again.
    const key = effect !== 'read' && !planning && (await keyOf(operation.options.once));
    const request: ServiceRequest = {
      method: 'POST',
      path: `/integrations/connectors/${encodeURIComponent(id)}/execute`,
      json: { entity, action, params, ...shaping(operation, hooks), ...intended(intention) },
      headers: {
        // Compression would make lengths and ranges meaningless.
        ...(binary && { accept: 'application/octet-stream, */*;q=0.9', 'accept-encoding': 'identity' }),
        ...(key && { 'idempotency-key': key }),
      },
      repeatable: true,
      change: effect === 'read' || planning ? undefined : `${entity}.${action}`,
      streaming: binary,
      lifetime,
      ...watcher(operation, hooks),
    };
    try {
      if (planning) throw planIn(operation, await service.json(request));
      if (!binary) return resultOf(operation, await service.json(request));
      return downloadOf(operation, await service.send(request), idleMs, (text) => service.clean(text));
    } catch (error) {
      // The connector that had this name may be gone, and another have it.
      if (ConnectorError.is(error) && error.code === 'not_found' && error.status === undefined) found.forget();
      throw error;
    }
  };
  const inspect = async (): Promise<ConnectorInspection> => {
    const lifetime = new Lifetime(options.timeoutMs ?? 120_000, undefined);
    const path = `/integrations/connectors/${encodeURIComponent(await found.id(lifetime))}/inspect`;
    return service.json({ method: 'GET', path, repeatable: true, lifetime });
  };
  return { transport, inspect };
}

/** The key that the service knows a write by, over several calls where the caller remembers it. */
async function keyOf(once: Once | undefined): Promise<string> {
  const id = once?.sent?.id ?? crypto.randomUUID();
  await once?.sending({ id, by: 'id' });
  return id;
}

/** What the service may leave out of the answer; it is cut again here, so this only saves the way. */
function shaping({ spec, options }: Operation, { onResponseMismatch }: Hooks): object {
  const { selectFields, excludeFields, raw, intent } = options;
  // A result is compared with its schema as a whole.
  const cut = !spec.returns.binary && (!onResponseMismatch || spec.hostedOnly);
  return {
    ...(cut && isSent(selectFields) && { select_fields: selectFields }),
    ...(cut && isSent(excludeFields) && { exclude_fields: excludeFields }),
    ...(raw === true && { raw }),
    ...(intent !== undefined && { intent }),
  };
}

/** What the service is told of a plan that is to be made, or to be held to. */
function intended(intention: Operation['intention']): object {
  if (!intention) return {};
  return 'make' in intention ? { dry_run: true } : { plan: intention.hold };
}

function planIn({ entity, action }: Operation, body: any): Planned {
  const plan: Plan | undefined = body?.status === 'planned' ? body.plan : undefined;
  if (typeof plan !== 'object' || plan === null || plan.entity !== entity || plan.action !== action) {
    throw notOfForm(`something that is no plan of ${entity}.${action}`);
  }
  return new Planned(plan);
}

/** The wire takes so many paths of such a length. */
const isSent = (paths: readonly string[] | undefined): boolean =>
  paths !== undefined &&
  paths.length > 0 &&
  paths.length <= 500 &&
  paths.every(({ length }) => length > 0 && length <= 500);

function watcher(operation: Operation, { onRequest, onResponse, onRetry }: Hooks): Watcher {
  const event = (url: string, attempt: number) => requestEvent(operation, { method: 'POST' }, url, attempt);
  return {
    onTry: (attempt, url) => tell(onRequest, () => event(url, attempt)),
    onReply: ({ attempt, url, ...reply }) => tell(onResponse, () => ({ ...event(url, attempt), ...reply })),
    onRetry: ({ attempt, url, ...retry }) => tell(onRetry, () => ({ ...event(url, attempt), ...retry })),
  };
}

/** The result as a direct call gives it. */
function resultOf({ spec, entity, action }: Operation, body: any): Result {
  const where = `${entity}.${action}`;
  if (typeof body !== 'object' || body === null || body.status !== 'success' || !('result' in body)) {
    throw notOfForm(`something that is no result of ${where}`);
  }
  const { data, meta } = spec.hostedOnly ? (body.result ?? {}) : { data: body.result, meta: body.connector_metadata };
  const isList = spec.hostedOnly || spec.returns.kind === 'records';
  if (isList ? !Array.isArray(data) : typeof data !== 'object' || data === null) {
    throw notOfForm(`a result that is none of ${where}`);
  }
  return { data, meta: meta ?? {} };
}

function downloadOf(
  { params, options: { signal } }: Operation,
  received: Received,
  idleMs: number,
  clean: (text: string) => string,
): Result {
  const { range_header: range } = params as { readonly range_header?: string };
  const meta = downloadMeta(received, {
    method: 'GET',
    url: '',
    headers: range === undefined ? {} : { range },
  });
  const data = received.bytes ? streamed(received.bytes, { signal, idleMs, clean }) : new Blob([]).stream();
  return { data, meta };
}
