/** Writes the version in package.json into the sources, after a release has raised it. */
import { readFile, writeFile } from 'node:fs/promises';

const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
const file = new URL('../src/version.ts', import.meta.url);
const source = await readFile(file, 'utf8');
await writeFile(file, source.replace(/VERSION = '[^']*'/, `VERSION = '${version}'`));
