// The connector and Google's own client make the same calls: requests and responses must be the same.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { auth, drive as google } from '@googleapis/drive';
import { GoogleDriveConnector } from '../../dist/google-drive.js';
import { serve } from '../../sandbox/dist/server.js';

describe('the connector and @googleapis/drive', () => {
  let server;
  let ours;
  let theirs;
  let options;
  let file;
  let document;

  before(async () => {
    server = await serve();
    const { access_token } = server.sandbox.vendors['google-drive'].credentials.access_token;
    const endpoints = `${server.url}/google-drive`;
    ours = new GoogleDriveConnector({ credentials: { access_token }, endpoints });
    const client = new auth.OAuth2();
    client.setCredentials({ access_token });
    theirs = google({ version: 'v3', auth: client });
    // Its global rootUrl drops the path, so each call sets rootUrl.
    options = { rootUrl: `${endpoints}/` };
    const find = async (q) => (await ours.files.list({ q, pageSize: 1 })).data[0];
    file = await find("mimeType='application/pdf' and 'me' in owners");
    document = await find("mimeType='application/vnd.google-apps.document' and 'me' in owners");
  });

  after(() => server.close());

  /** Runs both and returns the request and result of each. */
  async function both(mine, official) {
    const asked = () => {
      const [{ method, path, query }] = server.sandbox.requests;
      server.sandbox.requests.clear();
      return { method, path, query };
    };
    server.sandbox.requests.clear();
    const own = { result: await mine(), request: asked() };
    // The official client sends only what it is given; the connector adds the mask itself.
    const other = { result: (await official(own.request.query)).data, request: asked() };
    assert.deepEqual(own.request, other.request);
    return { own: own.result, other: other.result };
  }

  /** Google omits what the connector returns as null. */
  const filled = (record) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));

  test('list files with the same request', async () => {
    const q = "name contains 'a' and trashed=false";
    const { own, other } = await both(
      () => ours.files.list({ q, pageSize: 20, orderBy: 'modifiedTime desc' }),
      (query) => theirs.files.list({ ...query, q, pageSize: 20, orderBy: 'modifiedTime desc' }, options),
    );
    assert.deepEqual(own.data.map(filled), other.files);
    assert.equal(own.meta.nextPageToken, other.nextPageToken ?? null);
  });

  test('get, update and delete with the same requests', async () => {
    const fileId = file.id;
    const got = await both(
      () => ours.files.get({ fileId }),
      (query) => theirs.files.get({ ...query, fileId }, options),
    );
    assert.deepEqual(filled(got.own.data), got.other);
    const changed = await both(
      () => ours.files.update({ fileId, name: 'Renamed.pdf' }),
      (query) => theirs.files.update({ ...query, fileId, requestBody: { name: 'Renamed.pdf' } }, options),
    );
    assert.equal(changed.own.data.name, changed.other.name);
    const [one, two] = await Promise.all([ours.files.create({ name: 'x' }), ours.files.create({ name: 'y' })]);
    server.sandbox.requests.clear();
    await ours.files.delete({ fileId: one.data.id });
    await theirs.files.delete({ fileId: two.data.id, supportsAllDrives: true }, options);
    const [mine, official] = server.sandbox.requests.map(({ method, query }) => ({ method, query }));
    assert.deepEqual(mine, official);
  });

  test('download and export with the same requests', async () => {
    const downloaded = await both(
      () => ours.files.download({ fileId: file.id }),
      (query) =>
        theirs.files.get({ ...query, fileId: file.id, alt: 'media' }, { ...options, responseType: 'arraybuffer' }),
    );
    const mine = Buffer.from(await new Response(downloaded.own.data).arrayBuffer());
    assert.equal(Buffer.compare(mine, Buffer.from(downloaded.other)), 0);
    const exported = await both(
      () => ours.files_export.download({ fileId: document.id, mimeType: 'text/plain' }),
      (query) => theirs.files.export({ ...query, fileId: document.id }, { ...options, responseType: 'arraybuffer' }),
    );
    const text = Buffer.from(await new Response(exported.own.data).arrayBuffer());
    assert.equal(Buffer.compare(text, Buffer.from(exported.other)), 0);
  });

  test('read everything that belongs to a file with the same requests', async () => {
    const fileId = document.id;
    for (const resource of ['permissions', 'comments', 'revisions']) {
      const { own, other } = await both(
        () => ours[resource].list({ fileId }),
        (query) => theirs[resource].list({ ...query, fileId }, options),
      );
      assert.deepEqual(own.data.map(filled), other[resource]);
    }
    const about = await both(
      () => ours.about.get(),
      (query) => theirs.about.get(query, options),
    );
    assert.deepEqual(filled(about.own.data), about.other);
    const drives = await both(
      () => ours.drives.list({ pageSize: 5 }),
      (query) => theirs.drives.list(query, options),
    );
    assert.deepEqual(drives.own.data.map(filled), drives.other.drives);
    const token = await both(
      () => ours.changes_start_page_token.get(),
      (query) => theirs.changes.getStartPageToken(query, options),
    );
    const { startPageToken: pageToken } = token.own.data;
    const changes = await both(
      () => ours.changes.list({ pageToken }),
      (query) => theirs.changes.list(query, options),
    );
    assert.equal(changes.own.meta.newStartPageToken, changes.other.newStartPageToken);
  });
});
