import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentConnectors } from 'agent-connectors/hosted';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installProgram } from '../../full/runtimes/binaries.js';
import { startPrograms } from '../../full/runtimes/installation.js';
import { emptyFolder, install, pack, remove } from '../installed.js';

let together: string;
let scratch: string;
beforeAll(async () => {
  [together, scratch] = await Promise.all([emptyFolder(), emptyFolder()]);
  const packed = await Promise.all(['.', 'sandbox', 'service'].map((source) => pack(source, scratch)));
  await install(together, ...packed.map(({ file }) => file));
  await cp('test/full/runtimes/programs', together, { recursive: true });
});
afterAll(() => remove(together, scratch));

test('the service installs without an install script', async () => {
  const lock = JSON.parse(await readFile(join(together, 'node_modules/.package-lock.json'), 'utf8'));
  const scripted = Object.entries<{ hasInstallScript?: boolean }>(lock.packages).filter(
    (each) => each[1].hasInstallScript,
  );
  expect(scripted).toEqual([]);
  expect(await readdir(join(together, 'node_modules'))).not.toContain('@photostructure');
});

test.for(['Node 22', 'Node 24', 'Node 26'] as const)(
  'then it starts, replicates and searches on %s',
  async (program, { skip }) => {
    const installed = await installProgram(program, scratch);
    if ('missing' in installed) return skip(installed.missing);
    const { subject, stop } = await startPrograms({ together, scratch }, { node: installed.path, flags: [] });
    const { baseUrl, clientId, clientSecret } = subject.service;
    const { connectors } = new AgentConnectors({ baseUrl, clientId, clientSecret });
    const { id } = await connectors.create({
      connector_type: 'linear',
      name: 'Issues',
      credentials: subject.credentials.linear!,
    });
    const isReady = async () => {
      const { context_store_readiness: readiness } = await connectors.inspect(id);
      return readiness.entities.every((entity) => entity.ready_for_search);
    };
    await expect.poll(isReady, { timeout: 120_000, interval: 500 }).toBe(true);
    const { result } = await connectors.execute(id, {
      entity: 'issues',
      action: 'context_store_search',
      params: { query: { filter: { neq: { title: null } }, sort: [{ 'state.name': 'asc' }] }, limit: 5 },
    });
    expect((result as { data: unknown[] }).data).toHaveLength(5);
    await stop();
  },
);
