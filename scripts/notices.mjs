/** Writes `dist/NOTICES.txt` of each package: the licenses of packages bundled into it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundled, noticesOf } from './bundled.mjs';
import { root } from './run.mjs';

for (const source of ['.', 'sandbox', 'service']) {
  const packages = bundled(source);
  if (packages.length > 0) writeFileSync(join(root, source, 'dist/NOTICES.txt'), noticesOf(packages));
}
