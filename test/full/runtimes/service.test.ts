import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { AgentConnectors } from 'agent-connectors/hosted';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { run } from '../../package/installed.js';
import { installProgram } from './binaries.js';
import { type Installation, installPackages, startPrograms } from './installation.js';

let on: Installation;
beforeAll(async () => {
  on = await installPackages();
});
afterAll(() => on?.remove());

const nodes = ['Node 20', 'Node 22', 'Node 24', 'Node 26'] as const;

test.for(nodes)('the service runs actions, accepts its clients and stops on %s', async (program, { skip }) => {
  const found = await installProgram(program, on.scratch);
  if ('missing' in found) return skip(found.missing);
  const staged = await startPrograms(on, { node: found.path });
  const answer = JSON.parse(await run(on.alone, process.execPath, 'main.mjs', staged.file));
  expect(answer.hosted).toEqual({ status: 'succeeded', issues: 2, missing: 'not_found' });
  await staged.stop();

  const binary = 'node_modules/agent-connectors-service/bin/agent-connectors-service.js';
  const data = ['--data', join(on.scratch, `data-${program.slice(-2)}`)];
  const command = (...rest: string[]) => run(on.together, found.path, binary, ...rest, ...data);
  await command('create-organization', '--name', 'Acme', '--create-key');
  const client = JSON.parse(await command('create-client', '--name', 'program', '--json'));
  const child = spawn(found.path, [binary, '--port', '0', '--json', ...data], { cwd: on.together });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(String(line))?.[0];
  const body = JSON.stringify({ client_id: client.client_id, client_secret: client.client_secret });
  const headers = { 'content-type': 'application/json' };
  const token = await fetch(`${url}/api/v1/account/applications/token`, { method: 'POST', headers, body });
  expect(token.status, String(line)).toBe(200);
  const { access_token } = (await token.json()) as { access_token: string };
  const me = await fetch(`${url}/api/v1/account/me`, { headers: { authorization: `Bearer ${access_token}` } });
  expect(me.status).toBe(200);
  child.kill('SIGTERM');
  expect((await once(child, 'exit'))[0]).toBe(0);
});

const others = [
  ['Bun', []],
  ['Deno', ['run', '--allow-all']],
] as const;

test.for(others)('the service runs actions, replicates, searches and stops on %s', async ([name, before], { skip }) => {
  const found = await installProgram(name, on.scratch);
  if ('missing' in found) return skip(found.missing);
  const program = [found.path, ...before];
  const staged = await startPrograms(on, { program, flags: [] });
  const { subject } = staged;
  const { baseUrl, clientId, clientSecret } = subject.service;
  const { connectors } = new AgentConnectors({ baseUrl, clientId, clientSecret });
  const { id } = await connectors.create({
    connector_type: 'linear',
    name: 'Issues',
    credentials: subject.credentials.linear!,
  });
  const { result } = await connectors.execute(id, { entity: 'issues', action: 'list', params: { first: 2 } });
  expect(result).toHaveLength(2);
  const drive = await connectors.create({
    connector_type: 'google-drive',
    name: 'Files',
    credentials: subject.credentials['google-drive']!,
  });
  const ready = async (each: string) =>
    (await connectors.inspect(each)).context_store_readiness.entities.map((entity) => entity.ready_for_search);
  for (const each of [id, drive.id]) {
    await expect.poll(() => ready(each), { timeout: 120_000, interval: 500 }).not.toContain(false);
  }
  const searched = (params: object) =>
    connectors.execute(id, { entity: 'issues', action: 'context_store_search', params: { limit: 100, ...params } });
  const kept = (await searched({ query: {} })).result as { data: { id: string; description: string | null }[] };
  const issue = kept.data.find(({ description }) => (description?.length ?? 0) > 80)!;
  const hits = await searched({ semantic: { prompt: issue.description!.slice(0, 80) } });
  expect(JSON.stringify(hits.result)).toContain(issue.id);
  await staged.stop();

  expect((await run(on.together, found.path, ...before, 'guard.mjs')).trim()).toBe('denied_by_policy');
});
