import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { linearKey, runCommand, startTestService, tempFolder } from './session.js';

const { env, fetch, sandbox, requests } = await startTestService();
const given = { env, fetch };
const canary = 'CANARY0123456789';

const connectors = [
  {
    connector_type: 'linear',
    name: 'issues',
    workspace: 'user-7',
    external_id: 'conn_1',
    credentials: { api_key: linearKey },
  },
  { connector_type: 'Google Drive', name: 'files', credentials: sandbox.vendors['google-drive'].credentials.oauth },
  { connector_type: 'linear', name: 'their client', credentials: { refresh_token: canary, access_token: canary } },
  {
    connector_type: 'linear',
    name: 'their token',
    credentials: { access_token: canary, client_id: 'a', client_secret: canary },
  },
  { connector_type: 'gong', name: "O'Hara's calls", workspace: 'user-7' },
  { connector_type: 'gong', name: 'wrong', credentials: { api_key: canary } },
  { connector_type: 'nope', name: 'unknown', credentials: { api_key: canary } },
];
const file = JSON.stringify({ version: 1, connectors });

const run = (input: string, ...flags: string[]) =>
  runCommand(['connectors', 'import', '-', ...flags], { ...given, input });
const statuses = ({ json }: { json: any }) => json.data.map(({ status }: any) => status);

test('a dry run shows what an import would do, and changes and sends nothing', async () => {
  const before = requests.length;
  const { exit, json, out, err } = await run(file, '--dry-run');
  expect(statuses({ json })).toEqual([
    'would_create',
    'would_create',
    'must_reconnect',
    'must_reconnect',
    'must_reconnect',
    'failed',
    'failed',
  ]);
  expect(json).toMatchObject({
    dry_run: true,
    new_workspaces: ['user-7'],
    would_create: 2,
    must_reconnect: 3,
    failed: 2,
  });
  expect(exit).toBe(1);
  const changes = requests.slice(before).filter(({ method, path }) => method !== 'GET' && !path.endsWith('/token'));
  expect(changes).toEqual([]);
  expect(sandbox.requests).toEqual([]);
  expect(out + err).not.toContain(canary);
});

test('an import creates each connector once, and a second one creates none', async () => {
  const path = join(tempFolder(), 'connectors.json');
  writeFileSync(path, file);
  const first = await runCommand(['connectors', 'import', `@${path}`], given);
  expect([first.exit, first.json.created, first.json.new_workspaces]).toEqual([1, 2, ['user-7']]);
  expect(first.json.data[0]).toEqual({
    status: 'created',
    workspace: 'user-7',
    name: 'issues',
    connector_type: 'linear',
    external_id: 'conn_1',
    id: expect.stringMatching(/^con_/),
  });
  expect(sandbox.requests).toEqual([]);
  const check = await runCommand(['connectors', 'check', `{"id":"${first.json.data[0].id}"}`], given);
  expect(check.json.status).toBe('succeeded');

  const second = await run(file);
  expect(statuses(second).slice(0, 2)).toEqual(['exists', 'exists']);
  expect(second.json.data.slice(0, 2).map(({ id }: any) => id)).toEqual(
    first.json.data.slice(0, 2).map(({ id }: any) => id),
  );
  expect(second.json).not.toHaveProperty('new_workspaces');
  const rows = await runCommand(['connectors', 'list', '{"workspace":"user-7"}'], given);
  expect(rows.json.data).toHaveLength(1);
  expect(first.out + first.err + second.out + second.err).not.toContain(canary);
});

test('a connection that must be reconnected comes with a command that works', async () => {
  const { json } = await run(file);
  const { error, reconnect } = json.data[4];
  expect(error).toBe('The file has no credentials for it.');
  expect(json.data[2].error).toContain('OAuth client');
  expect(json.data[3].error).toContain('no refresh token');
  const [, quoted] = /^agent-connectors connect session '([^']+)'$/.exec(reconnect)!;
  const session = JSON.parse(quoted!);
  expect(session).toMatchObject({ workspace: 'user-7', connector_type: 'gong', name: "O'Hara's calls" });
  await runCommand(['connect', 'origins', '{"origins":["https://app.example.com"]}'], given);
  await runCommand(['connect', 'key'], given);
  const argument = {
    ...session,
    return_url: 'https://app.example.com/connected',
    state: 'state-0123456789',
    brand: { name: 'Lantern' },
  };
  const begun = await runCommand(['connect', 'session', JSON.stringify(argument)], given);
  expect(begun.json?.url, begun.err).toContain('/setup/');
});

test('a name that another type has is not overwritten', async () => {
  const taken = { connector_type: 'granola', name: 'issues', workspace: 'user-7', credentials: { api_key: canary } };
  const { exit, json, out } = await run(JSON.stringify({ version: 1, connectors: [taken] }));
  expect([exit, statuses({ json })]).toEqual([1, ['failed']]);
  expect(json.data[0].error).toContain('another type, linear');
  expect(out).not.toContain(canary);
});

test('a file with mistakes is rejected before anything is created, without quoting it', async () => {
  const linear = { connector_type: 'linear', name: 'x', credentials: { api_key: canary } };
  const cases: Array<readonly [object, string]> = [
    [{ version: 2, connectors: [linear] }, 'version must be 1'],
    [{ version: 1, connectors: [] }, 'connectors must be a non-empty array of objects'],
    [{ version: 1, connectors: [{ ...linear, [canary]: 1 }] }, 'connectors[0] has an unknown key'],
    [{ version: 1, connectors: [linear, { ...linear, name: 7 }] }, 'connectors[1].name must be of type string'],
    [{ version: 1, connectors: [{ ...linear, name: '' }] }, 'connectors[0].name is too short or too long'],
    [{ version: 1, connectors: [{ ...linear, credentials: canary }] }, 'connectors[0].credentials must be an object'],
    [{ version: 1, connectors: [{ ...linear, credentials: { [canary]: 1 } }] }, 'connectors[0].credentials.… must be'],
    [{ version: 1, connectors: [linear, linear] }, 'connectors[1] and connectors[0] have the same workspace and name'],
  ];
  for (const [content, message] of cases) {
    const before = requests.length;
    const { exit, error, out, err } = await run(JSON.stringify(content));
    expect([exit, out, requests.length - before]).toEqual([4, '', 0]);
    expect(error.message).toContain(message);
    expect(err).not.toContain(canary);
  }
  expect((await runCommand(['connectors', 'import'], given)).error.message).toBe('Missing file.');
  const typed = await runCommand(['connectors', 'import', JSON.stringify({ version: 1, connectors: [linear] })], given);
  expect([typed.exit, typed.error.hint]).toEqual([4, expect.stringContaining('standard input')]);
});

test('prints a table on a terminal', async () => {
  const { out } = await runCommand(['connectors', 'import', '-'], {
    env: { ...env, NO_COLOR: '1' },
    fetch,
    input: file,
    terminal: true,
  });
  expect(out).toMatch(/status +name +connector_type/);
  expect(out).toContain('The file has no credentials for it.');
  expect(out).not.toContain(canary);
});
