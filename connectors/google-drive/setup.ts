import type { SetupGuide } from '../../src/authoring.js';

const folderType = 'application/vnd.google-apps.folder';
const address = (id: string) => `https://drive.google.com/drive/folders/${id}`;

/** So many of each kind are offered; whoever has more gives the folder's address. */
const most = 200;

/** How a person is helped to connect Google Drive. */
export const setup: SetupGuide = {
  async identify({ execute }) {
    const { user } = (await execute('about', 'get', { fields: 'user' })).data;
    return { name: user?.emailAddress ?? user?.displayName ?? null, detail: user?.displayName ?? null };
  },
  choices: {
    folder_url: {
      title: 'Folder to search in',
      several: false,
      async list({ execute }) {
        const folders = await execute('files', 'list', {
          q: `mimeType = '${folderType}' and 'root' in parents and trashed = false`,
          fields: 'files(id,name)',
          orderBy: 'name',
          pageSize: most,
        });
        const drives = await execute('drives', 'list', { pageSize: 100 });
        const choice =
          (label: string) =>
          ({ id, name }: { id: string; name?: string | null }) => ({
            value: address(id),
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
      title: 'Files that others have shared',
      several: false,
      list: async () => [
        { value: 'false', label: 'Leave them out' },
        { value: 'true', label: 'Search them too' },
      ],
    },
  },
};
