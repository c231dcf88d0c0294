/** All valid credentials of a fresh sandbox, by purpose. */
export interface LinearCredentials {
  /** Can do everything. */
  api_key: {
    /** API key. */
    api_key: string;
  };
  /** Another key for the same person, used to reconnect after the first one is revoked. */
  second_key: {
    /** API key. */
    api_key: string;
  };
  /** An OAuth access token that expires a day after the sandbox starts. */
  access_token: {
    /** Access token. */
    access_token: string;
  };
  /** An OAuth client with a refresh token. */
  oauth: {
    /** Client id of the OAuth application. */
    client_id: string;
    /** Client secret of the OAuth application. */
    client_secret: string;
    /** Refresh token. */
    refresh_token: string;
  };
  /** A key without write permission. */
  read_only: {
    /** API key. */
    api_key: string;
  };
  /** A key limited to two teams, Mobile and Design. */
  team_restricted: {
    /** API key. */
    api_key: string;
  };
}

/** Credential values: fictional, and useless anywhere else. */
export const linearCredentials: LinearCredentials = {
  api_key: { api_key: 'lin_api_sandbox_full_access' },
  second_key: { api_key: 'lin_api_sandbox_second_key' },
  access_token: { access_token: 'lin_oauth_sandbox_access_token' },
  oauth: {
    client_id: 'sandbox-client',
    client_secret: 'sandbox-client-secret',
    refresh_token: 'lin_refresh_sandbox_first',
  },
  read_only: { api_key: 'lin_api_sandbox_read_only' },
  team_restricted: { api_key: 'lin_api_sandbox_team_restricted' },
};

/** The user and permissions of a credential. */
export interface Grant {
  label: string;
  mode: 'api_key' | 'oauth';
  /** The person's key in the company. */
  person: string;
  mayWrite: boolean;
  teamKeys?: readonly string[];
}

/** The grant of each personal API key. */
export const keyGrants: ReadonlyMap<string, Grant> = new Map<string, Grant>([
  [linearCredentials.api_key.api_key, { label: 'api_key', mode: 'api_key', person: 'tomas.aguirre', mayWrite: true }],
  [
    linearCredentials.second_key.api_key,
    { label: 'second_key', mode: 'api_key', person: 'tomas.aguirre', mayWrite: true },
  ],
  [
    linearCredentials.read_only.api_key,
    { label: 'read_only', mode: 'api_key', person: 'dana.whitfield', mayWrite: false },
  ],
  [
    linearCredentials.team_restricted.api_key,
    { label: 'team_restricted', mode: 'api_key', person: 'zoe.lindqvist', mayWrite: true, teamKeys: ['MOB', 'DES'] },
  ],
]);

/** The grant of an OAuth access token. */
export function tokenGrant(label: string, mayWrite: boolean): Grant {
  return { label, mode: 'oauth', person: 'ines.carvalho', mayWrite };
}
