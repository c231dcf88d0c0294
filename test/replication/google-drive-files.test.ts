import { createSandbox, type FaultRule } from 'agent-connectors-sandbox';
import { describe, expect, test } from 'vitest';
import { docxOf } from '../../sandbox/src/google-drive/formats/office.js';
import { pdfOf } from '../../sandbox/src/google-drive/formats/pdf.js';
import { types, utf16 } from '../service/text/documents.js';
import { contents, createDrive, google } from './google-drive-setup.js';

/** A folder to add files to, and a replica of it. */
async function folder(faults: readonly FaultRule[] = []) {
  const drive = createDrive({ sandbox: createSandbox({ seed: 7, scale: 0.05 }) });
  const root = await drive.folder('Kept');
  for (const fault of faults) drive.sandbox.faults.add(fault);
  const replica = drive.replica({ config: { folder_url: root } });
  const file = (name: string, content: string | Uint8Array, type?: string, as?: string) =>
    drive.file(name, content, root, { ...(type && { type }), ...(as && { as }) });
  return { ...drive, root, replica, file };
}

test('broken documents are reported and do not stop the run', async () => {
  const { file, replica } = await folder();
  await file('a.pdf', pdfOf(['x']).slice(0, 50), types.pdf);
  await file('b.docx', docxOf(['x']).slice(0, 90), types.docx);
  await file('c.pdf', pdfOf(['It is fine.']), types.pdf);
  await replica.run('files');
  expect(contents(replica)).toEqual({ 'a.pdf': null, 'b.docx': null, 'c.pdf': 'It is fine.' });
  expect(replica.failures.map(({ message }) => message).sort()).toEqual([
    expect.stringMatching(/^a\.pdf: Cannot be read as a PDF: /),
    expect.stringMatching(/^b\.docx: Cannot be read as a Word document: /),
  ]);
});

test('text in UTF-16, with a byte order mark or in another script is decoded correctly', async () => {
  const { file, replica } = await folder();
  await file('utf16.txt', utf16('Zürich 議事録', true));
  await file('mark.csv', '\uFEFFTag;Betrag\r\n1;2', 'text/csv');
  await file('議事録.md', '# 売上\n\n12%増', 'text/markdown');
  await file('page.html', '<h1>Plan</h1><p>We spend less.</p>', 'text/html');
  await file('notes', 'no type', 'application/octet-stream');
  await replica.run('files');
  expect(contents(replica)).toEqual({
    'utf16.txt': 'Zürich 議事録',
    'mark.csv': 'Tag;Betrag\n1;2',
    '議事録.md': '# 売上\n\n12%増',
    'page.html': '# Plan\n\nWe spend less.',
    notes: 'no type',
  });
});

describe('a native document', () => {
  test('has no images or backslashes from the export', async () => {
    const { file, replica } = await folder();
    const text =
      '# A\\_plan\n\nSee ![][image1] and snake\\_case \\- 1\\.\n\n[image1]: <data:image/png;base64,iVBORw0KGgo=>\n';
    await file('Plan', text, 'text/markdown', google.document);
    await replica.run('files');
    expect(contents(replica)).toEqual({ Plan: '# A_plan\n\nSee  and snake_case - 1.' });
  });

  test('falls back to a smaller format if the better one is rejected', async () => {
    const { file, replica, requestCount } = await folder([
      { kind: 'refused', path: '/drive/v3/files/', status: 403, reason: 'exportSizeLimitExceeded', nth: 2 },
    ]);
    await file('Plan', '# A plan', 'text/markdown', google.document);
    await replica.run('files');
    expect(contents(replica)).toEqual({ Plan: 'A plan' });
    expect(requestCount(/\/export$/)).toBe(2);
    expect(replica.failures).toEqual([]);
  });
});

describe('a file that cannot be read', () => {
  test('because downloading is forbidden has a record without text', async () => {
    const drive = createDrive();
    const root = await drive.folder('Kept');
    await drive.shortcut('Minutes', await drive.idOf('Board minutes.pdf'), root);
    const replica = drive.replica({ config: { folder_url: root } });
    await replica.run('files');
    expect(contents(replica)).toEqual({ Minutes: null });
    expect(replica.failures.map(({ message }) => message)).toEqual([
      'Minutes: Google Drive: This file cannot be downloaded by the user.',
    ]);
  });

  test('because it is too large is not requested', async () => {
    const { file, replica, drive, requestCount, root, move, idOf } = await folder();
    await file('small.txt', 'small');
    const large = await idOf('virtual-64mib.bin');
    await drive.files.update({ fileId: large, name: 'large.txt', mimeType: 'text/plain' });
    await move(large, await idOf('Contents'), root);
    await replica.run('files');
    expect(contents(replica)).toEqual({ 'small.txt': 'small', 'large.txt': null });
    expect(replica.failures.map(({ message }) => message)).toEqual([
      'large.txt: The file is larger than 50 MiB, so its text is not indexed.',
    ]);
    expect(requestCount(new RegExp(`/files/${large}$`))).toBe(2);
  });

  test('on this run is read on the next one, even if it has not changed', async () => {
    const { file, replica, sandbox } = await folder();
    const id = await file('a.txt', 'a text');
    await file('b.txt', 'b text');
    sandbox.faults.add({
      kind: 'refused',
      path: `/drive/v3/files/${id}`,
      status: 403,
      reason: 'downloadQuotaExceeded',
    });
    await replica.run('files');
    expect(contents(replica)).toEqual({ 'a.txt': null, 'b.txt': 'b text' });
    expect(replica.failures).toEqual([
      {
        id,
        field: 'content',
        message: expect.stringMatching(/^a\.txt: .*download quota/),
        state: 'not_read',
        cause: 'download',
      },
    ]);
    await replica.run('files');
    expect(contents(replica)).toEqual({ 'a.txt': 'a text', 'b.txt': 'b text' });
    expect(replica.states.get('files')).toMatchObject({ again: [] });
  });
});

test('more files than a replica can note for another attempt are all read once Drive delivers them', async () => {
  const drive = createDrive({ sandbox: createSandbox({ seed: 7, scale: 0.01 }) });
  const { sandbox } = drive;
  const root = await drive.folder('Many');
  const indexed = await drive.file('indexed.txt', 'indexed before', root);
  const removed = await drive.file('removed.txt', 'removed later', root);
  let isRefused = false;
  const replica = drive.replica({
    config: { folder_url: root },
    async fetch(input, init) {
      if (!isRefused || !String(input).includes('alt=media')) return sandbox.fetch(input, init);
      const errors = [{ domain: 'usageLimits', reason: 'downloadQuotaExceeded', message: 'Too many downloads.' }];
      return Response.json({ error: { code: 403, message: 'Too many downloads.', errors } }, { status: 403 });
    },
  });
  await replica.run('files');
  isRefused = true;
  const count = 230;
  for (let at = 0; at < count; at += 1) await drive.file(`${at}.txt`, `text ${at}`, root);
  await replica.run('files');
  await drive.rename(indexed, 'renamed.txt');
  await drive.trash(removed);
  expect(await replica.run('files')).toBe(true);
  // Nothing has been lost, and deletions are still followed.
  expect(replica.records('files').get(indexed)).toMatchObject({ content: 'indexed before' });
  expect(replica.records('files').has(removed)).toBe(false);
  isRefused = false;
  await replica.run('files');
  const texts = Array.from({ length: count }, (_, at) => [`${at}.txt`, `text ${at}`]);
  expect(contents(replica)).toEqual({ ...Object.fromEntries(texts), 'renamed.txt': 'indexed before' });
  // The replica is complete, so that the next run does not list the folder again.
  sandbox.requests.clear();
  await replica.run('files');
  expect(drive.requestCount(/\/files\?/)).toBe(0);
});

describe('the run ends', () => {
  test('if the credentials do not allow reading any file', async () => {
    const sandbox = createSandbox({ seed: 7, scale: 0.05 });
    const replica = createDrive({ sandbox, mode: 'metadata_readonly' }).replica();
    await expect(replica.run('files')).rejects.toMatchObject({ code: 'scope_missing' });
  });

  test('if Drive itself fails, not just a file', async () => {
    const { file, replica, sandbox } = await folder();
    const id = await file('a.txt', 'a text');
    sandbox.faults.add({ kind: '503', path: `/drive/v3/files/${id}`, count: Number.POSITIVE_INFINITY });
    await expect(replica.run('files')).rejects.toMatchObject({ code: 'vendor_error' });
    expect(replica.records('files').size).toBe(0);
    sandbox.faults.clear();
    await replica.run('files');
    expect(contents(replica)).toEqual({ 'a.txt': 'a text' });
  });
});
