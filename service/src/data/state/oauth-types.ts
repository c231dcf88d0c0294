import type { Scope, TokenScope } from './rows.js';

/** What an app says about itself; none of it is verified. */
export interface AppMetadata {
  /** Name as the app gives it; cut, and without invisible characters. */
  readonly name: string;
  /** Where the app accepts authorization responses. */
  readonly redirectUris: readonly string[];
  /** How the app authenticates at the token endpoint. */
  readonly authMethod: 'none' | 'client_secret_basic' | 'client_secret_post';
}

/** A program that asks people to let it in with OAuth: registered here, or described by a document at its id. */
export interface OAuthApp extends AppMetadata {
  /** `oap_…` of a registered app, or the address of its metadata document. */
  readonly id: string;
  /** When it was registered; milliseconds since 1970. */
  readonly createdAt: number;
}

/** How many apps may be registered that no person has let in. */
export interface AppLimits {
  readonly inAll: number;
  readonly ofNetwork: number;
}

/** Apps that have registered, and cached metadata documents. */
export interface OAuthApps {
  /** Registers an app for a day, or longer once a person lets it in. The app unused for longest gives way where there are too many. */
  register(metadata: AppMetadata, network: string): Promise<{ readonly app: OAuthApp; readonly secret: string | null }>;
  get(id: string): Promise<OAuthApp | undefined>;
  /** Whether the secret is that of a registered app. */
  hasSecret(id: string, secret: string): Promise<boolean>;
  /** Keeps a metadata document for so many milliseconds. */
  cache(id: string, metadata: AppMetadata, forMs: number): Promise<void>;
  /** Keeps a registered app that a person has let in. */
  keep(id: string): Promise<void>;
  sweep(): Promise<void>;
}

/** What a token from a grant is good for. */
export type Resource = 'mcp' | 'api';

/** What a person has let an app do; times are milliseconds since 1970. */
export interface Grant {
  readonly id: string;
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly workspaceName: string;
  /** The API client that the person was signed in as. */
  readonly clientId: string;
  readonly appId: string;
  readonly appName: string;
  readonly redirectUri: string;
  readonly resource: Resource;
  readonly scopes: readonly TokenScope[];
  /** Ids of the connectors; null for all of the workspace. */
  readonly connectorIds: readonly string[] | null;
  /** PKCE challenge, S256. */
  readonly challenge: string;
  readonly createdAt: number;
  readonly usedAt: number | null;
  readonly expiresAt: number;
}

/** What a grant is made with. */
export type NewGrant = Omit<Grant, 'id' | 'organizationId' | 'workspaceName' | 'createdAt' | 'usedAt' | 'expiresAt'>;

/** What became of a code or of a refresh token that was presented. */
export type Redemption =
  /** It was good: the next refresh token. */
  | { readonly outcome: 'redeemed'; readonly grant: Grant; readonly refreshToken: string }
  /** It was used before: the grant has been revoked. */
  | { readonly outcome: 'replayed'; readonly grant: Grant }
  /** It is expired, or came with something that does not belong to it. */
  | { readonly outcome: 'refused'; readonly grant: Grant };

/** Grants, with their codes and refresh tokens. */
export interface Grants {
  /** A grant whose code is good for 60 seconds, once. */
  create(scope: Scope, grant: NewGrant): Promise<{ readonly id: string; readonly code: string }>;
  /** Spends a code, whatever becomes of it; `fits` tells whether the request belongs to the grant. */
  redeemCode(code: string, fits: (grant: Grant) => boolean): Promise<Redemption | undefined>;
  /** Replaces a refresh token by `next` of it; one used before revokes the grant, unless it was replaced just now. */
  refresh(
    token: string,
    fits: (grant: Grant) => boolean,
    next: (token: string) => string,
  ): Promise<Redemption | undefined>;
  /** The grant, of which it is noted that it was used. */
  use(organizationId: string, id: string): Promise<Grant | undefined>;
  /** Those with tokens, the newest first; of one client where that is named. */
  list(scope: Scope, clientId?: string): Promise<Grant[]>;
  /** Ends a grant with all of its tokens; gives what it was. */
  revoke(scope: Scope, id: string, clientId?: string): Promise<Grant | undefined>;
  /** The grant that a refresh token belongs to. */
  byRefreshToken(token: string): Promise<Grant | undefined>;
  sweep(): Promise<void>;
}
