import { ConnectorError, type DoctorReads, type Quota, type SetupGuide, valuesIn } from '../../src/authoring.js';
import { picker } from './picker.js';
import { folderType, isFile } from './replication/items.js';

const folderUrl = (id: string) => `https://drive.google.com/drive/folders/${id}`;

/** Maximum folders of each kind to choose from; others can be entered by URL. */
const maxFolders = 200;

/** The account's storage, from `about`; not reported for accounts without a limit. */
function storageIn({ records }: DoctorReads): Quota[] {
  const quota = records.get('about')?.storageQuota as { limit?: string; usage?: string } | null | undefined;
  if (!quota?.limit) return [];
  const limit = Number(quota.limit);
  return [{ name: 'bytes', remaining: limit - Number(quota.usage ?? 0), limit }];
}

/** The setup guide for Google Drive. */
export const setup: SetupGuide = {
  color: '#188038',
  async identify({ execute }) {
    const { user } = (await execute('about', 'get', { fields: 'user' })).data;
    return {
      name: user?.emailAddress ?? user?.displayName ?? null,
      detail: user?.displayName ?? null,
      id: user?.permissionId ?? undefined,
    };
  },
  account: 'Google',
  help: {
    'oauth.client_id': {
      text: 'In the Google Cloud console, under Google Auth Platform > Clients (formerly APIs & Services > Credentials), create a client of type Web application.',
      url: 'https://developers.google.com/identity/protocols/oauth2/web-server',
    },
    'oauth.client_secret': { text: 'Google shows it with the client id when you create the client.' },
    'oauth.refresh_token': { text: 'From an earlier sign-in to your application.' },
    'service_account.credentials_json': {
      text: 'In the Google Cloud console, under IAM & Admin > Service Accounts, choose the account, then Keys > Add key > Create new key > JSON. Paste the entire content of the downloaded file here.',
      url: 'https://cloud.google.com/iam/docs/keys-create-delete',
    },
    'service_account.subject': {
      text: 'Email of the user to act on behalf of. A domain administrator must delegate the scopes first.',
      url: 'https://developers.google.com/identity/protocols/oauth2/service-account',
    },
    'service_account.scopes': {
      text: 'Scopes to request, such as drive.readonly if that is the only scope the domain delegated (default: drive).',
      url: 'https://developers.google.com/workspace/drive/api/guides/api-specific-auth',
    },
    'access_token.access_token': {
      text: 'For testing; valid for one hour. Get one from the OAuth Playground.',
      url: 'https://developers.google.com/oauthplayground/',
    },
  },
  fields: {
    folder_url: { help: 'Enter a folder URL from the browser instead of choosing one from the list.' },
    shared_with_me: { input: 'none' },
    permissions: { input: 'none' },
    file_ids: { input: 'none', values: valuesIn },
  },
  picker: {
    ...picker,
    async name({ execute }, ids) {
      const nameOf = async (fileId: string) => {
        try {
          const { data } = await execute('files', 'get', { fileId, fields: 'id,name,mimeType' });
          return isFile(data) ? { value: data.id, label: data.name ?? data.id } : undefined;
        } catch (error) {
          if (ConnectorError.is(error) && error.code === 'not_found') return undefined;
          throw error;
        }
      };
      return (await Promise.all(ids.map(nameOf))).filter((choice) => choice !== undefined);
    },
  },
  probe: { entity: 'files', action: 'list', params: { pageSize: 1 } },
  doctor: {
    parameters: {
      fileId: { entity: 'files', field: 'id' },
      commentId: { entity: 'comments', field: 'id' },
      'changes.pageToken': { entity: 'changes_start_page_token', field: 'startPageToken' },
    },
    identity: { entity: 'about', paths: ['user.displayName', 'user.emailAddress'] },
    quota: storageIn,
  },
  choices: {
    folder_url: {
      title: 'Folder to sync',
      several: false,
      async list({ execute }) {
        const folders = await execute('files', 'list', {
          q: `mimeType = '${folderType}' and 'root' in parents and trashed = false`,
          fields: 'files(id,name)',
          orderBy: 'name',
          pageSize: maxFolders,
        });
        const drives = await execute('drives', 'list', { pageSize: 100 });
        const choice =
          (label: string) =>
          ({ id, name }: { id: string; name?: string | null }) => ({
            value: folderUrl(id),
            label: `${label}${name ?? id}`,
          });
        return [
          { value: 'root', label: 'All of My Drive' },
          ...folders.data.map(choice('My Drive / ')),
          ...drives.data.map(choice('Shared drive: ')),
        ];
      },
    },
    shared_with_me: {
      title: 'Files shared with me',
      several: false,
      list: async () => [
        { value: 'false', label: 'Leave them out' },
        { value: 'true', label: 'Include them' },
      ],
    },
  },
};
