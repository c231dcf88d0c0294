import { GongConnector } from 'agent-connectors/gong';
import { changesSince, GoogleDriveConnector } from 'agent-connectors/google-drive';
import { GranolaConnector } from 'agent-connectors/granola';

const granola = new GranolaConnector({ credentials: { api_key: process.env.GRANOLA_API_KEY ?? '' } });
const drive = new GoogleDriveConnector({ credentials: { access_token: process.env.GOOGLE_ACCESS_TOKEN ?? '' } });
const gong = new GongConnector({
  credentials: {
    access_key: process.env.GONG_ACCESS_KEY ?? '',
    access_key_secret: process.env.GONG_ACCESS_KEY_SECRET ?? '',
  },
});
const kept = new Map<string, string>();
const remember = async (name: string, value: string) => void kept.set(name, value);

// #region granola
/** Notes that are new or have changed; run it every few minutes. */
async function newNotes(since: string) {
  let newest = since;
  for await (const { id, title, updated_at } of granola.paginate('notes', 'list', { updated_after: since })) {
    console.log(id, title);
    if (updated_at && updated_at > newest) newest = updated_at;
  }
  await remember('granola', newest); // the next run begins here
}
// #endregion

// #region drive
/** Every change since a token; the very first one comes from `changes_start_page_token.get`. */
async function fileChanges(pageToken: string) {
  const changes = changesSince(drive, { pageToken });
  let step = await changes.next();
  for (; !step.done; step = await changes.next()) console.log(step.value.fileId, step.value.removed);
  await remember('drive', step.value); // the next run begins here
}
// #endregion

// #region gong
/** Calls of the last two days: one is listed hours after its end, so look back far enough and skip what you know. */
async function newCalls(known: Set<string>) {
  const fromDateTime = new Date(Date.now() - 2 * 86_400_000).toISOString();
  for await (const { id, title } of gong.paginate('calls', 'list', { fromDateTime })) {
    if (!known.has(id)) console.log(id, title);
    known.add(id);
  }
}
// #endregion

const { data: start } = await drive.changes_start_page_token.get();
await newNotes('2026-01-01T00:00:00Z');
await drive.files.create({ name: 'Minutes', mimeType: 'application/vnd.google-apps.document' });
await fileChanges(start.startPageToken ?? '');
const known = new Set<string>();
await newCalls(known);
await newCalls(known);
console.log([...kept.keys()].join(' '));
