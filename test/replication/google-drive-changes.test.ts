import { describe, expect, test } from 'vitest';
import { failure } from '../failure.js';
import { contents, createDrive } from './google-drive-setup.js';

/** A folder with some files in it, and a replica that has read it. */
async function kept({ isSwept = false } = {}) {
  const drive = createDrive();
  const root = await drive.folder('Kept');
  const outside = await drive.folder('Outside');
  const plans = await drive.folder('Plans', root);
  const old = await drive.folder('Old', plans);
  const files = {
    top: await drive.file('top.txt', 'at the top', root),
    plan: await drive.file('plan.txt', 'a plan', plans),
    deep: await drive.file('deep.txt', 'an old plan', old),
    away: await drive.file('away.txt', 'not kept', outside),
  };
  const replica = drive.replica({ config: { folder_url: root }, isSwept });
  await replica.run('files');
  drive.sandbox.clock.advance(60_000);
  drive.sandbox.requests.clear();
  const downloads = () => drive.sandbox.requests.filter(({ query }) => query.alt === 'media').length;
  return { ...drive, root, outside, plans, old, files, replica, downloads };
}

const whole = { 'top.txt': 'at the top', 'Plans/plan.txt': 'a plan', 'Plans/Old/deep.txt': 'an old plan' };

describe('a later run', () => {
  test('only requests what has changed', async () => {
    const { replica, requestCount, downloads } = await kept();
    expect(contents(replica)).toEqual(whole);
    await replica.run('files', { batches: 1 });
    expect(requestCount(/\/changes$/)).toBe(1);
    expect(downloads()).toBe(0);
  });

  test('reads new files and new text', async () => {
    const { replica, drive, file, files, plans, downloads } = await kept();
    await file('new.txt', 'a new plan', plans);
    await drive.files.delete({ fileId: files.top });
    await file('top.txt', 'at the top again', await newest(replica));
    await replica.run('files');
    expect(contents(replica)).toEqual({
      ...whole,
      'top.txt': 'at the top again',
      'Plans/new.txt': 'a new plan',
    });
    expect(downloads()).toBe(2);

    async function newest(of: typeof replica) {
      return (of.states.get('files') as { root: string }).root;
    }
  });

  test('reads new content even if the modification time is the same', async () => {
    const { replica, drive, send, files, sandbox, downloads } = await kept();
    const { modifiedTime } = (await drive.files.get({ fileId: files.top })).data;
    sandbox.clock.advance(60_000);
    const { access_token: token } = sandbox.vendors['google-drive'].credentials.access_token;
    const upload = `https://www.googleapis.com/upload/drive/v3/files/${files.top}?uploadType=media`;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/plain' };
    expect((await sandbox.fetch(upload, { method: 'PATCH', headers, body: 'at the very top' })).status).toBe(200);
    await send('PATCH', `/files/${files.top}`, { modifiedTime });
    expect((await drive.files.get({ fileId: files.top })).data.modifiedTime).toBe(modifiedTime);
    await replica.run('files');
    expect(contents(replica)).toEqual({ ...whole, 'top.txt': 'at the very top' });
    expect(downloads()).toBe(1);
  });

  test('does not download a file again if only its metadata has changed', async () => {
    const { replica, drive, send, files, downloads } = await kept();
    const { modifiedTime } = (await drive.files.get({ fileId: files.top })).data;
    await drive.files.update({ fileId: files.top, description: 'Start here' });
    await send('PATCH', `/files/${files.top}`, { modifiedTime });
    await replica.run('files');
    expect(contents(replica)).toEqual(whole);
    expect(downloads()).toBe(0);
  });

  test('updates the paths of all files below a renamed folder without reading them', async () => {
    const { replica, rename, plans, downloads } = await kept();
    await rename(plans, "Ideas 'n more");
    await replica.run('files');
    expect(contents(replica)).toEqual({
      'top.txt': 'at the top',
      "Ideas 'n more/plan.txt": 'a plan',
      "Ideas 'n more/Old/deep.txt": 'an old plan',
    });
    expect(downloads()).toBe(0);
  });

  test('updates the paths of all files below a renamed folder even if one of them has changed', async () => {
    const { replica, rename, plans, old, files } = await kept();
    await rename(files.plan, 'first.txt');
    await rename(plans, 'Ideas');
    await rename(old, 'Older');
    await replica.run('files');
    expect(contents(replica)).toEqual({
      'top.txt': 'at the top',
      'Ideas/first.txt': 'a plan',
      'Ideas/Older/deep.txt': 'an old plan',
    });
  });

  test('ignores other changes to a folder', async () => {
    const { replica, drive, plans, requestCount } = await kept();
    await drive.files.update({ fileId: plans, description: 'What we want' });
    await replica.run('files', { batches: 1 });
    expect(requestCount(/\/changes$/)).toBe(1);
    expect(requestCount(/\/files$/)).toBe(0);
  });

  test('adds files that were moved in, and removes files that were moved out, with everything below them', async () => {
    const { replica, move, root, outside, plans, old, files } = await kept();
    await move(plans, root, outside);
    await move(files.away, outside, root);
    await replica.run('files');
    expect(contents(replica)).toEqual({ 'top.txt': 'at the top', 'away.txt': 'not kept' });
    await move(old, plans, root);
    await replica.run('files');
    expect(contents(replica)).toEqual({
      'top.txt': 'at the top',
      'away.txt': 'not kept',
      'Old/deep.txt': 'an old plan',
    });
    await move(plans, outside, root);
    await move(old, root, plans);
    await replica.run('files');
    expect(contents(replica)).toEqual({ ...whole, 'away.txt': 'not kept' });
  });

  test('removes files that were trashed, and adds them again', async () => {
    const { replica, trash, plans, files } = await kept();
    await trash(plans);
    await trash(files.top);
    await replica.run('files');
    expect(contents(replica)).toEqual({});
    await trash(plans, false);
    await trash(files.top, false);
    await replica.run('files');
    expect(contents(replica)).toEqual(whole);
  });

  test('removes deleted files immediately', async () => {
    const { replica, drive, plans, files } = await kept();
    await drive.files.delete({ fileId: plans });
    await drive.files.delete({ fileId: files.away });
    await replica.run('files');
    expect(contents(replica)).toEqual({ 'top.txt': 'at the top' });
  });

  test('takes a page without its list for a fault, not for a page without changes', async () => {
    const drive = createDrive();
    const root = await drive.folder('Kept');
    let isFaulty = false;
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const response = await drive.sandbox.fetch(input, init);
      if (!isFaulty || !String(input).includes('/drive/v3/changes?')) return response;
      const { changes: _, ...body } = (await response.json()) as { changes: unknown };
      return Response.json(body);
    };
    const replica = drive.replica({ config: { folder_url: root }, fetch });
    await replica.run('files');
    await drive.file('new.txt', 'a new plan', root);
    isFaulty = true;
    expect(await failure(replica.run('files'))).toMatchObject({ code: 'invalid_response' });
    isFaulty = false;
    await replica.run('files');
    expect(contents(replica)).toEqual({ 'new.txt': 'a new plan' });
  });

  test('reads everything again if the change log has expired', async () => {
    const { replica, file, drive, plans, files, sandbox, downloads } = await kept();
    await file('new.txt', 'a new plan', plans);
    await drive.files.delete({ fileId: files.top });
    sandbox.faults.add({ kind: 'refused', path: '/drive/v3/changes', status: 410, reason: 'invalid', nth: 1 });
    await replica.run('files');
    expect(contents(replica)).toEqual({
      'Plans/plan.txt': 'a plan',
      'Plans/Old/deep.txt': 'an old plan',
      'Plans/new.txt': 'a new plan',
    });
    expect(downloads()).toBe(1);
  });

  test('removes files deleted before an interrupted full walk', async () => {
    const { replica, file, drive, root, plans, files, sandbox } = await kept();
    for (let index = 0; index < 30; index += 1)
      await file(`more-${index}.txt`, `text ${index}`, index % 2 ? root : plans);
    await drive.files.delete({ fileId: files.top });
    sandbox.faults.add({ kind: 'refused', path: '/drive/v3/changes', status: 410, reason: 'invalid', nth: 1 });
    expect(await replica.run('files', { batches: 2 })).toBe(false);
    expect(replica.records('files').has(files.top)).toBe(true);
    expect(await replica.run('files')).toBe(true);
    expect(replica.records('files').has(files.top)).toBe(false);
    expect(replica.records('files').size).toBe(32);
    sandbox.requests.clear();
    await replica.run('files');
    expect(sandbox.requests.filter(({ path }) => path.endsWith('/files')).length).toBe(0);
  });

  test.each([1, 2, 3])('ends with the same result when interrupted every %d batches', async (batches) => {
    const { replica, file, drive, rename, trash, move, root, outside, plans, old, files } = await kept();
    await rename(plans, 'Ideas');
    for (let index = 0; index < 60; index += 1)
      await file(`more-${index}.txt`, `text ${index}`, index % 2 ? old : plans);
    await move(old, plans, root);
    await move(files.away, outside, old);
    await trash(files.plan);
    await drive.files.delete({ fileId: files.top });
    for (let runs = 0; runs < 200 && !(await replica.run('files', { batches })); runs += 1);
    const held = contents(replica);
    expect(Object.keys(held)).toHaveLength(62);
    expect(held['Old/away.txt']).toBe('not kept');
    expect(held['Old/deep.txt']).toBe('an old plan');
    expect(held['Ideas/more-0.txt']).toBe('text 0');
    expect(held['Old/more-1.txt']).toBe('text 1');
  });
});

describe('a shortcut', () => {
  test("to a file outside the folder adds it under the shortcut's path, and one to a file inside adds nothing", async () => {
    const { replica, shortcut, rename, trash, root, plans, outside, files } = await kept();
    const link = await shortcut('Link to away', files.away, plans);
    await shortcut('Link to plan', files.plan, root);
    await shortcut('Link to a folder', outside, root);
    await replica.run('files');
    expect(contents(replica)).toEqual({ ...whole, 'Plans/Link to away': 'not kept' });
    expect(replica.records('files').get(files.away)).toMatchObject({ file_name: 'away.txt', mime_type: 'text/plain' });
    await rename(plans, 'Ideas');
    await replica.run('files');
    expect(Object.keys(contents(replica))).toContain('Ideas/Link to away');
    await trash(link);
    await replica.run('files');
    expect(replica.records('files').has(files.away)).toBe(false);
    expect(replica.records('files').has(files.plan)).toBe(true);
  });

  test('keeps a file that was moved out of the folder, but is ignored for a file that was moved in', async () => {
    const { replica, shortcut, move, root, outside, files } = await kept();
    await shortcut('Link to top', files.top, root);
    await shortcut('Link to away', files.away, root);
    await move(files.top, root, outside);
    await move(files.away, outside, root);
    await replica.run('files');
    const { 'top.txt': _, ...rest } = whole;
    expect(contents(replica)).toEqual({ ...rest, 'Link to top': 'at the top', 'away.txt': 'not kept' });
  });

  test('to a deleted file adds nothing', async () => {
    const { replica, drive, shortcut, root, files } = await kept();
    await shortcut('Link to away', files.away, root);
    await replica.run('files');
    await drive.files.delete({ fileId: files.away });
    await replica.run('files');
    expect(contents(replica)).toEqual(whole);
  });

  test('to a file that needs a resource key adds it, and its changes', async () => {
    const { replica, shortcut, root, sandbox, drive } = await kept();
    const state = structuredClone(sandbox.dump()) as any;
    const { files, blobs } = state.vendors['google-drive'].world;
    const blobKeys = new Set(blobs.map(({ key }: { key: string }) => key));
    const linked = files.find(
      (file: any) => file.owner && file.mimeType === 'application/pdf' && blobKeys.has(file.revisions.at(-1)?.blob),
    );
    const link = { id: 'anyoneWithLink', type: 'anyone', role: 'writer', allowFileDiscovery: false };
    Object.assign(linked, { owner: 'tomas.aguirre', viewedBy: {}, parent: undefined, permissions: [link] });
    linked.resourceKey = '0-aBcDeFgHiJkLmNoPqRsTuV';
    sandbox.load(state);
    await expect(drive.files.get({ fileId: linked.id })).rejects.toMatchObject({ code: 'not_found' });
    const path = `/drive/v3/files/${linked.id}`;
    sandbox.faults.add({ kind: 'refused', path, status: 403, reason: 'downloadQuotaExceeded', nth: 2 });
    await shortcut('Handbook', linked.id, root);
    await replica.run('files');
    expect(replica.records('files').get(linked.id)).toMatchObject({ file_path: 'Handbook' });
    await replica.run('files');
    expect(String(replica.records('files').get(linked.id)!.content).length).toBeGreaterThan(20);
  });

  test('found by the first run is followed as well', async () => {
    const drive = createDrive();
    const root = await drive.folder('Linked');
    await drive.shortcut('Link', await drive.file('away.txt', 'not kept'), root);
    const replica = drive.replica({ config: { folder_url: root }, isSwept: false });
    await replica.run('files');
    expect(contents(replica)).toEqual({ Link: 'not kept' });
  });
});

describe('a shared drive', () => {
  test('has its own change log', async () => {
    const drive = createDrive();
    const { data } = await drive.drive.drives.list();
    const { id } = data.find(({ name }) => name === 'Product & Design')!;
    const replica = drive.replica({ config: { folder_url: id }, isSwept: false });
    await replica.run('files');
    await drive.rename(await drive.idOf('Research'), 'Studies');
    await drive.file('new.txt', 'new', id);
    await drive.file('elsewhere.txt', 'not on the drive');
    drive.sandbox.requests.clear();
    await replica.run('files');
    const held = contents(replica);
    expect(held['new.txt']).toBe('new');
    expect(Object.keys(held)).toContain('Studies/Interview index');
    expect(Object.keys(held).some((path) => path.startsWith('Research/'))).toBe(false);
    expect(Object.keys(held)).not.toContain('elsewhere.txt');
    const logs = drive.sandbox.requests.filter(({ path }) => path.endsWith('/changes'));
    expect(logs.map(({ query }) => query.driveId)).toEqual([id]);
  });
});

describe("another user's folder", () => {
  test('is listed on every run, which reads only new files and removes missing ones', async () => {
    const drive = createDrive();
    const handed = await drive.idOf('Handover from Dana');
    const replica = drive.replica({ config: { folder_url: handed }, isSwept: false });
    const added = await drive.file('added.txt', 'added', handed);
    await replica.run('files');
    expect(Object.keys(contents(replica))).toEqual(['Open tickets', 'added.txt']);
    drive.sandbox.requests.clear();
    await drive.drive.files.delete({ fileId: added });
    await replica.run('files');
    expect(Object.keys(contents(replica))).toEqual(['Open tickets']);
    expect(drive.requestCount(/\/export$/)).toBe(0);
    expect(drive.requestCount(/\/changes/)).toBe(0);
  });
});

test('the sweep lists all existing files and the targets of shortcuts', async () => {
  const { replica, shortcut, drive, files, root } = await kept({ isSwept: true });
  await shortcut('Link to away', files.away, root);
  await replica.run('files');
  // Bypasses the change log.
  await drive.files.delete({ fileId: files.deep });
  const state = replica.states.get('files') as { token: string };
  replica.states.set('files', { ...state, token: String(Number(state.token) + 1) });
  await replica.run('files');
  expect(Object.keys(contents(replica)).sort()).toEqual(['Link to away', 'Plans/plan.txt', 'top.txt']);
});
