import { ConnectorError } from '../errors/connector-error.js';
import { redactError, redactText } from '../errors/redact.js';
import { type Exchange, exchangeOver, type WireResponse } from '../http/exchange.js';
import { parseJson } from '../http/json.js';
import { Lifetime } from '../http/lifetime.js';
import { outcomeUnknown } from '../http/outcome.js';
import { type Query, queryString } from '../http/request.js';
import { withRetries } from '../http/with-retries.js';
import {
  asServiceError,
  conclusiveErrors,
  errorOf,
  inProgressErrors,
  notStartedErrors,
  redirectError,
  transientErrors,
  unknownOutcomeError,
} from './errors.js';
import type { HostedTarget } from './options.js';
import { bodyOf } from './reply.js';
import { TokenProvider } from './token.js';

/** Settings for a service client. */
export interface ServiceSettings {
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Timeout of an attempt in milliseconds. */
  readonly attemptTimeoutMs?: number | undefined;
  /** Maximum retries per call. */
  readonly retries?: number | undefined;
  /** Prefix for the library's `User-Agent`. */
  readonly userAgent?: string | undefined;
}

/** Observes the attempts of a request. */
export interface RequestObserver {
  readonly onAttempt?: ((attempt: number, url: string) => void) | undefined;
  readonly onResponse?:
    | ((reply: { attempt: number; url: string; status: number; durationMs: number }) => void)
    | undefined;
  readonly onRetry?:
    | ((retry: { attempt: number; url: string; delayMs: number; error: ConnectorError }) => void)
    | undefined;
}

/** One request to the service. */
export interface ServiceRequest extends RequestObserver {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/api/v1`. */
  readonly path: string;
  readonly query?: Query | undefined;
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether it is safe to repeat. */
  readonly idempotent: boolean;
  /** What it changes, such as `issues.create`; if its response is lost, the outcome is unknown. */
  readonly change?: string | undefined;
  readonly streaming?: boolean | undefined;
  readonly lifetime: Lifetime;
}

/** Timeout of an attempt in milliseconds: longer than the service's own. */
const defaultAttemptTimeoutMs = 130_000;

/** Path of a connector, under `/api/v1`. */
export const connectorPath = (id: string): string => `/integrations/connectors/${encodeURIComponent(id)}`;

/** A client for a service that handles tokens, retries and error conversion. */
export class Service {
  readonly #target: HostedTarget;
  readonly #exchange: Exchange;
  readonly #settings: ServiceSettings;
  readonly #token: TokenProvider;

  constructor(target: HostedTarget, settings: ServiceSettings) {
    const { fetch } = settings;
    this.#target = target;
    this.#settings = settings;
    this.#exchange = exchangeOver(fetch, {
      peer: `The service at ${target.baseUrl}`,
      userAgent: settings.userAgent,
    });
    this.#token = new TokenProvider(target, this.#exchange);
  }

  /** Returns the parsed body of a successful response, or null if it is empty. */
  async json(request: ServiceRequest): Promise<any> {
    const { text } = await this.send(request);
    if (text === '') return null;
    try {
      return parseJson(text);
    } catch {
      throw unexpectedResponse('invalid JSON');
    }
  }

  /** Returns a successful response; otherwise throws the service's error. */
  async send(request: ServiceRequest): Promise<WireResponse> {
    const { lifetime, idempotent, change } = request;
    const { retries = 2 } = this.#settings;
    const body = request.json === undefined ? undefined : serialize(request.json);
    let tries = 0;
    let repeats = 0;
    let possiblyApplied = false;
    try {
      return await withRetries(() => this.#attempt(request, body, ++tries), {
        // Retries are counted below, because waiting for a running write or a free slot is not a retry.
        retries: Number.POSITIVE_INFINITY,
        lifetime,
        isRetryable: (error) => {
          possiblyApplied ||= outcomeUnknown.has(error);
          if (inProgressErrors.has(error)) return idempotent;
          if (notStartedErrors.has(error)) return retries > 0;
          return transientErrors.has(error) && (idempotent || !outcomeUnknown.has(error)) && ++repeats <= retries;
        },
        onRetry: ({ error, ...retry }) =>
          request.onRetry?.({ ...retry, error: this.redacted(error), url: this.#address(request) }),
      });
    } catch (error) {
      if (!ConnectorError.is(error)) throw error;
      possiblyApplied ||= outcomeUnknown.has(error);
      const lost =
        change !== undefined && possiblyApplied && !(conclusiveErrors.has(error) && !outcomeUnknown.has(error));
      throw this.redacted(lost ? unknownOutcomeError(change, error) : error);
    }
  }

  /** Redacts the client's secrets. */
  clean(text: string): string {
    return redactText(text, this.#token.secrets());
  }

  /** The same error without the client's secrets. */
  redacted(error: ConnectorError): ConnectorError {
    return redactError(error, this.#token.secrets());
  }

  async #attempt(request: ServiceRequest, body: string | undefined, attempt: number): Promise<WireResponse> {
    request.lifetime.check();
    const token = await this.#token.current(request.lifetime);
    const received = await this.#sendOnce(request, body, token, attempt);
    if (received.status !== 401 || !this.#token.drop(token)) return requireSuccess(received);
    // Safe to send again: the first attempt was rejected before anything was done.
    return requireSuccess(await this.#sendOnce(request, body, await this.#token.current(request.lifetime), attempt));
  }

  async #sendOnce(
    request: ServiceRequest,
    body: string | undefined,
    token: string,
    attempt: number,
  ): Promise<WireResponse> {
    const { organizationId } = this.#target;
    const { attemptTimeoutMs = defaultAttemptTimeoutMs } = this.#settings;
    const url = this.#address(request);
    request.onAttempt?.(attempt, url);
    const started = performance.now();
    try {
      const received = await this.#exchange({
        method: request.method,
        url,
        headers: {
          authorization: `Bearer ${token}`,
          ...(organizationId !== undefined && { 'x-organization-id': organizationId }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...request.headers,
        },
        body,
        streaming: request.streaming,
        timeoutMs: attemptTimeoutMs,
        lifetime: request.lifetime,
      });
      const { status } = received;
      request.onResponse?.({ attempt, url, status, durationMs: performance.now() - started });
      return received;
    } catch (error) {
      throw asServiceError(error);
    }
  }

  #address({ path, query }: ServiceRequest): string {
    return `${this.#target.baseUrl}/api/v1${path}${queryString(query)}`;
  }
}

function serialize(json: unknown): string {
  try {
    return JSON.stringify(json);
  } catch (cause) {
    throw new ConnectorError('invalid_params', `The parameters cannot be sent as JSON: ${(cause as Error).message}`);
  }
}

/** Throws unless the response is successful. */
function requireSuccess(received: WireResponse): WireResponse {
  const { status, headers, text } = received;
  if (status < 300) return received;
  throw status < 400 ? redirectError(status) : errorOf(status, headers, bodyOf(text));
}

/** A response that this client does not understand. */
export const unexpectedResponse = (what: string): ConnectorError =>
  new ConnectorError('invalid_response', `The service responded with ${what}.`, {
    hint: 'Check that hosted.baseUrl is the service’s URL. A proxy may have responded.',
  });

/** The timeout and abort signal of a call that does not run an operation. */
export const lifetimeOf = (timeoutMs = 120_000, signal?: AbortSignal): Lifetime => new Lifetime(timeoutMs, signal);
