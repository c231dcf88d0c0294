import type { File } from 'agent-connectors/google-drive';
import { beforeAll, describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { collect, connectorOnSandbox } from './setup.js';

const { drive, sandbox } = connectorOnSandbox();
const native = 'application/vnd.google-apps.';
let files: File[];

beforeAll(async () => {
  files = await collect(drive.paginate('files', 'list', { pageSize: 1000 }));
});

const named = (name: string) => files.find((file) => file.name === name)!;

describe('a file', () => {
  test('of any non-native type has checksums, its original name and a revision', () => {
    const binary = files.filter(({ mimeType, webContentLink }) => !mimeType!.startsWith(native) && webContentLink);
    expect(binary.length).toBeGreaterThan(10);
    for (const file of binary) {
      expect(file.md5Checksum).toMatch(/^[0-9a-f]{32}$/);
      expect(file.sha256Checksum).toMatch(/^[0-9a-f]{64}$/);
      expect(file.originalFilename).toEqual(expect.any(String));
      expect(file.headRevisionId).toEqual(expect.any(String));
      expect(file.exportLinks).toBeNull();
    }
  });

  test('of a native type has export links, a size, and no checksum', () => {
    const documents = files.filter(({ mimeType }) => mimeType === `${native}document`);
    expect(documents.length).toBeGreaterThan(10);
    for (const { exportLinks, size, md5Checksum, originalFilename, webContentLink } of documents) {
      expect(exportLinks).toHaveProperty(['application/pdf']);
      expect(size).toMatch(/^\d+$/);
      expect([md5Checksum, originalFilename, webContentLink]).toEqual([null, null, null]);
    }
  });

  test('that is a folder or a shortcut has no size; a shortcut has a target', () => {
    expect(named('Finance').size).toBeNull();
    const { size, shortcutDetails } = named('Budget (shortcut)');
    expect(size).toBeNull();
    expect(shortcutDetails).toMatchObject({ targetId: named('Budget').id });
  });

  test('has large numbers as strings', () => {
    const { size, version, quotaBytesUsed } = named('virtual-1gib.bin');
    expect([size, version, quotaBytesUsed]).toEqual(['1073741824', expect.stringMatching(/^\d+$/), expect.any(String)]);
  });

  test('has no labels, since the connector cannot request them', () => {
    for (const { labelInfo } of files) expect(labelInfo).toBeNull();
  });

  test('has one parent, or null if its folder is not visible', () => {
    for (const { parents } of files) if (parents) expect(parents).toHaveLength(1);
    expect(named('Board minutes.pdf').parents).toBeNull();
  });

  test('on a shared drive has a drive and no owners', async () => {
    const [shared] = (await drive.drives.list()).data;
    const { data } = await drive.files.list({ driveId: shared!.id, pageSize: 100 });
    expect(data.length).toBeGreaterThan(0);
    for (const { owners, ownedByMe, driveId } of data) {
      expect([owners, ownedByMe, driveId]).toEqual([null, null, shared!.id]);
    }
    for (const { owners, driveId } of files) if (!driveId) expect(owners).toHaveLength(1);
  });

  test('in the trash is also listed unless the query excludes it', async () => {
    expect(named('scratch.txt')).toMatchObject({ trashed: true, explicitlyTrashed: true });
    const { data } = await drive.files.list({ q: "name = 'scratch.txt' and trashed=false" });
    expect(data).toEqual([]);
  });

  test('can share its name with another', () => {
    expect(new Set(files.filter(({ name }) => name === 'duplicate.txt').map(({ id }) => id)).size).toBe(2);
  });

  test('with an apostrophe or a backslash in its name requires escaping to be found', async () => {
    const found = await drive.files.list({ q: "name = 'O\\'Brien\\'s notes.txt' or name = 'back\\\\slash.txt'" });
    expect(found.data.map(({ name }) => name).sort()).toEqual(["O'Brien's notes.txt", 'back\\slash.txt']);
    expect((await failure(drive.files.list({ q: "name = 'O'Brien'" }))).code).toBe('invalid_params');
  });

  test('has properties as a map and content restrictions', () => {
    expect(named('config.yaml').properties).toEqual({ project: 'ledger', phase: 'two' });
    expect(named('final and frozen.pdf').contentRestrictions).toMatchObject([{ readOnly: true }]);
  });
});

describe("a file's related resources", () => {
  test('include authors without an email address', async () => {
    const q = "name = 'Kick-off notes'";
    const notes = (await drive.files.list({ q, fields: 'files(id)' })).data;
    const found = await Promise.all(notes.map(({ id }) => drive.comments.list({ fileId: id })));
    const comments = found.flatMap(({ data }) => data);
    expect(comments.length).toBeGreaterThan(0);
    for (const { author } of comments) {
      expect(author?.displayName).toEqual(expect.any(String));
      expect(author).not.toHaveProperty('emailAddress');
      expect(author).not.toHaveProperty('permissionId');
    }
  });

  test('include deleted comments only on request, without their content', async () => {
    const notes = (await drive.files.list({ q: "name = 'Kick-off notes'", fields: 'files(id)' })).data;
    const deleted = [];
    for (const { id: fileId } of notes) {
      expect((await drive.comments.list({ fileId })).data.some((comment) => comment.deleted)).toBe(false);
      const { data } = await drive.comments.list({ fileId, includeDeleted: true, pageSize: 100 });
      deleted.push(...data.filter((comment) => comment.deleted));
    }
    expect(deleted).toHaveLength(1);
    expect(deleted[0]).toMatchObject({ content: null, htmlContent: null, quotedFileContent: null });
  });

  test('include revisions with size and checksum for binary files only', async () => {
    const ofBinary = (await drive.revisions.list({ fileId: named('screen-login.png').id })).data[0]!;
    expect(ofBinary).toMatchObject({ size: expect.stringMatching(/^\d+$/), md5Checksum: expect.any(String) });
    const ofNative = (await drive.revisions.list({ fileId: named('Budget').id })).data[0]!;
    expect(ofNative).toMatchObject({ size: null, md5Checksum: null, originalFilename: null });
  });

  test('report permissions as forbidden, not empty, if the reader cannot see them', async () => {
    const error = await failure(drive.permissions.list({ fileId: named('Board minutes.pdf').id }));
    expect(error.hint).toMatch(/^The role on the file .* can list its permissions\. To others, files\.get returns/);
    const { data: file } = await drive.files.get({ fileId: named('Board minutes.pdf').id });
    expect(file).toMatchObject({ owners: [expect.anything()], shared: true, capabilities: expect.anything() });
    expect(file.sharingUser).toBeDefined();
    expect(error).toMatchObject({ code: 'forbidden', status: 403 });
  });

  test('include details about the origin of a permission on a shared drive', async () => {
    const [shared] = (await drive.drives.list()).data;
    const { data } = await drive.permissions.list({ fileId: shared!.id });
    expect(data.length).toBeGreaterThan(1);
    for (const { permissionDetails } of data) expect(permissionDetails).toEqual(expect.any(Array));
    const own = (await drive.permissions.list({ fileId: named('expenses-01.csv').id })).data[0]!;
    expect(own).toMatchObject({ role: 'owner', permissionDetails: null, teamDrivePermissionDetails: null });
  });
});

test('a shared drive shows its organizational unit to administrators on request', async () => {
  const [plain] = (await drive.drives.list()).data;
  expect(plain!.orgUnitId).toBeNull();
  const administrator = connectorOnSandbox({ mode: 'administrator' }).drive;
  const [seen] = (await administrator.drives.list({ useDomainAdminAccess: true })).data;
  expect(seen!.orgUnitId).toEqual(expect.any(String));
  const error = await failure(drive.drives.list({ useDomainAdminAccess: true }));
  expect(error.code).toBe('forbidden');
});

test('an account without a storage limit has none in its quota, and lists all export formats', async () => {
  const { data } = await drive.about.get();
  expect(data.maxUploadSize).toMatch(/^\d+$/);
  expect(data.exportFormats).toHaveProperty([`${native}document`]);
  for (const size of Object.values(data.storageQuota!)) expect(size).toMatch(/^\d+$/);
  expect(sandbox.vendors['google-drive'].limits.storage).toBeUndefined();
  expect(data.storageQuota).not.toHaveProperty('limit');
});

test('a change to a trashed item includes the file; a change to a deleted item does not', async () => {
  const { startPageToken } = (await drive.changes_start_page_token.get()).data;
  const made = (await drive.files.create({ name: 'gone' })).data;
  await drive.files.delete({ fileId: made.id });
  const gone = await collect(drive.paginate('changes', 'list', { pageToken: startPageToken }));
  expect(gone.at(-1)).toMatchObject({ fileId: made.id, removed: true, file: null, changeType: 'file' });
  const kept = await collect(drive.paginate('changes', 'list', { pageToken: startPageToken, includeRemoved: false }));
  expect(kept.filter(({ removed }) => removed)).toEqual([]);
});

test('deleting a folder deletes its contents', async () => {
  const folder = (await drive.files.create({ name: 'f', mimeType: `${native}folder` })).data;
  const inside = (await drive.files.create({ name: 'i', parents: [folder.id] })).data;
  await drive.files.delete({ fileId: folder.id });
  expect((await failure(drive.files.get({ fileId: inside.id }))).code).toBe('not_found');
});

test('shared drives have a simpler query language and are not visible with the drive.file scope', async () => {
  const [first] = (await drive.drives.list()).data;
  const { data } = await drive.drives.list({ q: `name = '${first!.name}'` });
  expect(data.map(({ id }) => id)).toEqual([first!.id]);
  expect((await failure(drive.drives.list({ q: "mimeType = 'x'" }))).code).toBe('invalid_params');
  expect((await failure(connectorOnSandbox({ mode: 'drive_file' }).drive.drives.list())).code).toBe('scope_missing');
});

test('a full-text search cannot be sorted', async () => {
  const q = "fullText contains 'ledger'";
  expect((await drive.files.list({ q })).data.length).toBeGreaterThan(0);
  const error = await failure(drive.files.list({ q, orderBy: 'name' }));
  expect(error.retryable).toBe(false);
  expect(error.message).toContain('fullText');
});

test('a read-only client can read, but its writes are rejected because of its scope', async () => {
  const reader = connectorOnSandbox({ mode: 'read_only' }).drive;
  expect((await reader.files.list({ pageSize: 1 })).data).toHaveLength(1);
  expect((await failure(reader.files.create({ name: 'n' }))).code).toBe('scope_missing');
});

test('a revoked refresh token causes an error that asks the user to reauthorize', async () => {
  const revoked = connectorOnSandbox({ mode: 'oauth' });
  revoked.sandbox.revoke(revoked.sandbox.vendors['google-drive'].credentials.oauth.refresh_token);
  const error = await failure(revoked.drive.about.get());
  expect(error.code).toBe('invalid_credentials');
  expect(error.message).not.toContain('sandbox-drive-refresh');
});
