// The vendors for bench/lateness.mjs: a sandbox that accepts any credentials, delays some responses, and counts
// requests.
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { createSandbox } from 'agent-connectors-sandbox';

const sandbox = createSandbox({ seed: 7, scale: 0.02 });
sandbox.vendors.linear.limits = { requestsPerHour: 1e9, complexityPerHour: 1e12 };
sandbox.vendors.granola.limits = { requestsPerFiveSeconds: 1e9, requestsPerMinute: 1e9 };
const { api_key: linear } = sandbox.vendors.linear.credentials.api_key;
const { api_key: granola } = sandbox.vendors.granola.credentials.api_key;
/** @type {Record<string, { origin: string, authorization: string }>} */
const vendors = {
  linear: { origin: 'https://api.linear.app', authorization: linear },
  granola: { origin: 'https://public-api.granola.ai', authorization: `Bearer ${granola}` },
};
const counts = { requests: 0, refused: 0 };
let sick = '';

/** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
async function answer(request, response) {
  const [, name = '', path = ''] = /^\/(\w+)(.*)$/.exec(request.url ?? '') ?? [];
  const vendor = /** @type {typeof vendors[string]} */ (vendors[name]);
  counts.requests += 1;
  // A failing vendor never responds.
  if (name === sick) return;
  if (request.headers.authorization?.includes('hostile')) await wait(2000);
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { status, headers, body } = await sandbox.fetch(`${vendor.origin}${path}`, {
    method: request.method ?? 'GET',
    headers: { 'content-type': 'application/json', authorization: vendor.authorization },
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  });
  if (status >= 400) counts.refused += 1;
  response.writeHead(status, Object.fromEntries(headers));
  for await (const chunk of body ?? []) response.write(chunk);
  response.end();
}

// Workers abort their requests when they stop.
const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
server.listen(0, '127.0.0.1', () => {
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.send?.({ url: `http://127.0.0.1:${address.port}` });
});
process.on('message', (/** @type {{ sick?: string }} */ message) => {
  if (message.sick !== undefined) sick = message.sick;
  process.send?.(counts);
});
process.on('disconnect', () => process.exit());
