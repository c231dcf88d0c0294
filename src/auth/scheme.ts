import * as z from 'zod';
import type { Exchange } from '../http/exchange.js';

/** New tokens, as handed to `onTokenRefresh`: store them before the process ends. */
export interface TokenRefresh {
  /** Access token. */
  readonly access_token: string;
  /** The one to use next time; unchanged where the vendor does not rotate it. */
  readonly refresh_token: string;
  /** ISO 8601, or null where the vendor did not say. */
  readonly expires_at: string | null;
  /** The customer's own address, where the vendor gave one along: store it with the tokens. */
  readonly base_url?: string;
}

/** Where OAuth tokens are kept that several processes share. */
export interface TokenStore {
  /** Runs `work` while no other process does so for the same tokens. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** What was saved last, if anything was. */
  load(): TokenRefresh | undefined | Promise<TokenRefresh | undefined>;
  /** Awaited before the new token is used. */
  save(tokens: TokenRefresh): unknown;
}

/** What a scheme is lent by the connector that opens it. */
export interface AuthContext {
  readonly title: string;
  /** Address below which tokens are had. */
  readonly authUrl: string;
  /** Domains below which a customer's own address may lie. */
  readonly customers?: readonly string[] | undefined;
  readonly exchange: Exchange;
  readonly attemptTimeoutMs: number;
  readonly tokens?: TokenStore | undefined;
  readonly onTokenRefresh?: ((tokens: TokenRefresh) => unknown) | undefined;
}

/** One set of credentials in use. It belongs to one connector instance. */
export interface Session {
  /** Headers that authorise one attempt. */
  headers(): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** Replaces what these headers carried, unless that has been done meanwhile. */
  renew?(refused: Readonly<Record<string, string>>): Promise<void>;
  /** The customer's own address of the API, as far as it is known by now. */
  api?(): string | undefined;
  /** Ends the tokens at the vendor; false where it cannot be asked to. */
  revoke?(): Promise<boolean>;
  /** Every secret that must not appear in an error. */
  secrets(): readonly string[];
}

/** One way to authorise: the fields a caller gives, and what is done with them. */
export interface AuthScheme<C = any> {
  /** What kind of credentials these are, in a sentence. */
  readonly description: string;
  /** Fields of the credentials, as a schema. */
  readonly fields: z.core.$ZodObject;
  /** Makes the session that signs requests with them. */
  readonly open: (credentials: any, context: AuthContext) => Session;
  /** How an application comes by such credentials, where the vendor speaks OAuth. */
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
export const plain = (description: string) => headerSafe().describe(description).meta({ secret: false });

/** A token without the word that people paste along with it; the mode alone decides on the prefix. */
export const bare = (token: string): string => token.replace(/^bearer +/i, '');

/** Whether a header can hold the value. */
export const fitsHeader = (value: string): boolean => /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/.test(value);

// Node names the whole value in its own error for a header it refuses, so nothing unfit may get that far.
const headerSafe = () =>
  z
    .string('is not a string')
    .refine((value) => !/^\s*(bearer\s*)?$/i.test(value), { error: 'is empty', abort: true })
    .refine((value) => !/[\r\n]/.test(value), { error: 'holds a line break', abort: true })
    .refine((value) => fitsHeader(value.trim()), {
      error: 'holds a character that no key has, such as a typographic quote',
    })
    .transform((value) => value.trim());

/** The vendor's page on which a person lets an application in. */
export interface Authorize {
  readonly url: string;
  readonly scopes: readonly string[];
  /** Stands between scopes; a space when left out. */
  readonly separator?: string | undefined;
  readonly params?: Readonly<Record<string, string>> | undefined;
}

/** How a vendor wants its refresh request. */
export interface RefreshStyle {
  /** Path below the vendor's auth endpoint. */
  readonly path: string;
  /** `form`: all of it form-encoded in the body; `query`: in the address, with the client as HTTP Basic. */
  readonly style: 'form' | 'query';
  /** True where a refresh token can be used once, so that a refresh whose reply was lost must not be repeated. */
  readonly once?: boolean | undefined;
  /** Path below the auth endpoint where a token is ended (RFC 7009), for vendors that have one. */
  readonly revoke?: string | undefined;
  readonly authorize?: Authorize | undefined;
  /** For vendors that give each customer an address: its key in the reply, and what paths of requests begin with anyway. */
  readonly customer?: { readonly description: string; readonly key: string; readonly suffix: string } | undefined;
}
