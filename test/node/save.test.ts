import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { safeName, save } from 'agent-connectors/node';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'save-'));
});

afterEach(() => rm(folder, { recursive: true }));

const download = (text: string, meta: { content_length?: number | null; file_name?: string | null } = {}) => ({
  data: new Blob([text]).stream() as ReadableStream<Uint8Array>,
  meta: { content_length: text.length, file_name: null, ...meta },
});

test('a download is written completely, under the given name', async () => {
  const path = join(folder, 'deep', 'report.pdf');
  expect(await save(download('content'), path)).toEqual({ path, bytes: 7 });
  expect(await readFile(path, 'utf8')).toBe('content');
  expect(await readdir(join(folder, 'deep'))).toEqual(['report.pdf']);
});

test("a download saved to a folder gets the vendor's name, made safe", async () => {
  const { path } = await save(download('x', { file_name: '../../etc/pass\u202Ewd' }), folder);
  expect(path).toBe(join(folder, 'pass_wd'));
  const unnamed = await save(download('x'), `${folder}/`);
  expect(unnamed.path).toBe(join(folder, 'download'));
});

test('an existing file is replaced only on request', async () => {
  const path = join(folder, 'a.txt');
  await writeFile(path, 'mine');
  await expect(save(download('theirs'), path)).rejects.toMatchObject({ code: 'conflict' });
  expect(await readFile(path, 'utf8')).toBe('mine');
  await save(download('theirs'), path, { overwrite: true });
  expect(await readFile(path, 'utf8')).toBe('theirs');
});

test('a socket, pipe or device is not replaced by a file', async () => {
  const path = join(folder, 'socket');
  const server = createServer().listen(path);
  await once(server, 'listening');
  await expect(save(download('theirs'), path, { overwrite: true })).rejects.toMatchObject({ code: 'invalid_params' });
  expect((await stat(path)).isSocket()).toBe(true);
  server.close();
});

test('when two saves use the same name, one succeeds and the other fails', async () => {
  const path = join(folder, 'race.txt');
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, (_, at) => save(download(`${at}`), path)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await readdir(folder)).toEqual(['race.txt']);
});

test('an interrupted or incomplete download leaves nothing behind', async () => {
  const broken = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (controller.desiredSize === 1) controller.enqueue(new Uint8Array(10));
      controller.error(new Error('closed the connection'));
    },
  });
  const meta = { content_length: null, file_name: null };
  await expect(save({ data: broken, meta }, join(folder, 'b'))).rejects.toThrow('closed the connection');
  await expect(save(download('short', { content_length: 9 }), join(folder, 'c'))).rejects.toMatchObject({
    code: 'invalid_response',
  });
  expect(await readdir(folder)).toEqual([]);
});

test('a saved file is private to its owner', async () => {
  const { path } = await save(download('x'), join(folder, 'secret'));
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('any name becomes a safe one', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.oneof(fc.constantFrom(...'-._ '), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })),
        maxLength: 400,
      }),
      (name) => {
        const safe = safeName(name);
        expect(safe).not.toMatch(/[/\\\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]|^[-\s]|[\s.]$/u);
        expect(['', '.', '..']).not.toContain(safe);
        expect(safe.startsWith('.')).toBe(false);
        expect(new TextEncoder().encode(safe).length).toBeLessThanOrEqual(255);
      },
    ),
  );
  expect(['CON', 'nul.txt', '.bashrc', 'a/b/c.txt', 'Ü.pdf'].map(safeName)).toEqual([
    '_CON',
    '_nul.txt',
    'bashrc',
    'c.txt',
    'Ü.pdf',
  ]);
});

test.each([
  ['an option', '-rf', '_-rf'],
  ['an option with a value', '--output=/etc/passwd', 'passwd'],
  ['a parent', '..', 'download'],
  ['a Windows parent folder', 'C:\\dir\\..', 'download'],
  ['NUL', '\0', 'download'],
  ['NUL before an extension', 'a.pdf\0.exe', 'a.pdf_.exe'],
  ['zero-width characters', '\u200b\u2060\ufeff\u00ad', 'download'],
  ['fillers', '\u3164\u115f\uffa0\u2800\u034f', 'download'],
  ['tags', '\u{e0041}\u{e0042}\ufe0f', 'download'],
  ['direction marks', 'a\u202efdp.exe\u061c', 'a_fdp.exe_'],
  ['line separators', 'a\u2028b\u2029c\u0085d', 'a_b_c_d'],
  ['an unpaired surrogate', 'a\ud800b', 'a_b'],
  ['a dot and a space at the end', 'a.txt. . ', 'a.txt'],
  ['wide spaces', '\u3000\u00a0a\u2003', 'a'],
  ['a reserved name with spaces', 'con .txt', '_con .txt'],
  ['a reserved name with superscripts', 'COM¹.txt', '_COM¹.txt'],
  ['a reserved name with an invisible suffix', 'nul\u200b.', 'nul_'],
])('a name of %s is replaced', (_, name, safe) => {
  expect(safeName(name)).toBe(safe);
});

test('a long name keeps its extension and does not end in a dot or space when truncated', () => {
  expect(safeName(`${'a'.repeat(300)}.pdf`)).toBe(`${'a'.repeat(196)}.pdf`);
  expect(safeName(`${'ü'.repeat(300)}.pdf`)).toBe(`${'ü'.repeat(98)}.pdf`);
  expect(safeName(`${'a'.repeat(199)}. ${'b'.repeat(99)}`)).toBe('a'.repeat(199));
});

test('a name of a million characters is processed in linear time', () => {
  expect(safeName(`a${' '.repeat(1_000_000)}b`)).toBe('a');
  expect(safeName('ü'.repeat(1_000_000))).toBe('ü'.repeat(100));
});

test('an invalid download, path or option is rejected with a plain message', async () => {
  const used = download('x');
  used.data.getReader();
  const wrong: Array<[unknown, unknown, object?]> = [
    [undefined, 'a'],
    [{ data: [], meta: {} }, 'a'],
    [used, 'a'],
    [download('x'), ''],
    [download('x'), 'a\0b'],
    [download('x'), join(folder, 'a'), { overwrit: true }],
  ];
  for (const [given, path, options] of wrong) {
    await expect(save(given as never, path as never, options)).rejects.toMatchObject({ code: 'invalid_params' });
  }
  expect(await readdir(folder)).toEqual([]);
});
