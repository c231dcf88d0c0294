import { downloadMeta, streamBody } from '../action/download.js';
import type { Session } from '../auth/scheme.js';
import type { Hooks } from '../call/options.js';
import { callHook, requestEvent } from '../call/options.js';
import type { Operation } from '../call/transport.js';
import { ConnectorError } from '../errors/connector-error.js';
import { redactText } from '../errors/redact.js';
import { type Exchange, redirectError, type WireResponse } from '../http/exchange.js';
import { codeOfStatus, type Fault, type HttpReply, isHtml, retryAfter } from '../http/fault.js';
import { parseJson } from '../http/json.js';
import type { Lifetime } from '../http/lifetime.js';
import type { EndTurn, Limiter } from '../http/limiter.js';
import { callEnded, outcomeUnknown } from '../http/outcome.js';
import type { HttpRequest } from '../http/request.js';
import { addressOf, type ResolvedEndpoints } from '../http/request.js';
import type { Manifest } from '../manifest/manifest.js';

/** Shared by all attempts of a connector. */
export interface AttemptContext {
  readonly manifest: Manifest;
  /** Current endpoints; a token may have changed the address. */
  readonly endpoints: () => ResolvedEndpoints;
  readonly exchange: Exchange;
  readonly session: Session;
  readonly limiter: () => Limiter | Promise<Limiter>;
  /** Whether its calls yield to others. */
  readonly background: boolean;
  readonly hooks: Hooks;
  readonly attemptTimeoutMs: number;
}

/** Maximum number of times that a token is replaced because the vendor rejects it: other programs may store theirs. */
const maxRenewals = 3;

/** Builds the function that sends a request once and returns the parsed body, or throws its error. */
export function createAttempt(context: AttemptContext) {
  const { manifest, endpoints, exchange, session, background, hooks, attemptTimeoutMs } = context;
  let limiter: Limiter;

  const checkedAddress = (request: HttpRequest) => {
    const address = addressOf(request, endpoints());
    if (address.trusted || request.method === 'GET') return address;
    throw new ConnectorError(
      'denied_by_policy',
      `${manifest.title} returned an upload URL on another host, so nothing was sent.`,
    );
  };

  const headers = (lifetime: Lifetime) => {
    const pending = session.headers();
    return pending instanceof Promise ? sharedRefresh(pending, lifetime) : pending;
  };

  const sendOnce = async (
    request: HttpRequest,
    operation: Operation,
    lifetime: Lifetime,
    attempt: number,
    authorization: Readonly<Record<string, string>>,
    endTurn: EndTurn | undefined,
  ): Promise<unknown> => {
    const { url, trusted } = checkedAddress(request);
    const event = () => requestEvent(operation, request, url, attempt);
    const started = performance.now();
    const received = await exchange({
      method: request.method,
      url,
      headers: {
        ...(request.json !== undefined && { 'content-type': 'application/json' }),
        ...(request.content && { 'content-type': request.content.type }),
        ...request.headers,
        ...(trusted && !request.anonymous && authorization),
      },
      body: request.json === undefined ? request.content?.body : JSON.stringify(request.json),
      streaming: request.reply === 'bytes',
      timeoutMs: attemptTimeoutMs,
      lifetime,
      onSend: () => callHook(hooks.onRequest, event),
    });
    endTurn?.();
    const { status } = received;
    const budgets = manifest.limits?.learn?.(received) ?? [];
    const kind = kindOf(request, operation);
    limiter.learn(kind, budgets, vendorNow(received.headers));
    callHook(hooks.onResponse, () => ({
      ...event(),
      status,
      durationMs: performance.now() - started,
      ...(budgets.length > 0 && { budgets }),
    }));
    const clean = (text: string) => redactText(text, session.secrets());
    const body = parseReply(manifest, limiter, kind, received, request, clean);
    if (!received.bytes) return body;
    const { signal } = operation.options;
    return {
      data: streamBody(received, received.bytes, { signal, idleMs: attemptTimeoutMs, clean }),
      meta: downloadMeta(received, request),
    };
  };

  /** Waits for the request's turn and sends it with the current credentials, which are recorded in `used`. */
  const sendInTurn = async (
    request: HttpRequest,
    operation: Operation,
    lifetime: Lifetime,
    attempt: number,
    used: { authorization?: Readonly<Record<string, string>> },
  ) => {
    const endTurn = request.anonymous
      ? undefined
      : await limiter.waitForTurn(kindOf(request, operation), lifetime, background);
    try {
      // Get the token after the wait: it may have been renewed in the meantime.
      used.authorization = await headers(lifetime);
      const { once, beforeAttempt } = operation.options;
      if (once?.attempting && (request.effect ?? operation.effect) !== 'read') {
        await (await import('./resolve-outcome.js')).announceAttempt(once);
      }
      if (beforeAttempt) await lifetime.within(() => checkAttempt(beforeAttempt));
      return await sendOnce(request, operation, lifetime, attempt, used.authorization, endTurn);
    } finally {
      endTurn?.();
    }
  };

  const sendAuthorized = async (request: HttpRequest, operation: Operation, lifetime: Lifetime, attempt: number) => {
    const used: { authorization?: Readonly<Record<string, string>> } = {};
    let isRenewable = true;
    for (let renewals = 0; ; renewals++) {
      try {
        return await sendInTurn(request, operation, lifetime, attempt, used);
      } catch (error) {
        const { authorization } = used;
        if (!ConnectorError.is(error) || error.code !== 'unauthorized' || !session.renew || !authorization) throw error;
        // The token is not sent to other origins, so renewing it would not help.
        if (request.anonymous || !checkedAddress(request).trusted) throw error;
        if (!isRenewable || renewals === maxRenewals) throw error;
        isRenewable = await sharedRefresh(session.renew(authorization), lifetime);
      }
    }
  };

  return async (request: HttpRequest, operation: Operation, lifetime: Lifetime, attempt: number): Promise<unknown> => {
    lifetime.check();
    checkedAddress(request);
    // Awaited only if it is a promise, so that calls keep their order.
    const found = limiter ?? context.limiter();
    limiter = found instanceof Promise ? await found : found;
    // Authenticate before queueing, so that all waiting calls share one authentication failure instead of failing one
    // by one.
    const pending = headers(lifetime);
    if (pending instanceof Promise) await pending;
    const slot = limiter.acquireSlot(request.url, lifetime, background);
    const release = slot && (await slot);
    try {
      return await sendAuthorized(request, operation, lifetime, attempt);
    } finally {
      release?.();
    }
  };
}

const kindOf = ({ kind }: HttpRequest, { entity, action }: Operation): string => kind ?? `${entity}.${action}`;

/** Lets the caller end the call before a request is sent. */
async function checkAttempt(beforeAttempt: () => unknown): Promise<void> {
  try {
    await beforeAttempt();
  } catch (cause) {
    const error = ConnectorError.is(cause)
      ? cause
      : new ConnectorError('aborted', 'beforeAttempt failed, so the request was not sent.', { cause });
    callEnded.add(error);
    throw error;
  }
}

/** Waits for a refresh shared by all callers; if one of them aborts, the others still get it. */
function sharedRefresh<T>(refresh: Promise<T>, lifetime: Lifetime): Promise<T> {
  const work = refresh.catch((error: unknown) => {
    // Whatever the outcome of the refresh, the request itself was not sent.
    if (ConnectorError.is(error)) outcomeUnknown.delete(error);
    throw error;
  });
  // Prevents an unhandled rejection if the caller has stopped waiting.
  work.catch(() => {});
  return lifetime.within(() => work);
}

/**
 * Returns the body of a successful response. Otherwise throws an error, with the vendor's message if the connector can
 * parse it.
 */
function parseReply(
  manifest: Manifest,
  limiter: Limiter,
  kind: string,
  { status, headers, text, bytes }: WireResponse,
  { reply: replyKind, anonymous, requires }: HttpRequest,
  clean: (text: string) => string,
): unknown {
  const now = vendorNow(headers);
  const { title } = manifest;
  if (bytes) return undefined;
  // A 308 without a location is a regular response, as in resumable uploads.
  const isAcceptedRedirect = replyKind === 'whole' && status === 308 && !headers.has('location');
  if (status >= 300 && status < 400 && !isAcceptedRedirect) throw redirectError(status);
  const parsed = parse(text);
  const reply: HttpReply = { status, headers, body: parsed.json ? parsed.value : text };
  const fault = manifest.fault?.(reply, now) ?? (status >= 400 ? plainFault(manifest, reply, now, clean) : undefined);
  // Credential hints do not apply if no credentials were sent.
  const hint = anonymous ? undefined : manifest.hints?.[status];
  if (fault) throw errorOf({ ...fault, hint: fault.hint ?? hint }, reply, limiter, kind, now);
  if (replyKind === 'whole') return reply;
  if (replyKind === 'none' && text === '') return null;
  if (parsed.json && (!requires || hasField(parsed.value, requires))) return parsed.value;
  const type = headers.get('content-type') ?? 'no content type';
  const error = new ConnectorError(
    'invalid_response',
    `${title} responded with ${status} and ${parsed.json ? 'none of the expected fields' : `invalid JSON (${type})`}.`,
    {
      status,
      retryable: true,
      hint: text.trimStart().startsWith('<') ? 'This looks like a proxy or login page, not the API.' : undefined,
    },
  );
  outcomeUnknown.add(error);
  throw error;
}

/**
 * The vendor's time if the response includes it and our clock is off, since the vendor's timestamps are relative to its
 * own clock.
 */
function vendorNow(headers: Headers): number {
  const local = Date.now();
  const theirs = Date.parse(headers.get('date') ?? '');
  return Math.abs(theirs - local) > 2000 ? theirs : local;
}

/** Statuses that are statements about a record, a parameter or a credential if they come from the vendor. */
const refusalStatuses: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 409, 410, 422]);

function parse(text: string): { json: true; value: unknown } | { json: false } {
  try {
    return { json: true, value: parseJson(text) };
  } catch {
    return { json: false };
  }
}

/** A failure that the connector does not recognize as the vendor's. */
function plainFault(
  { title, fault, hints }: Manifest,
  { status, body, headers }: HttpReply,
  now: number,
  clean: (text: string) => string,
): Fault {
  // A page of a proxy, or a 404 that is not in the vendor's format, says nothing about a record or a credential.
  const isMissing = status === 404 || status === 410;
  if ((refusalStatuses.has(status) && isHtml(headers, body)) || (isMissing && fault !== undefined)) {
    return {
      code: 'vendor_error',
      message: `${title} responded with ${status} in a format that is not its own.`,
      hint: [
        'A proxy or gateway may have responded. Check the network and the endpoints option, and retry later.',
        isMissing ? undefined : hints?.[status],
      ]
        .filter(Boolean)
        .join(' '),
      retryable: true,
      retryAfterMs: retryAfter(headers, now),
      mayHaveActed: true,
    };
  }
  const text = typeof body === 'string' && !body.trimStart().startsWith('<') ? body.trim() : '';
  // Redact before truncating: a truncated secret would not be recognized later.
  const vendorText = text && `: ${clean(text).slice(0, 200)}`;
  return {
    code: codeOfStatus(status),
    message: `${title} responded with ${status}${vendorText}`,
    retryAfterMs: retryAfter(headers, now),
  };
}

/** Whether a body has a value for at least one of these fields. */
const hasField = (body: unknown, names: readonly string[]): boolean =>
  Object.entries(Object(body)).some(([name, value]) => value !== null && names.includes(name));

function errorOf(
  fault: Fault,
  { status, headers }: HttpReply,
  limiter: Limiter,
  kind: string,
  now: number,
): ConnectorError {
  let retryAfterMs = fault.retryAfterMs ?? retryAfter(headers, now);
  if (fault.code === 'rate_limited') {
    const refillMs = limiter.refillWait(kind);
    // A depleted bucket delays only its own requests; if there is none, a rate limit delays all requests.
    if (refillMs === undefined && retryAfterMs !== undefined) limiter.block(retryAfterMs);
    retryAfterMs ??= refillMs;
  }
  const requestId = headers.get('x-request-id') ?? headers.get('request-id') ?? undefined;
  const error = new ConnectorError(fault.code, fault.message, {
    status,
    retryable: fault.retryable ?? (fault.code === 'rate_limited' || status >= 500),
    retryAfterMs,
    // Omitted if the vendor reports nothing.
    vendor: requestId === undefined ? fault.vendor : { requestId, ...fault.vendor },
    issues: fault.issues,
    hint: fault.hint,
  });
  // A server error may occur after the request was executed.
  if (fault.mayHaveActed ?? status >= 500) outcomeUnknown.add(error);
  return error;
}
