// Measures the service's overhead: `node bench/service.mjs` after `npm run build` and a build of the service.
import { fork } from 'node:child_process';
import { AgentConnectors } from 'agent-connectors/hosted';
import { LinearConnector } from 'agent-connectors/linear';
import { Pool } from 'undici';
import { quantile, time } from './measure.mjs';

/** Starts a script in this folder and returns its first output. @param {string} script @param {string[]} words */
async function start(script, ...words) {
  const child = fork(new URL(script, import.meta.url), words);
  const firstMessage = await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', () => reject(new Error(`${script} has exited.`)));
  });
  return { child, told: /** @type {any} */ (firstMessage) };
}

const { child: vendorProcess, told: vendor } = await start('server.mjs');
const endpoints = `http://127.0.0.1:${vendor.port}/linear`;
const credentials = { api_key: vendor.api_key };
const { child: serviceProcess, told: service } = await start('service-host.mjs', 'service', endpoints);
const { child: bareProcess, told: bare } = await start('service-host.mjs', 'bare', endpoints, vendor.api_key);

const { url: baseUrl, clientId, clientSecret } = service;
const connectors = new AgentConnectors({ baseUrl, clientId, clientSecret });
const { id } = await connectors.connectors.create({ connector_type: 'linear', credentials });
const direct = new LinearConnector({ credentials, endpoints });
const hosted = connectors.connect(LinearConnector, { connectorId: id });
const reply = await fetch(`${baseUrl}/api/v1/account/applications/token`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ client_id: clientId, client_secret: clientSecret }),
});
const authorization = `Bearer ${/** @type {any} */ (await reply.json()).access_token}`;

const pools = { service: new Pool(baseUrl, { connections: 64 }), bare: new Pool(bare.url, { connections: 64 }) };
/** Minimal request to one of the servers. @param {'service' | 'bare'} of @param {string} path @param {object} body */
async function post(of, path, body) {
  const headers = { 'content-type': 'application/json', authorization };
  const answer = await pools[of].request({ method: 'POST', path, headers, body: JSON.stringify(body) });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(text);
  return 1;
}

/** @param {number} first */
function tables(first) {
  const ask = { entity: 'issues', action: 'list', params: { first } };
  const latency = {
    'library only': async () => (await direct.issues.list({ first })).data.length,
    'bare Hono route, with `fetch`': async () => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${bare.url}/execute`, { method: 'POST', headers, body: JSON.stringify(ask) });
      return /** @type {any} */ (await answer.json()).data.length;
    },
    service: async () => (await hosted.issues.list({ first })).data.length,
  };
  const rate = {
    'bare Hono route': () => post('bare', '/execute', ask),
    service: () => post('service', `/api/v1/integrations/connectors/${id}/execute`, ask),
  };
  return { latency, rate };
}

const rounds = Number(process.argv[2] ?? 2000);
const lines = ['| Issues | Call | p50, ms | p99, ms | p50 overhead over the library, ms |', '|---|---|---|---|---|'];
const rates = ['| Issues | Server, 32 concurrent calls | Calls per second | × bare Hono |', '|---|---|---|---|'];
for (const first of [1, 50]) {
  const { latency, rate } = tables(first);
  const took = await time(latency, rounds, 1);
  const base = quantile(took['library only'] ?? [], 0.5);
  for (const [name, values] of Object.entries(took)) {
    const [p50, p99] = [quantile(values, 0.5), quantile(values, 0.99)];
    lines.push(`| ${first} | ${name} | ${p50.toFixed(2)} | ${p99.toFixed(2)} | ${(p50 - base).toFixed(2)} |`);
  }
  const each = await time(rate, Math.ceil(rounds / 20), 32);
  const plain = quantile(each['bare Hono route'] ?? [], 0.5);
  for (const [name, values] of Object.entries(each)) {
    const median = quantile(values, 0.5);
    rates.push(`| ${first} | ${name} | ${(1000 / median).toFixed(0)} | ${(plain / median).toFixed(2)} |`);
  }
}
console.log(['### Service overhead', '', ...lines, '', ...rates].join('\n'));

await Promise.all(Object.values(pools).map((pool) => pool.close()));
for (const child of [vendorProcess, serviceProcess, bareProcess]) child.disconnect();
