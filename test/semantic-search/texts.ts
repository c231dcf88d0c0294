import { GongConnector } from 'agent-connectors/gong';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { GranolaConnector } from 'agent-connectors/granola';
import type { Sandbox } from 'agent-connectors-sandbox';
import { collect } from '../connectors/calls.js';
import type { Field } from './questions.js';

/** One text that semantic search covers. */
export interface Text extends Field {
  /** The record's id at the vendor. */
  readonly id: string;
  /** A readable name of the record, which may not be unique. */
  readonly name: string;
  readonly text: string;
}

/** Every company text that semantic search covers, as returned with the connectors' default settings. */
export async function companyTexts(sandbox: Sandbox): Promise<Text[]> {
  const texts = await Promise.all([issues, comments, transcripts, notes, files].map((read) => read(sandbox)));
  return texts.flat();
}

/** Linear's lists with fields that the connector does not request, such as an issue's identifier. */
async function nodesOf({ fetch, vendors }: Sandbox, list: string, fields: string): Promise<any[]> {
  const nodes: any[] = [];
  let after: string | null = null;
  do {
    const page = `pageInfo { hasNextPage endCursor }`;
    const query = `query ($after: String) { ${list}(first: 100, after: $after) { nodes { ${fields} } ${page} } }`;
    const response = await fetch('https://api.linear.app/graphql', {
      method: 'POST',
      headers: { authorization: vendors.linear.credentials.api_key.api_key, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: { after } }),
    });
    const { data } = (await response.json()) as any;
    nodes.push(...data[list].nodes);
    after = data[list].pageInfo.hasNextPage ? data[list].pageInfo.endCursor : null;
  } while (after !== null);
  return nodes;
}

async function issues(sandbox: Sandbox): Promise<Text[]> {
  const nodes = await nodesOf(sandbox, 'issues', 'id identifier description');
  const described = nodes.filter(({ description }) => description !== null);
  return described.map(({ id, identifier, description }) => ({
    type: 'linear',
    entity: 'issues',
    field: 'description',
    id,
    name: identifier,
    text: description,
  }));
}

async function comments(sandbox: Sandbox): Promise<Text[]> {
  const nodes = await nodesOf(sandbox, 'comments', 'id body issue { identifier } project { name }');
  return nodes.map(({ id, body, issue, project }) => ({
    type: 'linear',
    entity: 'comments',
    field: 'body',
    id,
    name: issue?.identifier ?? project.name,
    text: body,
  }));
}

async function transcripts({ vendors, fetch }: Sandbox): Promise<Text[]> {
  const credentials = vendors.gong.credentials.basic;
  const calls = await collect(new GongConnector({ credentials, fetch }).paginate('calls', 'list'));
  const titles = new Map(calls.map(({ id, title }) => [id, title ?? 'Untitled']));
  // The list of calls excludes private ones, so they need no second lookup.
  const gong = new GongConnector({ credentials, includePrivate: true, fetch: (input, init) => fetch(input, init) });
  const found = await collect(gong.paginate('call_transcripts', 'list', { filter: {} }));
  return found.flatMap(({ callId, transcript }) => {
    const name = titles.get(callId);
    const turns = (transcript ?? []).map(({ sentences }) => (sentences ?? []).map(({ text }) => text).join(' '));
    if (name === undefined) return [];
    const field = { type: 'gong', entity: 'call_transcripts', field: 'transcript' };
    return [{ ...field, id: callId, name, text: turns.join('\n') }];
  });
}

async function notes({ vendors, fetch }: Sandbox): Promise<Text[]> {
  // One connector per ten notes: a single one would have to wait for its rate limit.
  const connect = () =>
    new GranolaConnector({
      credentials: vendors.granola.credentials.api_key,
      fetch: (input, init) => fetch(input, init),
    });
  const texts: Text[] = [];
  for await (const page of connect().paginate('notes', 'list', { page_size: 10 }).pages()) {
    const granola = connect();
    for (const { id } of page.data) {
      const { data } = await granola.notes.get({ note_id: id, include: 'transcript' });
      const note = { type: 'granola', entity: 'notes', id, name: data.title ?? 'Untitled' };
      if (data.summary_markdown) texts.push({ ...note, field: 'summary_markdown', text: data.summary_markdown });
      const said = (data.transcript ?? []).map(({ text }) => text);
      texts.push({ ...note, field: 'transcript', text: said.join('\n') });
    }
  }
  return texts;
}

/** Export formats for the text of Google's own document types. */
const formats: Readonly<Record<string, string>> = {
  'application/vnd.google-apps.document': 'text/plain',
  'application/vnd.google-apps.presentation': 'text/plain',
  'application/vnd.google-apps.spreadsheet': 'text/csv',
};

const largest = 1e6;

/** The content as returned: texts in the sandbox's PDFs and Office files are uncompressed. */
async function files({ vendors, fetch }: Sandbox): Promise<Text[]> {
  const drive = new GoogleDriveConnector({ credentials: vendors['google-drive'].credentials.oauth, fetch });
  const query = { q: 'trashed=false', corpora: 'allDrives', pageSize: 1000 } as const;
  const found = await collect(drive.paginate('files', 'list', query));
  const byId = new Map(found.map((file) => [file.id, file]));
  const pathOf = (id: string | undefined): string => {
    const file = id === undefined ? undefined : byId.get(id);
    return file ? `${pathOf(file.parents?.[0])}/${file.name}` : '';
  };
  const texts: Text[] = [];
  for (const { id, mimeType, size, capabilities } of found) {
    const format = formats[mimeType ?? ''];
    const isNative = mimeType?.startsWith('application/vnd.google-apps.') ?? false;
    const isRefused = (capabilities as { canDownload?: boolean } | null)?.canDownload === false;
    if ((isNative && !format) || isRefused || Number(size) > largest) continue;
    const content = format
      ? await drive.files_export.download({ fileId: id, mimeType: format }).catch(() => null)
      : await drive.files.download({ fileId: id }).catch(() => null);
    if (!content) continue;
    const text = await new Response(content.data).text();
    texts.push({ type: 'google-drive', entity: 'files', field: 'content', id, name: pathOf(id), text });
  }
  return texts;
}
