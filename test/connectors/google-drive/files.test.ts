import { changesSince } from 'agent-connectors/google-drive';
import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { collect, connectorOnSandbox } from './setup.js';

const folderType = 'application/vnd.google-apps.folder';
const { drive, sandbox } = connectorOnSandbox();

describe('lists', () => {
  test('page through all files without duplicates, with missing fields as null', async () => {
    const whole = await collect(drive.paginate('files', 'list', { pageSize: 1000 }));
    const pieces = await collect(drive.paginate('files', 'list', { pageSize: 17 }));
    expect(whole.length).toBeGreaterThan(100);
    expect(pieces.map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
    const folder = whole.find(({ mimeType }) => mimeType === folderType)!;
    expect(folder).toMatchObject({ size: null, md5Checksum: null, exportLinks: null });
    expect(Object.values(folder)).not.toContain(undefined);
  });

  test("with the caller's own mask are paged and return only what was requested", async () => {
    const files = await collect(drive.paginate('files', 'list', { fields: 'files(id,name)', pageSize: 20 }));
    expect(files.length).toBeGreaterThan(100);
    for (const file of files) expect(Object.keys(file).sort()).toEqual(['id', 'name']);
  });

  test('can be searched, including quotes and Unicode', async () => {
    const made = (await drive.files.create({ name: "O'Brien\\Ümlaut" })).data;
    const { data } = await drive.files.list({ q: "name = 'O\\'Brien\\\\Ümlaut' and trashed=false" });
    expect(data.map(({ id }) => id)).toEqual([made.id]);
    expect((await drive.files.list({ q: "name = 'no such name'" })).data).toEqual([]);
  });

  test('on a shared drive need only the drive id: the connector adds the flags', async () => {
    const [shared] = (await drive.drives.list()).data;
    sandbox.requests.clear();
    const { data } = await drive.files.list({ driveId: shared!.id, pageSize: 5 });
    expect(data.length).toBeGreaterThan(0);
    expect(new Set(data.map(({ driveId }) => driveId))).toEqual(new Set([shared!.id]));
    expect(sandbox.requests[0]!.query).toMatchObject({
      corpora: 'drive',
      includeItemsFromAllDrives: 'true',
      supportsAllDrives: 'true',
    });
    expect((await drive.files.get({ fileId: data[0]!.id })).data.id).toBe(data[0]!.id);
    expect(await failure(drive.files.get({ fileId: data[0]!.id, supportsAllDrives: false }))).toMatchObject({
      code: 'not_found',
      hint: expect.stringContaining('Possible causes'),
    });
  });
});

test('creates, renames, moves and deletes a file', async () => {
  const from = (await drive.files.create({ name: 'From', mimeType: folderType })).data;
  const to = (await drive.files.create({ name: 'To', mimeType: folderType })).data;
  const file = (await drive.files.create({ name: 'a', parents: [from.id], description: 'first' })).data;
  const moved = await drive.files.update({ fileId: file.id, name: 'b', addParents: to.id, removeParents: from.id });
  expect(moved.data).toMatchObject({ id: file.id, name: 'b', description: 'first', parents: [to.id] });
  expect(await drive.files.delete({ fileId: to.id })).toEqual({ data: { success: true }, meta: {} });
  expect((await failure(drive.files.get({ fileId: file.id }))).code).toBe('not_found');
});

test('lists and fetches everything that belongs to a file', async () => {
  const found = { permissions: 0, comments: 0, replies: 0, revisions: 0 };
  const docs = await drive.files.list({
    q: "mimeType='application/vnd.google-apps.document' and 'me' in owners and trashed=false",
    pageSize: 30,
  });
  for (const { id: fileId } of docs.data) {
    for (const permission of (await drive.permissions.list({ fileId })).data) {
      found.permissions++;
      expect((await drive.permissions.get({ fileId, permissionId: permission.id })).data).toEqual(permission);
    }
    for (const comment of (await drive.comments.list({ fileId })).data) {
      found.comments++;
      const commentId = comment.id;
      expect(comment.content).toBeTruthy();
      expect((await drive.comments.get({ fileId, commentId })).data).toEqual(comment);
      for (const reply of (await drive.replies.list({ fileId, commentId })).data) {
        found.replies++;
        expect((await drive.replies.get({ fileId, commentId, replyId: reply.id })).data).toEqual(reply);
      }
    }
    const [revision] = (await drive.revisions.list({ fileId })).data;
    if (revision) found.revisions++;
    if (revision) expect((await drive.revisions.get({ fileId, revisionId: revision.id })).data.id).toBe(revision.id);
    if (Object.values(found).every((count) => count > 1)) break;
  }
  for (const count of Object.values(found)) expect(count).toBeGreaterThan(0);
  const [shared] = (await drive.drives.list()).data;
  expect((await drive.drives.get({ driveId: shared!.id })).data.name).toBe(shared!.name);
});

test('a reply says to whom it assigns the comment and whom it mentions, in its comment, in lists and alone', async () => {
  const documents = await collect(
    drive.paginate('files', 'list', { q: "mimeType='application/vnd.google-apps.document'", pageSize: 1000 }),
  );
  for (const { id: fileId } of documents) {
    const comments = await collect(drive.paginate('comments', 'list', { fileId, pageSize: 100 }));
    const comment = comments.find(({ assigneeEmailAddress }) => assigneeEmailAddress !== null);
    if (!comment) continue;
    const named = {
      assigneeEmailAddress: comment.assigneeEmailAddress,
      mentionedEmailAddresses: comment.mentionedEmailAddresses,
    };
    const [nested] = comment.replies!;
    expect(nested).toMatchObject(named);
    const [first, second] = (await drive.replies.list({ fileId, commentId: comment.id })).data;
    expect(first).toMatchObject({ id: nested!.id, ...named });
    expect(second).toMatchObject({ assigneeEmailAddress: null, mentionedEmailAddresses: null });
    const { data } = await drive.replies.get({ fileId, commentId: comment.id, replyId: nested!.id });
    expect(data).toEqual(first);
    return;
  }
  expect.unreachable('The sandbox has an assigned comment.');
});

test('large numbers are strings, and the about action identifies the user', async () => {
  const { data } = await drive.about.get();
  expect(data.user?.emailAddress).toContain('@');
  expect(data.storageQuota?.usage).toMatch(/^\d+$/);
  const own = await drive.about.get({ fields: 'user' });
  expect(Object.keys(own.data)).toEqual(['user']);
});

describe('the change log', () => {
  test('is read from one token to the next', async () => {
    const { drive } = connectorOnSandbox();
    const { startPageToken } = (await drive.changes_start_page_token.get()).data;
    const made = (await drive.files.create({ name: 'new' })).data;
    await drive.files.update({ fileId: made.id, name: 'newer' });
    await drive.files.delete({ fileId: made.id });
    const walk = changesSince(drive, { pageToken: startPageToken, pageSize: 1 });
    const seen = [];
    let step = await walk.next();
    for (; !step.done; step = await walk.next()) seen.push(step.value);
    expect(seen.at(-1)).toMatchObject({ fileId: made.id, removed: true, file: null });
    const again = changesSince(drive, { pageToken: step.value });
    expect((await again.next()).done).toBe(true);
  });

  test('without a token is rejected with an error that names the action that returns one', async () => {
    sandbox.requests.clear();
    const error = await failure(drive.changes.list());
    expect(error).toMatchObject({ code: 'invalid_params', issues: [{ path: 'pageToken' }] });
    expect(error.message).toContain('changes_start_page_token.get');
    expect(sandbox.requests).toHaveLength(0);
  });
});
