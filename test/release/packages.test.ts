import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

interface Manifest {
  readonly version: string;
  readonly homepage: string;
  readonly bugs: string;
  readonly mcpName?: string;
  readonly repository: { readonly url: string };
}

const { absoluteLinks, packages } = (await import(
  new URL('../../scripts/release/packages.mjs', import.meta.url).href
)) as {
  absoluteLinks(markdown: string, folder: string, manifest: Manifest): string;
  packages: string[];
};
const manifestOf = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));

test.each(packages)('links in the packed README of %s point to files in the repository', async (folder) => {
  const readme = await readFile(join(folder, 'README.md'), 'utf8');
  const text = absoluteLinks(readme, folder, await manifestOf(folder));
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
  expect(targets.filter((target) => !/^(https?:|#)/.test(target))).toEqual([]);
  const own = /^https:\/\/github\.com\/OWNER\/agent-connectors\/(?:blob|tree)\/v[\d.]+\/([^#]+)/;
  const paths = targets.flatMap((target) => own.exec(target)?.[1] ?? []);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});

/** A copy of the manifests and of the files used to fill them in. */
async function copyOfManifests(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'release-'));
  onTestFinished(() => rm(copy, { recursive: true }));
  await cp('scripts', join(copy, 'scripts'), { recursive: true });
  for (const folder of packages) {
    await mkdir(join(copy, folder), { recursive: true });
    await cp(join(folder, 'package.json'), join(copy, folder, 'package.json'));
  }
  return copy;
}

const node = (copy: string, script: string, ...rest: string[]) =>
  promisify(execFile)(process.execPath, [join(copy, 'scripts', script), ...rest]);

test('a link in a README points to the file or folder at the tag of the version', async () => {
  const manifest = await manifestOf('service');
  const base = 'https://github.com/OWNER/agent-connectors';
  const readme = '[a](../docs/a.md#b) [c](#c) [d](https://example.com/d) [e](../deploy)';
  expect(absoluteLinks(readme, 'service', manifest)).toBe(
    `[a](${base}/blob/v${manifest.version}/docs/a.md#b) [c](#c) [d](https://example.com/d) [e](${base}/tree/v${manifest.version}/deploy)`,
  );
});

test('the release version is written to the sources, the hosting files and the embedder', async () => {
  const copy = await copyOfManifests();
  const places = ['src/version.ts', 'deploy/compose.yaml', 'deploy/kubernetes/kustomization.yaml'];
  for (const path of [...places, 'embedder/package-lock.json']) await cp(path, join(copy, path));
  const { version } = await manifestOf('.');
  const manifest = join(copy, 'package.json');
  await writeFile(
    manifest,
    (await readFile(manifest, 'utf8')).replace(`"version": "${version}"`, '"version": "7.8.9"'),
  );
  await node(copy, 'version.mjs');
  for (const path of places) expect(await readFile(join(copy, path), 'utf8'), path).toContain('7.8.9');
  const lock = JSON.parse(await readFile(join(copy, 'embedder/package-lock.json'), 'utf8'));
  const versions = [(await manifestOf(join(copy, 'embedder'))).version, lock.version, lock.packages[''].version];
  expect(versions).toEqual(['7.8.9', '7.8.9', '7.8.9']);
  const before = JSON.parse(await readFile('embedder/package-lock.json', 'utf8'));
  const runtime = 'node_modules/onnxruntime-node';
  expect(lock.packages[runtime]).toEqual(before.packages[runtime]);
});

test('packages without a repository are not prepared for publishing', async () => {
  const copy = await copyOfManifests();
  await expect(node(copy, 'release.mjs', '--publishable')).rejects.toThrow(
    'package.json does not specify a repository',
  );
  await expect(node(copy, 'release/name.mjs', 'example')).rejects.toThrow("'example' is not the name of a repository");
  await node(copy, 'release/name.mjs', 'example/connectors');
  for (const folder of packages) {
    const { homepage, bugs, repository, mcpName } = await manifestOf(join(copy, folder));
    expect(homepage).toMatch(/^https:\/\/github\.com\/example\/connectors(\/tree\/main\/\w+)?#readme$/);
    expect(bugs).toBe('https://github.com/example/connectors/issues');
    expect(repository.url).toBe('git+https://github.com/example/connectors.git');
    expect(mcpName).toBe(folder === '.' ? 'io.github.example/agent-connectors' : undefined);
  }
  await expect(node(copy, 'release.mjs', '--publishable')).rejects.toThrow('embedder/model is missing');
});
