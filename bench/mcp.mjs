// Compares the service's CPU time per MCP tool call and per HTTP call: `node bench/mcp.mjs [rounds]` after
// `npm run build`.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { AgentConnectors } from 'agent-connectors/hosted';
import { Pool } from 'undici';
import { quantile } from './measure.mjs';

/** Starts a script in this folder and returns its first output. @param {string} script @param {string[]} words */
async function start(script, ...words) {
  const child = fork(new URL(script, import.meta.url), words);
  const [told] = await once(child, 'message');
  return { child, told: /** @type {any} */ (told) };
}

const { child: vendorProcess, told: vendor } = await start('server.mjs');
const endpoints = `http://127.0.0.1:${vendor.port}/linear`;
const { child, told: service } = await start('service-host.mjs', 'service', endpoints);
const { url: baseUrl, clientId, clientSecret } = service;
const connectors = new AgentConnectors({ baseUrl, clientId, clientSecret });
const { id } = await connectors.connectors.create({
  connector_type: 'linear',
  credentials: { api_key: vendor.api_key },
});
const token = await fetch(`${baseUrl}/api/v1/account/applications/token`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ client_id: clientId, client_secret: clientSecret }),
});
const authorization = `Bearer ${/** @type {any} */ (await token.json()).access_token}`;
const pool = new Pool(baseUrl, { connections: 4 });

/** @param {string} path @param {object} body @param {Record<string, string>} more */
async function post(path, body, more = {}) {
  const accept = 'application/json, text/event-stream';
  const headers = { 'content-type': 'application/json', accept, authorization, ...more };
  const answer = await pool.request({ method: 'POST', path, headers, body: JSON.stringify(body) });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(text);
  return { text, headers: answer.headers };
}

const [legacy, modern] = ['2025-11-25', '2026-07-28'];
const clientInfo = { name: 'bench', version: '1' };
const begun = await post('/mcp', {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: legacy, capabilities: {}, clientInfo },
});
const session = { 'mcp-session-id': String(begun.headers['mcp-session-id']), 'mcp-protocol-version': legacy };
await post('/mcp', { jsonrpc: '2.0', method: 'notifications/initialized' }, session);

const list = { entity: 'issues', action: 'list', params: { first: 50 } };
/** @param {object} meta */
const toolCall = (meta) => ({
  jsonrpc: '2.0',
  id: 2,
  method: 'tools/call',
  params: { name: 'execute', arguments: list, ...meta },
});
const prefix = 'io.modelcontextprotocol';
const envelope = {
  [`${prefix}/protocolVersion`]: modern,
  [`${prefix}/clientCapabilities`]: {},
  [`${prefix}/clientInfo`]: clientInfo,
};
const stateless = { 'mcp-protocol-version': modern, 'mcp-method': 'tools/call', 'mcp-name': 'execute' };
const calls = {
  'HTTP execute': () => post(`/api/v1/integrations/connectors/${id}/execute`, list),
  [`MCP tools/call, ${legacy} (in a session)`]: () => post('/mcp', toolCall({}), session),
  [`MCP tools/call, ${modern}`]: () => post('/mcp', toolCall({ _meta: envelope }), stateless),
};

async function cpuMs() {
  child.send('cpu');
  const [{ user, system }] = await once(child, 'message');
  return (user + system) / 1_000;
}

const perRound = 25;
const rounds = Number(process.argv[2] ?? 40);
/** @type {Record<string, number[]>} */
const took = Object.fromEntries(Object.keys(calls).map((name) => [name, []]));
for (let round = -3; round < rounds; round++) {
  for (const [name, call] of Object.entries(calls)) {
    const before = await cpuMs();
    for (let count = 0; count < perRound; count++) {
      const { text } = await call();
      if (text.includes('isError')) throw new Error(text);
    }
    // The first rounds warm up.
    if (round >= 0) took[name]?.push(((await cpuMs()) - before) / perRound);
  }
}
const base = quantile(took['HTTP execute'] ?? [], 0.5);
const rows = Object.entries(took).map(([name, values]) => {
  const median = quantile(values, 0.5);
  return `| ${name} | ${median.toFixed(2)} | ${(median / base).toFixed(2)} |`;
});
console.log(
  ['### CPU time per call for 50 issues', '', '| Call | ms (p50) | × HTTP |', '|---|---|---|', ...rows].join('\n'),
);

await pool.close();
for (const each of [vendorProcess, child]) each.disconnect();
