/** All credentials of a fresh sandbox, by purpose. */
export interface GongCredentials {
  /** A key with all permissions, valid at both the general URL and the customer's own URL. */
  basic: {
    /** Access key. */
    access_key: string;
    /** Secret of the access key. */
    access_key_secret: string;
  };
  /** A key valid only at the customer's own URL; all other URLs return 401. */
  regional: {
    /** Access key. */
    access_key: string;
    /** Secret of the access key. */
    access_key_secret: string;
    /** The company's own URL. */
    base_url: string;
  };
  /** A key whose owner sees no calls: lists return a 404, as for empty results. */
  sees_nothing: {
    /** Access key. */
    access_key: string;
    /** Secret of the access key. */
    access_key_secret: string;
  };
  /** An OAuth client with a single-use refresh token. */
  oauth: {
    /** Client id of the OAuth application. */
    client_id: string;
    /** Client secret of the OAuth application. */
    client_secret: string;
    /** Refresh token. */
    refresh_token: string;
  };
  /** The client from `oauth` with an access token that expires a day after the sandbox starts. */
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
  /** A client that can only list users and calls; other requests return 401 for a missing scope. */
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

/** The host that Gong assigned to the company. */
export const customerHost = 'us-55616.api.gong.io';

const client = { client_id: 'gong-sandbox-client', client_secret: 'gong-sandbox-client-secret' };

/** Fictional credential values, valid only in the sandbox. */
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

/** All scopes needed for reading. */
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

/** The scopes of the limited client. */
export const limitedScopes = 'api:users:read api:calls:read:basic';

/** Permissions of a credential. */
export interface Grant {
  label: string;
  /** The scopes of an OAuth token; null for a key, which has all permissions. */
  scopes: ReadonlySet<string> | null;
  seesCalls: boolean;
  /** Valid only at the customer's own URL. */
  isRegional: boolean;
}

function keyGrant(label: 'basic' | 'regional' | 'sees_nothing', more: Partial<Grant> = {}): [string, Grant] {
  const { access_key, access_key_secret } = gongCredentials[label];
  return [`${access_key}:${access_key_secret}`, { label, scopes: null, seesCalls: true, isRegional: false, ...more }];
}

/** Grants by key and secret. */
export const keyGrants: ReadonlyMap<string, Grant> = new Map([
  keyGrant('basic'),
  keyGrant('regional', { isRegional: true }),
  keyGrant('sees_nothing', { seesCalls: false }),
]);
