import { chooseScheme } from '../auth/scheme.js';
import { ConnectorError } from '../call/errors.js';
import type { CommonOptions } from '../call/options.js';
import { requestEvent, tell } from '../call/options.js';
import { hold, Planned } from '../call/plan.js';
import type { Policy } from '../call/policy.js';
import { redactError } from '../call/redact.js';
import type { Operation, Transport } from '../call/transport.js';
import type { Effect } from '../manifest/action.js';
import type { Manifest } from '../manifest/manifest.js';
import { addressOf, endpointsFor, endpointsOf } from './address.js';
import { attempting } from './attempt.js';
import { exchangeOver } from './exchange.js';
import { unknownFate } from './fate.js';
import { Lifetime } from './lifetime.js';
import { limiterFor } from './limiter.js';
import type { HttpRequest } from './request.js';
import { retrying } from './retry.js';

/** A direct line to the vendor. */
export interface Local {
  readonly transport: Transport;
  /** Ends the credentials' tokens at the vendor; false where these cannot be ended so. */
  readonly revoke: () => Promise<boolean>;
}

/** Talks to the vendor directly, with the caller's credentials. */
export function local(manifest: Manifest, options: CommonOptions, policy: Policy): Local {
  const { title, name } = manifest;
  const { hooks = {}, retries = 2, attemptTimeoutMs = 60_000, fetch } = options;
  const settled = endpointsOf(manifest, options.endpoints);
  const chosen = chooseScheme(title, manifest.auth, options.credentials);
  // Looked up at each call, so that a fetch which is replaced later (as tests and tracers do) is used.
  const exchange = exchangeOver(fetch ?? ((input, init) => globalThis.fetch(input, init)));
  const session = chosen.scheme.open(chosen.credentials, {
    title,
    authUrl: settled.auth,
    customers: manifest.endpoints.customers,
    exchange,
    attemptTimeoutMs,
    tokens: options.tokens,
    onTokenRefresh: hooks.onTokenRefresh,
  });
  const identity = JSON.stringify([name, settled.api, chosen.credentials]);
  const endpoints = () => endpointsFor(settled, session.api?.());
  const limiter = limiterFor(identity, fetch ?? globalThis.fetch, title, manifest.limits);
  const attempt = attempting({
    manifest,
    endpoints,
    exchange,
    session,
    limiter,
    background: options.background ?? false,
    hooks,
    attemptTimeoutMs,
    userAgent: options.userAgent,
  });

  const send = async (request: HttpRequest, operation: Operation, lifetime: Lifetime): Promise<unknown> => {
    const effect: Effect = request.effect ?? operation.effect;
    // The second check: whatever the way here, nothing that the policy forbids goes out.
    policy.check(operation.entity, operation.action, effect);
    const { recovery, settle } = request;
    const { once } = operation.options;
    const ask = (look: HttpRequest) => send(look, operation, lifetime);
    if (effect !== 'read') {
      await intend(request, operation);
      const told = once && (await (await import('./settle.js')).noted(request, operation, ask));
      if (told) return told.body;
    }
    const repeatable = effect === 'read' || recovery === 'repeat' || (settle && settle.by !== 'values');
    let doubtful = once?.sent !== undefined;
    try {
      const tries = { count: 0 };
      return await retrying(() => attempt(request, operation, lifetime, ++tries.count), {
        retries: recovery === 'caller' ? 0 : Math.min(retries, manifest.limits?.retries ?? retries),
        lifetime,
        mayRepeat: (error) => {
          doubtful ||= unknownFate.has(error);
          // A rate limit or a refused connection means that nothing was done.
          return error.retryable && (repeatable || !unknownFate.has(error));
        },
        onRetry: ({ attempt: tried, delayMs, error }) =>
          tell(hooks.onRetry, () => ({
            ...requestEvent(operation, request, addressOf(request, endpoints()).url, tried),
            delayMs,
            error: redactError(error, session.secrets()),
          })),
      });
    } catch (error) {
      if (effect === 'read' || recovery !== undefined || !ConnectorError.is(error)) throw error;
      doubtful ||= unknownFate.has(error);
      if (!doubtful) throw error;
      const lives = error.code !== 'aborted' && lifetime.remaining() > 0;
      return await (await import('./settle.js')).settled(request, operation, error, lives ? ask : undefined);
    }
  };

  const intended = new WeakSet<Operation>();
  /** Stops at the first write of what is only planned, and compares that of what is held to a plan. */
  const intend = async (request: HttpRequest, operation: Operation): Promise<void> => {
    const { intention } = operation;
    if (!intention || intended.has(operation)) return;
    const id = 'make' in intention ? intention.id : intention.hold.id;
    const { planOf } = await import('./planning.js');
    const plan = await planOf(operation, request, endpoints(), id);
    if ('make' in intention) throw new Planned(plan);
    hold(intention.hold, plan);
    intended.add(operation);
  };

  const transport: Transport = async (operation) => {
    const lifetime = new Lifetime(operation.timeoutMs, operation.options.signal);
    const { spec, params, options: shaping, settings } = operation;
    try {
      const body = await run(operation, lifetime, (request) => send(request, operation, lifetime));
      const { data, meta = {}, asSent } = spec.read(body, params, settings);
      return { data: asSent ? data : spec.returns.shape(data, shaping.raw === true), meta };
    } catch (error) {
      if (error instanceof Planned) throw error;
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

/** Runs the one request of an action, or its several, one after the other. */
async function run(
  operation: Operation,
  lifetime: Lifetime,
  send: (request: HttpRequest) => Promise<unknown>,
): Promise<unknown> {
  const {
    intention,
    settings,
    options: { once },
  } = operation;
  let id = intention ? ('make' in intention ? intention.id : intention.hold.id) : once?.sent?.id || undefined;
  let ending: ReturnType<Lifetime['watch']> | undefined;
  const call = {
    settings,
    get signal() {
      ending ??= lifetime.watch();
      return ending.signal;
    },
    // A plan holds its request, of which an id that the vendor gives would make another.
    once: intention ? undefined : once && { id: once.sent?.id },
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
      // Steps that deal with failures themselves must not take a plan for one.
      if ('error' in reply && reply.error instanceof Planned) throw reply.error;
      step = await ('error' in reply ? first.throw(reply.error) : first.next(reply.body));
    }
    return step.value;
  } finally {
    ending?.forget();
  }
}

function asConnectorError(error: unknown, { manifest, entity, action }: Operation): ConnectorError {
  if (ConnectorError.is(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ConnectorError(
    'invalid_response',
    `${manifest.title}'s reply to ${entity}.${action} could not be read: ${message}.`,
    {
      cause: new Error(message),
    },
  );
}
