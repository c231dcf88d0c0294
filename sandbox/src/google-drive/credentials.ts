import type { GoogleClient } from '../google/token.js';

/** What an application needs to act for somebody. */
export interface GoogleOAuthCredentials {
  client_id: string;
  client_secret: string;
  refresh_token: string;
}

/** Every credential that works against a fresh sandbox, by how it is used. */
export interface GoogleDriveCredentials {
  /** May do everything that a product manager of the company may. */
  oauth: GoogleOAuthCredentials;
  /** An access token of the same person, which ends an hour after the sandbox began. */
  access_token: { access_token: string };
  /** May read everything and write nothing. */
  read_only: GoogleOAuthCredentials;
  /** Sees names and dates, no content, no comments and no shared drives. */
  metadata_readonly: GoogleOAuthCredentials;
  /** Sees only the files that the application made or was handed. */
  drive_file: GoogleOAuthCredentials;
  /** A Workspace administrator, who has files of his own. */
  administrator: GoogleOAuthCredentials;
}

const client = { client_id: '100000000001-sandbox.apps.googleusercontent.com', client_secret: 'GOCSPX-sandbox-secret' };

/** The credentials' values: made up, and of no use anywhere else. */
export const googleDriveCredentials: GoogleDriveCredentials = {
  oauth: { ...client, refresh_token: '1//0sandbox-drive-refresh' },
  access_token: { access_token: 'ya29.sandbox-drive-access-token' },
  read_only: { ...client, refresh_token: '1//0sandbox-drive-read-only' },
  metadata_readonly: { ...client, refresh_token: '1//0sandbox-drive-metadata' },
  drive_file: { ...client, refresh_token: '1//0sandbox-drive-file' },
  administrator: { ...client, refresh_token: '1//0sandbox-drive-administrator' },
};

/** The scopes that Drive's methods ask for, without their common beginning. */
export type DriveScope = 'drive' | 'drive.readonly' | 'drive.metadata.readonly' | 'drive.file';

const beginning = 'https://www.googleapis.com/auth/';
const scope = (name: DriveScope) => `${beginning}${name}`;

/** The scopes that a token was given. */
export function scopesOf(text: string): ReadonlySet<string> {
  return new Set(text.split(' ').map((one) => one.replace(beginning, '')));
}

/** What the token endpoint knows about Drive's client. */
export const driveClient: GoogleClient = {
  ...client,
  refreshTokens: {
    [googleDriveCredentials.oauth.refresh_token]: { label: 'oauth', scope: scope('drive') },
    [googleDriveCredentials.read_only.refresh_token]: { label: 'read_only', scope: scope('drive.readonly') },
    [googleDriveCredentials.metadata_readonly.refresh_token]: {
      label: 'metadata_readonly',
      scope: scope('drive.metadata.readonly'),
    },
    [googleDriveCredentials.drive_file.refresh_token]: { label: 'drive_file', scope: scope('drive.file') },
    [googleDriveCredentials.administrator.refresh_token]: { label: 'administrator', scope: scope('drive') },
  },
  accessTokens: {
    [googleDriveCredentials.access_token.access_token]: { label: 'access_token', scope: scope('drive') },
  },
};

/** The key of the person whom a credential acts for. */
export function personOf(label: string): string {
  return label === 'administrator' ? 'tomas.aguirre' : 'ines.carvalho';
}
