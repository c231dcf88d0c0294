import { readFile, writeFile } from 'node:fs/promises';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { save } from 'agent-connectors/node';

const folder = process.env.DOWNLOADS ?? '.';

// #region files
const drive = new GoogleDriveConnector({ credentials: { access_token: process.env.GOOGLE_ACCESS_TOKEN ?? '' } });

const { data: found } = await drive.files.list({ q: "mimeType = 'application/pdf' and 'me' in owners", pageSize: 1 });
const saved = await save(await drive.files.download({ fileId: found[0]!.id }), `${folder}/report.pdf`);

const { data: uploaded } = await drive.files_upload.create({
  name: 'hello.txt',
  file_content: new Blob(['Hello']), // or base64, bytes, a stream; above 5 MB it goes on after a broken connection
  file_mime_type: 'text/plain',
});
// #endregion

const videoPath = `${folder}/video.mp4`;
const notePath = `${folder}/upload.txt`;
await writeFile(videoPath, new Uint8Array(6 * 2 ** 20));

// #region resume
const video = { name: 'video.mp4', file_content: new Blob([await readFile(videoPath)]) };
await drive.files_upload.create(video, {
  onUploadBegun: ({ resume }: { resume: string }) => writeFile(notePath, resume),
});
// in a later process
const { data: resumed } = await drive.files_upload.create({ ...video, resume: await readFile(notePath, 'utf8') });
// #endregion

console.log(saved.bytes, uploaded.size, resumed.id);
