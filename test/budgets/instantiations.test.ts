import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);
const tsc = resolve('node_modules/typescript/bin/tsc');

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'agent-connectors-budget-'));
});
afterAll(() => rm(scratch, { recursive: true }));

/**
 * Type instantiations that the compiler needs for these files; package names resolve to the build, not to the sources.
 */
async function instantiations(
  name: string,
  files: { files?: string[]; include?: string[]; exclude?: string[] },
): Promise<number> {
  const project = join(scratch, `${name}.json`);
  // Only the Node entry needs Node's types; another test verifies that the other entries do not use them.
  const typeRoots = [resolve('node_modules/@types')];
  const options = { typeRoots, types: name === 'src and connectors' ? ['node'] : [], paths: {}, incremental: false };
  const config = { extends: resolve('tsconfig.json'), compilerOptions: options, include: [], ...files };
  await writeFile(project, JSON.stringify(config));
  const { stdout } = await run(process.execPath, [tsc, '--noEmit', '--extendedDiagnostics', '-p', project]);
  const count = Number(/^Instantiations: +(\d+)$/m.exec(stdout)?.[1]);
  console.log(`measured: ${name}: ${count} type instantiations`);
  return count;
}

test('the library and its connectors stay cheap to type-check', async () => {
  // The command line and the MCP server are programs: nobody imports their types.
  const programs = [resolve('src/cli'), resolve('src/mcp')];
  const include = [resolve('src'), resolve('connectors')];
  const count = await instantiations('src and connectors', { include, exclude: programs });
  expect(count).toBeGreaterThan(1_000);
  expect(count).toBeLessThanOrEqual(275_000);
});

test('importing one connector adds little type-checking cost', async () => {
  const [baseline, consumer] = [
    await instantiations('baseline', { files: [resolve('test/budgets/baseline.ts')] }),
    await instantiations('consumer', { files: [resolve('test/budgets/consumer.ts')] }),
  ];
  expect(consumer).toBeGreaterThan(baseline);
  expect(consumer - baseline).toBeLessThanOrEqual(2_000);
});
