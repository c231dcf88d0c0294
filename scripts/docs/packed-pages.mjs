/**
 * Writes `dist/docs.json.br`: the pages for users, which `agent-connectors docs` prints, searches and serves. Compressed,
 * since they would otherwise be a tenth of the installed package.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { root } from '../run.mjs';

/** Pages about working on the project itself, which users do not need. */
const internal = ['docs/architecture.md', 'docs/benchmarks.md', 'docs/peers.md', 'docs/releasing.md'];

const inFolder = (folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);

const paths = [
  'README.md',
  ...inFolder('docs/guides'),
  ...readdirSync(join(root, 'connectors')).map((name) => `connectors/${name}/guide.md`),
  ...inFolder('docs').filter((path) => !internal.includes(path)),
  ...['service', 'sandbox', 'react'].map((name) => `${name}/README.md`),
];

/** Text without what is only about how the page is made: its front matter and comments. */
const contentOf = (source) =>
  source
    .replace(/^---\n.*?\n---\n/s, '')
    .replace(/^ *<!-- .*? -->\n/gms, '')
    .trim();

const pages = paths
  .filter((path) => existsSync(join(root, path)))
  .map((path) => {
    const text = contentOf(readFileSync(join(root, path), 'utf8'));
    return { path, title: /^# (.+)$/m.exec(text)?.[1] ?? path, text };
  });
writeFileSync(join(root, 'dist/docs.json.br'), brotliCompressSync(JSON.stringify(pages)));
