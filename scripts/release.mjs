/**
 * Builds the release: `node scripts/release.mjs [folder] [--publishable]`, after a build. The folder, `release` by
 * default, gets the five tarballs, a bill of materials (CycloneDX) for each, the MCP bundle with its MCP registry
 * entry, and the digests of all of them. Links in the packed READMEs point to the repository. `--publishable` rejects
 * packages without a repository, which `scripts/release/name.mjs` fills in, and an embedder without its model.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundled } from './bundled.mjs';
import { absoluteLinks, packages, placeholder } from './release/packages.mjs';
import { root } from './run.mjs';

const { values, positionals } = parseArgs({ options: { publishable: { type: 'boolean' } }, allowPositionals: true });
const folder = resolve(positionals[0] ?? join(root, 'release'));
const run = (cwd, command, ...rest) =>
  execFileSync(command, rest, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 2 ** 26 });

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Packs a package with absolute links in its README, and returns the tarball's path. */
function pack(source) {
  const staged = mkdtempSync(join(tmpdir(), 'agent-connectors-pack-'));
  try {
    const packed = run(join(root, source), 'npm', 'pack', '--json', '--pack-destination', staged);
    run(staged, 'tar', '-xzf', join(staged, JSON.parse(packed)[0].filename));
    const readme = join(staged, 'package/README.md');
    const manifest = JSON.parse(readFileSync(join(staged, 'package/package.json'), 'utf8'));
    // The tag is the library's version.
    writeFileSync(readme, absoluteLinks(readFileSync(readme, 'utf8'), source, { ...manifest, version }));
    const flags = ['--json', '--ignore-scripts', '--pack-destination', folder];
    return join(folder, JSON.parse(run(join(staged, 'package'), 'npm', 'pack', ...flags))[0].filename);
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

const embeddingTable = {
  'bom-ref': 'bundled:all-minilm-l6-v2.bin',
  type: 'data',
  name: 'all-minilm-l6-v2.bin',
  description: 'Embedding table derived from sentence-transformers/all-MiniLM-L6-v2',
  scope: 'required',
  licenses: [{ license: { id: 'Apache-2.0' } }],
};

/** What is installed with a tarball or bundled into it, without optional peer dependencies. */
function billOf(source, tarball) {
  const unpacked = mkdtempSync(join(tmpdir(), 'agent-connectors-bill-'));
  try {
    run(unpacked, 'tar', '-xzf', tarball, '--strip-components=1', 'package/package.json');
    const manifest = join(unpacked, 'package.json');
    // The neighboring workspace is not part of the user's installation.
    const { devDependencies: _, peerDependencies: __, ...published } = JSON.parse(readFileSync(manifest, 'utf8'));
    writeFileSync(manifest, JSON.stringify(published));
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    run(unpacked, 'npm', 'install', '--package-lock-only', ...flags);
    const bill = run(unpacked, 'npm', 'sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=library');
    const complete = completeBill(JSON.parse(bill), published.name, bundled(source));
    if (source === 'service') complete.components.push(embeddingTable);
    return JSON.stringify(complete, undefined, 2);
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
  }
}

/** npm names the subject of a bill of materials after its folder, and does not know about bundled packages. */
function completeBill(bill, subject, packages) {
  bill.metadata.component.name = subject;
  for (const { name, version, license } of packages) {
    bill.components.push({
      'bom-ref': `bundled:${name}@${version}`,
      type: 'library',
      ...(name.includes('/') && { group: name.split('/')[0] }),
      name: name.split('/').at(-1),
      version,
      scope: 'required',
      purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
      licenses: [{ license: { id: license } }],
      properties: [{ name: 'cdx:npm:package:bundled', value: 'true' }],
    });
  }
  return bill;
}

const hasModel = existsSync(join(root, 'embedder/model'));
if (values.publishable) {
  for (const source of packages) {
    const text = readFileSync(join(root, source, 'package.json'), 'utf8');
    if (text.includes(placeholder))
      throw new Error(`${source}/package.json does not specify a repository: run scripts/release/name.mjs.`);
  }
  if (!hasModel) throw new Error('embedder/model is missing: run embedder/scripts/make_model.py.');
}

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const source of packages) {
  if (source === 'embedder' && !hasModel) {
    console.log('agent-connectors-embedder (optional) is omitted: embedder/model is missing');
    continue;
  }
  const tarball = pack(source);
  writeFileSync(tarball.replace(/\.tgz$/, '.cdx.json'), `${billOf(source, tarball)}\n`);
  console.log(basename(tarball));
}
const flags = values.publishable ? ['--publishable'] : [];
process.stdout.write(run(root, process.execPath, join(root, 'scripts/mcp-bundle.mjs'), folder, ...flags));
const digests = readdirSync(folder).map((name) => {
  return `${createHash('sha256')
    .update(readFileSync(join(folder, name)))
    .digest('hex')}  ${name}\n`;
});
writeFileSync(join(folder, 'SHA256SUMS'), digests.join(''));
console.log(`To install the packages: npm install ${join(folder, 'agent-connectors*.tgz')}`);
