/** Sets the repository in the packages: `node scripts/release/name.mjs <owner>/<name>`, before a release is packed. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../run.mjs';
import { packages, placeholder } from './packages.mjs';

const [repository = ''] = process.argv.slice(2);
const [, owner] = /^([\w-]+)\/[\w.-]+$/.exec(repository) ?? [];
if (!owner) throw new Error(`'${repository}' is not the name of a repository, such as owner/agent-connectors.`);
for (const folder of packages) {
  const path = join(root, folder, 'package.json');
  const text = readFileSync(path, 'utf8');
  const named = text.replaceAll(`github.com/${placeholder}agent-connectors`, `github.com/${repository}`);
  writeFileSync(path, named.replace(`io.github.${placeholder}`, `io.github.${owner}/`));
}
