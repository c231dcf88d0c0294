import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quantile } from './measure.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const tsc = join(root, 'node_modules/typescript/bin/tsc');

/** Typical user programs: list records and read a field from the result. */
const programs = {
  'no client': 'export const title: string = [{ title: "a" }].map(({ title }) => title)[0] ?? "";',
  '`agent-connectors/linear`': `
    import { LinearConnector } from 'agent-connectors/linear';
    const linear = new LinearConnector({ credentials: { api_key: 'key' } });
    export const title: string | null | undefined = (await linear.execute('issues', 'list', { first: 10 })).data[0]?.title;`,
  'all five connectors': `
    import { GongConnector } from 'agent-connectors/gong';
    import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
    import { GoogleDriveConnector } from 'agent-connectors/google-drive';
    import { GranolaConnector } from 'agent-connectors/granola';
    import { LinearConnector } from 'agent-connectors/linear';
    const linear = new LinearConnector({ credentials: { api_key: 'key' } });
    const drive = new GoogleDriveConnector({ credentials: { access_token: 'token' } });
    const analytics = new GoogleAnalyticsConnector({ credentials: { client_id: 'id', client_secret: 'secret', refresh_token: 'token' } });
    const gong = new GongConnector({ credentials: { access_key: 'key', access_key_secret: 'secret' } });
    const granola = new GranolaConnector({ credentials: { api_key: 'key' } });
    export const title: string | null | undefined = (await linear.execute('issues', 'list', { first: 10 })).data[0]?.title;
    export const name: string | null | undefined = (await drive.execute('files', 'list', {})).data[0]?.name;
    export const others = [
      await analytics.execute('devices', 'list', { property_id: '1' }),
      await gong.execute('users', 'list', {}),
      await granola.execute('notes', 'list', {}),
    ];`,
  '`@linear/sdk`': `
    import { LinearClient } from '@linear/sdk';
    const linear = new LinearClient({ apiKey: 'key' });
    export const title: string | undefined = (await linear.issues({ first: 10 })).nodes[0]?.title;`,
  '`@googleapis/drive`': `
    import { drive } from '@googleapis/drive';
    const google = drive({ version: 'v3' });
    export const name: string | null | undefined = (await google.files.list({})).data.files?.[0]?.name;`,
};

/** @param {string} folder @param {string} source */
function typeCheck(folder, source) {
  writeFileSync(join(folder, 'program.mts'), source);
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.mts'] }));
  const output = String(execFileSync(process.execPath, [tsc, '-p', folder, '--extendedDiagnostics']));
  const figure = (/** @type {string} */ name) => Number(new RegExp(`^${name}: +([\\d.]+)`, 'm').exec(output)?.[1]);
  return {
    instantiations: figure('Instantiations'),
    seconds: figure('Total time'),
    memory: figure('Memory used') / 1024,
  };
}

/** @param {number} rounds */
export function typeTable(rounds) {
  // Below this folder, both the repository's packages and the vendors' clients can be resolved.
  const folder = mkdtempSync(join(root, 'test/interop/node_modules/.bench-'));
  /** @type {Record<string, Array<ReturnType<typeof checked>>>} */
  const runs = {};
  try {
    for (let round = 0; round < rounds; round++) {
      for (const [name, source] of Object.entries(programs))
        runs[name] = [...(runs[name] ?? []), typeCheck(folder, source)];
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  const rows = Object.entries(runs).map(([name, all]) => {
    const seconds = quantile(
      all.map((run) => run.seconds),
      0.5,
    );
    const { instantiations = 0, memory = 0 } = all[0] ?? {};
    return `| ${name} | ${instantiations.toLocaleString('en')} | ${seconds.toFixed(2)} | ${memory.toFixed(0)} |`;
  });
  return [
    '### Type-checking cost',
    '',
    '| Imports | Type instantiations | `tsc`, median s | Memory, MiB |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
