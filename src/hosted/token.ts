import { ConnectorError } from '../errors/connector-error.js';
import type { Exchange } from '../http/exchange.js';
import type { Lifetime } from '../http/lifetime.js';
import { outcomeUnknown } from '../http/outcome.js';
import { asServiceError, errorOf, redirectError } from './errors.js';
import type { HostedTarget } from './options.js';
import { bodyOf } from './reply.js';

/** Timeout of a token request in milliseconds. */
const tokenTimeoutMs = 30_000;

/** A client's token: fetched once for all waiting calls, and cached until shortly before it expires. */
export class TokenProvider {
  readonly #target: HostedTarget;
  readonly #exchange: Exchange;
  #cached: { readonly value: string; readonly until: number } | undefined;
  #previous: string | undefined;
  #inFlight: Promise<string> | undefined;

  constructor(target: HostedTarget, exchange: Exchange) {
    this.#target = target;
    this.#exchange = exchange;
    if ('token' in target.auth) this.#cached = { value: target.auth.token, until: Number.POSITIVE_INFINITY };
  }

  /** A valid token. */
  async current(lifetime: Lifetime): Promise<string> {
    if (this.#cached && Date.now() < this.#cached.until) return this.#cached.value;
    this.#inFlight ??= this.#renew().finally(() => {
      this.#inFlight = undefined;
    });
    const flight = this.#inFlight;
    // Prevents an unhandled rejection if the caller has stopped waiting.
    flight.catch(() => {});
    return lifetime.within(() => flight);
  }

  /** Drops a rejected token unless it was already replaced; returns false if it cannot be replaced. */
  drop(refused: string): boolean {
    if ('token' in this.#target.auth) return false;
    if (this.#cached?.value === refused) this.#cached = undefined;
    this.#previous = refused;
    return true;
  }

  /** Secrets to redact. */
  secrets(): string[] {
    const { auth } = this.#target;
    const own = 'token' in auth ? auth.token : auth.clientSecret;
    return [own, this.#previous, this.#cached?.value].filter((secret) => secret !== undefined);
  }

  async #renew(): Promise<string> {
    const { auth } = this.#target;
    if ('token' in auth) return auth.token;
    try {
      return await this.#requestToken(auth);
    } catch (error) {
      // Whatever happened to the token request, the call itself was not sent.
      if (ConnectorError.is(error)) outcomeUnknown.delete(error);
      throw error;
    }
  }

  async #requestToken({
    clientId,
    clientSecret,
    person,
  }: Extract<HostedTarget['auth'], { readonly clientId: string }>): Promise<string> {
    const { status, headers, text } = await this.#exchange({
      method: 'POST',
      url: `${this.#target.baseUrl}/api/v1/account/applications/token`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: clientId, client_secret: clientSecret, ...person }),
      timeoutMs: tokenTimeoutMs,
    }).catch((error: unknown) => {
      throw asServiceError(error);
    });
    const body = bodyOf(text);
    if (status >= 300 && status < 400) throw redirectError(status);
    if (status === 401 || status === 403) {
      throw new ConnectorError('invalid_credentials', 'The service rejected the client id and secret.', {
        status,
        hint: 'Check hosted.clientId and hosted.clientSecret; the service shows a secret only once, when the client is created.',
      });
    }
    if (status >= 400) throw errorOf(status, headers, body);
    const { access_token: value, expires_in } = body;
    if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value)) {
      throw new ConnectorError('invalid_response', 'The service returned no token.', { status });
    }
    // A number or a numeric string; converting an object may throw.
    const expiresIn = typeof expires_in === 'object' ? 0 : Number(expires_in);
    const seconds = expiresIn > 0 ? expiresIn : 900;
    this.#previous = this.#cached?.value ?? this.#previous;
    this.#cached = { value, until: Date.now() + (seconds - Math.min(60, seconds / 10)) * 1000 };
    return value;
  }
}
