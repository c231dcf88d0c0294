import type { Scope, TokenScope } from './rows.js';

/** Metadata declared by an app; unverified. */
export interface AppMetadata {
  /** Name given by the app, truncated and without invisible characters. */
  readonly name: string;
  /** Redirect URIs for authorization responses. */
  readonly redirectUris: readonly string[];
  /** How the app authenticates at the token endpoint. */
  readonly authMethod: 'none' | 'client_secret_basic' | 'client_secret_post';
}

/** An OAuth app: registered with this service, or described by a metadata document whose URL is its id. */
export interface OAuthApp extends AppMetadata {
  /** `oap_…` for a registered app, or the URL of its metadata document. */
  readonly id: string;
  /** When it was registered; milliseconds since 1970. */
  readonly createdAt: number;
}

/** Maximum number of registered apps without a grant. */
export interface AppLimits {
  readonly inAll: number;
  readonly ofNetwork: number;
}

/** Registered apps and cached metadata documents. */
export interface OAuthApps {
  /**
   * Registers an app for a day, or longer once a user authorizes it. Evicts the least recently used app if there are
   * too many.
   */
  register(metadata: AppMetadata, network: string): Promise<{ readonly app: OAuthApp; readonly secret: string | null }>;
  get(id: string): Promise<OAuthApp | undefined>;
  /** Verifies the secret of a registered app. */
  hasSecret(id: string, secret: string): Promise<boolean>;
  /** Caches a metadata document for `forMs` milliseconds. */
  cache(id: string, metadata: AppMetadata, forMs: number): Promise<void>;
  /** Extends the registration of an app that a user has authorized. */
  keep(id: string): Promise<void>;
  sweep(): Promise<void>;
}

/** The API that a grant's tokens are for. */
export type Resource = 'mcp' | 'api';

/** An OAuth grant; times are milliseconds since 1970. */
export interface Grant {
  readonly id: string;
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly workspaceName: string;
  /** The API client that the user was signed in as. */
  readonly clientId: string;
  readonly appId: string;
  readonly appName: string;
  readonly redirectUri: string;
  readonly resource: Resource;
  readonly scopes: readonly TokenScope[];
  /** Connector ids; null for all in the workspace. */
  readonly connectorIds: readonly string[] | null;
  /** PKCE challenge, S256. */
  readonly challenge: string;
  readonly createdAt: number;
  readonly usedAt: number | null;
  readonly expiresAt: number;
}

export type NewGrant = Omit<Grant, 'id' | 'organizationId' | 'workspaceName' | 'createdAt' | 'usedAt' | 'expiresAt'>;

/** Outcome of presenting a code or a refresh token. */
export type Redemption =
  /** Valid, with the next refresh token. */
  | { readonly outcome: 'redeemed'; readonly grant: Grant; readonly refreshToken: string }
  /** Already used: the grant has been revoked. */
  | { readonly outcome: 'replayed'; readonly grant: Grant }
  /** Expired, or presented with parameters that do not match. */
  | { readonly outcome: 'refused'; readonly grant: Grant };

/** Grants with their codes and refresh tokens. */
export interface Grants {
  /** Creates a grant with a single-use code, valid for `codeMs` milliseconds, by default a minute. */
  create(scope: Scope, grant: NewGrant, codeMs?: number): Promise<{ readonly id: string; readonly code: string }>;
  /** Redeems a code, which is consumed even on failure; `fits` checks the request against the grant. */
  redeemCode(code: string, fits: (grant: Grant) => boolean): Promise<Redemption | undefined>;
  /**
   * Replaces a refresh token with the first that `next` returns. Within 30 seconds, both it and its replacement, which
   * may be any that `next` returns, result in that replacement. Reusing an older token revokes the grant.
   */
  refresh(
    token: string,
    fits: (grant: Grant) => boolean,
    next: (token: string) => readonly [string, ...string[]],
  ): Promise<Redemption | undefined>;
  /** Returns the grant and records its use. */
  use(organizationId: string, id: string): Promise<Grant | undefined>;
  /** Grants with tokens, newest first; optionally for one client. */
  list(scope: Scope, clientId?: string): Promise<Grant[]>;
  /** Revokes a grant and all its tokens; returns the grant. */
  revoke(scope: Scope, id: string, clientId?: string): Promise<Grant | undefined>;
  /** The grant that a refresh token belongs to. */
  byRefreshToken(token: string): Promise<Grant | undefined>;
  sweep(): Promise<void>;
}
