import { createSandbox } from 'agent-connectors-sandbox';
import { beforeEach, describe, expect, it } from 'vitest';
import { noon } from '../requester.js';
import { createFinder, createRequester, jsonRequest, list, tokenOf } from './requester.js';

const sandbox = createSandbox({ now: () => noon });
const ask = createRequester(sandbox);
const find = createFinder(ask);
beforeEach(() => sandbox.reset());

const folderType = 'application/vnd.google-apps.folder';
const create = (body: unknown, query = '') => ask(`/drive/v3/files${query}`, jsonRequest('POST', body));
const update = (id: string, body: unknown, query = '') =>
  ask(`/drive/v3/files/${id}${query}`, jsonRequest('PATCH', body));
const remove = (id: string, query = '') => ask(`/drive/v3/files/${id}${query}`, { method: 'DELETE' });
const get = async (id: string, fields: string) =>
  (await ask(`/drive/v3/files/${id}?${new URLSearchParams({ fields, supportsAllDrives: 'true' })}`)).json;

describe('files.create', () => {
  it('creates a folder in the root, and another with the same name', async () => {
    const first = await create({ name: 'New', mimeType: folderType });
    expect(first.json).toEqual({
      kind: 'drive#file',
      id: expect.stringMatching(/^1.{32}$/),
      name: 'New',
      mimeType: folderType,
    });
    const second = await create({ name: 'New', mimeType: folderType });
    expect(second.json.id).not.toBe(first.json.id);
    expect(await get(first.json.id, 'parents,ownedByMe,createdTime,isAppAuthorized')).toEqual({
      parents: [(await get('root', 'id')).id],
      ownedByMe: true,
      isAppAuthorized: true,
      createdTime: '2026-05-04T12:00:00.000Z',
    });
  });

  it('creates an empty file if no type is given, and an untitled one if no name is given', async () => {
    const { json } = await create({}, '?fields=name,mimeType,size,md5Checksum');
    expect(json).toEqual({
      name: 'Untitled',
      mimeType: 'application/octet-stream',
      size: '0',
      md5Checksum: 'd41d8cd98f00b204e9800998ecf8427e',
    });
  });

  it('accepts properties, a description, a star and timestamps', async () => {
    const given = {
      name: 'x',
      description: 'about x',
      starred: true,
      properties: { a: '1' },
      appProperties: { b: '2' },
      createdTime: '2020-01-01T00:00:00Z',
      modifiedTime: '2020-01-02T00:00:00Z',
      originalFilename: 'y.txt',
    };
    const { json } = await create(given, '?fields=*');
    expect(json).toMatchObject({
      ...given,
      createdTime: '2020-01-01T00:00:00.000Z',
      modifiedTime: '2020-01-02T00:00:00.000Z',
    });
  });

  it('creates a shortcut', async () => {
    const targetId = await find('Budget');
    const body = { name: 'to it', mimeType: 'application/vnd.google-apps.shortcut', shortcutDetails: { targetId } };
    const { json } = await create(body, '?fields=shortcutDetails');
    expect(json.shortcutDetails).toEqual({ targetId, targetMimeType: 'application/vnd.google-apps.spreadsheet' });
    expect((await create({ ...body, shortcutDetails: { targetId: 'nothing' } })).reason).toBe('notFound');
  });

  it('creates files in shared drives only with supportsAllDrives', async () => {
    const drive = (await ask('/drive/v3/drives')).json.drives[0];
    const body = { name: 'shared.txt', parents: [drive.id] };
    expect(await create(body)).toMatchObject({ status: 404, reason: 'notFound' });
    const { json } = await create(body, '?supportsAllDrives=true&fields=driveId,owners,parents');
    expect(json).toEqual({ driveId: drive.id, parents: [drive.id] });
  });

  it.each([
    [{ parents: ['root', 'other'] }, 403, 'cannotAddParent'],
    [{ parents: ['nowhere'] }, 404, 'notFound'],
    [{ size: '5' }, 403, 'fieldNotWritable'],
    [{ parents: 'root' }, 400, 'invalid'],
    [{ name: 5 }, 400, 'invalid'],
    [{ modifiedTime: 'yesterday' }, 400, 'invalid'],
    [[], 400, 'parseError'],
  ])('rejects %j', async (body, status, reason) => {
    expect(await create(body)).toMatchObject({ status, reason });
  });

  it('rejects a parent that is not a folder or is read-only', async () => {
    expect(await create({ parents: [await find('rates.json')] })).toMatchObject({
      status: 403,
      reason: 'parentNotAFolder',
    });
    const administrator = createRequester(sandbox, await tokenOf(sandbox, 'administrator'));
    const folder = (await administrator(list({ q: "name = 'Engineering plans'" }))).json.files[0].id;
    const email = { type: 'user', role: 'reader', emailAddress: 'ines.carvalho@fernhill.example' };
    await administrator(`/drive/v3/files/${folder}/permissions`, jsonRequest('POST', email));
    expect(await create({ parents: [folder] })).toMatchObject({ status: 403, reason: 'insufficientParentPermissions' });
  });

  it('uses a previously generated id only once', async () => {
    const { ids } = (await ask('/drive/v3/files/generateIds?count=2')).json;
    expect(ids).toHaveLength(2);
    expect((await create({ id: ids[0], name: 'x' })).json.id).toBe(ids[0]);
    expect(await create({ id: ids[0], name: 'x' })).toMatchObject({ status: 409, reason: 'fileIdInUse' });
    expect(await create({ id: 'made-up' })).toMatchObject({ status: 400, reason: 'invalid' });
  });

  it('rejects an invalid field mask before writing anything', async () => {
    expect((await create({ name: 'unseen' }, '?fields=nope')).reason).toBe('invalidParameter');
    expect((await ask(list({ q: "name = 'unseen'" }))).json.files).toEqual([]);
  });
});

describe('files.update', () => {
  it('changes only the given fields', async () => {
    const id = await find('rates.json');
    const before = await get(id, 'version');
    sandbox.clock.advance(60_000);
    const { json } = await update(
      id,
      { name: 'rates-2026.json' },
      '?fields=name,description,modifiedTime,version,originalFilename',
    );
    expect(json).toEqual({
      name: 'rates-2026.json',
      originalFilename: 'rates.json',
      modifiedTime: '2026-05-04T12:01:00.000Z',
      version: String(Number(before.version) + 1),
    });
  });

  it('clears properties with null', async () => {
    const id = await find('config.yaml');
    await update(id, { properties: { phase: null, more: 'yes' } });
    expect((await get(id, 'properties')).properties).toEqual({ project: 'ledger', more: 'yes' });
  });

  it('moves a file to the trash and restores it', async () => {
    const id = await find('Customers');
    await update(id, { trashed: true });
    expect(await get(await find('logo.png'), 'trashed,explicitlyTrashed')).toEqual({
      trashed: true,
      explicitlyTrashed: false,
    });
    await update(id, { trashed: false });
    expect(await get(id, 'trashed')).toEqual({ trashed: false });
  });

  it('moves a file with addParents and removeParents', async () => {
    const [id, from, to] = [await find('Budget'), await find('Finance'), await find('Design')];
    expect(await update(id, {}, `?addParents=${to}`)).toMatchObject({ status: 403, reason: 'cannotAddParent' });
    const moved = await update(id, {}, `?addParents=${to}&removeParents=${from}&fields=parents`);
    expect(moved.json).toEqual({ parents: [to] });
    expect((await update(id, {}, `?addParents=root&removeParents=${to}&fields=parents`)).json).toEqual({
      parents: [(await get('root', 'id')).id],
    });
    expect((await update(id, {}, '?addParents=nowhere&removeParents=root')).reason).toBe('notFound');
  });

  it('does not move a folder into itself', async () => {
    const [id, below] = [await find('Design'), await find('Assets')];
    const refused = await update(id, {}, `?addParents=${below}&removeParents=root`);
    expect(refused.status).toBe(403);
    expect((await get(id, 'parents')).parents).toEqual([(await get('root', 'id')).id]);
  });

  it('moves a folder into a shared drive with its contents', async () => {
    const drive = (await ask(`/drive/v3/drives?${new URLSearchParams({ q: "name = 'Product & Design'" })}`)).json
      .drives[0];
    const id = await find('Design');
    const { json } = await update(
      id,
      {},
      `?addParents=${drive.id}&removeParents=root&supportsAllDrives=true&fields=driveId,owners`,
    );
    expect(json).toEqual({ driveId: drive.id });
    const inside = (await ask(list({ q: "name = 'home.svg'" }))).json.files;
    expect(inside).toEqual([]);
    expect((await get(await find('home.svg'), 'driveId')).driveId).toBe(drive.id);
  });

  it.each([
    [{ parents: ['root'] }, 403, 'fieldNotWritable'],
    [{ id: 'other' }, 403, 'fieldNotWritable'],
    [{ md5Checksum: 'x' }, 403, 'fieldNotWritable'],
    [{ mimeType: 'application/vnd.google-apps.document' }, 400, 'badRequest'],
  ])('rejects %j', async (body, status, reason) => {
    expect(await update(await find('rates.json'), body)).toMatchObject({ status, reason });
  });

  it("requires write access, except for the user's own star", async () => {
    const id = await find('Board minutes.pdf');
    expect(await update(id, { name: 'mine' })).toMatchObject({ status: 403, reason: 'insufficientFilePermissions' });
    expect((await update(id, { starred: true }, '?fields=starred')).json).toEqual({ starred: true });
    expect((await update('root', { name: 'mine' })).reason).toBe('insufficientFilePermissions');
  });
});

describe('files.delete', () => {
  it('deletes a folder with everything below it', async () => {
    const [folder, inside] = [await find('Design'), await find('home.svg')];
    await remove(folder);
    expect((await ask(`/drive/v3/files/${inside}`)).status).toBe(404);
    expect((await ask(list({ q: `'${folder}' in parents` }))).status).toBe(404);
  });

  it('requires an owner, or an organizer in shared drives', async () => {
    expect(await remove(await find('Ledger rewrite'))).toMatchObject({
      status: 403,
      reason: 'insufficientFilePermissions',
    });
    expect(await remove('root')).toMatchObject({ status: 403 });
    const runbook = await find('Runbooks');
    expect(await remove(runbook)).toMatchObject({ status: 404 });
    expect(await remove(runbook, '?supportsAllDrives=true')).toMatchObject({
      status: 403,
      reason: 'insufficientFilePermissions',
    });
    expect((await remove(await find('Brand guide.pdf'), '?supportsAllDrives=true')).status).toBe(204);
  });

  it("keeps other users' files from a deleted folder, but without a parent", async () => {
    const folder = (await create({ name: 'together', mimeType: folderType })).json.id;
    await ask(
      `/drive/v3/files/${folder}/permissions`,
      jsonRequest('POST', { type: 'user', role: 'writer', emailAddress: 'tomas.aguirre@fernhill.example' }),
    );
    const administrator = createRequester(sandbox, await tokenOf(sandbox, 'administrator'));
    const theirs = (await administrator('/drive/v3/files', jsonRequest('POST', { name: 'theirs', parents: [folder] })))
      .json.id;
    await remove(folder);
    expect((await administrator(`/drive/v3/files/${theirs}?fields=parents,ownedByMe`)).json).toEqual({
      ownedByMe: true,
    });
    expect((await get(theirs, 'capabilities(canEdit)')).capabilities.canEdit).toBe(true);
  });

  it('respects the storage limit', async () => {
    sandbox.vendors['google-drive'].limits = { storage: 1000 };
    expect(await create({ name: 'x' })).toMatchObject({ status: 403, reason: 'storageQuotaExceeded' });
    expect((await ask('/drive/v3/about?fields=storageQuota')).json.storageQuota.limit).toBe('1000');
  });
});
