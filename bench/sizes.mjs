import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'tsup';
import { quantile } from './measure.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const interop = join(root, 'test/interop/');
const connectors = readdirSync(join(root, 'connectors'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `agent-connectors/${name}`);
const peers = ['@linear/sdk', '@googleapis/drive', '@googleapis/analyticsdata'];
const ours = ['agent-connectors', ...connectors, 'agent-connectors/hosted', 'agent-connectors/tools'];
/** @param {string} name */
const folderOf = (name) => (peers.includes(name) ? interop : root);

/** Milliseconds to import a module in a fresh process. @param {string} name */
function importTimeOf(name) {
  const code = `const t = performance.now(); await import(${JSON.stringify(name)}); console.log(performance.now() - t);`;
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: folderOf(name) }));
}

/** The bundle files loaded along with this one. @param {Record<string, any>} files @param {string} from */
function reachable(files, from, found = new Set()) {
  found.add(from);
  for (const { path, kind } of files[from].imports) {
    const file = basename(path);
    if (kind === 'import-statement' && file in files && !found.has(file)) reachable(files, file, found);
  }
  return found;
}

/** Size in bytes of a module with all its imports, bundled, minified and compressed. @param {string} name */
async function bundleSizesOf(name) {
  const folder = mkdtempSync(join(folderOf(name), 'node_modules/.bench-'));
  try {
    const entry = join(folder, 'entry.mjs');
    writeFileSync(entry, `export * from ${JSON.stringify(name)};`);
    await build({
      entry: [entry],
      outDir: join(folder, 'out'),
      format: 'esm',
      platform: 'node',
      target: 'node20',
      outExtension: () => ({ js: '.mjs' }),
      bundle: true,
      splitting: true,
      minify: true,
      noExternal: [/.*/],
      skipNodeModulesBundle: false,
      config: false,
      silent: true,
      dts: false,
      clean: false,
      metafile: true,
      treeshake: false,
      tsconfig: join(root, 'tsconfig.json'),
    });
    const outFolder = join(folder, 'out');
    const { outputs } = JSON.parse(readFileSync(join(outFolder, 'metafile-esm.json'), 'utf8'));
    const outputsByName = Object.fromEntries(Object.entries(outputs).map(([path, output]) => [basename(path), output]));
    const size = (/** @type {Iterable<string>} */ files) =>
      [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(outFolder, file))).length, 0);
    return { atOnce: size(reachable(outputsByName, 'entry.mjs')), inAll: size(Object.keys(outputsByName)) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {number} rounds */
export async function sizeTable(rounds) {
  const names = ['zod', ...ours, ...peers];
  /** @type {Record<string, number[]>} */
  const times = {};
  for (let round = 0; round < rounds; round++) {
    for (const name of names) times[name] = [...(times[name] ?? []), importTimeOf(name)];
  }
  const base = times.zod ?? [];
  const rows = [];
  for (const [name, values] of Object.entries(times)) {
    const ratio = quantile(
      values.map((value, at) => value / (base[at] ?? Number.NaN)),
      0.5,
    );
    const spread = `${quantile(values, 0.25).toFixed(0)}–${quantile(values, 0.75).toFixed(0)}`;
    const { atOnce, inAll } = await bundleSizesOf(name);
    const kB = (/** @type {number} */ bytes) => Math.round(bytes / 1000);
    rows.push(
      `| \`${name}\` | ${quantile(values, 0.5).toFixed(0)} | ${spread} | ${ratio.toFixed(2)} | ${kB(atOnce)} | ${kB(inAll)} |`,
    );
  }
  return [
    '### Import and size',
    '',
    'A bundle contains the module and everything it imports, minified and compressed. The “Bundle loaded on import” column excludes code that is loaded on demand.',
    '',
    '| Module | Import, median ms | Quartiles | × `zod` | Bundle loaded on import, kB | Whole bundle, kB |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
