import { company } from '../company.js';
import { scope as scopeOf } from '../google/scopes.js';
import { keyFile, type ServiceAccount, serviceAccount } from '../google/service-account.js';
import type { GoogleClient } from '../google/token.js';

/** What an application needs to act for somebody. */
export interface GoogleOAuthCredentials {
  /** Client id of the OAuth application. */
  client_id: string;
  /** Client secret of the OAuth application. */
  client_secret: string;
  /** Refresh token. */
  refresh_token: string;
}

/** Every credential that works against a fresh sandbox, by how it is used. */
export interface GoogleDriveCredentials {
  /** May do everything that a product manager of the company may. */
  oauth: GoogleOAuthCredentials;
  /** An access token of the same person, which ends an hour after the sandbox began. */
  access_token: {
    /** Access token. */
    access_token: string;
  };
  /** May read everything and write nothing. */
  read_only: GoogleOAuthCredentials;
  /** Sees names and dates, no content, no comments and no shared drives. */
  metadata_readonly: GoogleOAuthCredentials;
  /** Sees only the files that the application made or was handed. */
  drive_file: GoogleOAuthCredentials;
  /** A Workspace administrator, who has files of his own. */
  administrator: GoogleOAuthCredentials;
  /** A service account: sees a file of its own, and the shared drive “Engineering”, which it may read. */
  service_account: {
    /** Text of the whole key file. */
    credentials_json: string;
  };
  /** A service account that may act for people of the company, here for the one whom `oauth` stands for. */
  delegated: {
    /** Text of the whole key file. */
    credentials_json: string;
    /** Address of the person to act for. */
    subject: string;
  };
  /** A service account to which the domain has delegated `drive.readonly` and nothing else, for the same person. */
  delegated_readonly: {
    /** Text of the whole key file. */
    credentials_json: string;
    /** Address of the person to act for. */
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

/** May read for a person and nothing else; it has no drive of its own. */
export const driveReadOnlyDelegate: ServiceAccount = {
  ...serviceAccount('drive-delegate-readonly', 5, project, { [product]: 'delegated_readonly' }),
  delegatedScopes: ['drive.readonly'],
};

/** The service accounts that reach Drive. */
export const driveServiceAccounts: readonly ServiceAccount[] = [driveReader, driveDelegate];

/** The credentials' values: made up, and of no use anywhere else. */
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

/** The scopes that Drive's methods ask for, without their common beginning. */
export type DriveScope = 'drive' | 'drive.readonly' | 'drive.metadata.readonly' | 'drive.file';

const userGrant = (label: string, name: DriveScope, account = product) => ({ label, scope: scopeOf(name), account });

/** What the token endpoint knows about Drive's client. */
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
