// Google's own Drive client against the sandbox: every response must have the form it expects.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { after, before, beforeEach, describe, it } from 'node:test';
import { auth, drive } from '@googleapis/drive';
import { serve } from '../../sandbox/dist/server.js';

let server;
let files;
before(async () => {
  server = await serve();
});
after(() => server.close());
beforeEach(() => {
  server.sandbox.reset();
  files = client('oauth');
});

const rootUrl = () => `${server.url}/google-drive/`;
const withoutRetries = { retry: false };

function client(name) {
  const { client_id, client_secret, refresh_token } = server.sandbox.vendors['google-drive'].credentials[name];
  const oauth = new auth.OAuth2({
    clientId: client_id,
    clientSecret: client_secret,
    forceRefreshOnFailure: true,
    endpoints: { oauth2TokenUrl: `${rootUrl()}token` },
  });
  oauth.setCredentials({ refresh_token });
  return placed(drive({ version: 'v3', auth: oauth }));
}

/** The client keeps the path of a root URL, and uses that URL for uploads, only if each call sets it. */
function placed(api) {
  return new Proxy(
    {},
    {
      get(_, name) {
        const resource = api[name];
        if (typeof resource !== 'object' || name === 'context') return resource;
        const call = (method) => (parameters, options) =>
          resource[method](parameters, { rootUrl: rootUrl(), ...options });
        return new Proxy({}, { get: (_target, method) => call(method) });
      },
    },
  );
}

const named = async (name, drives = {}) => {
  const { data } = await files.files.list({ q: `name = '${name}'`, ...drives });
  return data.files[0].id;
};
const everywhere = { includeItemsFromAllDrives: true, supportsAllDrives: true };
const bytesOf = (response) => Buffer.from(response.data);

describe('reading with @googleapis/drive', () => {
  it('refreshes its token once and lists page by page', async () => {
    const found = [];
    let pageToken;
    do {
      const { data } = await files.files.list({ pageSize: 50, fields: 'nextPageToken,files(id,name)', pageToken });
      found.push(...data.files);
      pageToken = data.nextPageToken;
    } while (pageToken);
    assert.ok(found.length > 140);
    assert.equal(server.sandbox.requests.filter(({ path }) => path === '/token').length, 1);
  });

  it('refreshes again when the token has expired', async () => {
    await files.files.list({ pageSize: 1 });
    server.sandbox.expireTokens();
    assert.equal((await files.files.list({ pageSize: 1 })).status, 200);
    assert.equal(server.sandbox.requests.filter(({ path }) => path === '/token').length, 2);
  });

  it('gets a file with all its fields', async () => {
    const { data } = await files.files.get({ fileId: await named('Budget'), fields: '*' });
    assert.equal(data.kind, 'drive#file');
    assert.equal(data.owners[0].displayName, 'Ines Carvalho');
    assert.equal(data.capabilities.canEdit, true);
  });

  it('lists shared drives and their contents', async () => {
    const { data } = await files.drives.list({ pageSize: 10 });
    const [{ id, name }] = data.drives;
    assert.equal((await files.drives.get({ driveId: id })).data.name, name);
    const inside = await files.files.list({ corpora: 'drive', driveId: id, ...everywhere, fields: 'files(driveId)' });
    assert.ok(inside.data.files.length > 5);
    assert.ok(inside.data.files.every(({ driveId }) => driveId === id));
  });

  it('downloads files whole, in parts and as streams', async () => {
    const fileId = await named('rates.json');
    const whole = bytesOf(await files.files.get({ fileId, alt: 'media' }, { responseType: 'arraybuffer' }));
    assert.equal(JSON.parse(whole).base, 'EUR');
    const headers = { range: 'bytes=4-9' };
    const part = await files.files.get({ fileId, alt: 'media' }, { responseType: 'arraybuffer', headers });
    assert.equal(part.status, 206);
    assert.deepEqual(bytesOf(part), whole.subarray(4, 10));
    const large = await named('virtual-64mib.bin');
    const { data: about } = await files.files.get({ fileId: large, fields: 'size,md5Checksum' });
    const { data } = await files.files.get({ fileId: large, alt: 'media' }, { responseType: 'stream' });
    const hash = createHash('md5');
    let length = 0;
    for await (const chunk of data) {
      hash.update(chunk);
      length += chunk.length;
    }
    assert.deepEqual([String(length), hash.digest('hex')], [about.size, about.md5Checksum]);
  });

  it('exports documents', async () => {
    const fileId = await named('Public handbook');
    const plain = await files.files.export({ fileId, mimeType: 'text/plain' }, { responseType: 'text' });
    assert.match(plain.data, /Handbook\r\n\r\nHow we work/);
    const pdf = await files.files.export({ fileId, mimeType: 'application/pdf' }, { responseType: 'arraybuffer' });
    assert.equal(bytesOf(pdf).subarray(0, 5).toString(), '%PDF-');
  });

  it('reads comments and replies', async () => {
    const { data } = await files.files.list({ q: "name = 'Kick-off notes'" });
    let replies = 0;
    for (const { id: fileId } of data.files) {
      const { comments } = (await files.comments.list({ fileId, fields: '*', includeDeleted: false })).data;
      for (const { id: commentId, content } of comments) {
        const one = await files.comments.get({ fileId, commentId, fields: '*' });
        assert.equal(one.data.content, content);
        const listed = (await files.replies.list({ fileId, commentId, fields: '*' })).data.replies;
        replies += listed.length;
        if (!listed[0]) continue;
        const reply = await files.replies.get({ fileId, commentId, replyId: listed[0].id, fields: 'content' });
        assert.equal(reply.data.content, listed[0].content);
      }
    }
    assert.ok(replies > 20);
  });

  it('reads permissions and revisions', async () => {
    const fileId = await named('Contract Northwind Dairy.pdf');
    const { permissions } = (await files.permissions.list({ fileId, fields: '*' })).data;
    const permission = await files.permissions.get({ fileId, permissionId: permissions[0].id });
    assert.equal(permission.data.role, 'owner');
    const { revisions } = (await files.revisions.list({ fileId })).data;
    assert.equal(revisions.length, 3);
    const revision = await files.revisions.get({ fileId, revisionId: revisions[0].id, fields: 'size,md5Checksum' });
    const old = await files.revisions.get(
      { fileId, revisionId: revisions[0].id, alt: 'media' },
      { responseType: 'arraybuffer' },
    );
    assert.equal(String(bytesOf(old).length), revision.data.size);
    assert.equal(createHash('md5').update(bytesOf(old)).digest('hex'), revision.data.md5Checksum);
  });

  it('identifies the user', async () => {
    const { data } = await files.about.get({ fields: '*' });
    assert.equal(data.user.emailAddress, 'ines.carvalho@fernhill.example');
    assert.equal(typeof data.storageQuota.usage, 'string');
  });
});

describe('writing with @googleapis/drive', () => {
  it('creates, updates, moves and deletes', async () => {
    const requestBody = { name: 'made', mimeType: 'application/vnd.google-apps.folder' };
    const { data: folder } = await files.files.create({ requestBody });
    const { data: file } = await files.files.create({
      requestBody: { name: 'inside', parents: [folder.id] },
      fields: 'id,parents',
    });
    assert.deepEqual(file.parents, [folder.id]);
    const renamed = await files.files.update({
      fileId: file.id,
      requestBody: { name: 'renamed', description: 'new' },
      fields: '*',
    });
    assert.deepEqual([renamed.data.name, renamed.data.description], ['renamed', 'new']);
    const moved = await files.files.update({
      fileId: file.id,
      addParents: 'root',
      removeParents: folder.id,
      fields: 'parents',
    });
    assert.notDeepEqual(moved.data.parents, [folder.id]);
    const gone = await files.files.delete({ fileId: file.id });
    assert.deepEqual([gone.status, gone.data], [204, '']);
    await assert.rejects(files.files.get({ fileId: file.id }), { status: 404 });
  });

  it('uploads in one request, and changes the content', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    const media = { mimeType: 'application/x-test', body: Readable.from([bytes]) };
    const { data } = await files.files.create({ requestBody: { name: 'sent' }, media, fields: 'id,size,md5Checksum' });
    assert.deepEqual([data.size, data.md5Checksum], ['256', createHash('md5').update(bytes).digest('hex')]);
    const read = await files.files.get({ fileId: data.id, alt: 'media' }, { responseType: 'arraybuffer' });
    assert.deepEqual(bytesOf(read), bytes);
    const changed = { mimeType: 'text/plain', body: 'new content' };
    await files.files.update({ fileId: data.id, media: changed });
    const after = await files.files.get({ fileId: data.id, alt: 'media' }, { responseType: 'text' });
    assert.equal(after.data, 'new content');
  });

  it('uploads a document with conversion', async () => {
    const requestBody = { name: 'doc', mimeType: 'application/vnd.google-apps.document' };
    const media = { mimeType: 'text/plain', body: 'one\ntwo' };
    const { data } = await files.files.create({ requestBody, media, fields: 'id,mimeType' });
    const text = await files.files.export({ fileId: data.id, mimeType: 'text/plain' }, { responseType: 'text' });
    assert.equal(text.data.replace('\uFEFF', ''), 'one\r\ntwo');
  });

  it('resumes an interrupted resumable upload', async () => {
    const token = await files.context._options.auth.getAccessToken();
    const authorization = `Bearer ${token.token}`;
    const granule = 256 * 1024;
    const bytes = Buffer.alloc(granule * 3 + 17, 'drive');
    const started = await fetch(`${rootUrl()}upload/drive/v3/files?uploadType=resumable&fields=id,size`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', 'x-upload-content-length': String(bytes.length) },
      body: JSON.stringify({ name: 'resumed' }),
    });
    const location = started.headers.get('location');
    assert.ok(location.startsWith(rootUrl()));
    const put = (from, to) => {
      const headers = { 'content-range': `bytes ${from}-${to - 1}/${bytes.length}` };
      return fetch(location, { method: 'PUT', headers, body: bytes.subarray(from, to) });
    };
    assert.equal((await put(0, granule)).status, 308);
    server.sandbox.faults.add({ kind: 'broken_chunk', path: '/upload/', after: granule });
    await assert.rejects(put(granule, bytes.length));
    const asked = await fetch(location, { method: 'PUT', headers: { 'content-range': `bytes */${bytes.length}` } });
    assert.deepEqual([asked.status, asked.headers.get('range')], [308, `bytes=0-${granule * 2 - 1}`]);
    const made = await (await put(granule * 2, bytes.length)).json();
    const read = await files.files.get({ fileId: made.id, alt: 'media' }, { responseType: 'arraybuffer' });
    assert.ok(bytesOf(read).equals(bytes));
  });

  it('shares, comments and replies', async () => {
    const fileId = await named('rates.json');
    const requestBody = { type: 'user', role: 'reader', emailAddress: 'tomas.aguirre@fernhill.example' };
    const permission = await files.permissions.create({ fileId, requestBody });
    assert.equal(permission.data.role, 'reader');
    const comment = await files.comments.create({ fileId, fields: '*', requestBody: { content: 'right?' } });
    const reply = { fileId, commentId: comment.data.id, fields: '*' };
    await files.replies.create({ ...reply, requestBody: { content: 'yes', action: 'resolve' } });
    assert.equal((await files.comments.get(reply)).data.resolved, true);
    await files.permissions.delete({ fileId, permissionId: permission.data.id });
  });

  it('sees its own writes among the changes', async () => {
    const { data } = await files.changes.getStartPageToken({});
    const { data: file } = await files.files.create({ requestBody: { name: 'noticed' } });
    const { data: page } = await files.changes.list({ pageToken: data.startPageToken });
    assert.deepEqual(
      page.changes.map(({ fileId, removed }) => [fileId, removed]),
      [[file.id, false]],
    );
    assert.ok(Number(page.newStartPageToken) > Number(data.startPageToken));
  });
});

describe('errors in @googleapis/drive', () => {
  const first = (error) => error.response.data.error.errors[0];
  const refused = (promise) =>
    promise.then(
      () => assert.fail('it was answered'),
      (error) => error,
    );

  it('include the reason', async () => {
    const missing = await refused(files.files.get({ fileId: 'nowhere' }));
    assert.deepEqual([missing.status, first(missing).reason], [404, 'notFound']);
    const fields = await refused(files.about.get({}));
    assert.deepEqual([fields.status, first(fields).reason], [400, 'required']);
    const native = await refused(files.files.get({ fileId: await named('Budget'), alt: 'media' }));
    assert.deepEqual([native.status, first(native).reason], [403, 'fileNotDownloadable']);
    const search = await refused(files.files.list({ q: "name = 'x" }));
    assert.equal(first(search).location, 'q');
  });

  it('are retried by the client when a limit is exceeded', async () => {
    await files.files.list({ pageSize: 1 });
    server.sandbox.faults.add({ kind: 'rate_limited', status: 429 });
    server.sandbox.faults.add({ kind: '503', nth: 2 });
    assert.equal((await files.files.list({ pageSize: 1 })).status, 200);
    // The client first takes a 403 to mean an expired token, and tries again.
    server.sandbox.faults.add({ kind: 'rate_limited', path: '/drive', count: 2 });
    const error = await refused(files.files.list({ pageSize: 1 }, withoutRetries));
    assert.deepEqual([error.status, first(error).reason], [403, 'userRateLimitExceeded']);
  });

  it('depend on the scopes', async () => {
    const narrow = client('metadata_readonly');
    assert.ok((await narrow.files.list({})).data.files.length > 50);
    const drives = await refused(narrow.drives.list({}));
    assert.deepEqual([drives.status, first(drives).reason], [403, 'insufficientPermissions']);
    server.sandbox.revoke(server.sandbox.vendors['google-drive'].credentials.oauth.refresh_token);
    const gone = await refused(client('oauth').files.list({}));
    assert.equal(gone.response.data.error, 'invalid_grant');
  });
});
