/**
 * Writes the version in package.json into the sources, the files for hosting and the embedder, which is not a
 * workspace, after a release has bumped it.
 */
import { readFile, writeFile } from 'node:fs/promises';

const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
const embedder = /(?<="name": "agent-connectors-embedder",\s+"version": ")[^"]*/g;
const places = [
  ['src/version.ts', /(?<=VERSION = ')[^']*/],
  ['deploy/compose.yaml', /(?<=agent-connectors-service:).*/],
  ['deploy/kubernetes/kustomization.yaml', /(?<=newTag: ).*/],
  ['embedder/package.json', embedder],
  ['embedder/package-lock.json', embedder],
];
for (const [path, pattern] of places) {
  const file = new URL(`../${path}`, import.meta.url);
  await writeFile(file, (await readFile(file, 'utf8')).replace(pattern, version));
}
