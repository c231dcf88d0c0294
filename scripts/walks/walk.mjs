/** Runs in the transpiled copy made by `scripts/walks.mjs`. */
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { LinearConnector } from './connectors/linear/index.js';
import { createSandbox } from './sandbox/src/index.js';
import { createService } from './service/src/index.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const list = process.argv.includes('--list');

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** Project files in which a function was called since the last check. */
async function filesCalled() {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return (
    result
      .filter(({ url }) => url.startsWith('file:'))
      .map(({ url, functions }) => ({ path: fileURLToPath(url).slice(here.length), functions }))
      .filter(({ path }) => /^(src|connectors|service)\//.test(path))
      // The dispatcher polls every second, so a poll may occur while waiting for a job.
      .filter(({ path }) => !/\/webhooks\/(dispatcher|queue)\.js$/.test(path))
      // The first function in a file is the module itself.
      .filter(({ functions }) =>
        functions.some(({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0),
      )
      .map(({ path }) => path.replace(/\.js$/, '.ts'))
      .sort()
  );
}

async function walk(title, maxFiles, work) {
  // Warms up code that is loaded and prepared on first use.
  await work();
  await filesCalled();
  // The shortest of three runs, since background polling may interfere.
  let files;
  for (let time = 0; time < 3; time++) {
    await work();
    const called = await filesCalled();
    if (!files || called.length < files.length) files = called;
  }
  const inRecords = files.filter((file) => file.startsWith('service/src/data/records/')).length;
  console.log(`${title}: ${files.length} files${inRecords ? ` (${inRecords} of the records)` : ''}, limit ${maxFiles}`);
  if (list) for (const file of files) console.log(`  ${file}`);
  return files.length <= maxFiles;
}

const sandbox = createSandbox({ seed: 7, scale: 0.1 });
const credentials = sandbox.vendors.linear.credentials.api_key;
const linear = new LinearConnector({ credentials, fetch: sandbox.fetch });

const service = await createService({ dataFolder: ':memory:', dev: true, fetch: sandbox.fetch, embedders: [] });
const { id: organization } = await service.state.organizations.create('Acme');
const { client, secret } = await service.state.clients.create('Program', [organization]);
await service.state.workspaces.create(organization, 'main');

async function ask(path, json, token) {
  const response = await service.fetch(
    new Request(`http://service.test/api/v1${path}`, {
      method: json ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      ...(json && { body: JSON.stringify(json) }),
    }),
  );
  const body = await response.json();
  if (!response.ok) throw new Error(JSON.stringify(body));
  return body;
}
const { access_token: token } = await ask('/account/applications/token', {
  client_id: client.id,
  client_secret: secret,
});
const connector = await ask(
  '/integrations/connectors',
  { workspace_name: 'main', connector_type: 'linear', credentials, replication_config: { entities: ['issues'] } },
  token,
);
const path = `/integrations/connectors/${connector.id}`;

const scope = { organizationId: organization };

/** Lists all jobs on one page, since another page would create a cursor, which no job needs. */
async function waitForJob() {
  for (;;) {
    const { rows } = await service.state.jobs.list(scope, connector.id, { limit: 10 });
    if (rows[0]?.finishedAt) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
await waitForJob();

const results = [
  await walk('linear.issues.list()', 18, () => linear.issues.list({ first: 5 })),
  await walk('a hosted call', 42, () =>
    ask(`${path}/execute`, { entity: 'issues', action: 'list', params: { first: 5 } }, token),
  ),
  await walk('a semantic search', 51, () =>
    ask(
      `${path}/execute`,
      { entity: 'issues', action: 'context_store_search', params: { semantic: { prompt: 'payment fails' } } },
      token,
    ),
  ),
  // Starts at the queue, as a due job does. A request for a job would start like a hosted call.
  await walk('a replication job', 55, async () => {
    await service.state.jobs.request(scope, connector.id, null);
    await waitForJob();
  }),
];
await service.close();
process.exitCode = process.argv.includes('--check') && results.includes(false) ? 1 : 0;
