/** Installs the dependencies of a folder with its own lock file, such as `test/interop`, and runs its tests. */
import { existsSync, statSync } from 'node:fs';
import { run } from './run.mjs';

const [folder] = process.argv.slice(2);
const installed = `${folder}/node_modules/.package-lock.json`;
const fresh = existsSync(installed) && statSync(installed).mtimeMs >= statSync(`${folder}/package-lock.json`).mtimeMs;

const commands = [
  ...(fresh ? [] : [['npm', 'ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund']]),
  ['npm', 'test', '--silent', '--prefix', folder],
];
for (const command of commands) {
  const { ok, output } = await run(command);
  console.log(output.trimEnd());
  if (!ok) {
    process.exitCode = 1;
    break;
  }
}
