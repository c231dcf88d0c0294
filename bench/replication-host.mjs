// One measurement of bench/replication.mjs with one build, in its own process: `node bench/replication-host.mjs JSON`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { createClient, createConnector, post, signIn } from './tenant.mjs';

const { root, load, vendor, records } = JSON.parse(process.argv[2] ?? '{}');
const folder = mkdtempSync(join(tmpdir(), 'replication-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const cpuMs = () => Object.values(process.cpuUsage()).reduce((sum, micros) => sum + micros / 1000, 0);
const moduleOf = (path) => import(pathToFileURL(join(root, path)).href);

const startService = async () => {
  const { serve } = await moduleOf('service/dist/index.js');
  return serve({ dataFolder: folder, dev: true, port: 0, endpoints: { linear: vendor.url }, limits: { rate: 0 } });
};

/** Replicates Linear's issues for the first time, until all of them are embedded. */
async function sync() {
  const service = await startService();
  const token = await signIn(service, await createClient(service.state));
  await wait(300);
  const cpu = cpuMs();
  const issues = { replication_config: { entities: ['issues'] } };
  const id = await createConnector(service, token, vendor.api_key, issues);
  const search = { entity: 'issues', action: 'context_store_search', params: { query: {}, limit: 1 } };
  const isReady = async () => {
    const { result } = await post(service, `integrations/connectors/${id}/execute`, search, token);
    return result?.meta.readiness.ready_for_search;
  };
  while (!(await isReady())) await wait(250);
  // Embedding continues in the background.
  for (let before = 0, tries = 0; cpuMs() - before > 25 && tries < 40; await wait(500), tries++) before = cpuMs();
  const micros = ((cpuMs() - cpu) * 1000) / records;
  await service.close();
  return micros;
}

/** Stores records as a first sync does, with all indexes. */
async function ingest() {
  const { library } = await import('./store-library.mjs');
  const { issue } = await import('./store-records.mjs');
  const { openStore, entitiesOf } = await library(root);
  const { LinearConnector } = await moduleOf('dist/linear.js');
  const { replication } = await LinearConnector.manifest.replication();
  const entities = entitiesOf(LinearConnector.manifest, replication);
  const store = await openStore({ folder, entities, cursorKeys: () => [new Uint8Array(32).fill(1)] });
  const collection = { connectorId: 'con_bench', type: 'linear', entity: 'issues' };
  const issues = Array.from({ length: records }, (_, index) => issue(index));
  const cpu = cpuMs();
  await store.startLoad(collection);
  for (let at = 0; at < records; at += 2000) await store.write(collection, issues.slice(at, at + 2000));
  await store.finishLoad(collection);
  const micros = ((cpuMs() - cpu) * 1000) / records;
  await store.close();
  return micros;
}

async function importConnector() {
  const cpu = cpuMs();
  await moduleOf('dist/linear.js');
  return cpuMs() - cpu;
}

/** Resident memory of a started service that nobody uses. */
async function rest() {
  const program = join(root, 'service/bin/agent-connectors-service.js');
  const child = spawn(process.execPath, [program, '--dev', '--data', folder, '--port', '0'], {
    cwd: folder,
    stdio: 'ignore',
  });
  await wait(8000);
  const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  child.kill('SIGTERM');
  await once(child, 'exit');
  return Number(kib) / 1024;
}

const result = await { sync, ingest, import: importConnector, rest }[load]();
process.send?.(result);
process.disconnect?.();
