/**
 * Runs the Python client against a built service and sandbox on loopback: its newest release, and with `--all` older
 * ones, too. Skipped except on Linux x64 with Python 3.11, whose wheels the requirements pin.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createSandbox } from '../../../sandbox/dist/index.js';
import { serve } from '../../../service/dist/index.js';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * Releases of the client, newest first: each has a file with its hashes, and they share one file for their
 * dependencies.
 */
const releases = ['0.1.380', '0.1.240'];

const isPinned = process.platform === 'linux' && process.arch === 'x64';
const python = ['python3.11', 'python3'].find(
  (name) =>
    isPinned && spawnSync(name, ['-c', 'import sys, venv; sys.exit(sys.version_info[:2] != (3, 11))']).status === 0,
);

function install(release) {
  const environment = here(`./node_modules/.venv-${release}`);
  const requirements = [here('./requirements.txt'), here(`./requirements-${release}.txt`)];
  const digest = createHash('sha256')
    .update(requirements.map((file) => readFileSync(file, 'utf8')).join(''))
    .digest('hex');
  const stamp = `${environment}/installed`;
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== digest) {
    const must = (command, ...rest) => {
      if (spawnSync(command, rest, { stdio: 'inherit' }).status !== 0) throw new Error(`${command} failed.`);
    };
    must(python, '-m', 'venv', '--clear', environment);
    const files = requirements.flatMap((file) => ['-r', file]);
    must(`${environment}/bin/python`, '-m', 'pip', 'install', '--quiet', '--require-hashes', ...files);
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
  const ask = async (method, path, token, json) => {
    const response = await fetch(`${service.url}/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      ...(json && { body: JSON.stringify(json) }),
    });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  };
  const { access_token: token } = await ask('POST', '/account/applications/token', undefined, {
    client_id: client.id,
    client_secret: secret,
  });
  const { linear, gong, granola, 'google-drive': drive, 'google-analytics': analytics } = sandbox.vendors;
  const credentials = {
    linear: linear.credentials.api_key,
    gong: gong.credentials.basic,
    granola: granola.credentials.api_key,
    'google-drive': drive.credentials.oauth,
    'google-analytics': analytics.credentials.oauth,
  };
  const start_date = new Date(sandbox.clock.now() - 5 * 86_400_000).toISOString().slice(0, 10);
  const configs = {
    'google-analytics': { property_ids: [String(analytics.properties.website)], start_date },
  };
  const create = async (more) =>
    (await ask('POST', '/integrations/connectors', token, { workspace_name: 'main', ...more })).id;
  const connectors = {};
  for (const [connector_type, given] of Object.entries(credentials)) {
    const replication_config = configs[connector_type];
    connectors[connector_type] = await create({ connector_type, credentials: given, replication_config });
  }
  for (const id of Object.values(connectors)) {
    for (let tries = 0; ; tries++) {
      const { context_store_readiness } = await ask('GET', `/integrations/connectors/${id}/inspect`, token);
      const waiting = context_store_readiness.entities.filter(({ status }) => status !== 'ready');
      if (waiting.length === 0) break;
      if (tries === 600) throw new Error(`Not ready: ${JSON.stringify(waiting)}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  // A connector for the client to delete; without credentials, it replicates nothing.
  const spare = await create({ connector_type: 'granola', name: 'Spare' });
  return { service, client, secret, connectors, spare };
}

async function run(release) {
  console.log(`airbyte-agent-sdk ${release}`);
  const interpreter = install(release);
  const { service, client, secret, connectors, spare } = await startService();
  const child = spawn(interpreter, ['-B', here('./check_client.py')], {
    stdio: 'inherit',
    env: {
      ...process.env,
      SDK_DEV_ADP_API_HOST: service.url,
      AIRBYTE_CLIENT_ID: client.id,
      AIRBYTE_CLIENT_SECRET: secret,
      AIRBYTE_TELEMETRY_MODE: 'disabled',
      CONNECTORS: JSON.stringify(connectors),
      SPARE: spare,
    },
  });
  const code = await new Promise((resolve) => child.on('exit', resolve));
  await service.close();
  return code === 0;
}

if (!python) {
  console.log('skipped: the requirements are pinned for Linux x64 with Python 3.11');
} else {
  for (const release of process.argv.includes('--all') ? releases : releases.slice(0, 1)) {
    if (!(await run(release))) process.exitCode = 1;
  }
}
