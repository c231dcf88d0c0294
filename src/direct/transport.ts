import type { Effect } from '../action/action.js';
import { chooseScheme } from '../auth/scheme.js';
import type { CommonOptions } from '../call/options.js';
import { callHook, requestEvent } from '../call/options.js';
import { PlanCreated } from '../call/plan.js';
import type { Policy } from '../call/policy.js';
import type { Operation, Transport } from '../call/transport.js';
import { ConnectorError, withHint } from '../errors/connector-error.js';
import { redactError } from '../errors/redact.js';
import { exchangeOver } from '../http/exchange.js';
import { Lifetime } from '../http/lifetime.js';
import { callEnded, outcomeUnknown } from '../http/outcome.js';
import type { HttpRequest } from '../http/request.js';
import { addressOf, endpointsFor, endpointsOf } from '../http/request.js';
import { withRetries } from '../http/with-retries.js';
import type { Manifest } from '../manifest/manifest.js';
import { createAttempt } from './attempt.js';
import type { KeyedWrites } from './keyed-writes.js';

/** A direct route to the vendor. */
export interface DirectRoute {
  readonly transport: Transport;
  /** Revokes the credentials' tokens at the vendor; false if that is not supported. */
  readonly revoke: () => Promise<boolean>;
}

/** Loaded on first use to keep importing a connector cheap. */
let limiterFor: typeof import('../http/limiter.js').limiterFor | undefined;

/** Calls the vendor directly with the caller's credentials. */
export function directRoute(manifest: Manifest, options: CommonOptions, policy: Policy): DirectRoute {
  const { title, name } = manifest;
  const { hooks = {}, retries = 2, attemptTimeoutMs = 60_000, fetch } = options;
  const resolved = endpointsOf(manifest, options.endpoints);
  const chosen = chooseScheme(title, manifest.auth, options.credentials);
  const exchange = exchangeOver(fetch, {
    peer: title,
    userAgent: options.userAgent,
    onReceive: hooks.onReceive,
  });
  const session = chosen.scheme.open(chosen.credentials, {
    title,
    authUrl: resolved.auth,
    customers: manifest.endpoints.customers,
    exchange,
    attemptTimeoutMs,
    readOnly: options.readOnly,
    tokens: options.tokens,
    onTokenRefresh: hooks.onTokenRefresh,
  });
  const identity = JSON.stringify([name, resolved.api, chosen.credentials]);
  const endpoints = () => endpointsFor(resolved, session.api?.());
  const owner = fetch ?? globalThis.fetch;
  const limiter = () => {
    const create = limiterFor;
    const { sharedLimits } = options;
    if (create) return create(identity, owner, title, manifest.limits, sharedLimits);
    return import('../http/limiter.js').then((module) => {
      limiterFor = module.limiterFor;
      return module.limiterFor(identity, owner, title, manifest.limits, sharedLimits);
    });
  };
  const attempt = createAttempt({
    manifest,
    endpoints,
    exchange,
    session,
    limiter,
    background: options.background ?? false,
    hooks,
    attemptTimeoutMs,
  });

  const send = async (request: HttpRequest, operation: Operation, lifetime: Lifetime): Promise<unknown> => {
    const effect: Effect = request.effect ?? operation.effect;
    // Check again, so that nothing the policy denies is sent, whatever the code path.
    policy.check(operation.entity, operation.action, effect);
    if (request.backoff || request.resume !== undefined) {
      await beginStep(request, operation, lifetime);
    }
    const { recovery, settle } = request;
    const { once } = operation.options;
    const sendLookup = (lookup: HttpRequest) => send(lookup, operation, lifetime);
    if (effect !== 'read') {
      if (operation.planMode) {
        const { enforcePlan } = await import('./planning.js');
        await enforcePlan(operation, request, endpoints(), chosen.credentials);
      }
      const outcome =
        once && (await (await import('./resolve-outcome.js')).recordWrite(request, operation, sendLookup));
      if (outcome) return outcome.body;
    }
    const repeatable = effect === 'read' || recovery === 'repeat' || (settle && settle.by !== 'values');
    let possiblyApplied = once?.sent !== undefined;
    try {
      const tries = { count: 0 };
      return await withRetries(() => attempt(request, operation, lifetime, ++tries.count), {
        retries: recovery === 'caller' ? 0 : Math.min(retries, manifest.limits?.retries ?? retries),
        lifetime,
        isRetryable: (error) => {
          possiblyApplied ||= outcomeUnknown.has(error);
          if (callEnded.has(error)) return false;
          // While rate-limited, a replication yields to other calls.
          if (options.background && error.code === 'rate_limited') return false;
          // If the request was rate-limited or the connection was refused, nothing was done.
          return error.retryable && (repeatable || !outcomeUnknown.has(error));
        },
        onRetry: ({ attempt, delayMs, error }) =>
          callHook(hooks.onRetry, () => ({
            ...requestEvent(operation, request, addressOf(request, endpoints()).url, attempt),
            delayMs,
            error: redactError(error, session.secrets()),
          })),
      });
    } catch (error) {
      if (effect === 'read' || recovery !== undefined || !ConnectorError.is(error)) throw error;
      possiblyApplied ||= outcomeUnknown.has(error);
      if (!possiblyApplied) throw error;
      const hasTimeLeft = error.code !== 'aborted' && lifetime.remaining() > 0;
      return await (await import('./resolve-outcome.js')).resolveLostReply(
        request,
        operation,
        error,
        hasTimeLeft ? sendLookup : undefined,
      );
    }
  };

  let keyed: Promise<KeyedWrites> | undefined;
  const transport: Transport = async (operation) => {
    const { idempotencyKey, once } = operation.options;
    if (idempotencyKey === undefined || once || operation.effect === 'read') return runOnce(operation);
    keyed ??= import('./keyed-writes.js').then((module) => new module.KeyedWrites());
    return (await keyed).run(operation, runOnce);
  };
  const runOnce: Transport = async (operation) => {
    const { spec, params, options: shaping, settings } = operation;
    const lifetime = new Lifetime(operation.timeoutMs, operation.options.signal);
    try {
      lifetime.check();
      const body = await run(operation, lifetime, (request) => send(request, operation, lifetime));
      const { data, meta = {}, notes = [], asSent } = spec.read(body, params, settings);
      const said = notes.filter((note) => note !== false);
      return {
        data: asSent ? data : spec.returns.shape(data, shaping.raw === true),
        meta: said.length > 0 ? { ...(meta as object), notes: said } : meta,
      };
    } catch (error) {
      if (error instanceof PlanCreated) throw error;
      throw redactError(asConnectorError(error, operation), session.secrets());
    }
  };
  const revoke = async (): Promise<boolean> => {
    try {
      return (await session.revoke?.()) ?? false;
    } catch (error) {
      throw ConnectorError.is(error) ? redactError(error, session.secrets()) : error;
    }
  };
  return { transport, revoke };
}

/** Runs an action's request or requests. */
async function run(
  operation: Operation,
  lifetime: Lifetime,
  send: (request: HttpRequest) => Promise<unknown>,
): Promise<unknown> {
  const {
    planMode,
    settings,
    options: { once, raw },
  } = operation;
  let id = planMode ? ('dryRun' in planMode ? planMode.id : planMode.expected.id) : once?.sent?.id || undefined;
  let watcher: ReturnType<Lifetime['watch']> | undefined;
  const call = {
    settings,
    raw,
    get signal() {
      watcher ??= lifetime.watch();
      return watcher.signal;
    },
    // A plan includes its request, and a vendor-assigned id would change that request.
    once: planMode ? undefined : once && { id: once.sent?.id },
    get id() {
      id ??= crypto.randomUUID();
      return id;
    },
  };
  const first = operation.spec.request(operation.params, call);
  if (!('next' in first)) return send(first);
  try {
    let step = await first.next();
    while (!step.done) {
      const reply = await send(step.value).then(
        (body) => ({ body }),
        (error: unknown) => ({ error }),
      );
      // Steps that handle failures themselves must not mistake these for the vendor's.
      if ('error' in reply && (reply.error instanceof PlanCreated || callEnded.has(reply.error as object))) {
        throw reply.error;
      }
      step = await ('error' in reply ? first.throw(reply.error) : first.next(reply.body));
    }
    return step.value;
  } finally {
    watcher?.unsubscribe();
  }
}

/** The error for the caller. Parsing an unexpected response throws errors that would mean nothing to the caller. */
function asConnectorError(error: unknown, { manifest, entity, action, effect }: Operation): ConnectorError {
  const hint = effect === 'read' ? undefined : 'The request was sent and may have taken effect: check before retrying.';
  if (ConnectorError.is(error)) {
    return error.code === 'invalid_response' && hint && !error.hint ? withHint(error, hint) : error;
  }
  const message = error instanceof Error ? error.message : String(error);
  const isReader = error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
  return new ConnectorError(
    'invalid_response',
    isReader
      ? `${manifest.title}'s response to ${entity}.${action} has an unexpected format.`
      : `${manifest.title}'s response to ${entity}.${action} could not be read: ${message}.`,
    {
      hint,
      cause: new Error(message),
    },
  );
}

/** Backoff for steps that outlast an outage: starts at one to two seconds and doubles with each interruption. */
const backoffMs = (breaks: number) => Math.min(32_000, (1 + Math.random()) * 1_000 * 2 ** (breaks - 1));

/** Runs before a request of an upload: waits after an interruption, and reports the start of an upload. */
async function beginStep({ backoff, resume }: HttpRequest, { options }: Operation, lifetime: Lifetime): Promise<void> {
  if (backoff) await lifetime.sleep(backoff.retryAfterMs ?? backoffMs(backoff.breaks));
  if (resume === undefined) return;
  try {
    await options.onUploadBegun?.({ resume });
  } catch (cause) {
    throw new ConnectorError('aborted', 'onUploadBegun failed, so no content was sent.', { cause });
  }
}
