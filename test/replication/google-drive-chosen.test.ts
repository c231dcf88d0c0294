import { expect, test } from 'vitest';
import { contents, createDrive } from './google-drive-setup.js';

async function chooseThree() {
  const made = createDrive();
  const ids = {
    a: await made.file('a.txt', 'one'),
    b: await made.file('b.txt', 'two'),
    c: await made.file('c.txt', 'three'),
  };
  return { ...made, ...ids };
}

test('only the chosen files are replicated, and a change of one is read', async () => {
  const { rename, replica, a, b } = await chooseThree();
  const files = replica({ config: { file_ids: [a, b] } });
  await files.run('files');
  expect(contents(files)).toEqual({ 'a.txt': 'one', 'b.txt': 'two' });
  await rename(a, 'renamed.txt');
  await files.run('files');
  expect(contents(files)).toEqual({ 'renamed.txt': 'one', 'b.txt': 'two' });
});

test('a chosen file is removed once it is in the trash or deleted, with and without a sweep', async () => {
  for (const isSwept of [true, false]) {
    const { drive, trash, replica, a, b, c } = await chooseThree();
    const files = replica({ isSwept, config: { file_ids: [a, b, c] } });
    await files.run('files');
    await trash(b);
    await drive.files.delete({ fileId: c });
    await files.run('files');
    expect(contents(files)).toEqual({ 'a.txt': 'one' });
  }
});

test('text that could not be read is read in the next run, and an unchanged file only once', async () => {
  const { replica, sandbox, a } = await chooseThree();
  const files = replica({ config: { file_ids: [a] } });
  // The first request reads the metadata, the second the content.
  const path = `/drive/v3/files/${a}`;
  sandbox.faults.add({ kind: 'refused', path, status: 403, reason: 'downloadQuotaExceeded', nth: 2 });
  await files.run('files');
  expect(contents(files)).toEqual({ 'a.txt': null });
  await files.run('files');
  expect(contents(files)).toEqual({ 'a.txt': 'one' });
  sandbox.requests.clear();
  await files.run('files');
  expect(sandbox.requests.filter(({ query }) => query.alt === 'media')).toEqual([]);
});

test('a chosen folder has no contents', async () => {
  const { folder, file, replica } = await chooseThree();
  const parent = await folder('Kept');
  await file('inside.txt', 'x', parent);
  const files = replica({ config: { file_ids: [parent] } });
  await files.run('files');
  expect(contents(files)).toEqual({});
});
