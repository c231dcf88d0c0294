import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, test } from 'vitest';
import { tokenStore } from '../../src/cli/local/tokens.js';
import { variablesFor } from '../../src/cli/local/variables.js';
import { skipBackoff } from '../engine/time.js';
import { linearKey, runCommand, tempFolder } from './session.js';

const sandbox = createSandbox();
const { fetch } = sandbox;
const drive = sandbox.vendors['google-drive'].credentials;
const gong = sandbox.vendors.gong.credentials;

const list = (name: string, entity: string, params: object = {}) =>
  JSON.stringify({ name, entity, action: 'list', params });
const execute = (env: Record<string, string>, argument: string, ...flags: string[]) =>
  runCommand(['connectors', 'execute', '--local', argument, ...flags], { env, fetch });

describe('credentials from the environment', () => {
  test.each([
    ['linear', 'api_key', ['LINEAR_API_KEY']],
    ['gong', 'base_url', ['GONG_BASE_URL']],
    ['google-drive', 'refresh_token', ['GOOGLE_DRIVE_REFRESH_TOKEN', 'GOOGLE_REFRESH_TOKEN']],
    ['google-drive', 'access_token', ['GOOGLE_DRIVE_ACCESS_TOKEN', 'GOOGLE_ACCESS_TOKEN']],
    [
      'google-analytics',
      'credentials_json',
      ['GOOGLE_ANALYTICS_CREDENTIALS_JSON', 'GOOGLE_CREDENTIALS_JSON', 'GOOGLE_APPLICATION_CREDENTIALS'],
    ],
  ])('for %s: %s is read from %j', (name, field, variables) => {
    expect(variablesFor({ name }, field).map((variable) => variable.name)).toEqual(variables);
  });

  const key = drive.service_account.credentials_json;
  test.each([
    ['linear', 'teams', { LINEAR_API_KEY: linearKey }],
    ['linear', 'teams', { LINEAR_ACCESS_TOKEN: sandbox.vendors.linear.credentials.access_token.access_token }],
    ['granola', 'notes', { GRANOLA_API_KEY: sandbox.vendors.granola.credentials.api_key.api_key }],
    ['gong', 'users', { GONG_ACCESS_KEY: gong.basic.access_key, GONG_ACCESS_KEY_SECRET: gong.basic.access_key_secret }],
    ['google-drive', 'files', { GOOGLE_CREDENTIALS_JSON: key }],
    ['google-drive', 'files', { GOOGLE_ACCESS_TOKEN: drive.access_token.access_token }],
    [
      'Google Drive',
      'files',
      {
        GOOGLE_DRIVE_CLIENT_ID: drive.oauth.client_id,
        GOOGLE_DRIVE_CLIENT_SECRET: drive.oauth.client_secret,
        GOOGLE_DRIVE_REFRESH_TOKEN: drive.oauth.refresh_token,
      },
    ],
  ] as Array<[string, string, Record<string, string>]>)('work for %s: %s', async (name, entity, env) => {
    const { exit, json, err } = await execute(env, list(name, entity));
    expect(err).toBe('');
    expect([exit, json.data.length > 0]).toEqual([0, true]);
  });

  test('can be a path to a readable file', async () => {
    const path = join(tempFolder(), 'key.json');
    const env = { GOOGLE_APPLICATION_CREDENTIALS: path };
    const missing = await execute(env, list('google-drive', 'files'));
    expect([missing.exit, missing.error.code]).toEqual([2, 'invalid_credentials']);
    expect(missing.error.message).toContain('GOOGLE_APPLICATION_CREDENTIALS');
    writeFileSync(path, key);
    expect((await execute(env, list('google-drive', 'files'))).exit).toBe(0);
  });

  test('are listed when missing, and nothing is sent', async () => {
    const none = await runCommand(['connectors', 'execute', '--local', list('granola', 'notes')]);
    expect([none.exit, none.out]).toEqual([2, '']);
    expect(none.error.hint).toContain('GRANOLA_API_KEY');
    const half = await runCommand(['connectors', 'execute', '--local', list('gong', 'users')], {
      env: { GONG_ACCESS_KEY: 'x', GONG_ACCESS_KEY_SECRET: ' ' },
    });
    expect(half.error.message).toContain('Missing environment variables for Gong: GONG_ACCESS_KEY_SECRET');
  });

  test('are named if their variable is empty', async () => {
    const env = { LINEAR_API_KEY: '' };
    for (const command of [
      ['connectors', 'execute', '--local', list('linear', 'issues')],
      ['doctor', '--local'],
    ]) {
      const { exit, error } = await runCommand(command, { env });
      expect([exit, error.message]).toEqual([2, 'The environment variable LINEAR_API_KEY is empty.']);
    }
  });

  test('are never printed, even if a vendor echoes them', async () => {
    const canary = 'lin_api_CANARY0123456789';
    const echo: typeof globalThis.fetch = async (input, init) =>
      Response.json(
        {
          errors: [
            {
              message: `bad key ${new Request(input, init).headers.get('authorization')}`,
              extensions: { code: 'AUTHENTICATION_ERROR' },
            },
          ],
        },
        { status: 401 },
      );
    const { exit, out, err } = await runCommand(['connectors', 'execute', '--local', list('linear', 'teams')], {
      env: { LINEAR_API_KEY: canary },
      fetch: echo,
    });
    expect(exit).toBe(2);
    expect(out + err).not.toContain('CANARY');
  });

  test.each(['ключ-от-всего', 'half \ud800 a character'])(
    'are not printed and do not hide errors if they are %j',
    async (key) => {
      const env = { LINEAR_API_KEY: linearKey, OTHER_API_KEY: key };
      const echo: typeof globalThis.fetch = async () =>
        Response.json(
          { errors: [{ message: `bad key ${key}`, extensions: { code: 'AUTHENTICATION_ERROR' } }] },
          { status: 401 },
        );
      const { exit, error } = await runCommand(['connectors', 'execute', '--local', list('linear', 'teams')], {
        env,
        fetch: echo,
      });
      expect([exit, error.code]).toEqual([2, 'unauthorized']);
      expect(error.message + error.vendor.message).not.toContain(key.slice(-9));
    },
  );

  test('are replaced after a token rotation, and stored for this user only', async () => {
    const home = tempFolder();
    const env = {
      GONG_CLIENT_ID: gong.oauth.client_id,
      GONG_CLIENT_SECRET: gong.oauth.client_secret,
      GONG_REFRESH_TOKEN: gong.oauth.refresh_token,
    };
    const again = () =>
      runCommand(['connectors', 'execute', '--local', list('gong', 'workspaces')], { env, fetch, home });
    expect((await again()).exit).toBe(0);
    const tokens = join(home, '.config/agent-connectors/tokens');
    const [file, ...others] = readdirSync(tokens);
    expect(others).toEqual([]);
    expect(statSync(join(tokens, file!)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(tokens, file!), 'utf8')).not.toContain(gong.oauth.refresh_token);
    sandbox.expireTokens();
    expect((await again()).err).toBe('');
  });

  test('are refreshed by one process at a time, also after one was killed', async () => {
    const home = tempFolder();
    const place = { env: {}, platform: 'linux', home, signal: new AbortController().signal } as const;
    const store = () => tokenStore({ client_id: 'c', refresh_token: 'r' }, place);
    const refreshed = { access_token: 'a', refresh_token: 'r2' } as const;
    await store().save(refreshed as never);
    const folder = join(home, '.config/agent-connectors/tokens');
    const lock = join(folder, `${readdirSync(folder)[0]}.lock`);
    // Left by a killed process whose clock was ahead, so that its age is negative.
    writeFileSync(lock, 'killed');
    utimesSync(lock, Date.now() / 1000 + 86_400, Date.now() / 1000 + 86_400);
    let holders = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++holders);
      await delay(20);
      holders--;
    };
    await Promise.all(Array.from({ length: 5 }, () => store().alone(work)));
    expect([most, readdirSync(folder).filter((name) => name.includes('.lock'))]).toEqual([1, []]);
  }, 30_000);

  test('keep the lock of another process', async () => {
    const home = tempFolder();
    const place = { env: {}, platform: 'linux', home, signal: new AbortController().signal } as const;
    const store = tokenStore({ client_id: 'c', refresh_token: 'r' }, place);
    const folder = join(home, '.config/agent-connectors/tokens');
    await store.alone(async () => {
      const [name] = readdirSync(folder);
      // After a suspension, another process has taken over.
      writeFileSync(join(folder, name!), 'another');
    });
    expect(readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(['another']);
  });

  test('are not stored if the vendor does not rotate tokens', async () => {
    const home = tempFolder();
    const env = {
      GOOGLE_CLIENT_ID: drive.oauth.client_id,
      GOOGLE_CLIENT_SECRET: drive.oauth.client_secret,
      GOOGLE_REFRESH_TOKEN: drive.oauth.refresh_token,
    };
    const { exit } = await runCommand(['connectors', 'execute', '--local', list('google-drive', 'files')], {
      env,
      fetch,
      home,
    });
    expect(exit).toBe(0);
    const tokens = join(home, '.config/agent-connectors/tokens');
    expect(existsSync(tokens) ? readdirSync(tokens) : []).toEqual([]);
  });
});

describe('without a service', () => {
  const env = { LINEAR_API_KEY: linearKey };

  test('uses your own endpoints', async () => {
    const urls: string[] = [];
    const spy: typeof globalThis.fetch = (input, init) => {
      urls.push(new URL(new Request(input, init).url).origin);
      return fetch(input, init);
    };
    const own = { ...env, AGENT_CONNECTORS_ENDPOINTS: '{"linear":"http://127.0.0.1:4010/linear"}' };
    const argv = ['connectors', 'execute', '--local', list('linear', 'teams')];
    expect((await runCommand(argv, { env: own, fetch: spy })).exit).toBe(0);
    expect(new Set(urls)).toEqual(new Set(['http://127.0.0.1:4010']));
    const broken = await runCommand(argv, { env: { ...env, AGENT_CONNECTORS_ENDPOINTS: '{' }, fetch });
    expect([broken.exit, broken.error.message.includes('not valid JSON')]).toEqual([4, true]);
  });

  test('rejects endpoints for an unknown type before anything is sent', async () => {
    const own = { ...env, AGENT_CONNECTORS_ENDPOINTS: '{"linaer":"http://127.0.0.1:4010/linear"}' };
    const { exit, error } = await runCommand(['connectors', 'execute', '--local', list('linear', 'teams')], {
      env: own,
    });
    expect([exit, error.code]).toEqual([4, 'invalid_params']);
    expect(error.message).toContain("contains the unknown type 'linaer'. Did you mean 'linear'?");
  });

  test('pages, fields, checks and descriptions work the same as with a service', async () => {
    const all = await execute(env, list('linear', 'users', { first: 7 }), '--all');
    expect(all.out.trimEnd().split('\n').length).toBeGreaterThan(7);
    const check = await runCommand(['connectors', 'check', '--local', '{"name":"linear"}'], { env, fetch });
    expect([check.exit, check.json.status]).toEqual([0, 'succeeded']);
    const types = await runCommand(['connectors', 'describe', '--local'], { env });
    expect(types.json.data.find(({ name }: any) => name === 'linear')).toMatchObject({ ready: true });
    expect(types.json.data.find(({ name }: any) => name === 'gong').variables[0]).toContain('GONG_ACCESS_KEY');
    const one = await runCommand(['connectors', 'describe', '--local', '{"name":"gong","entity":"calls"}']);
    expect(one.json.entity.name).toBe('calls');
  });

  test.each([
    [{ name: 'lineer', entity: 'issues', action: 'list' }, "Did you mean 'linear'?"],
    [{ name: 'linear', workspace: 'x', entity: 'issues', action: 'list' }, 'need a service'],
    [{ name: 'linear', entity: 'issues', action: 'create', idempotency_key: 'x' }, 'requires a service'],
    [{ name: 'linear', entity: 'issues', action: 'context_store_search', params: { query: {} } }, 'searches a replica'],
  ])('rejects %j', async (argument, said) => {
    const { exit, error } = await execute(env, JSON.stringify(argument));
    expect(exit).toBe(4);
    expect(error.message).toContain(said);
  });

  test('asks before deleting anything', async () => {
    const argument = JSON.stringify({
      name: 'google-drive',
      entity: 'files',
      action: 'delete',
      params: { fileId: 'x' },
    });
    const { exit, error } = await runCommand(['connectors', 'execute', '--local', argument]);
    expect([exit, error.hint]).toEqual([4, 'Pass --yes to confirm.']);
  });

  test('a search asks the user to log in instead of suggesting code', async () => {
    const search = { name: 'linear', entity: 'issues', action: 'context_store_search', params: { query: {} } };
    const { error } = await runCommand(['connectors', 'execute', '--local', JSON.stringify(search)], { env });
    expect(error.code).toBe('hosted_only');
    expect(error.hint).toContain('run agent-connectors login and omit --local');
    expect(error.hint).not.toContain('hosted: {');
  });

  test('a failed connection names the host, with a hint', async () => {
    skipBackoff();
    const refused: typeof globalThis.fetch = async () => {
      throw Object.assign(new TypeError('fetch failed'), { code: 'ECONNREFUSED' });
    };
    const argv = ['connectors', 'execute', '--local', list('linear', 'teams')];
    const { error } = await runCommand(argv, { env, fetch: refused });
    expect(error).toMatchObject({
      code: 'network',
      message: 'Linear (api.linear.app) could not be reached (ECONNREFUSED).',
      hint: 'Check the URL, proxy and firewall of the machine that sent the request.',
    });
  });

  test('an unknown type is quoted unless it might be a secret', async () => {
    const [typo, secret] = await Promise.all(
      ['liner', 'lin_api_CANARY'].map((type) => runCommand(['connectors', 'execute', '--local', list(type, 'teams')])),
    );
    expect(typo!.error.message).toBe("Unknown connector type 'liner'. Did you mean 'linear'?");
    expect(secret!.err).not.toContain('CANARY');
  });

  test('external text cannot control the terminal', async () => {
    const steering: typeof globalThis.fetch = async () =>
      Response.json({ data: { teams: { nodes: [{ id: 't', name: 'a\u001b[2J\u202eb\u0007' }], pageInfo: {} } } });
    const { out } = await runCommand(['connectors', 'execute', '--local', '--pretty', list('linear', 'teams')], {
      env,
      fetch: steering,
    });
    expect(out).toContain('a\\u001b[2J\\u202eb\\u0007');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    expect(out).not.toMatch(/[\u0007\u001b\u202e]/);
  });
});
