/** Runs `test/adapters`: the frameworks themselves, with the tools in their form. They have a lock file of their own. */
import { existsSync, statSync } from 'node:fs';
import { run } from './run.mjs';

const folder = 'test/adapters';
const installed = `${folder}/node_modules/.package-lock.json`;
const fresh = existsSync(installed) && statSync(installed).mtimeMs >= statSync(`${folder}/package-lock.json`).mtimeMs;

const commands = [
  ...(fresh ? [] : [['npm', 'ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund']]),
  ['npm', 'test', '--silent', '--prefix', folder],
];
for (const command of commands) {
  const { ok, output } = await run(command, { minutes: 5 });
  console.log(output.trimEnd());
  if (!ok) {
    process.exitCode = 1;
    break;
  }
}
