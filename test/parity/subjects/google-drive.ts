import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { createSandbox } from 'agent-connectors-sandbox';
import { start, subjectOf } from '../subject.js';

type Drive = GoogleDriveConnector;

const fileOf = async (drive: Drive, q: string) => (await drive.files.list({ q, fields: 'files(id)' })).data[0]!.id;
const table = async (drive: Drive) => ({ fileId: await fileOf(drive, "name = 'expenses-01.csv'") });
const picture = async (drive: Drive) => ({ fileId: await fileOf(drive, "name = 'screen-login.png'") });
const shared = async (drive: Drive) => (await drive.drives.list()).data[0]!.id;

/** A document with a comment that has several replies. */
async function discussion(drive: Drive) {
  const q = "name = 'Kick-off notes'";
  for (const { id: fileId } of (await drive.files.list({ q, fields: 'files(id)' })).data) {
    const { data } = await drive.comments.list({ fileId });
    const found = data.find(({ replies }) => replies!.length > 1);
    if (found && data.length > 1) return { fileId, commentId: found.id };
  }
  throw new Error('No document has been discussed.');
}

export const drive = subjectOf({
  Connector: GoogleDriveConnector,
  sandbox: () => createSandbox({ seed: 7, scale: 0.05, now: () => start }),
  credentials: ({ vendors }) => vendors['google-drive'].credentials.access_token,
  params: {
    'files.list': () => ({ q: "name contains 'expenses'" }),
    'files.get': table,
    'files.create': async (connector) => ({ name: 'Once', parents: [await fileOf(connector, "name = 'Assets'")] }),
    'files.update': async (connector) => ({ ...(await table(connector)), name: 'Once', description: 'Spent' }),
    'files.delete': table,
    'files.download': table,
    'files_upload.create': () => ({ name: 'once.txt', file_content: 'T25jZQ==', file_mime_type: 'text/plain' }),
    'files_export.download': async (connector) => ({
      fileId: (await discussion(connector)).fileId,
      mimeType: 'text/plain',
    }),
    'drives.list': () => ({}),
    'drives.get': async (connector) => ({ driveId: await shared(connector) }),
    'permissions.list': async (connector) => ({ fileId: await shared(connector) }),
    'permissions.get': async (connector) => {
      const fileId = await shared(connector);
      return { fileId, permissionId: (await connector.permissions.list({ fileId })).data[0]!.id };
    },
    'comments.list': async (connector) => ({ fileId: (await discussion(connector)).fileId }),
    'comments.get': discussion,
    'replies.list': discussion,
    'replies.get': async (connector) => {
      const of = await discussion(connector);
      return { ...of, replyId: (await connector.replies.list(of)).data[0]!.id };
    },
    'revisions.list': picture,
    'revisions.get': async (connector) => {
      const of = await picture(connector);
      return { ...of, revisionId: (await connector.revisions.list(of)).data[0]!.id };
    },
    'changes.list': async (connector) => {
      const { startPageToken } = (await connector.changes_start_page_token.get()).data;
      for (const name of ['a', 'b', 'c', 'd']) await connector.files.create({ name });
      return { pageToken: startPageToken };
    },
    'changes_start_page_token.get': () => ({}),
    'about.get': () => ({}),
  },
  small: () => ({ pageSize: 2 }),
});
