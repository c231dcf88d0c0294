import { describe, expect, test } from 'vitest';
import { createDrive } from './google-drive-setup.js';

const owner = 'user:ines.carvalho@fernhill.example';

/** A replica of a folder that includes the readers of its files, and functions to share and unshare them. */
async function permitted(permissions = true) {
  const drive = createDrive();
  const folder = await drive.folder('Kept');
  const clock = { now: Date.parse('2026-06-01T00:00:00Z') };
  const config = { folder_url: folder, ...(permissions && { permissions }) };
  const replica = drive.replica({ config, now: () => clock.now, isSwept: false });
  return {
    ...drive,
    folder,
    clock,
    replica,
    share: (id: string, permission: object) =>
      drive.send('POST', `/files/${id}/permissions?supportsAllDrives=true`, { role: 'reader', ...permission }),
    async run() {
      drive.sandbox.clock.advance(60_000);
      drive.sandbox.requests.clear();
      await replica.run('files');
    },
    readers: (id: string) => replica.records('files').get(id)?.readers,
    requests: (end: string) => drive.sandbox.requests.filter(({ path }) => path.endsWith(end)).length,
  };
}

describe("a file's readers", () => {
  test('are replicated by user, group, domain and anyone, in lowercase; links are distinguished from discoverable files', async () => {
    const { file, folder, readers, run, share } = await permitted();
    const id = await file('Plan.txt', 'Plan', folder);
    await share(id, { type: 'user', emailAddress: 'Ana@Partner.Example' });
    await share(id, { type: 'group', emailAddress: 'staff@fernhill.example' });
    await share(id, { type: 'domain', domain: 'Fernhill.example', allowFileDiscovery: true });
    await share(id, { type: 'anyone' });
    await run();
    expect(readers(id)).toEqual([
      'domain:fernhill.example',
      'group:staff@fernhill.example',
      'link:anyone',
      'user:ana@partner.example',
      owner,
    ]);
  });

  test('exclude access that expires', async () => {
    const { file, folder, readers, run, share } = await permitted();
    const id = await file('Plan.txt', 'Plan', folder);
    await share(id, { type: 'user', emailAddress: 'ana@partner.example', expirationTime: '2026-12-01T00:00:00Z' });
    await run();
    expect(readers(id)).toEqual([owner]);
  });

  test('reflect sharing changes to the file and its parent folder, without reading any text again', async () => {
    const { file, folder, folder: root, readers, requests, run, send, sandbox, share } = await permitted();
    const id = await file('Plan.txt', 'Plan', folder);
    await run();
    expect(readers(id)).toEqual([owner]);
    const own = await share(id, { type: 'user', emailAddress: 'ana@partner.example' });
    await run();
    expect(readers(id)).toEqual(['user:ana@partner.example', owner]);
    expect(requests(`/files/${id}`)).toBe(0);
    await send('DELETE', `/files/${id}/permissions/${own.id}`, {}).catch(() => undefined);
    await share(root, { type: 'user', emailAddress: 'bo@partner.example' });
    await run();
    expect(readers(id)).toEqual(['user:bo@partner.example', owner]);
    sandbox.requests.clear();
    await run();
    expect(requests('/permissions')).toBe(0);
  });

  test('are read again once a day', async () => {
    const { clock, file, folder, requests, run } = await permitted();
    await file('Plan.txt', 'Plan', folder);
    await run();
    clock.now += 86_400_000;
    await run();
    expect(requests('/permissions')).toBe(1);
  });

  test('include those inherited from a shared drive', async () => {
    const sandboxed = createDrive();
    const { data: drives } = await sandboxed.drive.drives.list();
    const replica = sandboxed.replica({ config: { folder_url: drives[0]!.id, permissions: 'true' } });
    await replica.run('files');
    const records = [...replica.records('files').values()];
    expect(records.length).toBeGreaterThan(0);
    for (const { readers } of records) expect(readers).toContain(owner);
  });

  test('are unknown if Google does not report them, and are requested only if enabled', async () => {
    const { file, folder, readers, requests, run } = await permitted(false);
    const id = await file('Plan.txt', 'Plan', folder);
    await run();
    expect(readers(id)).toBeNull();
    expect(requests('/permissions')).toBe(0);
    const sandboxed = createDrive();
    const shared = sandboxed.replica({
      config: { folder_url: await sandboxed.folder('Kept'), shared_with_me: true, permissions: true },
    });
    await shared.run('files');
    const all = [...shared.records('files').values()];
    expect(all.length).toBeGreaterThan(0);
    expect(all.some((record) => record.readers === null)).toBe(true);
  });
});
