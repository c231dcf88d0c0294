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

console.log(saved.bytes, uploaded.size);
