import { lookup } from 'node:dns/promises';
import type { AnyConnector } from 'agent-connectors';
import { GranolaConnector } from 'agent-connectors/granola';
import { LinearConnector } from 'agent-connectors/linear';
import { createAgentTools } from 'agent-connectors/tools';
import { serve as serveSandbox } from 'agent-connectors-sandbox/server';
import { serve } from 'agent-connectors-service';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../cli/session.js';
import { readResponse, tenantOf } from '../service/http/setup.js';
import { externalHosts, type NetworkWatch, watchNetwork } from './network.js';

let watched: NetworkWatch;

beforeEach(() => {
  watched = watchNetwork();
});

afterEach(() => watched.restore());

/** The sandbox on a port on this machine. */
async function vendors() {
  const sandbox = await serveSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  return { url: sandbox.url, ...sandbox.sandbox.vendors };
}

const nothingBeyond = () => {
  expect(externalHosts(watched)).toEqual([]);
  expect(watched.hosts.size).toBeGreaterThan(0);
};

test('the monitor sees and blocks outgoing connections', async () => {
  await expect(fetch('http://collector.example/')).rejects.toThrow('fetch failed');
  await expect(fetch('http://192.0.2.1/')).rejects.toThrow('fetch failed');
  await expect(lookup('collector.example')).rejects.toThrow('not of this machine');
  expect(externalHosts(watched)).toEqual(['192.0.2.1', 'collector.example']);
});

test('the library and its tools connect only to the vendor', async () => {
  const { url, linear, granola } = await vendors();
  const connectors = [
    new LinearConnector({ credentials: linear.credentials.api_key, endpoints: `${url}/linear` }),
    new GranolaConnector({ credentials: granola.credentials.api_key, endpoints: `${url}/granola` }),
  ];
  const [inspect, docs, execute] = createAgentTools(connectors);
  expect((await inspect.run({})).isError).toBe(false);
  expect((await docs.run({ connector: 'linear' })).isError).toBe(false);
  const args = { connector: 'linear', entity: 'issues', action: 'list', params: { first: 2 } };
  expect((await execute.run(args)).isError).toBe(false);
  expect((await execute.run({ ...args, params: { first: 'x' } })).isError).toBe(true);
  await expect((connectors[1] as AnyConnector).execute('notes', 'nothing')).rejects.toThrow();
  nothingBeyond();
});

test('the command line connects only to the vendor', async () => {
  const { url, linear } = await vendors();
  const env = { LINEAR_API_KEY: linear.credentials.api_key.api_key };
  const endpoints = JSON.stringify({ linear: `${url}/linear` });
  const given = { env: { ...env, AGENT_CONNECTORS_ENDPOINTS: endpoints }, fetch: globalThis.fetch };
  const call = JSON.stringify({ name: 'linear', entity: 'issues', action: 'list', params: { first: 1 } });
  expect((await runCommand(['connectors', 'execute', '--local', call], given)).exit).toBe(0);
  await runCommand(['doctor', '--local'], given);
  expect((await runCommand(['--version'], given)).exit).toBe(0);
  expect((await runCommand(['nothing-like-it'], given)).exit).not.toBe(0);
  nothingBeyond();
});

test('the service connects only to the vendors, even during a sync', async () => {
  const { url, linear } = await vendors();
  const service = await serve({
    dataFolder: ':memory:',
    dev: true,
    port: 0,
    endpoints: { linear: `${url}/linear` },
  });
  onTestFinished(() => service.close());
  const acme = await tenantOf(service, 'Acme');
  const id = await acme.connect('linear', linear.credentials.api_key);
  const ask = async (method: string, path: string, json?: object) =>
    readResponse(
      await fetch(service.url + path, {
        method,
        headers: { authorization: `Bearer ${acme.token}`, 'content-type': 'application/json' },
        ...(json && { body: JSON.stringify(json) }),
      }),
    );
  const at = (rest: string) => `/api/v1/integrations/connectors/${id}${rest}`;
  expect((await ask('POST', at('/execute'), { entity: 'teams', action: 'list' })).status).toBe(200);
  expect((await ask('POST', at('/check'), {})).status).toBe(200);
  expect((await ask('POST', at('/sync'), { entities: ['teams'] })).status).toBe(200);
  const progress = async () => JSON.stringify((await ask('GET', at('/jobs'))).body.data.map((job: any) => job.status));
  await expect.poll(progress, { timeout: 50_000, interval: 200 }).toContain('done');
  for (const path of ['/health', '/openapi.json', '/metrics', '/console']) await ask('GET', path);
  nothingBeyond();
});
