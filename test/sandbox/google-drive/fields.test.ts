import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, it } from 'vitest';
import { noon } from '../requester.js';
import { createFinder, createRequester, list } from './requester.js';

const sandbox = createSandbox({ now: () => noon });
const ask = createRequester(sandbox);
const find = createFinder(ask);
const get = async (name: string, fields?: string) =>
  (
    await ask(
      `/drive/v3/files/${await find(name)}${fields === undefined ? '' : `?${new URLSearchParams({ fields, supportsAllDrives: 'true' })}`}`,
    )
  ).json;

describe('field masks', () => {
  it.each([
    ['id', ['id']],
    ['id,name', ['id', 'name']],
    ['owners/displayName', ['owners']],
    [' id , name ', ['id', 'name']],
    ['', []],
  ])('%j selects %j', async (fields, names) => {
    expect(Object.keys(await get('Budget', fields)).sort()).toEqual(names);
  });

  it('reach into objects and lists, with slashes or parentheses', async () => {
    const { json } = await ask(
      list({ pageSize: '1', fields: 'files(owners(me,displayName),capabilities/canEdit),nextPageToken' }),
    );
    expect(Object.keys(json.files[0]).sort()).toEqual(['capabilities', 'owners']);
    expect(json.files[0]).toEqual({
      owners: [{ displayName: 'Ines Carvalho', me: true }],
      capabilities: { canEdit: true },
    });
    const merged = await ask(list({ pageSize: '1', fields: 'files/id,files/name' }));
    expect(Object.keys(merged.json.files[0]).sort()).toEqual(['id', 'name']);
    const all = await ask(list({ pageSize: '1', fields: '*' }));
    expect(Object.keys(all.json.files[0]).length).toBeGreaterThan(30);
    const stars = await ask(list({ pageSize: '1', fields: 'files(*)' }));
    expect(stars.json).toEqual({ files: all.json.files });
  });

  it.each([
    ['nope', 'nope'],
    ['id,nope', 'nope'],
    ['owners(nope)', 'nope'],
    ['id/deeper', 'deeper'],
    [',', ','],
    ['files(id', 'files(id'],
    ['id)', 'id)'],
    ['id name', 'id name'],
  ])('rejects %s', async (fields, named) => {
    const id = await find('Budget');
    const refused = await ask(`/drive/v3/files/${id}?${new URLSearchParams({ fields })}`);
    expect(refused.json.error).toEqual({
      code: 400,
      message: `Invalid field selection ${named}`,
      errors: [
        {
          message: `Invalid field selection ${named}`,
          domain: 'global',
          reason: 'invalidParameter',
          location: 'fields',
          locationType: 'parameter',
        },
      ],
    });
  });

  it("reject a file's field on a list", async () => {
    expect((await ask(list({ fields: 'id' }))).json.error.message).toBe('Invalid field selection id');
  });

  it.each([
    '/drive/v3/about',
    '/drive/v3/files/x/comments',
    '/drive/v3/files/x/comments/y',
    '/drive/v3/files/x/comments/y/replies',
    '/drive/v3/files/x/comments/y/replies/z',
  ])('are required on %s', async (path) => {
    const refused = await ask(path);
    expect(refused).toMatchObject({ status: 400, reason: 'required' });
    expect(refused.json.error.message).toBe("The 'fields' parameter is required for this method.");
  });
});

describe('a file', () => {
  it('never contains null and represents large integers as strings', async () => {
    for (const name of ['Budget', 'Contract Calder & Sons.pdf', 'Customers', 'Board minutes.pdf', 'Brand guide.pdf']) {
      const text = JSON.stringify(await get(name, '*'));
      expect(text).not.toContain('null');
    }
    expect(await get('virtual-1gib.bin', 'size,quotaBytesUsed,version')).toEqual({
      size: '1073741824',
      quotaBytesUsed: '1073741824',
      version: expect.stringMatching(/^\d+$/),
    });
  });

  it('has checksums, an extension and a content link if its content is binary', async () => {
    const file = await get('export.tar.gz', '*');
    expect(file).toMatchObject({ fileExtension: 'gz', fullFileExtension: 'tar.gz', originalFilename: 'export.tar.gz' });
    expect(file.md5Checksum).toMatch(/^[0-9a-f]{32}$/);
    expect(file.webContentLink).toContain(file.id);
    expect(file).not.toHaveProperty('exportLinks');
  });

  it('shared with me has no parents, but has the sharing user and time', async () => {
    const file = await get('Ledger rewrite', 'parents,ownedByMe,sharedWithMeTime,sharingUser(displayName),shared');
    expect(file).toEqual({
      ownedByMe: false,
      shared: true,
      sharedWithMeTime: expect.any(String),
      sharingUser: { displayName: 'Tomás Aguirre' },
    });
  });
});

describe('by id', () => {
  it('finds root and returns 404 for anything inaccessible', async () => {
    expect((await ask('/drive/v3/files/root')).json.name).toBe('My Drive');
    const shared = await find('Brand guide.pdf');
    const cases = ['nowhere', shared];
    for (const id of cases) {
      const refused = await ask(`/drive/v3/files/${id}`);
      expect(refused.json.error).toEqual({
        code: 404,
        message: `File not found: ${id}.`,
        errors: [
          {
            message: `File not found: ${id}.`,
            domain: 'global',
            reason: 'notFound',
            location: 'fileId',
            locationType: 'parameter',
          },
        ],
      });
    }
    expect((await ask(`/drive/v3/files/${shared}?supportsAllDrives=true`)).status).toBe(200);
    expect((await ask(`/drive/v3/files/${shared}?supportsTeamDrives=true`)).status).toBe(200);
  });

  it('returns HTML for unknown methods', async () => {
    for (const path of ['/drive/v3/nothing', '/drive/v3/files/x/y/z', '/drive/v3']) {
      const answer = await ask(path);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=UTF-8']);
    }
  });

  it('pretty-prints by default', async () => {
    expect((await ask('/drive/v3/files/root?fields=name')).text).toBe('{\n  "name": "My Drive"\n}\n');
    expect((await ask('/drive/v3/files/root?fields=name&prettyPrint=false')).text).toBe('{"name":"My Drive"}');
  });
});
