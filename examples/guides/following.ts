// #region gong
import { GongConnector } from 'agent-connectors/gong';
// #endregion
// #region drive
import { changesSince, GoogleDriveConnector } from 'agent-connectors/google-drive';
// #endregion
// #region granola
import { GranolaConnector } from 'agent-connectors/granola';

const granola = new GranolaConnector({ credentials: { api_key: process.env.GRANOLA_API_KEY ?? '' } });

/** Prints new and changed notes. Store the return value and pass it to the next run. */
async function newNotes(since: string): Promise<string> {
  let newest = since;
  for await (const { id, title, updated_at } of granola.paginate('notes', 'list', { updated_after: since })) {
    console.log(id, title);
    if (updated_at && updated_at > newest) newest = updated_at;
  }
  return newest;
}
// #endregion

// #region drive
const drive = new GoogleDriveConnector({ credentials: { access_token: process.env.GOOGLE_ACCESS_TOKEN ?? '' } });

/** Prints every change since a token, initially from `changes_start_page_token.get`. Store the return value. */
async function fileChanges(pageToken: string): Promise<string> {
  const changes = changesSince(drive, { pageToken });
  let step = await changes.next();
  for (; !step.done; step = await changes.next()) console.log(step.value.fileId, step.value.removed);
  return step.value;
}
// #endregion

// #region gong
const gong = new GongConnector({
  credentials: {
    access_key: process.env.GONG_ACCESS_KEY ?? '',
    access_key_secret: process.env.GONG_ACCESS_KEY_SECRET ?? '',
    base_url: process.env.GONG_BASE_URL ?? 'https://api.gong.io',
  },
});

/** Calls of the last two days: a call is listed hours after its end, so look back far enough and skip known ones. */
async function newCalls(known: Set<string>): Promise<void> {
  const fromDateTime = new Date(Date.now() - 2 * 86_400_000).toISOString();
  for await (const { id, title } of gong.paginate('calls', 'list', { fromDateTime })) {
    if (!known.has(id)) console.log(id, title);
    known.add(id);
  }
}
// #endregion

const { data: start } = await drive.changes_start_page_token.get();
const newest = await newNotes('2026-01-01T00:00:00Z');
await drive.files.create({ name: 'Minutes', mimeType: 'application/vnd.google-apps.document' });
const token = await fileChanges(start.startPageToken ?? '');
const known = new Set<string>();
await newCalls(known);
await newCalls(known);
console.log(newest > '2026-01-01T00:00:00Z', token !== start.startPageToken);
