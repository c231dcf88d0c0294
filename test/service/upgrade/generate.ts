import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from 'agent-connectors-sandbox';
import { createService, type Service } from 'agent-connectors-service';
import { VERSION } from '../../../service/src/version.js';
import { WordEmbedder } from '../store/embedder.js';
import { type Facts, FixtureClock, fixtureKey, fixtureSandbox, jobCountsOf, publicUrl, startTime } from './facts.js';
import { connectAll, createRequester, newClient, syncAndWait, waitForJob, waitUntilEmbedded } from './fill.js';
import { recordReads as recorded } from './record-reads.js';
import { keyedWrites } from './writes.js';

// Creates a fixture. Arguments: <data folder> <file for facts> <database>. `scripts/fixture.mjs` builds and runs it.
const [folder = '', factsFile = '', databaseUrl] = process.argv.slice(2);
const clock = new FixtureClock();
const sandbox: Sandbox = fixtureSandbox(clock);
clock.set(startTime + 10 * 60_000);

mkdirSync(folder, { recursive: true, mode: 0o700 });
writeFileSync(join(folder, 'key'), `${fixtureKey}\n`);
chmodSync(join(folder, 'key'), 0o600);

const open = (replicate: boolean): Promise<Service> =>
  createService({
    dataFolder: folder,
    databaseUrl,
    replicate,
    publicUrl,
    now: clock.now,
    fetch: sandbox.fetch,
    embedders: [new WordEmbedder()],
  });

/** Organizations, clients, workspaces and policies. */
async function accounts(service: Service) {
  const { organizations, workspaces } = service.state;
  const acme = await organizations.create('Acme');
  const globex = await organizations.create('Globex');
  for (const [{ id }, name] of [
    [acme, 'main'],
    [acme, 'archive'],
    [globex, 'main'],
  ] as const) {
    await workspaces.create(id, name);
  }
  return {
    acme: await newClient(service, 'Acme program', [acme.id]),
    globex: await newClient(service, 'Globex program', [globex.id]),
    both: await newClient(service, 'Auditor', [acme.id, globex.id]),
  };
}

const service = await open(true);
const clients = await accounts(service);
const bearer = (token: string) => createRequester(service, { authorization: `Bearer ${token}` });
const [acme, globex] = [bearer(clients.acme.token), bearer(clients.globex.token)];
const connectors = await connectAll(acme, sandbox);
const { body: made } = await globex('POST', '/api/v1/integrations/connectors', {
  json: {
    workspace_name: 'main',
    connector_type: 'linear',
    name: 'Ours',
    credentials: sandbox.vendors.linear.credentials.api_key,
    replication_config: { entities: ['teams'] },
  },
});
const again: Record<string, Facts['again'][string]> = {};
for (const id of Object.values(connectors)) {
  await waitForJob(acme, id);
  again[id] = jobCountsOf(await syncAndWait(acme, id));
  await waitUntilEmbedded(acme, id);
}
await waitForJob(globex, made.id);

const policies = '/api/v1/policies';
await acme('PUT', policies, { json: { workspace_name: 'archive', read_only: true } });
await globex('PUT', policies, { json: { workspace_name: 'main', read_only: true } });
for (const [type, rule] of [
  ['google-drive', { read_only: true }],
  ['granola', { allow: ['notes.list', 'granola:*.context_store_search'] }],
] as const) {
  await acme('PUT', policies, { json: { workspace_name: 'main', connector_id: connectors[type], ...rule } });
}
const denied = [
  { connector: connectors.granola!, entity: 'notes', action: 'get' },
  { connector: connectors['google-drive']!, entity: 'files', action: 'create' },
];

const writes = await keyedWrites(acme, connectors.linear!, sandbox);
const { body: setup } = await acme('POST', '/api/v1/integrations/connectors/setup', {
  json: {
    workspace_name: 'main',
    name: 'By hand',
    connector_type: 'linear',
    replication_config: { interval: '3h', entities: ['users'] },
  },
});
const { body: scoped } = await acme('POST', '/api/v1/account/applications/scoped-token', {
  json: { workspace_name: 'main' },
});
const { client_id, client_secret } = clients.acme;
const signedIn = await createRequester(service)('POST', '/console/session', {
  json: { client_id, client_secret },
  headers: { 'x-console': '1', 'sec-fetch-site': 'same-origin' },
});
const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!;
const link = await service.state.consoleSessions.createLink(client_id);
const reads = await recorded({ service, clients, scoped: scoped.token, cookie, connectors, foreign: made.id });
await service.close();

// A process that does not replicate leaves a requested job to other processes.
const later = await open(false);
const laterRequester = createRequester(later, { authorization: `Bearer ${clients.acme.token}` });
const { body: queued } = await laterRequester('POST', `/api/v1/integrations/connectors/${connectors.linear}/sync`, {
  json: { entities: ['issues'] },
});
const jobs = `/api/v1/integrations/connectors/${connectors.linear}/jobs`;
const setupPath = `/api/v1/integrations/connectors/setup/${setup.setup_id}`;
const answers = [...reads.answers];
for (const path of [jobs, setupPath]) {
  const { status, body } = await laterRequester('GET', path);
  answers.push({ as: 'acme', method: 'GET', path, status, body });
}
const audit = await Promise.all(
  [clients.acme, clients.globex].map(async ({ organization_id }) => ({
    organization_id,
    ...(await later.state.audit.verify(organization_id)).head!,
  })),
);
await later.close();

const facts: Facts = {
  version: VERSION,
  stopped: clock.now(),
  connectors,
  foreign: made.id,
  clients,
  scoped: scoped.token,
  console: { cookie, link },
  setup: { id: setup.setup_id, url: setup.setup_url, interval: '3h' },
  writes,
  denied,
  calls: reads.calls,
  answers,
  meant: reads.meant,
  queued: queued.job_id,
  again,
  audit,
};
// One line per item in large collections.
const line = (value: unknown) =>
  Array.isArray(value) ? `[\n${value.map((one) => JSON.stringify(one)).join(',\n')}\n]` : JSON.stringify(value);
const lines = Object.entries(facts).map(([name, value]) => `${JSON.stringify(name)}: ${line(value)}`);
writeFileSync(factsFile, `{\n${lines.join(',\n')}\n}\n`);
