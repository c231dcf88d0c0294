/** Writes `dist/NOTICES.txt` of each package: the licences of those whose code is bundled into it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundled } from './bundled.mjs';
import { root } from './run.mjs';

for (const source of ['.', 'sandbox', 'service']) {
  const packages = bundled(source);
  for (const { name, text } of packages) if (!text) throw new Error(`${name} has no text of its licence.`);
  const notices = packages.map(
    ({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text.trim()}\n`,
  );
  const line = `\n${'-'.repeat(80)}\n\n`;
  if (packages.length > 0) writeFileSync(join(root, source, 'dist/NOTICES.txt'), notices.join(line));
}
