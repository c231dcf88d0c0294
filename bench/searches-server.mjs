// One of the services compared by bench/searches.mjs, in its own process: `node bench/searches-server.mjs JSON`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Session } from 'node:inspector/promises';
import { pathToFileURL } from 'node:url';
import { issue, text } from './store-records.mjs';
import { createClient, createConnector, signIn } from './tenant.mjs';

const options = JSON.parse(process.argv[2] ?? '{}');
const { serve } = await import(pathToFileURL(`${options.root}/service/dist/index.js`).href);
const open = () =>
  serve({
    dataFolder: options.dataFolder,
    ...(options.databaseUrl && { databaseUrl: options.databaseUrl }),
    dev: true,
    port: 0,
    replicate: false,
    // The defaults are below the benchmark's rate.
    limits: { rate: 0, atOnceOfClient: 4000, atOnce: 8000 },
  });

let service = await open();
const credentials = await createClient(service.state);
const id = await createConnector(service, await signIn(service, credentials), 'none');
await service.close();

/** Issues are deterministic, so every server has the same ones. */
const importer = spawn(
  process.execPath,
  [`${options.root}/service/dist/cli.js`, 'import', '-', '--dev', '--data', options.dataFolder],
  {
    stdio: ['pipe', 'ignore', 'inherit'],
    env: { ...process.env, ...(options.databaseUrl && { AGENT_CONNECTORS_DATABASE_URL: options.databaseUrl }) },
  },
);
importer.stdin.write(`${JSON.stringify({ format: 'agent-connectors-records', version: 2 })}\n`);
for (let number = 1; number <= options.records; number++) {
  const record = issue(number);
  if (options.words) record.description = text(options.words);
  const line = { connector_id: id, type: 'linear', entity: 'issues', record };
  if (!importer.stdin.write(`${JSON.stringify(line)}\n`)) await once(importer.stdin, 'drain');
}
importer.stdin.end();
const [code] = await once(importer, 'exit');
if (code !== 0) throw new Error(`The import failed with code ${code}.`);

service = await open();
const token = await signIn(service, credentials);
const inspect = async () => {
  const path = `${service.url}/api/v1/integrations/connectors/${id}/inspect`;
  return (await fetch(path, { headers: { authorization: `Bearer ${token}` } })).json();
};

let profiler;
const messages = {
  usage() {
    const { user, system } = process.cpuUsage();
    return { cpuMs: (user + system) / 1000, rssMiB: process.memoryUsage.rss() / 2 ** 20 };
  },
  async profile() {
    profiler = new Session();
    profiler.connect();
    await profiler.post('Profiler.enable');
    await profiler.post('Profiler.start');
    return {};
  },
  profiled: async () => (await profiler.post('Profiler.stop')).profile,
  inspect,
};
process.on('message', async (name) => process.send(await messages[name]()));
process.on('disconnect', () => process.exit());
process.send({ port: service.port, token, id });
