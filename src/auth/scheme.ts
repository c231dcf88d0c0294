import * as z from 'zod';
import { ConnectorError } from '../errors/connector-error.js';
import { nearest } from '../errors/nearest.js';
import type { Exchange } from '../http/exchange.js';
import { endpoint, isLoopbackEndpoint } from '../http/request.js';

/** New tokens, as passed to `onTokenRefresh`: store them before the process ends. */
export interface TokenRefresh {
  /** Access token. */
  readonly access_token: string;
  /** Refresh token to use next; unchanged if the vendor does not rotate it. */
  readonly refresh_token: string;
  /** Expiry time, ISO 8601; null if not reported. */
  readonly expires_at: string | null;
  /** The customer's own address, if the vendor returned one: store it with the tokens. */
  readonly base_url?: string;
}

/** A store for OAuth tokens shared by several processes. */
export interface TokenStore {
  /** Whether the store follows the credentials when they are replaced, so that errors need not mention it. */
  readonly isManaged?: boolean | undefined;
  /** Runs `work` while no other process does so for the same tokens. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** The last saved tokens, if any. */
  load(): TokenRefresh | undefined | Promise<TokenRefresh | undefined>;
  /** Awaited before the new token is used, and before `onTokenRefresh` is called. */
  save(tokens: TokenRefresh): unknown;
}

/** Context that the connector passes to a scheme. */
export interface AuthContext {
  readonly title: string;
  /** Base URL of the token endpoint. */
  readonly authUrl: string;
  /** Domains allowed for a customer's own address. */
  readonly customers?: readonly string[] | undefined;
  readonly exchange: Exchange;
  readonly attemptTimeoutMs: number;
  /** Whether the connector is read-only, so a narrower scope is enough. */
  readonly readOnly?: boolean | undefined;
  readonly tokens?: TokenStore | undefined;
  readonly onTokenRefresh?: ((tokens: TokenRefresh) => unknown) | undefined;
}

/** Credentials in use. Belongs to one connector instance. */
export interface Session {
  /** Headers that authorize one attempt. */
  headers(): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /**
   * Replaces the token in these headers, unless it was already replaced. Returns whether the new one can be renewed too,
   * because another program stored it.
   */
  renew?(refused: Readonly<Record<string, string>>): Promise<boolean>;
  /** The customer's own API address, once known. */
  api?(): string | undefined;
  /** Revokes the tokens at the vendor; returns false if revocation is not supported. */
  revoke?(): Promise<boolean>;
  /** Secrets that must not appear in an error. */
  secrets(): readonly string[];
}

/** A credential scheme: its fields, and how they authorize requests. */
export interface AuthScheme<C = any> {
  /** One-sentence description of the credentials. */
  readonly description: string;
  /** Fields of the credentials, as a schema. */
  readonly fields: z.core.$ZodObject;
  /** Creates the session that authorizes requests. */
  readonly open: (credentials: any, context: AuthContext) => Session;
  /** How an application obtains such credentials, if the vendor supports OAuth. */
  readonly oauth?: RefreshStyle | undefined;
  readonly '~credentials'?: C;
}

/** Declares a scheme. */
export const scheme = <F extends z.core.$ZodObject>(spec: {
  description: string;
  fields: F;
  open: (credentials: z.output<F>, context: AuthContext) => Session;
}): AuthScheme<z.input<F>> => spec;

/** A credential field that must never be shown. */
export const secret = (description: string) => headerSafe().describe(description).meta({ secret: true });

/** A credential field that may be shown. */
export const nonSecret = (description: string) => headerSafe().describe(description).meta({ secret: false });

/** A token without a pasted `Bearer` prefix: the mode adds the prefix. */
export const stripBearerPrefix = (token: string): string => token.replace(/^bearer +/i, '');

/** Whether the value is valid in a header. */
export const fitsHeader = (value: string): boolean => /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/.test(value);

// Node quotes the whole value in its error for an invalid header, so reject it first.
const headerSafe = () =>
  z
    .string('is not a string')
    .refine((value) => !/^\s*(bearer\s*)?$/i.test(value), { error: 'is empty', abort: true })
    .refine((value) => !/[\r\n]/.test(value), { error: 'contains a line break', abort: true })
    .refine((value) => fitsHeader(value.trim()), {
      error: 'contains an invalid character, such as a typographic quote',
    })
    .transform((value) => value.trim());

/** The vendor's consent page. */
export interface AuthorizationPage {
  readonly url: string;
  readonly scopes: readonly string[];
  /** Separator between scopes; a space by default. */
  readonly separator?: string | undefined;
  readonly params?: Readonly<Record<string, string>> | undefined;
}

/** The format of a vendor's refresh request. */
export interface RefreshStyle {
  /** Path below the vendor's auth endpoint. */
  readonly path: string;
  /**
   * `form`: everything form-encoded in the body; `query`: in the URL, with the client credentials as HTTP Basic auth.
   */
  readonly style: 'form' | 'query';
  /** True if refresh tokens are single-use, so a refresh must not be repeated if its response was lost. */
  readonly once?: boolean | undefined;
  /** Path of the revocation endpoint (RFC 7009) below the auth endpoint, if any. */
  readonly revoke?: string | undefined;
  readonly authorize?: AuthorizationPage | undefined;
  /**
   * For vendors that assign an address to each customer: the key of the address in the response and the path prefix
   * that requests already include.
   */
  readonly customer?: { readonly description: string; readonly key: string; readonly suffix: string } | undefined;
}

/** A key in the `Authorization` header: plain, or as a bearer token. */
export const apiKey = (description: string, style: 'plain' | 'bearer') =>
  scheme({
    description,
    fields: z.strictObject({
      /** API key. */
      api_key: secret(description),
    }),
    open: ({ api_key }) => {
      const key = stripBearerPrefix(api_key);
      const headers = { authorization: style === 'bearer' ? `Bearer ${key}` : key };
      return { headers: () => headers, secrets: () => [key] };
    },
  });

/** An access token that the caller obtains and renews elsewhere. */
export const accessToken = (description: string) =>
  scheme({
    description,
    fields: z.strictObject({
      /** Access token. */
      access_token: secret(description),
    }),
    open: ({ access_token }) => {
      const token = stripBearerPrefix(access_token);
      const headers = { authorization: `Bearer ${token}` };
      return { headers: () => headers, secrets: () => [token] };
    },
  });

/** Field names and descriptions of a key pair, and the customer's own address. */
export interface KeyPair<User extends string, Password extends string> {
  readonly user: readonly [name: User, description: string];
  readonly password: readonly [name: Password, description: string];
  /** Description of `base_url` and the suffix that request paths already include. */
  readonly baseUrl: { readonly description: string; readonly suffix: string };
}

/** A key and its secret, sent as HTTP Basic auth. */
export const keyPair = <User extends string, Password extends string>(
  description: string,
  { user, password, baseUrl: base }: KeyPair<User, Password>,
): AuthScheme<
  { [K in User | Password]: string } & {
    /** The company’s own address. */
    base_url?: string | undefined;
  }
> =>
  scheme({
    description,
    fields: z.strictObject({
      // Basic auth splits at the first colon.
      [user[0]]: nonSecret(user[1])
        .refine((name) => !name.includes(':'), 'contains a colon')
        .meta({ secret: false, description: user[1] }),
      [password[0]]: secret(password[1]),
      base_url: z.optional(baseUrl(base.description)).meta({ secret: false, description: base.description }),
    }),
    open: (credentials, context) => {
      const { [user[0]]: name, [password[0]]: key, base_url } = credentials as Record<string, string | undefined>;
      const token = btoa(`${name}:${key}`);
      const headers = { authorization: `Basic ${token}` };
      const api = base_url === undefined ? undefined : customerApi(base_url, base.suffix, context);
      return { headers: () => headers, api: () => api, secrets: () => [key!, `${name}:${key}`, token] };
    },
  }) as AuthScheme;

/** Field for a customer's own API address. */
export const baseUrl = (description: string) => nonSecret(description);

/**
 * The customer's API address without `suffix`.
 *
 * It must be within the vendor's domains or on this machine, because credentials are sent to it.
 */
export function customerApi(
  given: string,
  suffix: string,
  { title, customers = [] }: AuthContext,
  loopback = true,
): string {
  const bare = given.trim().replace(/(?<!\/)\/+$/, '');
  const address = parseAddress(title, bare.endsWith(suffix) ? bare.slice(0, bare.length - suffix.length) : bare);
  const { hostname, pathname, port } = new URL(address);
  const within = customers.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`));
  if ((within && pathname === '/' && port === '') || (loopback && isLoopbackEndpoint(address))) return address;
  const fault = within ? 'has a path or a port' : `is not ${customers.join(' or ')} or a subdomain of it`;
  throw new ConnectorError(
    'invalid_credentials',
    `${title}: base_url ${fault}; to use a proxy, set the endpoints option.`,
  );
}

function parseAddress(title: string, address: string): string {
  try {
    return endpoint('base_url', /^[a-z]+:\/\//i.test(address) ? address : `https://${address}`);
  } catch (error) {
    if (!ConnectorError.is(error)) throw error;
    throw new ConnectorError('invalid_credentials', `${title}: ${error.message.replace('endpoints.', '')}`);
  }
}

/** The scheme selected for the credentials, and the credentials in its format. */
export interface ChosenScheme {
  readonly mode: string;
  readonly scheme: AuthScheme;
  readonly credentials: Readonly<Record<string, string>>;
}

const fieldsOf = (scheme: AuthScheme) => Object.keys(scheme.fields._zod.def.shape);
const required = (scheme: AuthScheme) =>
  Object.entries(scheme.fields._zod.def.shape).flatMap(([name, field]) => (field._zod.optin ? [] : [name]));

/** Selects the mode that matches the given fields; errors contain field names but never values. */
export function chooseScheme(
  title: string,
  schemes: Readonly<Record<string, AuthScheme>>,
  given: unknown,
): ChosenScheme {
  const invalid = (what: string, issues?: Issues) => invalidCredentials(title, schemes, given, what, issues);
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw invalid('are not an object');
  }
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  const names = entries.map(([name]) => name);
  if (names.length === 0) throw invalid('are empty');

  const known = new Set(Object.values(schemes).flatMap(fieldsOf));
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined) {
    // A key pasted as a field name must not appear in the message.
    const close = nearest(unknown, known);
    throw invalid(`contain an unknown field${close ? ` (did you mean '${close}'?)` : ''}`);
  }
  const matching = Object.entries(schemes).filter(([, scheme]) => {
    const fields = fieldsOf(scheme);
    return names.every((name) => fields.includes(name));
  });
  if (matching.length === 0) throw invalid(`mix fields of several modes (${names.join(', ')})`);

  const complete = matching.find(([, scheme]) => required(scheme).every((name) => names.includes(name)));
  if (!complete) {
    const missing = required(matching[0]![1]).filter((name) => !names.includes(name));
    throw invalid(`lack ${missing.join(', ')}`);
  }
  const [mode, scheme] = complete;
  const parsed = z.safeParse(scheme.fields, Object.fromEntries(entries));
  if (parsed.success) return { mode, scheme, credentials: parsed.data as Record<string, string> };
  const issues = parsed.error.issues.map(({ path, message }) => ({ path: `credentials.${path.join('.')}`, message }));
  throw invalid(issues.map(({ path, message }) => `${path} ${message}`).join('; '), issues);
}

type Issues = ReadonlyArray<{ readonly path: string; readonly message: string }>;

function invalidCredentials(
  title: string,
  schemes: Readonly<Record<string, AuthScheme>>,
  given: unknown,
  what: string,
  issues: Issues | undefined,
): ConnectorError {
  const modes = Object.values(schemes).map((scheme) => {
    const requiredNames = required(scheme);
    return `{ ${fieldsOf(scheme)
      .map((name) => (requiredNames.includes(name) ? name : `${name}?`))
      .join(', ')} }`;
  });
  // An empty field usually comes from a variable that is not set.
  const unset = Object.values(schemes)
    .flatMap(fieldsOf)
    .find((name) => Object.hasOwn(Object(given), name) && !(given as Record<string, unknown>)[name]);
  const variable = unset && `${title} ${unset}`.replaceAll(' ', '_').toUpperCase();
  const message = issues ? `${title}: ${what}.` : `The credentials for ${title} ${what}.`;
  const question = variable ? ` Is ${variable} set?` : '';
  return new ConnectorError(
    'invalid_credentials',
    `${message}${question} Accepted credentials: ${modes.join(' or ')}.`,
    {
      issues,
    },
  );
}
