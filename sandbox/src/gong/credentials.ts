/** Every credential that a fresh sandbox knows, by what it is for. */
export interface GongCredentials {
  /** A key that may do everything, at the general and at the customer's own address. */
  basic: {
    /** Access key. */
    access_key: string;
    /** Secret of the access key. */
    access_key_secret: string;
  };
  /** A key that only the customer's own address knows: 401 everywhere else. */
  regional: {
    /** Access key. */
    access_key: string;
    /** Secret of the access key. */
    access_key_secret: string;
    /** The company’s own address. */
    base_url: string;
  };
  /** A key whose owner sees no calls: lists of them are the empty 404. */
  sees_nothing: {
    /** Access key. */
    access_key: string;
    /** Secret of the access key. */
    access_key_secret: string;
  };
  /** An OAuth client with a refresh token, which is good for one use. */
  oauth: {
    /** Client id of the OAuth application. */
    client_id: string;
    /** Client secret of the OAuth application. */
    client_secret: string;
    /** Refresh token. */
    refresh_token: string;
  };
  /** The same client with an access token that ends a day after the sandbox began. */
  oauth_with_token: {
    /** Client id of the OAuth application. */
    client_id: string;
    /** Client secret of the OAuth application. */
    client_secret: string;
    /** Refresh token. */
    refresh_token: string;
    /** Access token. */
    access_token: string;
  };
  /** A client that may list users and calls, and nothing else: 401 for a missing scope. */
  limited: {
    /** Client id of the OAuth application. */
    client_id: string;
    /** Client secret of the OAuth application. */
    client_secret: string;
    /** Refresh token. */
    refresh_token: string;
    /** Access token. */
    access_token: string;
  };
}

/** The address that Gong has given to the company alone. */
export const customerHost = 'us-55616.api.gong.io';

const client = { client_id: 'gong-sandbox-client', client_secret: 'gong-sandbox-client-secret' };

/** The credentials' values: made up, and of no use anywhere else. */
export const gongCredentials: GongCredentials = {
  basic: { access_key: 'GONGSANDBOXBASICKEY', access_key_secret: 'gong-sandbox-basic-secret' },
  regional: {
    access_key: 'GONGSANDBOXREGIONALKEY',
    access_key_secret: 'gong-sandbox-regional-secret',
    base_url: `https://${customerHost}`,
  },
  sees_nothing: { access_key: 'GONGSANDBOXBLINDKEY', access_key_secret: 'gong-sandbox-blind-secret' },
  oauth: { ...client, refresh_token: 'gong-sandbox-refresh-first' },
  oauth_with_token: {
    ...client,
    refresh_token: 'gong-sandbox-refresh-second',
    access_token: 'gong-sandbox-access-token',
  },
  limited: {
    client_id: 'gong-sandbox-limited-client',
    client_secret: 'gong-sandbox-limited-secret',
    refresh_token: 'gong-sandbox-refresh-limited',
    access_token: 'gong-sandbox-access-limited',
  },
};

/** Every scope that reading needs. */
export const allScopes = [
  'api:users:read',
  'api:calls:read:basic',
  'api:calls:read:extensive',
  'api:calls:read:media-url',
  'api:calls:read:transcript',
  'api:workspaces:read',
  'api:stats:user-actions',
  'api:stats:user-actions:detailed',
  'api:stats:interaction',
  'api:stats:scorecards',
  'api:settings:scorecards:read',
  'api:settings:trackers:read',
  'api:library:read',
  'api:coaching:read',
].join(' ');

/** The scopes of the client that may do little. */
export const limitedScopes = 'api:users:read api:calls:read:basic';

/** What a credential allows. */
export interface Grant {
  label: string;
  /** The scopes of an OAuth token; a key has none and may do everything. */
  scopes: ReadonlySet<string> | null;
  seesCalls: boolean;
  /** Only the customer's own address knows it. */
  isRegional: boolean;
}

function keyGrant(label: 'basic' | 'regional' | 'sees_nothing', more: Partial<Grant> = {}): [string, Grant] {
  const { access_key, access_key_secret } = gongCredentials[label];
  return [`${access_key}:${access_key_secret}`, { label, scopes: null, seesCalls: true, isRegional: false, ...more }];
}

/** What each key grants, by key and secret. */
export const keyGrants: ReadonlyMap<string, Grant> = new Map([
  keyGrant('basic'),
  keyGrant('regional', { isRegional: true }),
  keyGrant('sees_nothing', { seesCalls: false }),
]);
