// One of the servers compared by bench/hosted.mjs, in its own process: `node bench/hosted-server.mjs KIND JSON`.
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { startMinimum } from './minimum-server.mjs';
import { createClient, createConnector, signIn } from './tenant.mjs';

const [, , kind = '', json = '{}'] = process.argv;
const options = JSON.parse(json);

/** COMMIT statements of a SQLite database that this thread has run. */
let commits = 0;

/** Counts commits, with either SQLite module of the build. */
function countCommits() {
  const builtIn = process.getBuiltinModule?.('node:sqlite');
  const fromBuild = createRequire(`${options.root}/service/dist/index.js`);
  const cached = builtIn?.backup ? undefined : fromBuild.resolve('@photostructure/sqlite');
  const sqlite = cached ? fromBuild(cached) : builtIn;
  class CountedDatabase extends sqlite.DatabaseSync {
    exec(sql) {
      if (/^\s*commit/i.test(sql)) commits += 1;
      return super.exec(sql);
    }
  }
  // The package's exports are read-only, and Node's are not cached by path.
  if (cached) fromBuild.cache[cached].exports = { ...sqlite, DatabaseSync: CountedDatabase };
  else sqlite.DatabaseSync = CountedDatabase;
}

/** A service of any build, with one Linear connector. */
async function startService() {
  if (!options.databaseUrl) countCommits();
  const { serve } = await import(pathToFileURL(`${options.root}/service/dist/index.js`).href);
  const { dataFolder, databaseUrl } = options;
  const service = await serve({
    dataFolder,
    ...(databaseUrl && { databaseUrl }),
    dev: true,
    port: 0,
    endpoints: { linear: options.vendor },
    // The defaults are below the benchmark's rate.
    limits: { rate: 0, atOnceOfClient: 4000, atOnce: 8000 },
  });
  const token = await signIn(service, await createClient(service.state));
  return { port: service.port, token, id: await createConnector(service, token, options.api_key) };
}

/** Passes the request on with the least that Node can do. */
async function startProxy() {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const url = new URL(`${options.vendor}/graphql`);
  const server = createServer((incoming, response) => {
    const parts = [];
    incoming.on('data', (part) => parts.push(part));
    incoming.on('end', () => {
      const { action, params } = JSON.parse(Buffer.concat(parts));
      const isWrite = action === 'create';
      const query = isWrite ? options.mutation : options.query;
      const body = JSON.stringify({ query, variables: isWrite ? { input: params } : params });
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        authorization: options.api_key,
      };
      const outgoing = request(url, { method: 'POST', agent, headers }, (reply) => {
        const { 'content-length': length } = reply.headers;
        response.writeHead(reply.statusCode, { 'content-type': 'application/json', 'content-length': length });
        reply.pipe(response);
      });
      outgoing.end(body);
    });
  });
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: server.address().port, token: 'none', id: 'con_bench' };
}

const starters = { service: startService, proxy: startProxy, minimum: () => startMinimum(options) };

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send({ cpuMs: (user + system) / 1000, rssMiB: process.memoryUsage.rss() / 2 ** 20, commits });
});
process.on('disconnect', () => process.exit());
process.send(await starters[kind]());
