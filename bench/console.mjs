/**
 * Measures the console in Chromium with the sandbox's data: `node bench/console.mjs [--scale 100] [--patience 300]`.
 * The records are replicated first. Searches cover as many records as can be replicated within `--patience` seconds
 * under the vendors' limits.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createSandbox } from 'agent-connectors-sandbox';
import { serve } from 'agent-connectors-service';
import { chromium } from 'playwright-core';
import { quantile } from './measure.mjs';

const { values: options } = parseArgs({
  options: {
    scale: { type: 'string', default: '100' },
    patience: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '15' },
    connectors: { type: 'string', default: 'linear,gong,granola,google-drive,google-analytics' },
  },
});
const rounds = Number(options.rounds);
const types = options.connectors.split(',');

const sandbox = createSandbox({ seed: 7, scale: Number(options.scale) });
const credentials = {
  linear: sandbox.vendors.linear.credentials.api_key,
  gong: sandbox.vendors.gong.credentials.basic,
  granola: sandbox.vendors.granola.credentials.api_key,
  'google-drive': sandbox.vendors['google-drive'].credentials.access_token,
  'google-analytics': sandbox.vendors['google-analytics'].credentials.service_account,
};
const more = { 'google-analytics': { replication_config: { property_ids: ['320200001'] } } };

const folder = mkdtempSync(join(tmpdir(), 'bench-console-'));
const serviceOptions = { dataFolder: folder, port: 0, fetch: sandbox.fetch };
let service = await serve({ ...serviceOptions, createKey: true });
const { state } = service;
const { id: organizationId } = await state.organizations.create('Fernhill');
await state.workspaces.create(organizationId, 'main');
const { client, secret } = await state.clients.create('Bench', [organizationId]);

const ask = async (path, json, token) => {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  const init = json === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(json) };
  const response = await fetch(service.url + path, init);
  if (!response.ok) throw new Error(await response.text());
  return response.json();
};
/** Tokens expire after 15 minutes, and a benchmark can take longer. */
const token = async () => {
  const credentials = { client_id: client.id, client_secret: secret };
  return (await ask('/api/v1/account/applications/token', credentials)).access_token;
};

const startedAt = Date.now();
for (const type of types) {
  const made = { workspace_name: 'main', connector_type: type, name: type, credentials: credentials[type] };
  await ask('/api/v1/integrations/connectors', { ...made, ...more[type] }, await token());
}
let overview = [];
const deadline = startedAt + Number(options.patience) * 1000;
for (;;) {
  overview = (await ask('/api/v1/overview', undefined, await token())).data;
  if (overview.every(({ job }) => job?.status === 'done') || Date.now() > deadline) break;
  await new Promise((go) => setTimeout(go, 1000));
}
const waitedSeconds = (Date.now() - startedAt) / 1000;
// Restarts without replication, which would otherwise run in the measured process.
await service.close();
service = await serve({ ...serviceOptions, replicate: false });

/** Total transfer size of everything the page loaded. */
const transferredBytes = (page) =>
  page.evaluate(() =>
    [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      .filter(({ name }) => !name.includes('/console/events'))
      .reduce((sum, { transferSize }) => sum + transferSize, 0),
  );
const firstPaint = (page) =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        const look = (list) => {
          const found = list.getEntriesByName('first-contentful-paint')[0];
          if (found) resolve(found.startTime);
        };
        new PerformanceObserver(look).observe({ type: 'paint', buffered: true });
      }),
  );

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
const times = { paint: [], list: [] };
let bytes = 0;
let signedInState;
for (let round = 0; round < rounds; round++) {
  const context = await browser.newContext({
    baseURL: service.url,
    viewport: { width: 1280, height: 900 },
    ...(signedInState && { storageState: signedInState }),
  });
  const page = await context.newPage();
  if (!signedInState) {
    await page.goto('/console');
    await page.getByLabel('Client id').fill(client.id);
    await page.getByLabel('Client secret').fill(secret);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Connectors', level: 1 }).waitFor();
    signedInState = await context.storageState();
    await context.close();
    continue;
  }
  await page.goto('/console');
  await page.getByRole('link', { name: types[0] }).first().waitFor();
  times.list.push(await page.evaluate(() => performance.now()));
  times.paint.push(await firstPaint(page));
  bytes = await transferredBytes(page);
  await context.close();
}

const context = await browser.newContext({
  baseURL: service.url,
  viewport: { width: 1280, height: 900 },
  storageState: signedInState,
});
const page = await context.newPage();
/** Search times reported by the service itself, in ms. */
const own = [];
page.on('response', async (response) => {
  if (!/\/workspaces\/.+\/search$/.test(response.url())) return;
  own.push((await response.json()).meta.took_ms);
});
/** Milliseconds from the button press to painted rows, measured in the page itself. */
async function timeSearches(fill, rows) {
  const durations = [];
  for (let round = 0; round < rounds; round++) {
    await fill(round);
    durations.push(
      await page.evaluate(
        (selector) =>
          new Promise((resolve) => {
            const old = document.querySelector(selector)?.textContent;
            const started = performance.now();
            const look = () => {
              const now = document.querySelector(selector)?.textContent;
              if (now === undefined || now === old || document.querySelector('main button[disabled]')) return;
              watching.disconnect();
              requestAnimationFrame(() => resolve(performance.now() - started));
            };
            const watching = new MutationObserver(look);
            watching.observe(document.body, { childList: true, subtree: true, attributes: true, characterData: true });
            document.querySelector('main form button[type=submit]').click();
          }),
        rows,
      ),
    );
  }
  return durations;
}

const prompts = [
  'two-factor reset',
  'move to Frankfurt',
  'invoice export',
  'slow dashboard',
  'renewal of the contract',
];
await page.goto('/console/search');
await page.getByLabel('Query').waitFor();
const byWords = await timeSearches((round) => page.getByLabel('Query').fill(prompts[round % prompts.length]), '.hits');
await page.getByRole('button', { name: 'By conditions' }).click();
await page
  .getByLabel('Entity')
  .selectOption('issues')
  .catch(() => {});
await page.getByLabel('Field').selectOption('priority');
await page.getByLabel('Operator').selectOption('lte');
const byConditions = await timeSearches((round) => page.getByLabel('Value').fill(String(round % 4)), '.result');

const row = (name, values) =>
  `| ${name} | ${quantile(values, 0).toFixed(0)} | ${quantile(values, 0.5).toFixed(0)} | ${quantile(values, 0.95).toFixed(0)} |`;
console.log(
  [
    `### The console over the company at scale ${options.scale}, replicated for ${waitedSeconds.toFixed(0)} s`,
    '',
    ...overview.map(({ name, records, health }) => `- ${name}: ${records.toLocaleString('en')} records (${health})`),
    '',
    '| ms | Least | Median | 19 of 20 |',
    '|---|---|---|---|',
    row('First contentful paint', times.paint),
    row('List of connectors shown', times.list),
    row('Search by words, from button press to results', byWords),
    row('of which the service took', own),
    row('Search by conditions, from button press to results', byConditions),
    '',
    `${(bytes / 1000).toFixed(1)} kB (compressed) were transferred on a first visit.`,
  ].join('\n'),
);

await browser.close();
await service.close();
rmSync(folder, { recursive: true, force: true });
