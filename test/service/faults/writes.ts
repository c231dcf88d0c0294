import type { Sandbox } from 'agent-connectors-sandbox';

/** A write whose effect can be counted at the vendor. */
export interface Write {
  readonly name: string;
  readonly type: 'linear' | 'google-drive';
  readonly entity: string;
  readonly action: string;
  /** Whether a retry finds out if the write was executed, and executes it if not; otherwise the outcome can stay unknown. */
  readonly resolvesOnRetry: boolean;
  /** Creates what the write requires. */
  readonly prepare?: (sandbox: Sandbox, label: string) => Promise<string>;
  readonly params: (label: string, prepared: string) => object;
  /** How many times the vendor executed it. */
  readonly countDone: (sandbox: Sandbox, label: string, prepared: string) => Promise<number>;
}

async function linear(sandbox: Sandbox, query: string, variables: object = {}): Promise<any> {
  const { api_key } = sandbox.vendors.linear.credentials.api_key;
  const response = await sandbox.fetch('https://api.linear.app/graphql', {
    method: 'POST',
    headers: { authorization: api_key, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as any;
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

async function drive(sandbox: Sandbox, path: string, json?: object): Promise<any> {
  const { access_token } = sandbox.vendors['google-drive'].credentials.access_token;
  const response = await sandbox.fetch(`https://www.googleapis.com/drive/v3/${path}`, {
    ...(json && { method: 'POST', body: JSON.stringify(json) }),
    headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
  });
  return response.json();
}

const folderType = 'application/vnd.google-apps.folder';
const team = async (sandbox: Sandbox) =>
  (await linear(sandbox, '{ teams(first: 1) { nodes { id } } }')).teams.nodes[0].id;
const issue = async (sandbox: Sandbox) =>
  (await linear(sandbox, '{ issues(first: 1) { nodes { id } } }')).issues.nodes[0].id;
const createFolder = async (sandbox: Sandbox, name: string): Promise<string> =>
  (await drive(sandbox, 'files', { name, mimeType: folderType })).id;
const filesNamed = async (sandbox: Sandbox, label: string): Promise<number> =>
  (await drive(sandbox, `files?q=${encodeURIComponent(`name = '${label}'`)}`)).files.length;

/** Successful updates at the vendor that contain the label. */
const changes = (sandbox: Sandbox, label: string): number =>
  sandbox.requests.filter(
    ({ method, rootField, status, body }) =>
      (method === 'PATCH' || rootField?.endsWith('Update')) && status === 200 && JSON.stringify(body)?.includes(label),
  ).length;

/** The writes tested with every fault. */
export const writes: readonly Write[] = [
  {
    name: 'the creation of a Linear issue',
    type: 'linear',
    entity: 'issues',
    action: 'create',
    resolvesOnRetry: true,
    prepare: team,
    params: (title, teamId) => ({ teamId, title }),
    async countDone(sandbox, title) {
      const query = 'query($title: String!) { issues(filter: { title: { eq: $title } }) { nodes { id } } }';
      return (await linear(sandbox, query, { title })).issues.nodes.length;
    },
  },
  {
    name: 'the creation of a Linear comment',
    type: 'linear',
    entity: 'comments',
    action: 'create',
    resolvesOnRetry: true,
    prepare: issue,
    params: (body, issueId) => ({ issueId, body }),
    async countDone(sandbox, label, id) {
      const query = 'query($id: String!) { issue(id: $id) { comments(first: 250) { nodes { body } } } }';
      const { nodes } = (await linear(sandbox, query, { id })).issue.comments;
      return nodes.filter(({ body }: { body: string }) => body === label).length;
    },
  },
  {
    name: 'the update of a Linear issue',
    type: 'linear',
    entity: 'issues',
    action: 'update',
    resolvesOnRetry: false,
    prepare: issue,
    params: (title, id) => ({ id, title }),
    countDone: async (sandbox, label) => changes(sandbox, label),
  },
  {
    name: 'the creation of a Google Drive folder',
    type: 'google-drive',
    entity: 'files',
    action: 'create',
    resolvesOnRetry: true,
    params: (name) => ({ name, mimeType: folderType }),
    countDone: filesNamed,
  },
  {
    name: 'an upload to Google Drive',
    type: 'google-drive',
    entity: 'files_upload',
    action: 'create',
    resolvesOnRetry: true,
    params: (name) => ({ name, file_content: 'SGVsbG8=', file_mime_type: 'text/plain' }),
    countDone: filesNamed,
  },
  {
    name: 'the update of a Google Drive file',
    type: 'google-drive',
    entity: 'files',
    action: 'update',
    resolvesOnRetry: false,
    prepare: (sandbox, label) => createFolder(sandbox, `before ${label}`),
    params: (name, fileId) => ({ fileId, name }),
    // The request log omits bodies with unknown content types.
    countDone: async (sandbox, label) => Math.max(changes(sandbox, label), await filesNamed(sandbox, label)),
  },
  {
    name: 'the creation of a Google document',
    type: 'google-drive',
    entity: 'files',
    action: 'create',
    resolvesOnRetry: false,
    params: (name) => ({ name, mimeType: 'application/vnd.google-apps.document' }),
    countDone: filesNamed,
  },
  {
    name: 'a deletion in Google Drive',
    type: 'google-drive',
    entity: 'files',
    action: 'delete',
    resolvesOnRetry: true,
    prepare: createFolder,
    params: (_, fileId) => ({ fileId }),
    countDone: async (sandbox, label) => 1 - (await filesNamed(sandbox, label)),
  },
];
