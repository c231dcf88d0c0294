import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { afterAll, beforeAll, test } from 'vitest';
import { emptyFolder, run } from '../../package/installed.js';
import { installProgram } from './binaries.js';

let scratch: string;
beforeAll(async () => {
  scratch = await emptyFolder();
});
afterAll(() => rm(scratch, { recursive: true }));

/** Tests that compare SQLite with a reference implementation, and both modules with each other. */
const files = ['differential-sqlite', 'summaries', 'own-indexes', 'sqlite-modules'].map(
  (name) => `test/service/store/${name}.test.ts`,
);

test.for(['Node 22', 'Node 24', 'Node 26'] as const)(
  "%s's SQLite stores and finds the same as the package",
  async (program, { skip }) => {
    const installed = await installProgram(program, scratch);
    if ('missing' in installed) return skip(installed.missing);
    const vitest = resolve('node_modules/vitest/vitest.mjs');
    await run('.', installed.path, vitest, 'run', '--project', 'unit', ...files, 'test/service/state');
  },
);
