import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { playVendor } from '../../play-vendor.js';
import { collect } from './setup.js';

/** A connector whose requests are recorded; responses are used in turn, and the last one repeats. */
function wired(...answers: Array<object | Response>) {
  const sent = playVendor(...(answers.length > 0 ? answers : [{ kind: 'drive#file', id: 'F' }]));
  const drive = new GoogleDriveConnector({ credentials: { access_token: 'ya29.wire' }, retries: 0 });
  const query = (index = 0) => Object.fromEntries(sent[index]!.url.searchParams);
  return { drive, sent, query };
}

describe('a write whose response has none of the fields of a file', () => {
  const values = { fileId: 'F', name: 'new' };
  test.each([
    ['create', (drive: GoogleDriveConnector) => drive.files.create({ name: 'n' })],
    ['update', (drive: GoogleDriveConnector) => drive.files.update(values)],
    ['upload', (drive: GoogleDriveConnector) => drive.files_upload.create({ name: 'n', file_content: '' })],
  ])('has an unknown outcome: %s', async (_, write) => {
    for (const body of [{}, { message: 'Please sign in' }, { id: null }, [], 'ok']) {
      const error = await failure(write(wired(Response.json(body)).drive));
      expect([error.code, error.message]).toEqual([
        'unknown_outcome',
        expect.stringContaining('none of the expected fields'),
      ]);
    }
  });

  test('is found by its id if a retry may follow', async () => {
    const { drive, sent } = wired({ ids: ['F'] }, {}, { kind: 'drive#file', id: 'F', name: 'n' });
    const { data } = await drive.files.create({ name: 'n' }, { once: { sending() {} } });
    expect([data.id, sent.length]).toEqual(['F', 3]);
  });
});

describe('a request to Google', () => {
  test('goes to the URL for its kind, with a Bearer token', async () => {
    const { drive, sent } = wired();
    await drive.files.get({ fileId: 'a/b c' });
    await drive.files_upload.create({ name: 'n', file_content: '' });
    expect(sent.map(({ url }) => url.origin + url.pathname)).toEqual([
      'https://www.googleapis.com/drive/v3/files/a%2Fb%20c',
      'https://www.googleapis.com/upload/drive/v3/files',
    ]);
    expect(sent[0]!.headers.get('authorization')).toBe('Bearer ya29.wire');
  });

  test('encodes query, order and flags as Google expects', async () => {
    const { drive, sent } = wired({ files: [] });
    const q = "name = 'O\\'Brien & ü+' and trashed=false";
    await drive.files.list({ q, orderBy: 'modifiedTime desc,name', spaces: 'appDataFolder', pageSize: 5 });
    const { search, searchParams } = sent[0]!.url;
    expect(Object.fromEntries(new URLSearchParams(search))).toMatchObject({
      q,
      orderBy: 'modifiedTime desc,name',
      spaces: 'appDataFolder',
      pageSize: '5',
      supportsAllDrives: 'true',
    });
    expect(search).toContain('%27Brien+%26+%C3%BC%2B%27');
    expect(searchParams.has('corpora')).toBe(false);
  });

  test('includes shared drives by default, but only if Google supports the parameter', async () => {
    const lists = { permissions: [], comments: [], replies: [], revisions: [] };
    const { drive, query } = wired({ kind: 'drive#file', id: 'F', ...lists });
    await drive.files.get({ fileId: 'F' });
    await drive.files.get({ fileId: 'F', supportsAllDrives: false });
    await drive.files.update({ fileId: 'F', name: 'n' });
    await drive.permissions.list({ fileId: 'F' });
    await drive.comments.list({ fileId: 'F' });
    await drive.replies.list({ fileId: 'F', commentId: 'C' });
    await drive.revisions.list({ fileId: 'F' });
    const flags = Array.from({ length: 7 }, (_, index) => query(index).supportsAllDrives);
    expect(flags).toEqual(['true', 'false', 'true', 'true', undefined, undefined, undefined]);
  });

  test("for several drives adds the flags that Google requires and keeps the caller's own", async () => {
    const { drive, query } = wired({ files: [], changes: [] });
    await drive.files.list({ corpora: 'allDrives' });
    await drive.files.list({ driveId: 'D' });
    await drive.files.list({ driveId: 'D', includeItemsFromAllDrives: false });
    await drive.changes.list({ pageToken: '1', driveId: 'D' });
    expect(query(0)).toMatchObject({ corpora: 'allDrives', includeItemsFromAllDrives: 'true' });
    expect(query(1)).toMatchObject({ corpora: 'drive', driveId: 'D', includeItemsFromAllDrives: 'true' });
    expect(query(2)).toMatchObject({ corpora: 'drive', includeItemsFromAllDrives: 'false' });
    expect(query(3)).toMatchObject({ driveId: 'D', includeItemsFromAllDrives: 'true', supportsAllDrives: 'true' });
  });

  test('to move a file has the parents in the query and the new name in the body', async () => {
    const { drive, sent, query } = wired();
    await drive.files.update({ fileId: 'F', addParents: 'A', removeParents: 'B', name: 'n' });
    expect(query()).toMatchObject({ addParents: 'A', removeParents: 'B' });
    expect([sent[0]!.method, JSON.parse(sent[0]!.body)]).toEqual(['PATCH', { name: 'n' }]);
  });
});

describe('a mask', () => {
  test.each([
    ['files(id,name)', 'nextPageToken,files(id,name)'],
    ['nextPageToken,files(id)', 'nextPageToken,files(id)'],
    ['*', '*'],
  ])('of %s is sent as %s so that paging continues', async (fields, mask) => {
    const { drive, query } = wired({ files: [] });
    await drive.files.list({ fields });
    expect(query().fields).toBe(mask);
  });

  test('is sent when Google would otherwise return too few fields or reject the request', async () => {
    const { drive, query } = wired({ kind: 'drive#comment', id: 'C' });
    await drive.comments.get({ fileId: 'F', commentId: 'C' });
    await drive.replies.get({ fileId: 'F', commentId: 'C', replyId: 'R' });
    await drive.about.get();
    await drive.permissions.get({ fileId: 'F', permissionId: 'P' });
    expect(query(0).fields).toContain('quotedFileContent');
    expect(query(1).fields).toContain('htmlContent');
    expect(query(2).fields).toContain('storageQuota');
    expect(query(3).fields).toContain('emailAddress');
  });

  test('lists every field by name, since * would include permissions', async () => {
    const { drive, query } = wired();
    await drive.files.get({ fileId: 'F' });
    const names = query().fields!.split(',');
    expect(names).toHaveLength(58);
    expect(names).not.toContain('permissions');
    expect(names).not.toContain('*');
  });
});

describe('a list', () => {
  const lists: Readonly<Record<string, object>> = {
    files: {},
    drives: {},
    permissions: { fileId: 'F' },
    comments: { fileId: 'F' },
    replies: { fileId: 'F', commentId: 'C' },
    revisions: { fileId: 'F' },
    changes: { pageToken: '1' },
  };
  const masked = ['files', 'comments'];

  test.each(Object.entries(lists))('of %s is empty only if Google says so', async (entity, params) => {
    const page = { kind: 'drive#list', incompleteSearch: false, newStartPageToken: '9' };
    const read = (body: object, mask: object = {}) =>
      wired(body).drive.execute(entity as 'files', 'list', { ...params, ...mask } as object);
    expect((await read({ ...page, [entity]: [] })).data).toEqual([]);
    expect(await failure(read(page))).toMatchObject({ code: 'invalid_response' });
    if (!masked.includes(entity)) return;
    expect(await failure(read(page, { fields: `kind,${entity}(id)` }))).toMatchObject({ code: 'invalid_response' });
    expect((await read({ kind: 'drive#list' }, { fields: 'kind' })).data).toEqual([]);
  });
});

describe('the next page', () => {
  test('is requested with every other parameter unchanged', async () => {
    const { drive, sent, query } = wired({ files: [{ id: 'a' }], nextPageToken: 't2' }, { files: [{ id: 'b' }] });
    const given = { q: "name contains 'x'", orderBy: 'name', driveId: 'D', pageSize: 3 };
    const found = await collect(drive.paginate('files', 'list', given));
    expect(found.map(({ id }) => id)).toEqual(['a', 'b']);
    const { pageToken, ...same } = query(1);
    expect([pageToken, sent.length]).toEqual(['t2', 2]);
    expect(same).toEqual(query(0));
  });

  test('is requested after a page without records, but not if there is no token', async () => {
    const { drive, sent } = wired({ changes: [], nextPageToken: 't2' }, { changes: [], newStartPageToken: '9' });
    const pages = [];
    for await (const page of drive.paginate('changes', 'list', { pageToken: '1' }).pages()) pages.push(page);
    expect(pages).toEqual([
      { data: [], meta: { nextPageToken: 't2', newStartPageToken: null } },
      { data: [], meta: { nextPageToken: null, newStartPageToken: '9' } },
    ]);
    expect(sent).toHaveLength(2);
  });

  test('can follow an incomplete search, which meta reports', async () => {
    const { drive } = wired({ files: [], incompleteSearch: true });
    expect((await drive.files.list({ corpora: 'allDrives' })).meta).toEqual({
      nextPageToken: null,
      incompleteSearch: true,
      notes: [expect.stringContaining('Not all shared drives were searched')],
    });
  });
});

describe('an upload on the wire', () => {
  test('has metadata first, CRLF throughout, a type for each part and a unique boundary', async () => {
    const { drive, sent } = wired();
    const upload = () =>
      drive.files_upload.create({
        name: 'x.txt',
        parents: ['P'],
        file_content: 'SGVsbG8=',
        file_mime_type: 'text/plain',
      });
    await upload();
    await upload();
    const { headers, body } = sent[0]!;
    const boundary = /^multipart\/related; boundary=([\w-]+)$/.exec(headers.get('content-type')!)![1]!;
    expect(body).toBe(
      [
        `--${boundary}`,
        'Content-Type: application/json; charset=UTF-8',
        '',
        '{"name":"x.txt","parents":["P"]}',
        `--${boundary}`,
        'Content-Type: text/plain',
        '',
        'Hello',
        `--${boundary}--`,
      ].join('\r\n'),
    );
    expect(sent[1]!.headers.get('content-type')).not.toContain(boundary);
  });

  test('above 5 MB starts with its type and length and is sent in multiples of 256 KiB', async () => {
    const session = 'https://www.googleapis.com/upload/drive/v3/files?uploadType=resumable&upload_id=S';
    const size = 9 * 2 ** 20;
    const { drive, sent, query } = wired(
      new Response(null, { headers: { location: session } }),
      new Response(null, { status: 308, headers: { range: `bytes=0-${8 * 2 ** 20 - 1}` } }),
      { id: 'F' },
    );
    const { data } = await drive.files_upload.create({
      name: 'v',
      file_content: new Uint8Array(size),
      mimeType: 'video/mp4',
    });
    expect(data.id).toBe('F');
    expect(query()).toMatchObject({ uploadType: 'resumable', supportsAllDrives: 'true' });
    expect(Object.fromEntries(sent[0]!.headers)).toMatchObject({
      'x-upload-content-type': 'application/octet-stream',
      'x-upload-content-length': String(size),
    });
    expect(JSON.parse(sent[0]!.body)).toEqual({ name: 'v', mimeType: 'video/mp4' });
    expect(sent.slice(1).map(({ method, headers }) => [method, headers.get('content-range')])).toEqual([
      ['PUT', `bytes 0-8388607/${size}`],
      ['PUT', `bytes 8388608-${size - 1}/${size}`],
    ]);
  });

  test('fails if starting it returns no URL', async () => {
    const { drive } = wired({});
    const call = drive.files_upload.create({ name: 'v', file_content: new Uint8Array(6 * 2 ** 20) });
    expect((await failure(call)).code).toBe('invalid_response');
  });
});

test('a delete returns 204 without a body and succeeds', async () => {
  const { drive, sent } = wired(new Response(null, { status: 204 }));
  expect(await drive.files.delete({ fileId: 'F' })).toEqual({ data: { success: true }, meta: {} });
  expect(sent[0]!.method).toBe('DELETE');
});
