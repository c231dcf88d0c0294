import * as z from 'zod';
import { ConnectorError } from '../errors.js';
import { parseJson } from '../http/json.js';
import { queryString } from '../http/request.js';
import {
  type AuthContext,
  bare,
  fitsHeader,
  plain,
  type Session,
  scheme,
  secret,
  type TokenRefresh,
} from './scheme.js';

/** How a vendor wants its refresh request. */
export interface RefreshStyle {
  /** Path below the vendor's auth endpoint. */
  readonly path: string;
  /** `form`: all of it form-encoded in the body; `query`: in the address, with the client as HTTP Basic. */
  readonly style: 'form' | 'query';
}

interface Grant {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly expires_in?: number;
}

type ClientCredentials = {
  client_id: string;
  client_secret: string;
  refresh_token: string;
  access_token?: string | undefined;
};

/** OAuth 2.0 with a refresh token: renews by itself, once for all calls that wait, and says so. */
export const oauthRefresh = (description: string, style: RefreshStyle) =>
  scheme({
    description,
    fields: z.strictObject({
      client_id: plain('Client id of the OAuth application.'),
      client_secret: secret('Client secret of the OAuth application.'),
      refresh_token: secret('Refresh token of the account.'),
      access_token: z
        .optional(secret('Access token that is still valid, to spare the first refresh.'))
        .meta({ secret: true }),
    }),
    open: (credentials, context) => new RefreshingSession(style, credentials, context),
  });

class RefreshingSession implements Session {
  readonly #style: RefreshStyle;
  readonly #client: ClientCredentials;
  readonly #context: AuthContext;
  #issued: readonly string[] = [];
  #refreshToken: string;
  #headers: Readonly<Record<string, string>> | undefined;
  #expiresAt = Number.POSITIVE_INFINITY;
  #flight: Promise<void> | undefined;
  #untold: TokenRefresh | undefined;

  constructor(style: RefreshStyle, client: ClientCredentials, context: AuthContext) {
    this.#style = style;
    this.#client = client;
    this.#context = context;
    this.#refreshToken = client.refresh_token;
    if (client.access_token !== undefined) this.#accept(bare(client.access_token), undefined);
  }

  headers(): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>> {
    const fresh = this.#headers !== undefined && this.#untold === undefined && Date.now() < this.#expiresAt;
    return fresh ? this.#headers! : this.#refreshed(this.#headers);
  }

  async renew(refused: Readonly<Record<string, string>>): Promise<void> {
    await this.#refreshed(refused);
  }

  secrets(): readonly string[] {
    const { client_id, client_secret, refresh_token } = this.#client;
    return [client_secret, `${client_id}:${client_secret}`, refresh_token, this.#refreshToken, ...this.#issued];
  }

  async #refreshed(stale: Readonly<Record<string, string>> | undefined): Promise<Readonly<Record<string, string>>> {
    this.#flight ??= this.#renewal(stale).finally(() => {
      this.#flight = undefined;
    });
    await this.#flight;
    return this.#headers!;
  }

  async #renewal(stale: Readonly<Record<string, string>> | undefined): Promise<void> {
    // A rotated token that was never handed over is told first: another refresh would lose it.
    if (this.#untold === undefined && (this.#headers === stale || Date.now() >= this.#expiresAt)) await this.#refresh();
    if (this.#untold === undefined) return;
    try {
      await this.#context.onTokenRefresh?.(this.#untold);
    } catch (cause) {
      throw new ConnectorError(
        'aborted',
        'onTokenRefresh failed, so nothing was sent; the new tokens are kept and told again at the next call.',
        {
          retryable: true,
          // What a hook throws may hold the tokens that it was given, anywhere; of the message they are taken out.
          cause: new Error(cause instanceof Error ? cause.message : String(cause)),
        },
      );
    }
    this.#untold = undefined;
  }

  async #refresh(): Promise<void> {
    const grant = await this.#ask();
    if (grant.refresh_token) this.#refreshToken = grant.refresh_token;
    this.#accept(grant.access_token, grant.expires_in);
    const finite = Number.isFinite(this.#expiresAt);
    this.#untold = {
      access_token: grant.access_token,
      refresh_token: this.#refreshToken,
      expires_at: finite ? new Date(this.#expiresAt).toISOString() : null,
    };
  }

  #accept(token: string, expiresIn: number | undefined): void {
    this.#headers = { authorization: `Bearer ${token}` };
    // A vendor may echo a token that has just been replaced, so the last few are remembered for redaction.
    this.#issued = [...this.#issued, token, this.#refreshToken].slice(-6);
    // Backdated, so that a slow clock or a slow call does not carry it past its end.
    const margin = Math.min(60, (expiresIn ?? 0) / 10);
    this.#expiresAt = expiresIn === undefined ? Number.POSITIVE_INFINITY : Date.now() + (expiresIn - margin) * 1000;
  }

  async #ask(): Promise<Grant> {
    const { title, authUrl, exchange, attemptTimeoutMs } = this.#context;
    const { client_id, client_secret } = this.#client;
    const grant = { grant_type: 'refresh_token', refresh_token: this.#refreshToken };
    const form = this.#style.style === 'form';
    const reply = await exchange({
      method: 'POST',
      url: authUrl + this.#style.path + (form ? '' : queryString(grant)),
      headers: form
        ? { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
        : { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}`, accept: 'application/json' },
      body: form ? new URLSearchParams({ ...grant, client_id, client_secret }).toString() : undefined,
      timeoutMs: attemptTimeoutMs,
    });
    const body = read(reply.text);
    const { access_token, refresh_token = '' } = body;
    if (reply.status === 200 && typeof access_token === 'string' && access_token !== '') {
      if (!fitsHeader(access_token) || (refresh_token && !fitsHeader(String(refresh_token)))) {
        throw new ConnectorError('invalid_response', `${title} sent a token with a character that no header can hold.`);
      }
      return {
        access_token,
        ...(typeof refresh_token === 'string' && { refresh_token }),
        ...(Number(body.expires_in) > 0 && { expires_in: Number(body.expires_in) }),
      };
    }
    const code = typeof body.error === 'string' ? body.error : undefined;
    const message = typeof body.error_description === 'string' ? body.error_description : undefined;
    const refused = reply.status === 400 || reply.status === 401 || reply.status === 403;
    const said = [code, message].filter(Boolean).join(': ') || `status ${reply.status}`;
    throw new ConnectorError(
      refused ? 'invalid_credentials' : 'vendor_error',
      `${title} refused to refresh the access token (${said}).`,
      {
        status: reply.status,
        retryable: !refused,
        vendor: { code, message },
        hint: refused ? 'Authorise the application again and pass the new refresh_token.' : undefined,
      },
    );
  }
}

function read(text: string): Record<string, unknown> {
  try {
    const body = parseJson(text);
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
