import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { save } from 'agent-connectors/node';
import { show } from './show.mjs';

/**
 * Files from a folder on disk, which the sandbox serves as a Google Drive.
 *
 * @param {import('agent-connectors-sandbox/server').SandboxServer} server
 * @param {string} folder
 */
export async function tourDrive(server, folder) {
  const drive = new GoogleDriveConnector({
    credentials: server.sandbox.vendors['google-drive'].credentials.oauth,
    endpoints: `${server.url}/google-drive`,
  });
  console.log(`\nGoogle Drive, emulated at ${server.url}/google-drive with the files in a folder on disk\n`);

  const files = await show(
    "files.list({ q: 'trashed=false' })",
    () => drive.files.list({ q: 'trashed=false' }),
    ({ data }) => data.map(({ name }) => name).join(', '),
  );
  const readme = files.data.find(({ name }) => name === 'README.md');
  const archive = files.data.find(({ name }) => name === 'Archive');
  if (!readme || !archive) throw new Error('The folder is not in the drive.');

  await show(
    'save(await files.download({ fileId }), path)',
    async () => save(await drive.files.download({ fileId: readme.id }), join(folder, '..', `${readme.id}.md`)),
    ({ bytes }) => `${bytes} bytes on disk`,
  ).then(({ path }) => rm(path));

  const uploaded = await show(
    'files_upload.create({ name, file_content })',
    () =>
      drive.files_upload.create({
        name: 'notes.txt',
        file_content: btoa('Made by the demo.'),
        file_mime_type: 'text/plain',
      }),
    ({ data }) => `${data.name}, ${data.size} bytes`,
  );

  await show(
    'files.update({ fileId, addParents, removeParents })',
    () =>
      drive.files.update({
        fileId: uploaded.data.id,
        addParents: archive.id,
        removeParents: uploaded.data.parents?.[0] ?? 'root',
      }),
    () => 'moved to Archive',
  );
  const [moved] = await readdir(join(folder, 'Archive'));
  console.log(`    on the disk: Archive/${moved}: ${await readFile(join(folder, 'Archive', moved ?? ''), 'utf8')}`);
}
