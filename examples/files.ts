// #region resume
import { readFile, writeFile } from 'node:fs/promises';
// #endregion
// #region files, resume
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
// #endregion
// #region files
import { save } from 'agent-connectors/node';

// #endregion

// #region files, resume
const folder = process.env.DOWNLOADS ?? '.';
const drive = new GoogleDriveConnector({ credentials: { access_token: process.env.GOOGLE_ACCESS_TOKEN ?? '' } });
// #endregion

// #region files
const { data: found } = await drive.files.list({ q: "mimeType = 'application/pdf' and 'me' in owners", pageSize: 1 });
const saved = await save(await drive.files.download({ fileId: found[0]!.id }), `${folder}/report.pdf`);

const { data: uploaded } = await drive.files_upload.create({
  name: 'hello.txt',
  file_content: new Blob(['Hello']), // or base64, bytes or a stream; above 5 MB it resumes after a lost connection
  file_mime_type: 'text/plain',
});
console.log(saved.bytes, uploaded.size);
// #endregion

// #region text
const { data: stream } = await drive.files.download({ fileId: uploaded.id });
const text = await new Response(stream).text(); // of a text file; a PDF needs a library that reads PDFs
// #endregion
console.log(text);

await writeFile(`${folder}/video.mp4`, new Uint8Array(6 * 2 ** 20));

// #region resume
const video = { name: 'video.mp4', file_content: new Blob([await readFile(`${folder}/video.mp4`)]) };
await drive.files_upload.create(video, {
  onUploadBegun: ({ resume }: { resume: string }) => writeFile(`${folder}/upload.txt`, resume),
});
// in a later process
const resume = await readFile(`${folder}/upload.txt`, 'utf8');
const { data: resumed } = await drive.files_upload.create({ ...video, resume });
console.log(resumed.id);
// #endregion
