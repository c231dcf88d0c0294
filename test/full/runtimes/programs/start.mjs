// Serves the sandbox and the service on loopback until stdin ends; prints what programs need to use them.
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { serve } from 'agent-connectors-sandbox/server';

const { url, sandbox, close } = await serve();
const { vendors } = sandbox;
// Limits high enough that no program affects the next one.
vendors.gong.limits = { requestsPerSecond: 1_000 };
vendors.granola.limits = { requestsPerFiveSeconds: 1_000 };

const names = ['linear', 'granola', 'google-drive', 'google-analytics', 'gong'];
const endpoints = Object.fromEntries(names.map((name) => [name, `${url}/${name}`]));
const manifest = createRequire(import.meta.url).resolve('agent-connectors-service/package.json');
const binary = join(manifest, '..', 'bin/agent-connectors-service.js');
const { program = [process.execPath], flags = ['--no-replication'] } = JSON.parse(process.argv[2]);
const [command, ...before] = program;
const options = ['--dev', '--json', '--port', '0', ...flags, '--endpoints', JSON.stringify(endpoints)];
const service = spawn(command, [...before, binary, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
const ended = new Promise((resolve) => service.once('exit', resolve));

for await (const line of createInterface(service.stdout)) {
  const { client_file: file } = JSON.parse(line);
  if (file === undefined) continue;
  const { base_url, client_id, client_secret } = JSON.parse(await readFile(file, 'utf8'));
  const credentials = {
    linear: vendors.linear.credentials.api_key,
    granola: vendors.granola.credentials.api_key,
    'google-drive': vendors['google-drive'].credentials.oauth,
    'google-analytics': vendors['google-analytics'].credentials.service_account,
    gong: vendors.gong.credentials.basic,
  };
  const account = { baseUrl: base_url, clientId: client_id, clientSecret: client_secret };
  const subject = {
    sandbox: url,
    credentials,
    property_id: vendors['google-analytics'].properties.website,
    service: { ...account, key: credentials.linear, name: 'Issues' },
  };
  console.log(JSON.stringify(subject));
  break;
}
service.stdout.resume();

process.stdin.resume();
await new Promise((resolve) => process.stdin.once('end', resolve).once('error', resolve));
service.kill('SIGTERM');
process.exitCode = await ended;
await close();
