/**
 * Makes what is published: `node scripts/release.mjs [folder] [--publishable]`, after a build. The folder, `release` when
 * left out, gets the three tarballs, a bill of materials (CycloneDX) for each, the MCP bundle with its entry for the MCP
 * registry, and the digests of all of them. `--publishable` refuses an entry without an owner.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundled } from './bundled.mjs';
import { root } from './run.mjs';

const { values, positionals } = parseArgs({ options: { publishable: { type: 'boolean' } }, allowPositionals: true });
const folder = resolve(positionals[0] ?? join(root, 'release'));
const run = (cwd, command, ...rest) =>
  execFileSync(command, rest, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 2 ** 26 });

/** Packs one package and gives back the tarball's path. */
function pack(source) {
  const output = run(join(root, source), 'npm', 'pack', '--json', '--pack-destination', folder);
  return join(folder, JSON.parse(output)[0].filename);
}

/** What is installed along with a tarball or is part of it, without what is left to its user. */
function billOf(source, tarball) {
  const unpacked = mkdtempSync(join(tmpdir(), 'agent-connectors-bill-'));
  try {
    run(unpacked, 'tar', '-xzf', tarball, '--strip-components=1', 'package/package.json');
    const manifest = join(unpacked, 'package.json');
    // The workspace that stands beside it here is no part of what a user gets.
    const { devDependencies: _, peerDependencies: __, ...published } = JSON.parse(readFileSync(manifest, 'utf8'));
    writeFileSync(manifest, JSON.stringify(published));
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    run(unpacked, 'npm', 'install', '--package-lock-only', ...flags);
    const bill = run(unpacked, 'npm', 'sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=library');
    return JSON.stringify(completeBill(JSON.parse(bill), published.name, bundled(source)), undefined, 2);
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
  }
}

/** npm names the subject of a bill by its folder, and knows nothing of what is bundled. */
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

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const source of ['.', 'sandbox', 'service']) {
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
