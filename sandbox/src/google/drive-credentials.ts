import { company } from '../company.js';
import { scope as scopeOf } from './scopes.js';
import { keyFile, type ServiceAccount, serviceAccount } from './service-account.js';
import type { GoogleClient } from './token.js';

/** OAuth credentials of an application acting for a person. */
export interface GoogleOAuthCredentials {
  /** Client id of the OAuth application. */
  client_id: string;
  /** Client secret of the OAuth application. */
  client_secret: string;
  /** Refresh token. */
  refresh_token: string;
}

/** All valid credentials of a fresh sandbox, by purpose. */
export interface GoogleDriveCredentials {
  /** Has all the permissions of a product manager at the company. */
  oauth: GoogleOAuthCredentials;
  /** An access token for the same person as `oauth`. It expires an hour after the sandbox starts. */
  access_token: {
    /** Access token. */
    access_token: string;
  };
  /** Can read everything and write nothing. */
  read_only: GoogleOAuthCredentials;
  /** Sees names and dates, but no content, comments or shared drives. */
  metadata_readonly: GoogleOAuthCredentials;
  /** Sees only the files that the application created or opened. */
  drive_file: GoogleOAuthCredentials;
  /** A Workspace administrator with their own files. */
  administrator: GoogleOAuthCredentials;
  /** A service account: sees its own file and has read access to the “Engineering” shared drive. */
  service_account: {
    /** Contents of the key file. */
    credentials_json: string;
  };
  /** A service account with domain-wide delegation, here acting for the same person as `oauth`. */
  delegated: {
    /** Contents of the key file. */
    credentials_json: string;
    /** Email address of the person to act for. */
    subject: string;
  };
  /** A service account with domain-wide delegation for `drive.readonly` only, acting for the same person as `oauth`. */
  delegated_readonly: {
    /** Contents of the key file. */
    credentials_json: string;
    /** Email address of the person to act for. */
    subject: string;
  };
}

const client = { client_id: '100000000001-sandbox.apps.googleusercontent.com', client_secret: 'GOCSPX-sandbox-secret' };

const emailOf = (key: string) => `${key}@${company.domain}`;
const product = emailOf('ines.carvalho');
const administrator = emailOf('tomas.aguirre');
const project = '100000000001';

const driveReader = serviceAccount('drive-reader', 1, project);

const driveDelegate = serviceAccount('drive-delegate', 2, project, {
  [product]: 'delegated',
  [administrator]: 'delegated_administrator',
});

/** Can only read on behalf of a person; has no drive of its own. */
export const driveReadOnlyDelegate: ServiceAccount = {
  ...serviceAccount('drive-delegate-readonly', 5, project, { [product]: 'delegated_readonly' }),
  delegatedScopes: ['drive.readonly'],
};

/** Service accounts with access to Drive. */
export const driveServiceAccounts: readonly ServiceAccount[] = [driveReader, driveDelegate];

/** Credential values: fictional, and useless anywhere else. */
export const googleDriveCredentials: GoogleDriveCredentials = {
  oauth: { ...client, refresh_token: '1//0sandbox-drive-refresh' },
  access_token: { access_token: 'ya29.sandbox-drive-access-token' },
  read_only: { ...client, refresh_token: '1//0sandbox-drive-read-only' },
  metadata_readonly: { ...client, refresh_token: '1//0sandbox-drive-metadata' },
  drive_file: { ...client, refresh_token: '1//0sandbox-drive-file' },
  administrator: { ...client, refresh_token: '1//0sandbox-drive-administrator' },
  service_account: { credentials_json: keyFile(driveReader) },
  delegated: { credentials_json: keyFile(driveDelegate), subject: product },
  delegated_readonly: { credentials_json: keyFile(driveReadOnlyDelegate), subject: product },
};

/** Settings for Google's picker. */
export interface GooglePickerSettings {
  /** Project number of the OAuth application. */
  app_id: string;
  /** API key of the project. */
  developer_key: string;
}

/** The settings that the picker accepts. */
export const googlePicker: GooglePickerSettings = { app_id: project, developer_key: 'AIzaSandboxPickerKey' };

/** Scopes for Drive methods, without their common prefix. */
export type DriveScope = 'drive' | 'drive.readonly' | 'drive.metadata.readonly' | 'drive.file';

const userGrant = (label: string, name: DriveScope, account = product) => ({ label, scope: scopeOf(name), account });

/** Drive's OAuth client, for the token endpoint. */
export const driveClient: GoogleClient = {
  ...client,
  project,
  refreshTokens: {
    [googleDriveCredentials.oauth.refresh_token]: userGrant('oauth', 'drive'),
    [googleDriveCredentials.read_only.refresh_token]: userGrant('read_only', 'drive.readonly'),
    [googleDriveCredentials.metadata_readonly.refresh_token]: userGrant('metadata_readonly', 'drive.metadata.readonly'),
    [googleDriveCredentials.drive_file.refresh_token]: userGrant('drive_file', 'drive.file'),
    [googleDriveCredentials.administrator.refresh_token]: userGrant('administrator', 'drive', administrator),
  },
  accessTokens: {
    [googleDriveCredentials.access_token.access_token]: userGrant('access_token', 'drive'),
  },
};
