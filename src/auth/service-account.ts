import * as z from 'zod';
import { ConnectorError } from '../errors/connector-error.js';
import { type AuthContext, type AuthScheme, fitsHeader, nonSecret, type Session, scheme } from './scheme.js';
import { readServiceAccountKey, type ServiceAccountKey } from './service-account-key.js';
import { tokenError, tokenReply } from './token-reply.js';

/** Scopes and options for a vendor's service accounts. */
export interface ServiceAccountStyle {
  readonly scope: string;
  /** The scope for a read-only connector. */
  readonly readOnlyScope?: string | undefined;
  /** Description of `scopes`, if the caller can choose them. */
  readonly scopes?: string | undefined;
  /** Description of `subject`, if an account can act for a user. */
  readonly subject?: string | undefined;
}

type WithSubject<S> = S extends { readonly subject: string } ? { subject?: string } : unknown;
type WithScopes<S> = S extends { readonly scopes: string } ? { scopes?: string } : unknown;

interface Credentials {
  readonly credentials_json: ServiceAccountKey;
  readonly subject?: string | undefined;
  readonly scopes?: string | undefined;
}

const google = 'https://oauth2.googleapis.com';
const tokenUri = `${google}/token`;
const description = "Contents of a service account's JSON key file, as downloaded from the Google Cloud console.";

const keyFile = () =>
  z
    .string('is not a string: pass the contents of the key file')
    .transform((text, context) => {
      const key = readServiceAccountKey(text);
      if (!('fault' in key)) return key;
      context.addIssue(key.fault);
      return z.NEVER;
    })
    .describe(description)
    .meta({ secret: true });

/**
 * A Google service account: signs an assertion with its key (RS256, RFC 7523) and exchanges it for a token.
 *
 * Source: developers.google.com/identity/protocols/oauth2/service-account.
 */
export const serviceAccount = <const S extends ServiceAccountStyle>(
  description: string,
  style: S,
): AuthScheme<
  {
    /** The full contents of the key file. */
    credentials_json: string;
  } & WithSubject<S> &
    WithScopes<S>
> =>
  scheme({
    description,
    fields: z.strictObject({
      credentials_json: keyFile(),
      ...(style.subject !== undefined && {
        subject: z.optional(nonSecret(style.subject)).meta({ secret: false, description: style.subject }),
      }),
      ...(style.scopes !== undefined && {
        scopes: z.optional(nonSecret(style.scopes)).meta({ secret: false, description: style.scopes }),
      }),
    }),
    open: (credentials, context) => {
      const { scopes } = credentials as Credentials;
      const usual = (context.readOnly && style.readOnlyScope) || style.scope;
      return new SigningSession(fullScopes(scopes) || usual, credentials as Credentials, context);
    },
  }) as AuthScheme;

const scopePrefix = 'https://www.googleapis.com/auth/';

/** Scopes separated by spaces or commas; short names are expanded to Google's URLs. */
const fullScopes = (scopes = ''): string =>
  scopes
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((scope) => (/^[\w.-]+$/.test(scope) ? scopePrefix + scope : scope))
    .join(' ');

class SigningSession implements Session {
  readonly #scope: string;
  readonly #key: ServiceAccountKey;
  readonly #subject: string | undefined;
  readonly #context: AuthContext;
  readonly #audience: string;
  #signer: Promise<CryptoKey> | undefined;
  #headers: Readonly<Record<string, string>> | undefined;
  #issued: readonly string[] = [];
  #expiresAt = 0;
  #inFlight: Promise<void> | undefined;

  constructor(scope: string, { credentials_json, subject }: Credentials, context: AuthContext) {
    this.#scope = scope;
    this.#key = credentials_json;
    this.#subject = subject;
    this.#context = context;
    this.#audience = audience(this.#key, context);
  }

  headers(): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>> {
    return this.#headers && Date.now() < this.#expiresAt ? this.#headers : this.#freshHeaders(this.#headers);
  }

  async renew(refused: Readonly<Record<string, string>>): Promise<boolean> {
    await this.#freshHeaders(refused);
    return false;
  }

  secrets(): readonly string[] {
    return [...this.#key.secrets, ...this.#issued];
  }

  async #freshHeaders(stale: Readonly<Record<string, string>> | undefined): Promise<Readonly<Record<string, string>>> {
    if (this.#headers === stale || Date.now() >= this.#expiresAt) {
      this.#inFlight ??= this.#requestToken().finally(() => {
        this.#inFlight = undefined;
      });
      await this.#inFlight;
    }
    return this.#headers!;
  }

  async #requestToken(): Promise<void> {
    const { authUrl, exchange, attemptTimeoutMs, title } = this.#context;
    const assertion = await this.#assertion();
    this.#remember(assertion);
    const received = await exchange({
      method: 'POST',
      url: `${authUrl}/token`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }).toString(),
      timeoutMs: attemptTimeoutMs,
    });
    const reply = tokenReply(received);
    const { access_token, expires_in, id_token } = reply.body;
    if (reply.status !== 200) {
      throw tokenError(`${title} rejected the service account`, reply, (vendorError) =>
        hintFor(vendorError, reply.headers, this.#scope),
      );
    }
    if (typeof access_token !== 'string' || access_token === '') {
      if (id_token === undefined) {
        throw new ConnectorError('invalid_response', `${title} sent a 200 response without an access token.`, {
          status: 200,
          retryable: true,
        });
      }
      // For an unknown scope, Google returns 200 with only an id_token.
      throw new ConnectorError(
        'scope_missing',
        `${title} issued no access token for the ${this.#scope.replaceAll(scopePrefix, '')} scope.`,
      );
    }
    if (!fitsHeader(access_token)) {
      throw new ConnectorError('invalid_response', `${title} sent a token that is not a valid header value.`);
    }
    this.#remember(access_token);
    this.#headers = { authorization: `Bearer ${access_token}` };
    const seconds = Number(expires_in) > 0 ? Number(expires_in) : 3600;
    this.#expiresAt = Date.now() + (seconds - Math.min(60, seconds / 10)) * 1000;
  }

  async #assertion(): Promise<string> {
    // Backdated in case our clock is ahead of Google's; the maximum lifetime is one hour.
    const issued = Math.floor(Date.now() / 1000) - 30;
    const header = { alg: 'RS256', typ: 'JWT', kid: this.#key.keyId };
    const claims = {
      iss: this.#key.email,
      scope: this.#scope,
      aud: this.#audience,
      iat: issued,
      exp: issued + 3600,
      sub: this.#subject,
    };
    const signed = `${base64url(JSON.stringify(header))}.${base64url(JSON.stringify(claims))}`;
    return `${signed}.${base64url(await this.#signature(new TextEncoder().encode(signed)))}`;
  }

  async #signature(signed: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
    const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
    try {
      this.#signer ??= crypto.subtle.importKey('pkcs8', this.#key.pkcs8, algorithm, false, ['sign']);
      return new Uint8Array(await crypto.subtle.sign(algorithm.name, await this.#signer, signed));
    } catch {
      // Some damage is only detected when the key is used.
      throw new ConnectorError(
        'invalid_credentials',
        `${this.#context.title}: the private_key in credentials_json is damaged or not an RSA key.`,
      );
    }
  }

  #remember(secret: string): void {
    this.#issued = [...this.#issued, secret].slice(-6);
  }
}

/** Audience of the assertion; a key file with another host may have been tampered with. */
function audience({ tokenUri: keyTokenUri }: ServiceAccountKey, { authUrl, title }: AuthContext): string {
  if (keyTokenUri === undefined || keyTokenUri === '') return tokenUri;
  if (authUrl !== google) return keyTokenUri;
  const url = URL.canParse(keyTokenUri) ? new URL(keyTokenUri) : undefined;
  const host = url?.protocol === 'https:' ? url.hostname : '';
  // Older files contain a different but equivalent Google URL.
  if (host === 'accounts.google.com' || host === 'googleapis.com' || host.endsWith('.googleapis.com')) return tokenUri;
  throw new ConnectorError(
    'invalid_credentials',
    `${title}: the token_uri in credentials_json is not Google's, so nothing was sent. If this is intended, set endpoints.auth.`,
  );
}

function base64url(content: string | Uint8Array): string {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}

const hints: ReadonlyArray<readonly [RegExp, string]> = [
  [/signature/i, 'The key may have been deleted: create a new one for the service account.'],
  [/account not found/i, 'The service account has been deleted, or client_email was changed.'],
  [/short-lived|timeframe/i, "This machine's clock is wrong."],
];

/** What to do about an error; clock skew is reported with its offset. */
function hintFor(vendorError: string, headers: Headers, scope: string): string | undefined {
  // Every requested scope must be delegated.
  const hint = /unauthorized_client/.test(vendorError)
    ? `Delegate ${scope} to the account's client_id in the Admin console under domain-wide delegation, or request a delegated scope.`
    : hints.find(([pattern]) => pattern.test(vendorError))?.[1];
  const skew = Math.round((Date.parse(headers.get('date') ?? '') - Date.now()) / 1000);
  const skewHint =
    Math.abs(skew) > 120 ? ` Google's clock is ${Math.abs(skew)} s ${skew > 0 ? 'ahead' : 'behind'}.` : '';
  return hint === undefined ? undefined : hint + skewHint;
}
