import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const here = fileURLToPath(new URL('.', import.meta.url));
const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));

test("the adapters' types match those of the packages", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', here]).catch((error) => error);
  assert.equal(stdout, '');
});
