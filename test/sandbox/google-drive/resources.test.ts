import { createSandbox } from 'agent-connectors-sandbox';
import { beforeEach, describe, expect, it } from 'vitest';
import { noon } from '../requester.js';
import { createFinder, createRequester, jsonRequest, list, tokenOf } from './requester.js';

const sandbox = createSandbox({ now: () => noon });
const ask = createRequester(sandbox);
const find = createFinder(ask);
beforeEach(() => sandbox.reset());
const administrator = async () => createRequester(sandbox, await tokenOf(sandbox, 'administrator'));

describe('drives', () => {
  it('include only drives that the user is a member of', async () => {
    const { json } = await ask('/drive/v3/drives');
    expect(json).toEqual({
      kind: 'drive#driveList',
      drives: ['Engineering', 'Product & Design'].map((name) => ({
        kind: 'drive#drive',
        id: expect.stringMatching(/^0A.{14}PVA$/),
        name,
      })),
    });
    const id = json.drives[0].id;
    const drive = (await ask(`/drive/v3/drives/${id}?fields=*`)).json;
    expect(drive).toMatchObject({
      id,
      hidden: false,
      capabilities: { canManageMembers: false, canEdit: true },
      themeId: 'ocean',
    });
    expect(drive).not.toHaveProperty('orgUnitId');
    expect((await ask(`/drive/v3/files/${id}?supportsAllDrives=true`)).json.mimeType).toMatch(/folder$/);
  });

  it('can be searched and paginated', async () => {
    const named = async (q: string) =>
      (await ask(`/drive/v3/drives?${new URLSearchParams({ q })}`)).json.drives.map(({ name }: any) => name);
    expect(await named("name contains 'prod'")).toEqual(['Product & Design']);
    expect(await named('memberCount > 4')).toEqual(['Product & Design']);
    expect(await named('hidden = false and organizerCount = 2')).toEqual(['Engineering']);
    expect(await ask('/drive/v3/drives?q=trashed%3Dfalse')).toMatchObject({ status: 400, reason: 'invalid' });
    const first = (await ask('/drive/v3/drives?pageSize=1')).json;
    const second = (await ask(`/drive/v3/drives?pageSize=1&pageToken=${encodeURIComponent(first.nextPageToken)}`)).json;
    expect([...first.drives, ...second.drives].map(({ name }) => name)).toEqual(['Engineering', 'Product & Design']);
    expect(second).not.toHaveProperty('nextPageToken');
    expect(await ask('/drive/v3/drives?pageSize=101')).toMatchObject({ status: 400, reason: 'invalidParameter' });
  });

  it('return 404 to non-members, except for administrators who request domain-wide access', async () => {
    const asAdministrator = await administrator();
    expect(await ask('/drive/v3/drives?useDomainAdminAccess=true')).toMatchObject({
      status: 403,
      reason: 'noListTeamDrivesAdministratorPrivilege',
    });
    const { drives } = (
      await asAdministrator('/drive/v3/drives?useDomainAdminAccess=true&fields=drives(id,name,orgUnitId)')
    ).json;
    const hidden = drives.find(({ name }: any) => name === 'Leadership');
    expect(hidden.orgUnitId).toEqual(expect.any(String));
    const refused = await ask(`/drive/v3/drives/${hidden.id}`);
    expect(refused.json.error).toMatchObject({
      code: 404,
      message: `Shared drive not found: ${hidden.id}`,
      errors: [{ location: 'driveId' }],
    });
    expect((await asAdministrator(`/drive/v3/drives/${hidden.id}`)).status).toBe(404);
    expect((await asAdministrator(`/drive/v3/drives/${hidden.id}?useDomainAdminAccess=true`)).json.name).toBe(
      'Leadership',
    );
  });
});

describe('permissions', () => {
  it('are returned with default fields, all fields, or individually', async () => {
    const id = await find('Bank feeds');
    const { json } = await ask(`/drive/v3/files/${id}/permissions`);
    expect(json.kind).toBe('drive#permissionList');
    expect(json.permissions.map(({ type, role }: any) => [type, role])).toEqual([
      ['user', 'owner'],
      ['user', 'commenter'],
    ]);
    expect(Object.keys(json.permissions[0]).sort()).toEqual(['id', 'kind', 'role', 'type']);
    const one = await ask(
      `/drive/v3/files/${id}/permissions/${json.permissions[1].id}?fields=emailAddress,displayName,deleted,pendingOwner`,
    );
    expect(one.json).toEqual({
      emailAddress: 'tomas.aguirre@fernhill.example',
      displayName: 'Tomás Aguirre',
      deleted: false,
      pendingOwner: false,
    });
    const missing = await ask(`/drive/v3/files/${id}/permissions/123`);
    expect(missing.json.error).toMatchObject({
      code: 404,
      message: 'Permission not found: 123.',
      errors: [{ location: 'permissionId' }],
    });
  });

  it('of a shared drive include their origin and are paginated', async () => {
    const id = await find('Brand guide.pdf');
    expect((await ask(`/drive/v3/files/${id}/permissions`)).status).toBe(404);
    const first = (await ask(`/drive/v3/files/${id}/permissions?supportsAllDrives=true&pageSize=3&fields=*`)).json;
    expect(first.permissions).toHaveLength(3);
    expect(first.permissions[0].permissionDetails).toEqual([
      { permissionType: 'member', role: 'organizer', inheritedFrom: expect.stringMatching(/^0A/), inherited: true },
    ]);
    const token = encodeURIComponent(first.nextPageToken);
    const second = (await ask(`/drive/v3/files/${id}/permissions?supportsAllDrives=true&pageSize=3&pageToken=${token}`))
      .json;
    expect(second.permissions).toHaveLength(2);
  });

  it('are inherited, granted and revoked', async () => {
    const [folder, inside] = [await find('Finance'), await find('Budget')];
    const asAdministrator = await administrator();
    const body = { type: 'user', role: 'writer', emailAddress: 'tomas.aguirre@fernhill.example' };
    expect((await asAdministrator(`/drive/v3/files/${inside}`)).status).toBe(404);
    const given = (await ask(`/drive/v3/files/${folder}/permissions`, jsonRequest('POST', body))).json;
    expect(
      (await asAdministrator(`/drive/v3/files/${inside}?fields=capabilities(canEdit,canDelete)`)).json.capabilities,
    ).toEqual({ canEdit: true, canDelete: false });
    expect((await ask(`/drive/v3/files/${inside}/permissions/${given.id}`)).json.role).toBe('writer');
    expect((await ask(`/drive/v3/files/${inside}/permissions/${given.id}`, { method: 'DELETE' })).status).toBe(403);
    expect((await ask(`/drive/v3/files/${folder}/permissions/${given.id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await asAdministrator(`/drive/v3/files/${inside}`)).status).toBe(404);
  });

  it('for link sharing give access to anyone with the file id but do not list the file', async () => {
    const id = await find('rates.json');
    await ask(`/drive/v3/files/${id}/permissions`, jsonRequest('POST', { type: 'anyone', role: 'reader' }));
    const asAdministrator = await administrator();
    expect((await asAdministrator(`/drive/v3/files/${id}`)).status).toBe(200);
    expect((await asAdministrator(list({ q: "name = 'rates.json'" }))).json.files).toEqual([]);
    expect((await asAdministrator(list({ q: "name = 'Holiday calendar'" }))).json.files).toHaveLength(1);
  });

  it('are visible to writers, and to domain administrators in shared drives', async () => {
    expect(await ask(`/drive/v3/files/${await find('Board minutes.pdf')}/permissions`)).toMatchObject({
      status: 403,
      reason: 'insufficientFilePermissions',
    });
    expect(await ask(`/drive/v3/files/${await find('Budget')}/permissions?useDomainAdminAccess=true`)).toMatchObject({
      status: 404,
    });
    const asAdministrator = await administrator();
    const { drives } = (await asAdministrator('/drive/v3/drives?useDomainAdminAccess=true')).json;
    const { id } = drives.find(({ name }: any) => name === 'Leadership');
    const { json } = await asAdministrator(
      `/drive/v3/files/${id}/permissions?supportsAllDrives=true&useDomainAdminAccess=true`,
    );
    expect(json.permissions).toHaveLength(1);
  });

  it.each([
    [{ role: 'reader' }, 'required'],
    [{ type: 'user', role: 'reader' }, 'required'],
    [{ type: 'anyone', role: 'king' }, 'invalid'],
    [{ type: 'robot', role: 'reader' }, 'invalid'],
  ])('reject %j', async (body, reason) => {
    const id = await find('Budget');
    expect(await ask(`/drive/v3/files/${id}/permissions`, jsonRequest('POST', body))).toMatchObject({
      status: 400,
      reason,
    });
  });
});

describe('revisions', () => {
  it('of binary files have their own size, checksum and content', async () => {
    const id = await find('Contract Northwind Dairy.pdf');
    const { revisions } = (await ask(`/drive/v3/files/${id}/revisions?fields=revisions`)).json;
    expect(revisions).toHaveLength(3);
    expect(revisions[2]).toMatchObject({
      kind: 'drive#revision',
      originalFilename: 'Contract Northwind Dairy.pdf',
      keepForever: true,
    });
    expect(revisions[2].id).toBe((await ask(`/drive/v3/files/${id}?fields=headRevisionId`)).json.headRevisionId);
    const old = await ask(`/drive/v3/files/${id}/revisions/${revisions[0].id}?alt=media`);
    expect(old.bytes.length).toBe(Number(revisions[0].size));
    expect(revisions[0].md5Checksum).not.toBe(revisions[2].md5Checksum);
    expect((await ask(`/drive/v3/files/${id}/revisions/nope`)).json.error).toMatchObject({
      code: 404,
      message: 'Revision not found: nope.',
    });
  });

  it('of native documents have export links', async () => {
    const id = await find('Roadmap');
    const { json } = await ask(`/drive/v3/files/${id}/revisions?pageSize=3&fields=*`);
    expect(json.revisions).toHaveLength(3);
    expect(json.nextPageToken).toEqual(expect.any(String));
    const [first] = json.revisions;
    expect(first.exportLinks['text/csv']).toContain('revision=1');
    expect(first).toMatchObject({ published: false });
    for (const absent of ['size', 'md5Checksum', 'originalFilename']) expect(first).not.toHaveProperty(absent);
    expect((await ask(`/drive/v3/files/${id}/revisions/${first.id}?alt=media`)).reason).toBe('fileNotDownloadable');
  });

  it('are available only to writers, and not for folders', async () => {
    expect((await ask(`/drive/v3/files/${await find('Board minutes.pdf')}/revisions`)).status).toBe(403);
    expect((await ask(`/drive/v3/files/${await find('Customers')}/revisions`)).status).toBe(403);
    expect(
      Object.keys((await ask(`/drive/v3/files/${await find('Brand guide.pdf')}/revisions`)).json.revisions[0]).sort(),
    ).toEqual(['id', 'kind', 'mimeType', 'modifiedTime']);
  });
});

describe('about', () => {
  it('returns the requested fields', async () => {
    const { json } = await ask('/drive/v3/about?fields=*');
    expect(json.user).toMatchObject({ displayName: 'Ines Carvalho', me: true });
    expect(json.storageQuota).not.toHaveProperty('limit');
    expect(Number(json.storageQuota.usageInDriveTrash)).toBeGreaterThan(0);
    expect(json.maxUploadSize).toBe('5242880000000');
    expect(json.exportFormats['application/vnd.google-apps.spreadsheet']).toContain('text/csv');
    expect((await ask('/drive/v3/about?fields=user/emailAddress')).json).toEqual({
      user: { emailAddress: 'ines.carvalho@fernhill.example' },
    });
    expect((await ask('/drive/v3/about?fields=storageQuoat')).reason).toBe('invalidParameter');
  });
});
