import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox } from 'agent-connectors-sandbox';
import { driveFromFolder, type SandboxServer, serve } from 'agent-connectors-sandbox/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFinder, createRequester, jsonRequest, list, multipart, tokenOf } from './requester.js';

let outer: string;
let folder: string;
let server: SandboxServer;
let ask: ReturnType<typeof createRequester>;
let find: ReturnType<typeof createFinder>;

beforeEach(async () => {
  outer = mkdtempSync(join(tmpdir(), 'drive-'));
  folder = join(outer, 'served');
  mkdirSync(join(folder, 'reports', '2026'), { recursive: true });
  writeFileSync(join(folder, 'notes.txt'), 'hello from the disk\n');
  writeFileSync(join(folder, 'reports', '2026', 'q1.csv'), 'a,b\n1,2\n');
  writeFileSync(join(outer, 'secret.txt'), 'not for everyone');
  server = await serve({ driveFolder: folder });
  ask = createRequester({ fetch: globalThis.fetch }, 'ya29.sandbox-drive-access-token', `${server.url}/google-drive`);
  find = createFinder(ask);
});
afterEach(async () => {
  await server.close();
  rmSync(outer, { recursive: true });
});

const inMyDrive = async () => {
  const q = "'me' in owners and trashed = false";
  const { json } = await ask(list({ q, orderBy: 'name', fields: 'files(name,mimeType,size,parents)' }));
  return json.files.map(({ name }: any) => name);
};

describe('a folder on disk', () => {
  it('is listed as My Drive, together with files that others share', async () => {
    expect(await inMyDrive()).toEqual(['2026', 'notes.txt', 'q1.csv', 'reports']);
    const year = await find('2026');
    expect((await ask(list({ q: `'${year}' in parents` }))).json.files).toMatchObject([
      { name: 'q1.csv', mimeType: 'text/csv' },
    ]);
    expect((await ask('/drive/v3/drives')).json.drives).toHaveLength(2);
  });

  it('can be read in full and in parts, with checksums', async () => {
    const id = await find('notes.txt');
    expect((await ask(`/drive/v3/files/${id}?alt=media`)).text).toBe('hello from the disk\n');
    const part = await ask(`/drive/v3/files/${id}?alt=media`, { headers: { range: 'bytes=6-9' } });
    expect([part.status, part.text]).toEqual([206, 'from']);
    const { json } = await ask(`/drive/v3/files/${id}?fields=md5Checksum,size`);
    expect(json).toEqual({ size: '20', md5Checksum: createHash('md5').update('hello from the disk\n').digest('hex') });
  });

  it('accepts uploads, even with a name that is taken or invalid on disk', async () => {
    const parents = [await find('reports')];
    for (const name of ['q2.txt', 'q2.txt', 'a/b', '..', '']) {
      const { status } = await ask(
        '/upload/drive/v3/files?uploadType=multipart',
        multipart({ name, parents }, 'text/plain', `in ${name}`),
      );
      expect(status, name).toBe(200);
    }
    expect(readdirSync(join(folder, 'reports')).sort()).toEqual(['2026', '_', '_..', 'a_b', 'q2 (2).txt', 'q2.txt']);
    expect(readFileSync(join(folder, 'reports', 'a_b'), 'utf8')).toBe('in a/b');
    expect(await inMyDrive()).toEqual(expect.arrayContaining(['q2.txt', 'a/b', '..', '']));
    expect(readdirSync(outer).sort()).toEqual(['secret.txt', 'served']);
  });

  it('allows files to be written, renamed, moved and deleted in place', async () => {
    const [file, reports] = [await find('notes.txt'), await find('reports')];
    const patch = { ...multipart({}, 'text/plain', 'changed'), method: 'PATCH' };
    await ask(`/upload/drive/v3/files/${file}?uploadType=multipart`, patch);
    expect(readFileSync(join(folder, 'notes.txt'), 'utf8')).toBe('changed');
    expect((await ask(`/drive/v3/files/${file}/revisions`)).json.revisions).toHaveLength(2);
    await ask(`/drive/v3/files/${reports}`, jsonRequest('PATCH', { name: 'papers' }));
    expect((await ask(`/drive/v3/files/${await find('q1.csv')}?alt=media`)).text).toBe('a,b\n1,2\n');
    await ask(
      `/drive/v3/files/${file}?addParents=${reports}&removeParents=root`,
      jsonRequest('PATCH', { name: 'moved.txt' }),
    );
    expect(existsSync(join(folder, 'papers', 'moved.txt'))).toBe(true);
    expect((await ask(`/drive/v3/files/${file}?alt=media`)).text).toBe('changed');
    await ask(`/drive/v3/files/${reports}`, { method: 'DELETE' });
    expect(readdirSync(folder)).toEqual([]);
    expect(await inMyDrive()).toEqual([]);
  });

  it('creates folders and keeps native documents in memory', async () => {
    const made = await ask(
      '/drive/v3/files',
      jsonRequest('POST', { name: 'new', mimeType: 'application/vnd.google-apps.folder' }),
    );
    const mimeType = 'application/vnd.google-apps.document';
    const body = multipart({ name: 'doc', parents: [made.json.id], mimeType }, 'text/plain', 'words');
    const { json } = await ask('/upload/drive/v3/files?uploadType=multipart', body);
    expect(readdirSync(join(folder, 'new'))).toEqual([]);
    expect((await ask(`/drive/v3/files/${json.id}/export?mimeType=text/plain`)).text).toBe('words');
  });

  it('shows external changes in the list and in the changes feed', async () => {
    const [gone, changed] = [await find('q1.csv'), await find('notes.txt')];
    const { startPageToken } = (await ask('/drive/v3/changes/startPageToken')).json;
    rmSync(join(folder, 'reports', '2026', 'q1.csv'));
    writeFileSync(join(folder, 'notes.txt'), 'hello from somebody\n');
    utimesSync(join(folder, 'notes.txt'), 2_000_000_000, 2_000_000_000);
    writeFileSync(join(folder, 'new.md'), '# New\n');
    const { changes } = (await ask(`/drive/v3/changes?pageToken=${startPageToken}`)).json;
    expect(changes.map(({ fileId, removed, file }: any) => [removed, file?.name ?? fileId])).toEqual([
      [false, 'new.md'],
      [false, 'notes.txt'],
      [true, gone],
    ]);
    expect((await ask(`/drive/v3/files/${changed}?alt=media`)).text).toBe('hello from somebody\n');
    expect((await ask(`/drive/v3/files/${changed}?fields=modifiedTime`)).json.modifiedTime).toBe(
      '2033-05-18T03:33:20.000Z',
    );
  });

  it('does not expose link targets or write through links', async () => {
    symlinkSync(join(outer, 'secret.txt'), join(folder, 'link.txt'));
    symlinkSync(outer, join(folder, 'way-out'));
    expect(await inMyDrive()).toEqual(['2026', 'notes.txt', 'q1.csv', 'reports']);
    const reports = await find('reports');
    rmSync(join(folder, 'reports'), { recursive: true });
    symlinkSync(outer, join(folder, 'reports'));
    const refused = await ask(
      '/upload/drive/v3/files?uploadType=multipart',
      multipart({ name: 'x', parents: [reports] }, 'text/plain', 'x'),
    );
    expect(refused.status).toBe(404);
    expect(readdirSync(outer).sort()).toEqual(['secret.txt', 'served']);
  });

  it('belongs to a single user', async () => {
    const token = await tokenOf(server.sandbox, 'administrator');
    const { json } = await createRequester(server.sandbox, token)(list({ q: "name = 'notes.txt'" }));
    expect(json.files).toEqual([]);
  });

  it('survives a dump, which leaves the bytes on disk', async () => {
    const before = await inMyDrive();
    const id = await find('notes.txt');
    const state = server.sandbox.dump();
    expect(JSON.stringify(state)).not.toContain(btoa('hello from the disk\n'));
    const other = createSandbox({ driveFolder: driveFromFolder(folder) });
    other.load(state);
    const again = createRequester(other);
    expect((await again(`/drive/v3/files/${id}?alt=media`)).text).toBe('hello from the disk\n');
    expect(await inMyDrive()).toEqual(before);
  });
});

describe('driveFromFolder', () => {
  it('requires a folder and rejects every path outside it', () => {
    expect(() => driveFromFolder(join(outer, 'nowhere'))).toThrow();
    expect(() => driveFromFolder(join(outer, 'secret.txt'))).toThrow(/is not a folder/);
    const drive = driveFromFolder(folder);
    symlinkSync(outer, join(folder, 'way-out'));
    for (const path of [
      '../secret.txt',
      'reports/../../secret.txt',
      '/etc/passwd',
      '',
      'way-out/secret.txt',
      'a\\b',
      'reports/./x',
    ]) {
      expect(() => drive.open(path), path).toThrow(RangeError);
      expect(() => drive.write(path, new Uint8Array(0)), path).toThrow(RangeError);
      expect(() => drive.remove(path), path).toThrow(RangeError);
    }
    symlinkSync(join(outer, 'secret.txt'), join(folder, 'link.txt'));
    expect(() => drive.write('link.txt', new Uint8Array(0))).toThrow();
    expect(readFileSync(join(outer, 'secret.txt'), 'utf8')).toBe('not for everyone');
  });

  it('does not read through a folder replaced by a link', async () => {
    const blob = driveFromFolder(folder).open('reports/2026/q1.csv');
    rmSync(join(folder, 'reports'), { recursive: true });
    mkdirSync(join(outer, 'elsewhere', '2026'), { recursive: true });
    writeFileSync(join(outer, 'elsewhere', '2026', 'q1.csv'), 'a secret');
    symlinkSync(join(outer, 'elsewhere'), join(folder, 'reports'));
    const read = async () => {
      for await (const piece of blob.read(0, 8)) return piece;
    };
    await expect(read()).rejects.toThrow(RangeError);
  });
});
