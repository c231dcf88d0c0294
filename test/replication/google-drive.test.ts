import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, test } from 'vitest';
import { replication } from '../../connectors/google-drive/replication/index.js';
import { failure } from '../failure.js';
import { contents, createDrive, google } from './google-drive-setup.js';

const fields = [
  'content',
  'content_cause',
  'content_state',
  'content_version',
  'file_name',
  'file_path',
  'id',
  'mime_type',
  'readers',
  'updated_at',
];

describe('My Drive', () => {
  const drive = createDrive();
  const replica = drive.replica();

  test('is complete, with every field of every file', async () => {
    expect(await replica.run('files')).toBe(true);
    const records = [...replica.records('files').values()];
    expect(records.length).toBeGreaterThan(80);
    for (const record of records) {
      expect(Object.keys(record).sort()).toEqual(fields);
      expect(record.updated_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(String(record.file_path).endsWith(String(record.file_name))).toBe(true);
      expect(record.mime_type).not.toBe(google.folder);
      expect(record.mime_type).not.toBe(google.shortcut);
    }
  });

  test('has the text of every format', () => {
    const held = contents(replica);
    expect(Object.entries(held).find(([path]) => path.endsWith('/Kick-off notes'))?.[1]).toMatch(/^# /);
    expect(held['Finance/Budget']).toBe(
      '# Sheet1\n\nTeam | Planned | Spent\nProduct | 12000 | 8450.25\nDesign | 8000 | 9120\nTravel, all | 5000 | 310',
    );
    expect(held['Product/All-hands: product']).toContain('Three themes this year');
    expect(held['Finance/expenses-01.csv']).toMatch(/^Day,Kind,Amount\n/);
    expect(held['Finance/rates.json']).toContain('"CHF": 0.94');
    expect(held['Contents/Offer.docx']).toBe('Offer\n\nTwelve months, 14 users, EUR 650.00 a month');
    expect(held['Contents/Prices.xlsx']).toBe('# Sheet1\n\nPlan | EUR\nSmall | 49\nLarge | 199');
    expect(held['Contents/final and frozen.pdf']).toBe('Do not change');
    expect(held['Contents/latin1.txt']).toBe('Zürich, Genève\n');
    expect(held['Contents/empty.txt']).toBe('');
    expect(held['Names/議事録 四半期レビュー']).toContain('売上は前年比で12%増えました。');
    expect(held["Names/O'Brien's notes.txt"]).toContain('apostrophe');
    expect(held['Names/Umsatz 1/2026.csv']).toContain('Januar,1200');
    expect(held['Names/emoji 🎉 party.md']).toContain('Bring cake.');
  });

  test('includes files without text', () => {
    const held = contents(replica);
    for (const path of [
      'Design/screen-login.png',
      'Contents/photos.zip',
      'Contents/virtual-1gib.bin',
      'Design/Assets/Icons/home.svg',
      'Product/Customer survey',
    ]) {
      expect(held[path]).toBeNull();
    }
  });

  test('contains two files with the same name, and nothing from the trash', () => {
    const paths = [...replica.records('files').values()].map(({ file_path }) => String(file_path));
    expect(paths.filter((path) => path === 'Names/duplicate.txt')).toHaveLength(2);
    expect(paths).not.toContain('scratch.txt');
    expect(paths.some((path) => path.startsWith('Offsite 2024/'))).toBe(false);
  });

  test('reports files that could not be read, and still has a record of each', () => {
    const told = replica.failures.map(({ message }) => message);
    expect(told).toContainEqual(expect.stringMatching(/^Contents\/suspicious\.pdf: .*malware/));
    expect(told).toContainEqual(expect.stringMatching(/^Contents\/Ledger export, all years: .*too large/));
    const unexpected = replica.failures.filter(({ permanent }) => permanent !== true);
    expect(unexpected.map(({ cause }) => cause).sort()).toEqual(['download', 'too_large']);
    // Every other file that was not read says so, too.
    const records = [...replica.records('files').values()];
    const unread = records.filter(({ content_state }) => content_state !== 'read');
    expect(new Set(replica.failures.map(({ id }) => id))).toEqual(new Set(unread.map(({ id }) => id)));
    expect(new Set(records.map(({ content_state }) => content_state))).toEqual(new Set(['read', 'not_read', 'empty']));
    const held = contents(replica);
    expect(held['Contents/suspicious.pdf']).toBeNull();
    expect(held['Contents/Ledger export, all years']).toBeNull();
  });

  test('is not read again if nothing has changed', async () => {
    const before = contents(replica);
    drive.sandbox.requests.clear();
    expect(await replica.run('files')).toBe(true);
    expect(contents(replica)).toEqual(before);
    const downloads = drive.sandbox.requests.filter(
      ({ query, path }) => query.alt === 'media' || path.endsWith('/export'),
    );
    expect(downloads).toEqual([]);
  });
});

describe('the folder to sync', () => {
  const drive = createDrive();

  test.each([
    ['a URL', (id: string) => `https://drive.google.com/drive/folders/${id}?usp=sharing`],
    ['a URL for one of several accounts', (id: string) => `https://drive.google.com/drive/u/1/folders/${id}`],
    ['a URL with the id as a parameter', (id: string) => `https://drive.google.com/open?id=${id}`],
    ['an id', (id: string) => ` ${id} `],
  ])('can be given as %s', async (_, given) => {
    const replica = drive.replica({ config: { folder_url: given(await drive.idOf('Names')) } });
    await replica.run('files');
    expect(replica.records('files').size).toBe(10);
    expect(contents(replica)).toHaveProperty('back\\slash.txt', 'So has the backslash.\n');
  });

  test.each([
    'root',
    'my-drive',
    'https://drive.google.com/drive/my-drive',
    'https://drive.google.com/drive/u/0/my-drive',
  ])('can be My Drive, given as %s', async (folder_url) => {
    const replica = drive.replica({ config: { folder_url } });
    await replica.run('files', { batches: 3 });
    expect(replica.states.get('files')).toMatchObject({
      root: (await drive.drive.files.get({ fileId: 'root' })).data.id,
    });
  });

  test('can be a shared drive, or a folder on one', async () => {
    const { data } = await drive.drive.drives.list();
    const id = data.find(({ name }) => name === 'Product & Design')!.id;
    const whole = drive.replica({ config: { folder_url: `https://drive.google.com/drive/folders/${id}` } });
    await whole.run('files');
    expect(Object.keys(contents(whole))).toContain('Research/Interview index');
    expect(Object.keys(contents(whole))).toContain('Brand guide.pdf');
    const part = drive.replica({ config: { folder_url: await drive.idOf('Runbooks') } });
    await part.run('files');
    expect(part.records('files').size).toBe(8);
  });

  test('is requested with the resource key from its URL', async () => {
    const id = await drive.idOf('Runbooks');
    const resourceKey = '0-aBcDeFgHiJkLmNoPqRsTuV';
    const folder_url = `https://drive.google.com/drive/folders/${id}?resourcekey=${resourceKey}&usp=sharing`;
    const replica = drive.replica({ config: { folder_url } });
    drive.sandbox.requests.clear();
    await replica.run('files');
    expect(replica.records('files').size).toBe(8);
    const isOfFolder = ({ path, query }: (typeof drive.sandbox.requests)[number]) =>
      path.endsWith(`/files/${id}`) || String(query.q).includes(`'${id}' in parents`);
    const keys = drive.sandbox.requests.filter(isOfFolder).map(({ headers }) => headers['x-goog-drive-resource-keys']);
    expect(keys.length).toBeGreaterThanOrEqual(2);
    expect(keys).toEqual(keys.map(() => `${id}/${resourceKey}`));
  });

  test('can belong to someone else', async () => {
    const replica = drive.replica({ config: { folder_url: await drive.idOf('Handover from Dana') } });
    await replica.run('files');
    expect(contents(replica)).toEqual({ 'Open tickets': '# Open tickets\n\n- Kestrel Health waits for an answer' });
  });

  test.each([
    ['https://example.com/drive/folders/1dyUEebJaFnWa3Z4n0BFMVAXQ7mfUH11g', 'must be the URL or id of a folder'],
    ['my files', 'must be the URL or id of a folder'],
    ['', 'must be the URL or id of a folder'],
    ['https://drive.google.com/drive/recent', 'is not a folder URL'],
    ['https://docs.google.com/document/d/1dyUEebJaFnWa3Z4n0BFMVAXQ7mfUH11g/edit', 'is the URL of a file'],
  ])('must not be %j', async (folder_url, message) => {
    const error = await failure(drive.replica({ config: { folder_url } }).run('files'));
    expect(error).toMatchObject({ code: 'invalid_params', issues: [{ path: 'replication_config.folder_url' }] });
    expect(error.message).toContain(message);
  });

  test('must exist and must not be a file', async () => {
    const run = (folder_url: string) => failure(drive.replica({ config: { folder_url } }).run('files'));
    expect(await run(await drive.idOf('Budget'))).toMatchObject({ code: 'invalid_params' });
    expect(await run('1AbsentFolderAbsentFolderAbsent0')).toMatchObject({
      code: 'not_found',
      issues: [{ path: 'replication_config.folder_url' }],
    });
  });

  test('restarts the sync when it changes', async () => {
    const config: { folder_url?: string } = { folder_url: await drive.idOf('Names') };
    const replica = drive.replica({ config });
    await replica.run('files');
    config.folder_url = await drive.idOf('Finance');
    await replica.run('files');
    expect(Object.keys(contents(replica))).toContain('Budget');
    expect(replica.records('files').size).toBe(14);
  });
});

describe('an interrupted run', () => {
  test.each([1, 2, 5])('resumes where it stopped after every %d batches', async (batches) => {
    const sandbox = createSandbox({ seed: 7, scale: 0.05, now: () => Date.UTC(2026, 10, 20) });
    const drive = createDrive({ sandbox, now: sandbox.clock.now });
    const whole = drive.replica();
    await whole.run('files');
    const cut = drive.replica();
    let runs = 1;
    while (runs < 300 && !(await cut.run('files', { batches }))) runs += 1;
    expect(runs).toBeGreaterThan(2);
    expect(contents(cut)).toEqual(contents(whole));
    expect(cut.states.get('files')).toEqual(whole.states.get('files'));
  });

  test('requests a page again if its token has expired', async () => {
    const drive = createDrive();
    const many = await drive.folder('Many');
    const { tables } = await manyFiles(drive, many, 1050);
    const replica = drive.replica({ config: { folder_url: many } });
    // The first page of a thousand makes 42 batches of 24.
    expect(await replica.run('files', { batches: 43 })).toBe(false);
    expect(replica.states.get('files')).toMatchObject({ page: expect.any(String) });
    drive.sandbox.clock.advance(48 * 3_600_000);
    await replica.run('files');
    expect(replica.records('files').size).toBe(tables);
  });
});

async function manyFiles(drive: ReturnType<typeof createDrive>, parent: string, count: number) {
  for (let index = 0; index < count; index += 1) await drive.file(`file-${index}.txt`, `text ${index}`, parent);
  return { tables: count };
}

test('the stored state stays small with many folders', async () => {
  const drive = createDrive();
  const root = await drive.folder('Wide');
  for (let index = 0; index < 40; index += 1) {
    const folder = await drive.folder(`Folder ${index}`, root);
    for (let inner = 0; inner < 5; inner += 1) await drive.folder(`Inner ${inner}`, folder);
    await drive.file('note.txt', 'a note', folder);
  }
  const replica = drive.replica({ config: { folder_url: root } });
  let largest = 0;
  for (let runs = 0; runs < 300 && !(await replica.run('files', { batches: 3 })); runs += 1) {
    largest = Math.max(largest, JSON.stringify(replica.states.get('files')).length);
  }
  expect(replica.records('files').size).toBe(40);
  // Fourteen characters for each of 241 folders, including pending ones.
  expect(JSON.stringify(replica.states.get('files')).length).toBeLessThan(241 * 14 + 300);
  expect(largest).toBeLessThan(241 * 14 + 45 * 90);
});

test('passages below a heading start with that heading', () => {
  const segments = (mime_type: string, content: string | null) => [
    ...replication.entities.files!.segments!.content!({ mime_type, content }),
  ];
  const text = '# Plan\n\nWe spend less.\n\nMuch less.';
  expect(segments(google.document, text).map((segment) => segment.text.trim())[0]).toBe('# Plan\n\nWe spend less.');
  expect(segments('text/plain', text).map((segment) => segment.text.trim())[0]).toBe('# Plan');
  expect(segments('text/plain', null)).toEqual([]);
});
