import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'tsup';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStaticEmbedder, staticEmbedder } from '../../../service/src/data/search/embedding/static/embedder.js';
import { failure } from '../../failure.js';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const folder = mkdtempSync(join(repository, 'node_modules', '.embedder-'));
const code = (name: string) => pathToFileURL(join(folder, 'dist', name));

beforeAll(async () => {
  mkdirSync(join(folder, 'dist'));
  symlinkSync(join(repository, 'service/embedding-table'), join(folder, 'embedding-table'));
  await build({
    config: false,
    entry: { embedder: join(repository, 'service/src/data/search/embedding/static/worker.ts') },
    format: 'esm',
    target: 'es2023',
    platform: 'node',
    outDir: join(folder, 'dist'),
    silent: true,
    outExtension: () => ({ js: '.js' }),
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const texts = ['One', 'two words', 'Crème brûlée, 東京 and ½', '', '😀'];

describe('the built-in embedder on its thread', () => {
  test('returns the same vectors and errors as on the calling thread, for several calls at a time', async () => {
    const embedder = openStaticEmbedder(() => code('embedder.js'));
    const [all, last] = await Promise.all([embedder.embed(texts, 'passage'), embedder.embed(['two words'], 'query')]);
    expect(all).toEqual(await staticEmbedder.embed(texts, 'passage'));
    expect(last).toEqual([all[1]]);
    expect(await failure(embedder.embed(['😀'], 'query'))).toMatchObject({ code: 'invalid_params' });
    expect(await embedder.embed([], 'passage')).toEqual([]);
  });

  test('rejects aborted calls, and goes on with others', async () => {
    const embedder = openStaticEmbedder(() => code('embedder.js'));
    const stop = new AbortController();
    const many = Array.from({ length: 500 }, (_, index) => `text ${index}`);
    const stopped = failure(embedder.embed(many, 'passage', stop.signal));
    const other = embedder.embed(texts, 'passage');
    stop.abort();
    expect(await stopped).toMatchObject({ code: 'aborted' });
    expect(await failure(embedder.embed(texts, 'passage', stop.signal))).toMatchObject({ code: 'aborted' });
    expect(await other).toHaveLength(texts.length);
  });

  test('rejects calls if the thread fails, and starts another one for the next', async () => {
    writeFileSync(code('failing.js'), "throw new Error('No memory left.');");
    const embedder = openStaticEmbedder(() => code('failing.js'));
    await expect(embedder.embed(texts, 'passage')).rejects.toThrow('No memory left.');
    await expect(embedder.embed(texts, 'passage')).rejects.toThrow('No memory left.');
  });
});
