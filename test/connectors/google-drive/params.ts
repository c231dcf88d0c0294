import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { createSandbox } from 'agent-connectors-sandbox';

// A whole second, since the Date header has no fractions.
const start = Math.floor(Date.now() / 1000) * 1000;
/** A sandbox that contains the ids in the parameters. */
export const sandbox = () => createSandbox({ seed: 7, scale: 0.05, now: () => start });

// Ids are the same in every sandbox with this seed, so they are looked up once.
const known = sandbox();
const drive = new GoogleDriveConnector({
  credentials: known.vendors['google-drive'].credentials.access_token,
  fetch: known.fetch,
});
const fileOf = async (q: string) => (await drive.files.list({ q, fields: 'files(id)' })).data[0]!.id;

const table = { fileId: await fileOf("name = 'expenses-01.csv'") };
const picture = { fileId: await fileOf("name = 'screen-login.png'") };
const to = await fileOf("name = 'Assets'");
const shared = (await drive.drives.list()).data[0]!.id;
const permission = (await drive.permissions.list({ fileId: shared })).data[0]!.id;
const revision = (await drive.revisions.list(picture)).data[0]!.id;
const discussion = await aDiscussion();
const reply = (await drive.replies.list(discussion)).data[0]!.id;

/** A document with several comments, one of which has several replies. */
async function aDiscussion() {
  const q = "name = 'Kick-off notes'";
  for (const { id: fileId } of (await drive.files.list({ q, fields: 'files(id)' })).data) {
    const { data } = await drive.comments.list({ fileId });
    const found = data.find(({ replies }) => replies!.length > 1);
    if (found && data.length > 1) return { fileId, commentId: found.id };
  }
  throw new Error('No document has been discussed.');
}

/** For each `entity.action`, parameters that succeed on such a sandbox. */
export const params: Readonly<Record<string, (drive: GoogleDriveConnector) => object | Promise<object>>> = {
  'files.list': () => ({ q: "name contains 'expenses'" }),
  'files.get': () => table,
  'files.create': () => ({ name: 'Once', parents: [to] }),
  'files.update': () => ({ ...table, name: 'Once', description: 'Spent' }),
  'files.delete': () => table,
  'files.download': () => table,
  'files_upload.create': () => ({ name: 'once.txt', file_content: 'T25jZQ==', file_mime_type: 'text/plain' }),
  'files_export.download': () => ({ fileId: discussion.fileId, mimeType: 'text/plain' }),
  'drives.list': () => ({}),
  'drives.get': () => ({ driveId: shared }),
  'permissions.list': () => ({ fileId: shared }),
  'permissions.get': () => ({ fileId: shared, permissionId: permission }),
  'comments.list': () => ({ fileId: discussion.fileId }),
  'comments.get': () => discussion,
  'replies.list': () => discussion,
  'replies.get': () => ({ ...discussion, replyId: reply }),
  'revisions.list': () => picture,
  'revisions.get': () => ({ ...picture, revisionId: revision }),
  'changes.list': async (changing) => {
    const { startPageToken } = (await changing.changes_start_page_token.get()).data;
    for (const name of ['a', 'b', 'c', 'd']) await changing.files.create({ name });
    return { pageToken: startPageToken };
  },
  'changes_start_page_token.get': () => ({}),
  'about.get': () => ({}),
};
