/**
 * Shows what other integration libraries do with replies that are hard to get right: `node test/peers/run.mjs [PEER…]`.
 * Installs pinned versions in a temporary folder, runs each against a server on this machine, without our packages, and
 * fails if the outcome differs from `expected`, which docs/peers.md describes.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = ['@linear/sdk@98.0.0', 'googleapis@188.0.0', '@nangohq/node@0.71.10'];
const environments = {
  cdk: ['airbyte-cdk==7.39.1'],
  others: ['dlt==1.31.0', 'singer-sdk==0.54.9', 'composio==0.30.0', 'airbyte-agent-sdk==0.1.380'],
  google: ['google-api-python-client==2.200.0'],
  gong: ['airbyte-agent-gong==0.19.34', 'airbyte-agent-linear==0.19.31'],
};
const expected = {
  'airbyte-cdk missing': 'system_error: HTTP Status Code: 404. Error: Not found.',
  'airbyte-cdk repeated': 'completes; 30 requests',
  'airbyte-cdk late': 'completes; second run reads 2, 4',
  'airbyte-cdk revoked': 'config_error: Refresh token was rejected by the OAuth provider',
  'dlt missing': 'raises HTTPError',
  'dlt repeated': 'completes; 30 requests',
  'dlt late': 'completes; second run reads 4',
  'dlt revoked': 'raises HTTPError',
  'singer-sdk missing': 'raises FatalAPIError',
  'singer-sdk repeated': 'raises RuntimeError; 2 requests',
  'singer-sdk late': 'completes; second run reads 2, 4',
  'singer-sdk revoked': 'raises RuntimeError',
  'composio missing': 'raises ToolNotFoundError',
  'composio revoked': 'raises AuthenticationError',
  'airbyte-agent-sdk missing': 'raises HTTPStatusError 404',
  'airbyte-agent-sdk revoked': 'raises ConnectorValidationError 400',
  '@linear/sdk missing': 'raises AuthenticationLinearError',
  '@linear/sdk repeated': 'completes; 30 requests',
  '@linear/sdk revoked': 'raises AuthenticationLinearError',
  'googleapis missing': 'raises GaxiosError 404',
  'googleapis revoked': 'raises GaxiosError 400',
  '@nangohq/node missing': 'raises AxiosError 404',
  '@nangohq/node revoked': 'raises AxiosError 401',
  '@linear/sdk linear-limit': 'raises RatelimitedLinearError; 1 request',
  'airbyte-agent-linear linear-limit': 'raises HTTPStatusError; 1 request',
  'airbyte-cdk linear-limit':
    'system_error: HTTP Status Code: 400. Error: Bad request. Please check your request parameters.; 1 request',
  'dlt linear-limit': 'raises HTTPError; 1 request',
  'singer-sdk linear-limit': 'raises FatalAPIError; 1 request',
  'googleapis google-403': 'raises GaxiosError 403; 1 request',
  'googleapis google-429': 'raises GaxiosError 429; 4 requests',
  'google-api-python-client google-403': 'raises HttpError; 1 request',
  'google-api-python-client google-429': 'raises HttpError; 1 request',
  'google-api-python-client-retries google-403': 'raises HttpError; 4 requests',
  'google-api-python-client-retries google-429': 'raises HttpError; 4 requests',
  'airbyte-cdk google-403':
    "config_error: HTTP Status Code: 403. Error: Forbidden. You don't have permission to access this resource.; 1 request",
  'airbyte-cdk google-429': 'transient_error: API rate limit exceeded.; 6 requests',
  'dlt google-403': 'raises HTTPError; 1 request',
  'dlt google-429': 'raises HTTPError; 5 requests',
  'singer-sdk google-403': 'raises FatalAPIError; 1 request',
  'singer-sdk google-429': 'raises RetriableAPIError; 5 requests',
  'airbyte-agent-gong gong-limit': 'raises RateLimitError; 3 requests, before Retry-After',
  'airbyte-cdk gong-limit': 'transient_error: API rate limit exceeded.; 6 requests, before Retry-After',
  'dlt gong-limit': 'raises HTTPError; 5 requests, after Retry-After',
  'singer-sdk gong-limit': 'raises RetriableAPIError; 5 requests, before Retry-After',
  'googleapis gong-limit': 'raises GaxiosError 429; 4 requests, before Retry-After',
};
const programs = {
  'airbyte-cdk': ['cdk', 'airbyte_cdk_peer.py'],
  dlt: ['others', 'dlt_peer.py'],
  'singer-sdk': ['others', 'singer_peer.py'],
  composio: ['others', 'clients.py'],
  'airbyte-agent-sdk': ['others', 'clients.py'],
  'google-api-python-client': ['google', 'limits.py'],
  'google-api-python-client-retries': ['google', 'limits.py'],
  'airbyte-agent-gong': ['gong', 'limits.py'],
  'airbyte-agent-linear': ['gong', 'limits.py'],
};
const wanted = process.argv.slice(2);
const isWanted = (peer) => wanted.length === 0 || wanted.includes(peer);

/** The vendors' replies to too many requests, as recorded from them. Google's have no Retry-After, and Linear's a time in ms. */
const retryAfter = 10;
const limits = {
  'linear-limit': (response) => {
    const extensions = { code: 'RATELIMITED', type: 'ratelimited', statusCode: 429, http: { status: 400 } };
    const reset = {
      'x-ratelimit-requests-remaining': '0',
      'x-ratelimit-requests-reset': `${Date.now() + retryAfter * 1000}`,
    };
    refuse(response, 400, { errors: [{ message: 'Rate limit exceeded', extensions }] }, reset);
  },
  'google-403': (response) => {
    const errors = [{ domain: 'usageLimits', reason: 'userRateLimitExceeded', message: 'User Rate Limit Exceeded' }];
    refuse(response, 403, { error: { code: 403, message: 'User Rate Limit Exceeded', errors } });
  },
  'google-429': (response) => {
    refuse(response, 429, { error: { code: 429, message: 'Quota exceeded', status: 'RESOURCE_EXHAUSTED' } });
  },
  'gong-limit': (response) => {
    const body = { requestId: '1', errors: ['API rate limit exceeded'] };
    refuse(response, 429, body, { 'retry-after': `${retryAfter}` });
  },
};

const folder = mkdtempSync(join(tmpdir(), 'agent-connectors-peers-'));
let changed = 0;
try {
  cpSync(fileURLToPath(new URL('.', import.meta.url)), folder, { recursive: true });
  await must('npm', ['install', '--silent', '--no-audit', '--no-fund', ...packages]);
  const used = Object.keys(expected)
    .map((name) => name.split(' ')[0])
    .filter(isWanted);
  for (const [name, requirements] of Object.entries(environments)) {
    if (!used.some((peer) => programs[peer]?.[0] === name)) continue;
    await must('python3', ['-m', 'venv', name]);
    await must(join(folder, name, 'bin/pip'), ['install', '--quiet', ...requirements]);
  }
  for (const [name, outcome] of Object.entries(expected)) {
    const [peer, scenario] = name.split(' ');
    if (!isWanted(peer)) continue;
    const actual = await outcomeOf(peer, scenario);
    const isSame = actual === outcome;
    if (!isSame) changed++;
    console.log(`${isSame ? 'ok  ' : 'FAIL'} ${name}: ${actual}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
process.exit(changed === 0 ? 0 : 1);

async function outcomeOf(peer, scenario) {
  const requests = { count: 0, runs: 0 };
  const times = [];
  const server = createServer((request, response) => {
    times.push(performance.now());
    if (scenario in limits) limits[scenario](response);
    else answer(scenario, request, response, requests);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const [environment, file] = programs[peer] ?? [];
  const command = environment ? join(folder, environment, 'bin/python') : process.execPath;
  const args = [file ?? 'clients.mjs', `http://127.0.0.1:${server.address().port}`, scenario, peer];
  const { output } = await start(command, args);
  server.closeAllConnections();
  server.close();
  const outcome = /^outcome: (.*)$/m.exec(output)?.[1] ?? output.slice(-500);
  if (scenario in limits) return `${outcome}; ${pace(times, scenario === 'gong-limit')}`;
  return scenario === 'repeated' ? `${outcome}; ${requests.count} requests` : outcome;
}

/** How often a reply that always refuses was requested. The waits are printed, but differ by run. */
function pace(times, hasRetryAfter) {
  const waits = times.slice(1).map((time, index) => (time - times[index]) / 1000);
  if (waits.length === 0) return '1 request';
  console.log(`     waits: ${waits.map((wait) => wait.toFixed(1)).join(', ')} s`);
  const order = Math.min(...waits) >= retryAfter - 0.1 ? 'after' : 'before';
  return `${times.length} requests${hasRetryAfter ? `, ${order} Retry-After` : ''}`;
}

/** A list of records in one of four situations. `since` filters as vendors do; `repeated` ends after 30 requests. */
function answer(scenario, request, response, requests) {
  const json = (body, status = 200) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  if (scenario === 'missing') {
    response.writeHead(404, { 'content-type': 'text/html' }).end('<html><h1>404 Not Found</h1></html>');
  } else if (scenario === 'revoked') {
    if (pathname.endsWith('/token'))
      json({ error: 'invalid_grant', error_description: 'Token has been revoked.' }, 400);
    else json({ errors: [{ message: 'Unauthorized', extensions: { type: 'authentication error' } }] }, 401);
  } else if (pathname === '/graphql') {
    const pageInfo = { hasNextPage: ++requests.count < 30, hasPreviousPage: false, endCursor: 'c' };
    json({ data: { teams: { nodes: [{ id: String(requests.count), name: 'Team' }], pageInfo } } });
  } else if (scenario === 'repeated') {
    const records = [recordAt(searchParams.has('page_token') ? 2 : 1, '00')];
    json({ records, next: ++requests.count < 30 ? 'p2' : null });
  } else {
    const committed = requests.runs++ === 0 ? [] : [recordAt(3, '03'), recordAt(4, '06')];
    const records = [recordAt(1, '00'), recordAt(2, '05'), ...committed];
    const since = searchParams.get('since') ?? '';
    json({ records: records.filter(({ updated_at }) => updated_at >= since), next: null });
  }
}

function refuse(response, status, body, headers = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

function recordAt(id, minute) {
  return { id, updated_at: `2026-01-01T10:${minute}:00Z` };
}

async function must(command, args) {
  const { code, output } = await start(command, args);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed.\n${output.slice(-2000)}`);
}

function start(command, args) {
  const { PATH, LANG } = process.env;
  const env = { PATH, LANG, HOME: folder, DLT_DATA_DIR: join(folder, 'dlt'), RUNTIME__DLTHUB_TELEMETRY: 'false' };
  const child = spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 600_000 });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}
