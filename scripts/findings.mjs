/**
 * Runs the scripts in `findings/` one after the other and lists those that failed, because the library behaves
 * differently now or could not be installed: `npm run findings [-- NAME…]`, where a name can be a part of one.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

const folder = new URL('../findings/', import.meta.url);
const names = process.argv.slice(2);
const scripts = readdirSync(folder)
  .filter((file) => file.endsWith('.sh') && (names.length === 0 || names.some((name) => file.includes(name))))
  .sort();

const changed = scripts.filter((script) => {
  console.log(`\n${script}`);
  return spawnSync('bash', [script], { cwd: folder, stdio: 'inherit' }).status !== 0;
});
console.log(`\n${scripts.length - changed.length} of ${scripts.length} findings are unchanged.`);
if (changed.length > 0) console.log(`Changed: ${changed.join(', ')}`);
if (scripts.length === 0 || changed.length > 0) process.exitCode = 1;
