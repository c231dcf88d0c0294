import { createSandbox, type Sandbox } from 'agent-connectors-sandbox';
import { describe, expect, test } from 'vitest';
import { replication } from '../../connectors/google-drive/replication/index.js';
import { contents, createDrive, google } from './google-drive-setup.js';
import { replicaOf } from './replica.js';

/** A Drive with files that others have shared, and a replica that includes them. */
async function shared({ folder_url, isSwept = false }: { folder_url?: string; isSwept?: boolean } = {}) {
  const drive = createDrive();
  const config = { shared_with_me: true, folder_url: folder_url ?? (await drive.folder('Kept')) };
  const replica = drive.replica({ config, isSwept });
  const paths = () => Object.keys(contents(replica)).filter((path) => path.startsWith('Shared with me/'));
  const run = async () => {
    drive.sandbox.clock.advance(60_000);
    drive.sandbox.requests.clear();
    await replica.run('files');
  };
  const downloads = () =>
    drive.sandbox.requests.filter(({ path, query }) => query.alt === 'media' || path.endsWith('/export')).length;
  await run();
  return { ...drive, config, replica, paths, run, downloads };
}

/** Another user in the company, who shares files with the replica's owner and unshares them. */
async function colleague(sandbox: Sandbox) {
  const { administrator } = sandbox.vendors['google-drive'].credentials;
  const other = createDrive({ sandbox, mode: 'administrator' });
  const form = new URLSearchParams({ grant_type: 'refresh_token', ...administrator });
  const answer = await sandbox.fetch('https://oauth2.googleapis.com/token', { method: 'POST', body: form });
  const { access_token } = (await answer.json()) as { access_token: string };
  const send = async (method: string, path: string, body?: object) => {
    const response = await sandbox.fetch(`https://www.googleapis.com${path}`, {
      method,
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(await response.text());
    return response.status === 204 ? undefined : response.json();
  };
  const emailAddress = 'ines.carvalho@fernhill.example';
  return {
    ...other,
    share: (id: string) =>
      send('POST', `/drive/v3/files/${id}/permissions`, { type: 'user', role: 'reader', emailAddress }),
    async unshare(id: string) {
      const { data } = await other.drive.permissions.list({ fileId: id });
      const own = data.find((permission) => permission.emailAddress === emailAddress)!;
      await send('DELETE', `/drive/v3/files/${id}/permissions/${own.id}`);
    },
    trash: (id: string) => send('PATCH', `/drive/v3/files/${id}`, { trashed: true }),
    async rewrite(id: string, content: string) {
      const response = await sandbox.fetch(`https://www.googleapis.com/upload/drive/v3/files/${id}?uploadType=media`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${access_token}`, 'content-type': 'text/plain' },
        body: content,
      });
      if (!response.ok) throw new Error(await response.text());
    },
  };
}

describe('files shared by others', () => {
  test('are included on request, with the contents of shared folders', async () => {
    const { replica, paths, drive, config, sandbox } = await shared();
    expect(paths()).toContain('Shared with me/Ledger rewrite');
    expect(paths()).toContain('Shared with me/Handover from Dana/Open tickets');
    expect(contents(replica)['Shared with me/Handover from Dana/Open tickets']).toContain('Kestrel Health waits');
    const q = `sharedWithMe = true and trashed = false and mimeType != '${google.folder}'`;
    const { data } = await drive.files.list({ q, pageSize: 1000, fields: 'files(id)' });
    expect(data.length).toBeGreaterThan(5);
    for (const { id } of data) expect(replica.records('files').has(id)).toBe(true);
    const { shared_with_me: _, ...without } = config;
    const other = createDrive({ sandbox }).replica({ config: without });
    await other.run('files');
    expect(Object.keys(contents(other)).some((path) => path.startsWith('Shared with me/'))).toBe(false);
  });

  test('are not read again while they are unchanged', async () => {
    const { replica, run, downloads } = await shared();
    const before = contents(replica);
    await run();
    expect(downloads()).toBe(0);
    expect(contents(replica)).toEqual(before);
  });

  test.each([false, true])('are removed once they are trashed or no longer shared (swept: %s)', async (isSwept) => {
    const { sandbox, paths, run } = await shared({ isSwept });
    const tomas = await colleague(sandbox);
    const folder = await tomas.folder('Plans of Tomas');
    const deep = await tomas.file('deep.txt', 'deep', await tomas.folder('Deep', folder));
    await tomas.file('flat.txt', 'flat', folder);
    await tomas.share(folder);
    const before = paths();
    const own = ['Shared with me/Plans of Tomas/Deep/deep.txt', 'Shared with me/Plans of Tomas/flat.txt'];
    await run();
    expect(paths()).toEqual([...before, ...own].sort());
    await tomas.unshare(await tomas.idOf('Ledger rewrite'));
    await tomas.trash(await tomas.idOf('On-call guide'));
    await tomas.trash(deep);
    await run();
    const left = before.filter((path) => !/Ledger rewrite|On-call guide/.test(path));
    expect(left).toHaveLength(before.length - 2);
    expect(paths()).toEqual([...left, own[1]!].sort());
    await tomas.unshare(folder);
    await run();
    expect(paths()).toEqual(left);
  });

  test('are added when shared, and updated with new text and a new name', async () => {
    const { replica, paths, run, sandbox } = await shared();
    const tomas = await colleague(sandbox);
    const id = await tomas.file('A plan.txt', 'first');
    await run();
    expect(paths()).not.toContain('Shared with me/A plan.txt');
    await tomas.share(id);
    await run();
    expect(contents(replica)['Shared with me/A plan.txt']).toBe('first');
    await tomas.rewrite(id, 'second');
    await run();
    expect(contents(replica)['Shared with me/A plan.txt']).toBe('second');
    await tomas.rename(id, 'The plan.txt');
    await run();
    expect(replica.records('files').get(id)).toMatchObject({ file_path: 'Shared with me/The plan.txt' });
  });

  test('are placed at the path of a shortcut in the synced folder, as long as the shortcut exists', async () => {
    const { config, replica, run, shortcut, drive, idOf, downloads } = await shared();
    const id = await idOf('Ledger rewrite');
    const link = await shortcut('Ledger', id, config.folder_url);
    const pathOf = () => replica.records('files').get(id)?.file_path;
    await run();
    expect(pathOf()).toBe('Ledger');
    await run();
    expect([pathOf(), downloads()]).toEqual(['Ledger', 0]);
    await drive.files.delete({ fileId: link });
    await run();
    expect(pathOf()).toBe('Shared with me/Ledger rewrite');
  });

  test('are placed in the synced folder if that folder is itself shared', async () => {
    const drive = createDrive();
    const folder_url = await drive.idOf('Handover from Dana');
    const replica = drive.replica({ config: { shared_with_me: 'true', folder_url }, isSwept: false });
    for (let runs = 0; runs < 2; runs += 1) {
      await replica.run('files');
      expect(Object.keys(contents(replica))).toContain('Open tickets');
      expect(Object.keys(contents(replica))).toContain('Shared with me/Ledger rewrite');
      expect(Object.keys(contents(replica)).filter((path) => path.includes('Open tickets'))).toHaveLength(1);
    }
  });

  test("do not replace files in a My Drive folder that is also named 'Shared with me'", async () => {
    const drive = createDrive();
    const root = await drive.folder('Kept');
    const own = await drive.folder('Shared with me', root);
    await drive.file('mine.txt', 'my own', own);
    const replica = drive.replica({ config: { shared_with_me: true, folder_url: root }, isSwept: false });
    for (let runs = 0; runs < 3; runs += 1) {
      await replica.run('files');
      expect(contents(replica)['Shared with me/mine.txt']).toBe('my own');
    }
  });

  test('are complete after interrupted runs', async () => {
    const { replica, config, sandbox } = await shared();
    const halting = createDrive({ sandbox }).replica({ config, isSwept: false });
    for (let round = 0; round < 60; round += 1) if (await halting.run('files', { batches: 1 })) break;
    await halting.run('files');
    expect(contents(halting)).toEqual(contents(replica));
  });

  test('are kept if Google reports that its list is incomplete', async () => {
    const { config, sandbox, drive } = await shared();
    let isIncomplete = false;
    const fetch: typeof globalThis.fetch = async (url, init) => {
      const response = await sandbox.fetch(url, init);
      if (!isIncomplete || !String(url).includes('sharedWithMe')) return response;
      return Response.json({ ...(await response.json()), files: [], incompleteSearch: true });
    };
    const credentials = sandbox.vendors['google-drive'].credentials.oauth;
    const replica = replicaOf(drive.constructor as never, replication, { credentials, fetch, retries: 1 }, { config });
    await replica.run('files');
    const before = [...replica.records('files').keys()].sort();
    isIncomplete = true;
    await expect(replica.run('files')).rejects.toMatchObject({ code: 'vendor_error' });
    expect([...replica.records('files').keys()].sort()).toEqual(before);
  });
});

describe('files outside the synced folder', () => {
  const neverReplicated = 'Trashed files, folders and shortcuts are not replicated; files.list lists them.';
  const withheldBy = async (config: Readonly<Record<string, string | boolean>>, sandbox?: Sandbox) => {
    const drive = createDrive({ ...(sandbox && { sandbox }), config });
    const replica = drive.replica({ now: drive.sandbox.clock.now });
    await replica.run('files');
    const withheld = () =>
      replication.entities.files!.withheld!({ settings: {}, config, state: replica.states.get('files') });
    return { ...drive, replica, withheld };
  };

  test('are counted if there are any, once a day', async () => {
    const { drive, sandbox, replica, withheld, requestCount } = await withheldBy({});
    const q = 'sharedWithMe = true and trashed = false';
    const { data: items } = await drive.files.list({ q, pageSize: 1000, fields: 'files(id,mimeType)' });
    const { data: drives } = await drive.drives.list({});
    const hasFolders = items.some(({ mimeType }) => mimeType === google.folder);
    expect([items.length > 5, drives.length > 0, hasFolders]).toEqual([true, true, true]);
    expect(withheld()).toEqual([
      neverReplicated,
      {
        detail: `${items.length} files or folders shared with the account are not replicated; set shared_with_me in replication_config to include them.`,
      },
      expect.stringMatching(new RegExp(`^Files on ${drives.length} shared drives? are not replicated`)),
    ]);
    sandbox.requests.clear();
    sandbox.clock.advance(60_000);
    await replica.run('files');
    expect(requestCount(/\/drives$/)).toBe(0);
    sandbox.clock.advance(86_400_000);
    await replica.run('files');
    expect(requestCount(/\/drives$/)).toBe(1);
  });

  test('do not include the synced folder or what it contains, if these are shared, too', async () => {
    const sandbox = createSandbox({ seed: 7, scale: 0.05 });
    const tomas = await colleague(sandbox);
    const folder_url = await tomas.folder('Plans of Tomas');
    const file = await tomas.file('deep.txt', 'deep', await tomas.folder('Deep', folder_url));
    const before = await withheldBy({}, sandbox);
    const q = 'sharedWithMe = true and trashed = false';
    const all = (await before.drive.files.list({ q, pageSize: 1000, fields: 'files(id)' })).data.length;
    for (const id of [folder_url, file]) await tomas.share(id);
    const { replica, withheld } = await withheldBy({ folder_url }, sandbox);
    expect(Object.keys(contents(replica))).toEqual(['Deep/deep.txt']);
    expect(withheld()[2]).toEqual({
      detail: expect.stringMatching(new RegExp(`^${all} files or folders shared with the account are not replicated`)),
    });
  });

  test('are only mentioned where they can exist', async () => {
    const [, shown] = (await withheldBy({ shared_with_me: true })).withheld();
    expect(shown).toMatch(/^Files on \d+ shared drives?/);
    const { drive, sandbox } = createDrive();
    const { data: drives } = await drive.drives.list({});
    const folder_url = drives[0]!.id;
    const { withheld } = await withheldBy({ folder_url, shared_with_me: 'true' }, sandbox);
    const others = drives.length - 1;
    expect(withheld()).toEqual([
      neverReplicated,
      'Files outside the configured folder are not replicated.',
      ...(others > 0 ? [expect.stringMatching(new RegExp(`^Files on ${others} shared drive`))] : []),
    ]);
    const empty = {
      outside: { checkedAt: 0, shared: { items: 0, folders: 0, more: false }, drives: { items: 0, more: false } },
    };
    expect(replication.entities.files!.withheld!({ settings: {}, config: {}, state: empty })).toEqual([
      neverReplicated,
    ]);
    const single = { outside: { ...empty.outside, shared: { items: 1, folders: 0, more: false } } };
    expect(replication.entities.files!.withheld!({ settings: {}, config: {}, state: single })).toEqual([
      neverReplicated,
      { count: 1, detail: expect.stringMatching(/^1 file or folder shared with the account is not replicated;/) },
    ]);
    const few = { outside: { ...empty.outside, shared: { items: 3, folders: 0, more: false } } };
    expect(replication.entities.files!.withheld!({ settings: {}, config: {}, state: few })).toEqual([
      neverReplicated,
      { count: 3, detail: expect.stringContaining('3 files or folders shared with the account') },
    ]);
    // Unknown before the first run.
    expect(replication.entities.files!.withheld!({ settings: {}, config: {}, state: undefined })).toHaveLength(3);
  });
});
