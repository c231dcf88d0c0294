import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { beforeAll, expect, test } from 'vitest';

interface Sent {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: unknown;
}

interface Method {
  httpMethod: string;
  flatPath?: string;
  path: string;
  parameters?: Record<string, { location: string; minimum?: string; maximum?: string; enum?: string[] }>;
  request?: { $ref: string };
  mediaUpload?: { protocols: Record<string, { path: string }> };
}

interface Discovery {
  servicePath: string;
  parameters: Record<string, unknown>;
  resources: Record<string, { methods: Record<string, Method> }>;
  schemas: Record<string, { properties: Record<string, { $ref?: string; items?: { $ref?: string } }> }>;
}

/** Every parameter of every action, so that every name that can be sent is sent. */
const everything: Record<string, object> = {
  'files.list': {
    pageSize: 5,
    pageToken: 't',
    q: "name = 'O\\'Brien'",
    orderBy: 'modifiedTime desc',
    spaces: 'drive',
    corpora: 'drive',
    driveId: 'D',
    includeItemsFromAllDrives: true,
    supportsAllDrives: true,
  },
  'files.get': { fileId: 'F', supportsAllDrives: false },
  'files.create': { name: 'n', mimeType: 'm', parents: ['P'], description: 'd', supportsAllDrives: true },
  'files.update': { fileId: 'F', name: 'n', description: 'd', mimeType: 'm', addParents: 'A', removeParents: 'B' },
  'files.delete': { fileId: 'F' },
  'files.download': { fileId: 'F', acknowledgeAbuse: true, range_header: 'bytes=0-9' },
  'files_upload.create': { name: 'n', file_content: 'SGVsbG8=', mimeType: 'm', parents: ['P'], description: 'd' },
  'files_export.download': { fileId: 'F', mimeType: 'text/plain', range_header: 'bytes=0-9' },
  'drives.list': { pageSize: 5, pageToken: 't', q: 'x', useDomainAdminAccess: true },
  'drives.get': { driveId: 'D', useDomainAdminAccess: true },
  'permissions.list': { fileId: 'F', pageSize: 5, pageToken: 't', useDomainAdminAccess: true },
  'permissions.get': { fileId: 'F', permissionId: 'P', useDomainAdminAccess: true },
  'comments.list': {
    fileId: 'F',
    pageSize: 5,
    pageToken: 't',
    startModifiedTime: '2026-01-01T00:00:00Z',
    includeDeleted: true,
  },
  'comments.get': { fileId: 'F', commentId: 'C', includeDeleted: true },
  'replies.list': { fileId: 'F', commentId: 'C', pageSize: 5, pageToken: 't', includeDeleted: true },
  'replies.get': { fileId: 'F', commentId: 'C', replyId: 'R', includeDeleted: true },
  'revisions.list': { fileId: 'F', pageSize: 5, pageToken: 't' },
  'revisions.get': { fileId: 'F', revisionId: 'R' },
  'changes.list': {
    pageToken: 't',
    pageSize: 5,
    driveId: 'D',
    includeItemsFromAllDrives: true,
    spaces: 'drive',
    includeRemoved: false,
    restrictToMyDrive: true,
  },
  'changes_start_page_token.get': { driveId: 'D' },
  'about.get': {},
};

const sent = new Map<string, Sent>();

beforeAll(async () => {
  let current = '';
  const drive = new GoogleDriveConnector({
    credentials: { access_token: 'ya29.test' },
    fetch: async (input, init) => {
      const body = init?.body;
      sent.set(current, {
        method: String(init?.method),
        url: new URL(String(input)),
        headers: init?.headers as Record<string, string>,
        body: typeof body === 'string' ? JSON.parse(body) : body,
      });
      if (init?.method === 'DELETE') return new Response(null, { status: 204 });
      const lists = { files: [], drives: [], changes: [], permissions: [], comments: [], replies: [], revisions: [] };
      return Response.json({ kind: 'any', id: 'F', startPageToken: '1', ...lists });
    },
  });
  for (const [where, params] of Object.entries(everything)) {
    current = where;
    const [entity, action] = where.split('.');
    await (drive.execute as (...call: unknown[]) => Promise<unknown>)(entity, action, params);
  }
});

test('the request table covers every connector action', () => {
  const actions = GoogleDriveConnector.describe().entities.flatMap(({ name, actions }) =>
    actions.filter(({ hosted_only }) => !hosted_only).map((action) => `${name}.${action.name}`),
  );
  expect(Object.keys(everything).sort()).toEqual(actions.sort());
});

test('adds what Google requires: masks, flags, alt and uploadType', () => {
  const query = (where: string) => Object.fromEntries(sent.get(where)!.url.searchParams);
  for (const [where, { method }] of sent) {
    const bare = method === 'DELETE' || where.endsWith('.download');
    expect('fields' in query(where), where).toBe(!bare);
    expect(query(where).prettyPrint, where).toBe(bare ? undefined : 'false');
  }
  expect(query('files.list').fields).toMatch(
    /^kind,nextPageToken,incompleteSearch,files\(id,kind,name,.*trashingUser\)$/,
  );
  expect(query('changes.list').fields).toMatch(
    /^kind,nextPageToken,newStartPageToken,changes\(kind,.*file\(id,.*\),drive\(/,
  );
  expect(query('files.download')).toEqual({ alt: 'media', acknowledgeAbuse: 'true', supportsAllDrives: 'true' });
  expect(query('files_upload.create')).toMatchObject({ uploadType: 'multipart', supportsAllDrives: 'true' });
  expect(query('files.create')).toMatchObject({ supportsAllDrives: 'true' });
  expect(query('files_export.download')).toEqual({ mimeType: 'text/plain' });
  expect(query('comments.list')).not.toHaveProperty('supportsAllDrives');
  expect(sent.get('files.download')!.headers).toMatchObject({ range: 'bytes=0-9', 'accept-encoding': 'identity' });
});

const folder = process.env.VENDOR_SCHEMAS;
const file = folder === undefined ? '' : join(folder, 'drive.v3.json');

test.skipIf(!existsSync(file))("every request is valid against Google's discovery document (VENDOR_SCHEMAS)", () => {
  const discovery: Discovery = JSON.parse(readFileSync(file, 'utf8'));
  const methods = Object.values(discovery.resources).flatMap(({ methods }) => Object.values(methods));
  const pathsOf = ({ flatPath, path, mediaUpload }: Method) => [
    `/${discovery.servicePath}${flatPath ?? path}`,
    ...Object.values(mediaUpload?.protocols ?? {}).map(({ path }) => path),
  ];
  const fits = (template: string, pathname: string) =>
    new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(pathname);
  for (const [where, { method, url, body }] of sent) {
    // A fixed path takes precedence over one with a placeholder.
    const found = methods
      .filter(({ httpMethod }) => httpMethod === method)
      .filter((candidate) => pathsOf(candidate).some((template) => fits(template, url.pathname)))
      .sort((a, b) => a.path.split('{').length - b.path.split('{').length)[0];
    expect(found, where).toBeDefined();
    const known = { ...discovery.parameters, ...found!.parameters };
    for (const [name, value] of url.searchParams) {
      if (name === 'uploadType') continue;
      expect(Object.keys(known), `${where} ${name}`).toContain(name);
      const { maximum, enum: values } = found!.parameters?.[name] ?? {};
      if (maximum) expect(Number(value)).toBeLessThanOrEqual(Number(maximum));
      if (values) expect(values).toContain(value);
    }
    if (typeof body === 'object' && body !== null && !(body instanceof Blob)) {
      const { properties } = discovery.schemas[found!.request!.$ref]!;
      expect(Object.keys(properties), where).toEqual(expect.arrayContaining(Object.keys(body)));
    }
    const mask = url.searchParams.get('fields');
    if (mask) checkMask(mask, discovery, responseOf(discovery, found!), where);
  }
});

function responseOf(discovery: Discovery, method: Method): string {
  const { response } = method as Method & { response?: { $ref: string } };
  return Object.keys(discovery.schemas).find((name) => name === response?.$ref)!;
}

/** Every name in a mask exists in the schema that it selects from. */
function checkMask(mask: string, discovery: Discovery, schema: string, where: string): void {
  const { properties } = discovery.schemas[schema]!;
  for (const [, name = '', , inner] of mask.matchAll(/(\w+)(\(((?:[^()]|\([^()]*\))*)\))?/g)) {
    expect(Object.keys(properties), `${where}: ${name}`).toContain(name);
    const target = properties[name]!.$ref ?? properties[name]!.items?.$ref;
    if (inner !== undefined) checkMask(inner, discovery, target!, where);
  }
}
