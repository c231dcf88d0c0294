/** Runs the Python client against a built service and sandbox on loopback; skipped but on Linux x64 with Python 3.11, whose wheels the requirements pin. */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createSandbox } from '../../../sandbox/dist/index.js';
import { serve } from '../../../service/dist/index.js';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

const isPinned = process.platform === 'linux' && process.arch === 'x64';
const python = ['python3.11', 'python3'].find(
  (name) =>
    isPinned && spawnSync(name, ['-c', 'import sys, venv; sys.exit(sys.version_info[:2] != (3, 11))']).status === 0,
);

function install() {
  const environment = here('./node_modules/.venv');
  const requirements = here('./requirements.txt');
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  const stamp = `${environment}/installed`;
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== digest) {
    const must = (command, ...rest) => {
      if (spawnSync(command, rest, { stdio: 'inherit' }).status !== 0) throw new Error(`${command} failed.`);
    };
    must(python, '-m', 'venv', '--clear', environment);
    must(`${environment}/bin/python`, '-m', 'pip', 'install', '--quiet', '--require-hashes', '-r', requirements);
    writeFileSync(stamp, digest);
  }
  return `${environment}/bin/python`;
}

/** A service with a connector of each type, whose records are replicated. */
async function startService() {
  const sandbox = createSandbox({ seed: 7, scale: 0.1 });
  const service = await serve({ dataFolder: ':memory:', dev: true, fetch: sandbox.fetch, port: 0 });
  const { id: organization } = await service.state.organizations.create('Acme');
  const { client, secret } = await service.state.clients.create('Python', [organization]);
  await service.state.workspaces.create(organization, 'main');
  const post = async (path, token, json) => {
    const response = await fetch(`${service.url}/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(json),
    });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  };
  const { access_token: token } = await post('/account/applications/token', undefined, {
    client_id: client.id,
    client_secret: secret,
  });
  const { linear, gong, granola, 'google-drive': drive } = sandbox.vendors;
  const credentials = {
    linear: linear.credentials.api_key,
    gong: gong.credentials.basic,
    granola: granola.credentials.api_key,
    'google-drive': drive.credentials.oauth,
  };
  const connectors = {};
  for (const [connector_type, given] of Object.entries(credentials)) {
    const body = { workspace_name: 'main', connector_type, credentials: given };
    connectors[connector_type] = (await post('/integrations/connectors', token, body)).id;
  }
  for (let tries = 0; tries < 300; tries++) {
    const path = `/integrations/connectors/${connectors.linear}/execute`;
    const search = { entity: 'issues', action: 'context_store_search', params: { query: {}, limit: 1 } };
    const { meta } = (await post(path, token, search)).result;
    if (meta.readiness.status === 'ready') break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { service, client, secret, connectors };
}

if (!python) {
  console.log('skipped: the requirements are pinned for Linux x64 with Python 3.11');
} else {
  const interpreter = process.env.SDK_PYTHON ?? install();
  const { service, client, secret, connectors } = await startService();
  const child = spawn(interpreter, [here('./check_client.py')], {
    stdio: 'inherit',
    env: {
      ...process.env,
      SDK_DEV_ADP_API_HOST: service.url,
      AIRBYTE_CLIENT_ID: client.id,
      AIRBYTE_CLIENT_SECRET: secret,
      AIRBYTE_TELEMETRY_MODE: 'disabled',
      CONNECTORS: JSON.stringify(connectors),
    },
  });
  process.exitCode = await new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
  await service.close();
}
