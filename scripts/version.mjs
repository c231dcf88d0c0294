/** Writes the version from package.json into the sources and hosting files, after a release has raised it. */
import { readFile, writeFile } from 'node:fs/promises';

const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
const places = [
  ['src/version.ts', /(?<=VERSION = ')[^']*/],
  ['deploy/compose.yaml', /(?<=agent-connectors-service:).*/],
  ['deploy/kubernetes/kustomization.yaml', /(?<=newTag: ).*/],
];
for (const [path, pattern] of places) {
  const file = new URL(`../${path}`, import.meta.url);
  await writeFile(file, (await readFile(file, 'utf8')).replace(pattern, version));
}
