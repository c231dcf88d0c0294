import * as z from 'zod';
import { ConnectorError } from '../errors/connector-error.js';
import type { WireRequest } from '../http/exchange.js';
import { outcomeUnknown } from '../http/outcome.js';
import { isLoopbackEndpoint, queryString } from '../http/request.js';
import {
  type AuthContext,
  type AuthScheme,
  baseUrl,
  customerApi,
  fitsHeader,
  nonSecret,
  type RefreshStyle,
  type Session,
  scheme,
  secret,
  stripBearerPrefix,
  type TokenRefresh,
} from './scheme.js';
import { tokenError, tokenReply } from './token-reply.js';

interface Grant {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly expires_in?: number;
  readonly base_url?: string;
}

type ClientFields = {
  client_id: string;
  client_secret: string;
  refresh_token: string;
  access_token?: string | undefined;
};

type ClientCredentials = Omit<ClientFields, 'access_token'> & {
  access_token?: string | undefined;
  base_url?: string | undefined;
};

/** Ten years: no token lives longer, and larger values may overflow a date. */
const maxExpiresInSeconds = 315_360_000;

const lostRefreshHint =
  'Refresh tokens from this vendor are single-use. If the new tokens were lost, the old refresh token will be rejected.';

const reauthorizeHint = (wasLost: boolean, hasStore: boolean) =>
  `${wasLost ? `${lostRefreshHint} ` : ''}Authorize the application again and pass the new refresh_token: the old one has been used or revoked, or has expired.${hasStore ? ' Also replace or delete the tokens saved in `tokens`, which take precedence over the credentials.' : ''}`;

type WithAddress<S> = S extends { readonly customer: object } ? { base_url?: string | undefined } : unknown;

/** OAuth 2.0 with a refresh token: refreshes automatically, once for all waiting calls, and reports the new tokens. */
export const oauthRefresh = <const S extends RefreshStyle>(
  description: string,
  style: S,
): AuthScheme<ClientFields & WithAddress<S>> => ({
  oauth: style,
  ...(scheme({
    description,
    fields: z.strictObject({
      client_id: nonSecret('Client id of the OAuth application.'),
      client_secret: secret('Client secret of the OAuth application.'),
      refresh_token: secret('Refresh token for the account.'),
      access_token: z.optional(secret('A valid access token, to skip the first refresh.')).meta({ secret: true }),
      ...(style.customer && {
        base_url: z
          .optional(baseUrl(style.customer.description))
          .meta({ secret: false, description: style.customer.description }),
      }),
    }),
    open: (credentials, context) => new RefreshingSession(style, credentials as ClientCredentials, context),
  }) as AuthScheme),
});

class RefreshingSession implements Session {
  readonly #style: RefreshStyle;
  readonly #client: ClientCredentials;
  readonly #context: AuthContext;
  #issued: readonly string[] = [];
  #refreshToken: string;
  #token: string | undefined;
  #headers: Readonly<Record<string, string>> | undefined;
  #expiresAt = Number.POSITIVE_INFINITY;
  #inFlight: Promise<void> | undefined;
  #unsavedTokens: TokenRefresh | undefined;
  /** Whether the access token came from the store. */
  #isAdopted = false;
  #api: string | undefined;
  /** Whether the response to a refresh was lost. */
  #replyLost = false;

  constructor(style: RefreshStyle, client: ClientCredentials, context: AuthContext) {
    this.#style = style;
    this.#client = client;
    this.#context = context;
    this.#refreshToken = client.refresh_token;
    if (client.base_url !== undefined) this.#api = customerApi(client.base_url, style.customer?.suffix ?? '', context);
    if (client.access_token !== undefined) this.#accept(stripBearerPrefix(client.access_token), undefined);
  }

  headers(): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>> {
    const fresh = this.#headers !== undefined && this.#unsavedTokens === undefined && Date.now() < this.#expiresAt;
    return fresh ? this.#headers! : this.#freshHeaders(this.#headers);
  }

  async renew(refused: Readonly<Record<string, string>>): Promise<boolean> {
    await this.#freshHeaders(refused);
    return this.#isAdopted;
  }

  async revoke(): Promise<boolean> {
    const { revoke } = this.#style;
    return revoke !== undefined && this.#alone(() => this.#revoke(revoke));
  }

  async #revoke(path: string): Promise<boolean> {
    // Another process may have refreshed the stored tokens, but unsaved tokens are newer.
    const stored = this.#unsavedTokens ?? (await this.#context.tokens?.load());
    if (stored) this.#refreshToken = stored.refresh_token;
    const { authUrl, exchange, attemptTimeoutMs, title } = this.#context;
    const received = await exchange({
      method: 'POST',
      url: authUrl + path,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ token: this.#refreshToken, token_type_hint: 'refresh_token' }).toString(),
      timeoutMs: attemptTimeoutMs,
    });
    const reply = tokenReply(received);
    // Google's code for an unknown or expired token; after any other error, the token may still be valid.
    if (reply.status === 200 || (reply.status === 400 && reply.body.error === 'invalid_token')) return true;
    throw tokenError(`${title} did not revoke the tokens`, reply, () => undefined);
  }

  api(): string | undefined {
    return this.#api;
  }

  secrets(): readonly string[] {
    const { client_id, client_secret, refresh_token } = this.#client;
    return [client_secret, `${client_id}:${client_secret}`, refresh_token, this.#refreshToken, ...this.#issued];
  }

  async #freshHeaders(stale: Readonly<Record<string, string>> | undefined): Promise<Readonly<Record<string, string>>> {
    this.#inFlight ??= this.#alone(() => this.#renew(stale)).finally(() => {
      this.#inFlight = undefined;
    });
    await this.#inFlight;
    return this.#headers!;
  }

  async #alone<T>(work: () => Promise<T>): Promise<T> {
    const { tokens } = this.#context;
    try {
      return await (tokens ? tokens.alone(work) : work());
    } catch (cause) {
      if (ConnectorError.is(cause)) throw cause;
      throw new ConnectorError(
        'aborted',
        'The token store failed (tokens.alone or tokens.load), so the request was not sent.',
        { retryable: true, cause },
      );
    }
  }

  async #renew(stale: Readonly<Record<string, string>> | undefined): Promise<void> {
    // Reports an unsaved rotated token first: another refresh would lose it.
    if (this.#unsavedTokens === undefined && (this.#headers === stale || Date.now() >= this.#expiresAt)) {
      if (!(await this.#adopt())) await this.#refreshOrAdopt();
    }
    if (this.#unsavedTokens === undefined) return;
    try {
      await this.#context.tokens?.save(this.#unsavedTokens);
      await this.#context.onTokenRefresh?.(this.#unsavedTokens);
    } catch (cause) {
      throw new ConnectorError(
        'aborted',
        'The new tokens could not be saved (onTokenRefresh or tokens.save failed), so nothing was sent. They are kept in memory, and the next call tries to save them again.',
        {
          retryable: true,
          // An error from the hook may contain the tokens, so its message is redacted.
          cause: new Error(cause instanceof Error ? cause.message : String(cause)),
        },
      );
    }
    this.#unsavedTokens = undefined;
  }

  /** Adopts tokens refreshed by another process: using a single-use token twice would lose it. */
  async #adopt(): Promise<boolean> {
    const stored = await this.#context.tokens?.load();
    if (!stored || stored.access_token === this.#token) return false;
    const expiresAt = stored.expires_at === null ? undefined : Date.parse(stored.expires_at);
    this.#refreshToken = stored.refresh_token;
    if (expiresAt !== undefined && !(expiresAt > Date.now())) return false;
    this.#accept(stored.access_token, undefined);
    this.#isAdopted = true;
    this.#expiresAt = expiresAt ?? Number.POSITIVE_INFINITY;
    this.#updateApiUrl(stored.base_url);
    return true;
  }

  /** If the refresh token was used by a program that did not wait for the mutex, its tokens may be stored by now. */
  async #refreshOrAdopt(): Promise<void> {
    const used = this.#refreshToken;
    try {
      await this.#refresh();
    } catch (error) {
      if (!ConnectorError.is(error) || error.vendor?.code !== 'invalid_grant') throw error;
      if (await this.#adopt()) return;
      if (this.#refreshToken === used) throw error;
      await this.#refresh();
    }
  }

  async #refresh(): Promise<void> {
    const grant = await this.#requestTokens();
    this.#isAdopted = false;
    if (grant.refresh_token) this.#refreshToken = grant.refresh_token;
    this.#accept(grant.access_token, grant.expires_in);
    this.#updateApiUrl(grant.base_url);
    const finite = Number.isFinite(this.#expiresAt);
    this.#unsavedTokens = {
      access_token: grant.access_token,
      refresh_token: this.#refreshToken,
      expires_at: finite ? new Date(this.#expiresAt).toISOString() : null,
      ...(this.#api !== undefined && { base_url: this.#api }),
    };
  }

  /** Switches to the address returned with the tokens; if it is invalid, the tokens are still used. */
  #updateApiUrl(address: string | undefined): void {
    if (address === undefined) return;
    // Only a local server may redirect us to this machine.
    const loopback = isLoopbackEndpoint(this.#context.authUrl);
    try {
      this.#api = customerApi(address, this.#style.customer?.suffix ?? '', this.#context, loopback);
    } catch (error) {
      if (!ConnectorError.is(error)) throw error;
    }
  }

  #accept(token: string, expiresIn: number | undefined): void {
    this.#token = token;
    this.#headers = { authorization: `Bearer ${token}` };
    // A vendor may echo a token that has just been replaced, so the last few are kept for redaction.
    this.#issued = [...this.#issued, token, this.#refreshToken].slice(-6);
    // Expires early to allow for clock skew and slow calls.
    const margin = Math.min(60, (expiresIn ?? 0) / 10);
    this.#expiresAt = expiresIn === undefined ? Number.POSITIVE_INFINITY : Date.now() + (expiresIn - margin) * 1000;
  }

  async #requestTokens(): Promise<Grant> {
    const { title, authUrl, exchange, attemptTimeoutMs } = this.#context;
    const { client_id, client_secret } = this.#client;
    const grant = { grant_type: 'refresh_token', refresh_token: this.#refreshToken };
    const form = this.#style.style === 'form';
    const request: WireRequest = {
      method: 'POST',
      url: authUrl + this.#style.path + (form ? '' : queryString(grant)),
      headers: form
        ? { 'content-type': 'application/x-www-form-urlencoded' }
        : { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` },
      body: form ? new URLSearchParams({ ...grant, client_id, client_secret }).toString() : undefined,
      timeoutMs: attemptTimeoutMs,
    };
    const received = await exchange(request).catch((error: unknown) => {
      if (!this.#style.once || !ConnectorError.is(error) || !outcomeUnknown.has(error)) throw error;
      this.#replyLost = true;
      throw new ConnectorError(error.code, `${title}'s response to a token refresh was lost. ${error.message}`, {
        retryable: false,
        hint: lostRefreshHint,
        cause: error,
      });
    });
    const reply = tokenReply(received);
    const { body } = reply;
    const { access_token, refresh_token = '' } = body;
    const address = this.#style.customer && body[this.#style.customer.key];
    if (reply.status === 200 && typeof access_token === 'string' && access_token !== '') {
      if (!fitsHeader(access_token) || (refresh_token && !fitsHeader(String(refresh_token)))) {
        throw new ConnectorError('invalid_response', `${title} sent a token that is not a valid header value.`);
      }
      return {
        access_token,
        ...(typeof refresh_token === 'string' && { refresh_token }),
        ...(typeof address === 'string' && { base_url: address }),
        ...(Number(body.expires_in) > 0 && { expires_in: Math.min(Number(body.expires_in), maxExpiresInSeconds) }),
      };
    }
    if (reply.status < 400) {
      this.#replyLost = this.#style.once ?? false;
      throw new ConnectorError(
        'invalid_response',
        `${title} responded to a token refresh with ${reply.status} but no token.`,
        {
          status: reply.status,
          retryable: !this.#replyLost && reply.status === 200,
          hint: this.#replyLost ? lostRefreshHint : 'A proxy may have responded; check endpoints.auth.',
        },
      );
    }
    const { tokens } = this.#context;
    throw tokenError(`${title} rejected the token refresh`, reply, (vendorError) =>
      /client/.test(vendorError)
        ? 'Check client_id and client_secret: the application is unknown or not allowed to refresh tokens.'
        : reauthorizeHint(this.#replyLost, tokens !== undefined && !tokens.isManaged),
    );
  }
}
