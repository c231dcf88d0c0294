import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { createSandbox, type Sandbox } from 'agent-connectors-sandbox';
import { replication } from '../../connectors/google-drive/replication/index.js';
import { openTextReader } from '../../service/src/data/text/reader.js';
import { type ReplicaOptions, replicaOf } from './replica.js';

const { textOf } = openTextReader();

type Mode = keyof Sandbox['vendors']['google-drive']['credentials'];

/** The connector's replication, but it only deletes what `read` reports as removed. */
const replicationWithoutSweep = {
  ...replication,
  entities: { files: { ...replication.entities.files!, sweep: undefined } },
};

/** A test's options for a replica of its Drive. */
interface DriveReplicaOptions extends ReplicaOptions {
  readonly isSwept?: boolean;
  /** How requests are sent; to the sandbox by default. */
  readonly fetch?: typeof globalThis.fetch;
}

/** A test's options for its Drive. */
export interface DriveOptions extends ReplicaOptions {
  readonly mode?: Mode;
  readonly sandbox?: Sandbox;
}

/** Google's own MIME types. */
export const google = {
  folder: 'application/vnd.google-apps.folder',
  document: 'application/vnd.google-apps.document',
  spreadsheet: 'application/vnd.google-apps.spreadsheet',
  shortcut: 'application/vnd.google-apps.shortcut',
};

/** A Drive in a writable sandbox, and replicas of it. */
export function createDrive({
  mode = 'oauth',
  sandbox = createSandbox({ seed: 7, scale: 0.05 }),
  ...options
}: DriveOptions = {}) {
  const credentials = sandbox.vendors['google-drive'].credentials[mode];
  const drive = new GoogleDriveConnector({ credentials, fetch: sandbox.fetch, retries: 1 });
  /** A request for which the connector has no action. */
  const send = async (method: string, path: string, body: object): Promise<any> => {
    const token = sandbox.vendors['google-drive'].credentials.access_token.access_token;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const url = `https://www.googleapis.com/drive/v3${path}`;
    const response = await sandbox.fetch(url, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  };
  return {
    sandbox,
    drive,
    send,
    /** A separate, empty replica. */
    replica: ({ isSwept = true, fetch = sandbox.fetch, ...more }: DriveReplicaOptions = {}) =>
      replicaOf(
        GoogleDriveConnector,
        isSwept ? replication : replicationWithoutSweep,
        { credentials, fetch, retries: 1 },
        { textOf, ...options, ...more },
      ),
    folder: async (name: string, parent = 'root') =>
      (await drive.files.create({ name, mimeType: google.folder, parents: [parent] })).data.id,
    file: async (
      name: string,
      content: string | Uint8Array,
      parent = 'root',
      more: { as?: string; type?: string } = {},
    ) => {
      const { as, type = 'text/plain' } = more;
      const { data } = await drive.files_upload.create({
        name,
        parents: [parent],
        file_mime_type: type,
        ...(as !== undefined && { mimeType: as }),
        file_content: Buffer.from(content).toString('base64'),
      });
      return data.id;
    },
    shortcut: async (name: string, targetId: string, parent = 'root'): Promise<string> =>
      (
        await send('POST', '/files', {
          name,
          mimeType: google.shortcut,
          parents: [parent],
          shortcutDetails: { targetId },
        })
      ).id,
    rename: (fileId: string, name: string) => drive.files.update({ fileId, name }),
    move: (fileId: string, from: string, to: string) =>
      drive.files.update({ fileId, addParents: to, removeParents: from }),
    trash: (fileId: string, trashed = true) => send('PATCH', `/files/${fileId}`, { trashed }),
    /** Number of requests to a URL since the log was cleared. */
    requestCount: (pattern: RegExp) => sandbox.requests.filter(({ path }) => pattern.test(path)).length,
    idOf: async (name: string) => {
      const q = `name = '${name.replace(/['\\]/g, '\\$&')}' and trashed = false`;
      const { data } = await drive.files.list({ q, includeItemsFromAllDrives: true, fields: 'files(id)' });
      return data[0]!.id;
    },
  };
}

/** File paths and contents of a replica, sorted by path. */
export const contents = (replica: {
  records(entity: string): ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}) =>
  Object.fromEntries(
    [...replica.records('files').values()]
      .map(({ file_path, content }) => [String(file_path), content] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
