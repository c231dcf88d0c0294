// Prints which clients get the emulated response of a vendor whose host also has a server.
import http, { get as namedGet } from 'node:http';
import { createSandbox } from 'agent-connectors-sandbox';
import { handlers } from 'agent-connectors-sandbox/msw';
import { setupServer } from 'msw/node';
import * as undici from 'undici';

const read = (get, url) =>
  new Promise((resolve, reject) => {
    get(url, async (response) => resolve((await response.toArray()).join(''))).once('error', reject);
  });
const clients = {
  'undici.request': async (url) => (await undici.request(url)).body.text(),
  'undici.fetch': async (url) => (await undici.fetch(url)).text(),
  'get, imported by name': (url) => read(namedGet, url),
  'http.get': (url) => read(http.get, url),
  fetch: async (url) => (await fetch(url)).text(),
  'fetch with an Agent': async (url) => (await fetch(url, { dispatcher: new undici.Agent() })).text(),
};

/** An origin for each client, since msw 3 does not intercept requests on connections opened before. */
async function startOrigin() {
  const server = http.createServer((_request, response) => response.end('sent')).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${server.address().port}`;
}

const origins = await Promise.all(Object.keys(clients).map(startOrigin));
const vendor = {
  origins,
  create: () => ({
    handle: { credentials: {} },
    notes: () => ({ credential: 'none', body: null }),
    answer: () => ({ status: 200, headers: {}, body: 'intercepted' }),
  }),
};
setupServer(...handlers(createSandbox({ vendors: { vendor } }))).listen();

const results = {};
for (const [index, [client, send]] of Object.entries(clients).entries()) results[client] = await send(origins[index]);
console.log(JSON.stringify(results));
process.exit();
