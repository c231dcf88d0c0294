import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand, startTestService, tempFolder } from '../cli/session.js';

const { env, fetch, sandbox } = await startTestService();
const script = readFileSync(new URL('../../examples/shell/moving.sh', import.meta.url), 'utf8');
const hasJq = spawnSync('jq', ['--version']).status === 0;

/** Runs a recipe of the guide with a `curl` that prints the given responses by URL, and returns the file it writes. */
function connectorsFrom(
  region: string,
  responses: Readonly<Record<string, object>>,
  variables: Record<string, string>,
) {
  const folder = tempFolder();
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(folder, 'responses.json'), JSON.stringify(responses));
  const curl = `#!/bin/sh\nfor url; do :; done\nexec jq -ce --arg url "$url" '.[$url]' "${folder}/responses.json"\n`;
  writeFileSync(join(bin, 'curl'), curl, { mode: 0o755 });
  const [, recipe] = new RegExp(`# #region ${region}\\n(.*?)# #endregion`, 's').exec(script)!;
  const { status, stderr } = spawnSync('bash', ['-c', recipe!], {
    cwd: folder,
    env: { PATH: `${bin}:${process.env.PATH}`, ...variables },
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  const file = join(folder, 'connectors.json');
  expect(statSync(file).mode & 0o077).toBe(0);
  return readFileSync(file, 'utf8');
}

async function dryRun(input: string) {
  const { json, err } = await runCommand(['connectors', 'import', '-', '--dry-run'], { env, fetch, input });
  expect(err).toBe('');
  expect(sandbox.requests).toEqual([]);
  return json.data.map(({ status, connector_type, workspace }: any) => [status, connector_type, workspace]);
}

const linearClient = { LINEAR_CLIENT_ID: 'client', LINEAR_CLIENT_SECRET: 'secret' };

test.skipIf(!hasJq)('the recipe for Nango makes a file that can be imported', async () => {
  const rows = [
    {
      connection_id: 'a/1',
      provider: 'granola',
      tags: { end_user_id: '7' },
      credentials: { type: 'API_KEY', apiKey: 'grn_x' },
    },
    { connection_id: 'b', provider: 'gong', tags: {}, credentials: { type: 'BASIC', username: 'k', password: 's' } },
    {
      connection_id: 'c',
      provider: 'linear',
      tags: {},
      credentials: { type: 'OAUTH2', access_token: 'a', refresh_token: 'r' },
    },
    {
      connection_id: 'd',
      provider: 'google-drive',
      tags: {},
      credentials: { type: 'OAUTH2', access_token: 'a', refresh_token: 'r' },
    },
    { connection_id: 'e', provider: 'slack', tags: {}, credentials: { type: 'OAUTH2', access_token: 'a' } },
  ].map((row) => ({ provider_config_key: `my ${row.provider}`, ...row }));
  const responses = {
    'https://api.nango.dev/connections': { connections: rows.map(({ credentials: _, ...row }) => row) },
    ...Object.fromEntries(
      rows.map((row) => [
        `https://api.nango.dev/connections/${encodeURIComponent(row.connection_id)}?provider_config_key=${encodeURIComponent(row.provider_config_key)}&refresh_token=true`,
        row,
      ]),
    ),
  };
  const file = connectorsFrom('nango', responses, { NANGO_SECRET_KEY: 'x', ...linearClient });
  expect(await dryRun(file)).toEqual([
    ['would_create', 'granola', 'user-7'],
    ['would_create', 'gong', 'user-b'],
    ['would_create', 'linear', 'user-c'],
    ['must_reconnect', 'google-drive', 'user-d'],
  ]);
});

test.skipIf(!hasJq)('the recipe for Composio makes a file that can be imported', async () => {
  const account = (id: string, slug: string, managed: boolean, val: object) => ({
    id,
    user_id: `u-${id}`,
    toolkit: { slug },
    auth_config: { is_composio_managed: managed },
    state: { val },
  });
  const url = 'https://backend.composio.dev/api/v3/connected_accounts?limit=100';
  const responses = {
    [url]: {
      items: [
        account('1', 'linear', false, { generic_api_key: 'lin_api_x' }),
        account('2', 'linear', true, { access_token: 'a', refresh_token: 'r' }),
      ],
      next_cursor: 'a=',
    },
    [`${url}&cursor=a%3D`]: {
      items: [
        account('3', 'linear', false, { access_token: 'a', refresh_token: 'r' }),
        account('4', 'googledrive', false, { access_token: 'a', refresh_token: 'r' }),
        account('5', 'slack', true, { access_token: 'a' }),
      ],
      next_cursor: null,
    },
  };
  const file = connectorsFrom('composio', responses, { COMPOSIO_API_KEY: 'x', ...linearClient });
  expect(await dryRun(file)).toEqual([
    ['would_create', 'linear', 'user-u-1'],
    ['must_reconnect', 'linear', 'user-u-2'],
    ['would_create', 'linear', 'user-u-3'],
    ['must_reconnect', 'google-drive', 'user-u-4'],
  ]);
});
