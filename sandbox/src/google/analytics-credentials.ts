import { company } from '../company.js';
import type { GoogleOAuthCredentials } from './drive-credentials.js';
import { scope } from './scopes.js';
import { keyFile, type ServiceAccount, serviceAccount } from './service-account.js';
import type { GoogleClient } from './token.js';

/** All credentials of a fresh sandbox, by purpose. */
export interface GoogleAnalyticsCredentials {
  /** Can read every property of the company. */
  oauth: GoogleOAuthCredentials;
  /** An access token for the same user as `oauth`; it expires an hour after the sandbox starts. */
  access_token: {
    /** Access token. */
    access_token: string;
  };
  /** A service account with viewer access to the company's properties. */
  service_account: {
    /** Contents of the key file. */
    credentials_json: string;
  };
  /** Can read only the application's property. */
  one_property: GoogleOAuthCredentials;
  /** A valid account without access to any property; requests return 403. */
  no_access: GoogleOAuthCredentials;
  /** A service account without access to any property; requests return 403. */
  service_account_no_access: {
    /** Contents of the key file. */
    credentials_json: string;
  };
  /** Authorized for a different product; requests return 403 `ACCESS_TOKEN_SCOPE_INSUFFICIENT`. */
  wrong_scope: GoogleOAuthCredentials;
  /** From a project in which the API was never enabled; requests return 403 `SERVICE_DISABLED`. */
  service_disabled: GoogleOAuthCredentials;
}

/** Numbers of the projects that requests are billed to. */
export const projects = { enabled: '100000000002', disabled: '100000000003' } as const;

const client = {
  client_id: '100000000002-sandbox.apps.googleusercontent.com',
  client_secret: 'GOCSPX-sandbox-analytics-secret',
};
const otherClient = {
  client_id: '100000000003-sandbox.apps.googleusercontent.com',
  client_secret: 'GOCSPX-sandbox-disabled-secret',
};

const reader = serviceAccount('analytics-reader', 3, projects.enabled);
const noAccessAccount = serviceAccount('analytics-stranger', 4, projects.enabled);

/** Service accounts with access to Analytics. */
export const analyticsServiceAccounts: readonly ServiceAccount[] = [
  reader,
  { ...noAccessAccount, label: 'service_account_no_access' },
];

/** Fictional credential values, valid only in the sandbox. */
export const googleAnalyticsCredentials: GoogleAnalyticsCredentials = {
  oauth: { ...client, refresh_token: '1//0sandbox-analytics-refresh' },
  access_token: { access_token: 'ya29.sandbox-analytics-access-token' },
  service_account: { credentials_json: keyFile(reader) },
  one_property: { ...client, refresh_token: '1//0sandbox-analytics-one-property' },
  no_access: { ...client, refresh_token: '1//0sandbox-analytics-no-access' },
  service_account_no_access: { credentials_json: keyFile(noAccessAccount) },
  wrong_scope: { ...client, refresh_token: '1//0sandbox-analytics-wrong-scope' },
  service_disabled: { ...otherClient, refresh_token: '1//0sandbox-analytics-disabled' },
};

const emailOf = (key: string) => `${key}@${company.domain}`;

/** Accounts that properties are shared with. */
export const accounts = {
  everything: [emailOf('ines.carvalho'), reader.client_email],
  application: [emailOf('ines.carvalho'), reader.client_email, emailOf('chloe.nguyen')],
} as const;

function userGrant(label: keyof GoogleAnalyticsCredentials, person = 'ines.carvalho', name = 'analytics.readonly') {
  return { label, account: emailOf(person), scope: scope(name) };
}

/** OAuth clients with access to Analytics, for the token endpoint. */
export const analyticsClients: readonly GoogleClient[] = [
  {
    ...client,
    project: projects.enabled,
    refreshTokens: {
      [googleAnalyticsCredentials.oauth.refresh_token]: userGrant('oauth'),
      [googleAnalyticsCredentials.one_property.refresh_token]: userGrant('one_property', 'chloe.nguyen'),
      [googleAnalyticsCredentials.no_access.refresh_token]: userGrant('no_access', 'olga.petrova'),
      [googleAnalyticsCredentials.wrong_scope.refresh_token]: userGrant('wrong_scope', 'ines.carvalho', 'calendar'),
    },
    accessTokens: { [googleAnalyticsCredentials.access_token.access_token]: userGrant('access_token') },
  },
  {
    ...otherClient,
    project: projects.disabled,
    refreshTokens: { [googleAnalyticsCredentials.service_disabled.refresh_token]: userGrant('service_disabled') },
    accessTokens: {},
  },
];
