import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { settingsFile } from '../../src/cli/settings.js';
import { keyboard, runCommand, serviceUrl, startTestService, tempFolder } from './session.js';

const { client, env, fetch, organizations } = await startTestService('acme', 'beta');
const single = await startTestService('solo');
const many = await startTestService('many');

const fileOf = (home: string) => join(home, '.config/agent-connectors/settings.json');
const kept = (home: string) => JSON.parse(readFileSync(fileOf(home), 'utf8'));

describe('login', () => {
  test('reads JSON from standard input, verifies it, and stores it for this user only', async () => {
    const home = tempFolder();
    const input = JSON.stringify({ base_url: serviceUrl, ...single.client });
    const { exit, json, out, err } = await runCommand(['login', '-'], { home, input, fetch: single.fetch });
    expect([exit, err]).toEqual([0, '']);
    expect(json).toMatchObject({ logged_in: true, organization_id: single.organizations[0], base_url: serviceUrl });
    expect(out).not.toContain(single.client.client_secret);
    expect(kept(home)).toEqual({ base_url: serviceUrl, ...single.client, organization_id: single.organizations[0] });
    expect(statSync(fileOf(home)).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, '.config/agent-connectors')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(home, '.config/agent-connectors'))).toEqual(['settings.json']);
  });

  test('prompts on a terminal and hides the secret', async () => {
    const home = tempFolder();
    const { client_id, client_secret } = single.client;
    const stdin = keyboard(`${serviceUrl}\r`, `${client_id}\r`, `wrong${'\u007f'.repeat(5)}${client_secret}\r`);
    const { exit, out, err } = await runCommand(['login'], { home, stdin, terminal: true, fetch: single.fetch });
    expect(exit).toBe(0);
    expect(stdin.raw).toEqual([true, false]);
    expect(err).toContain('Client secret (not shown): ');
    expect(out + err).not.toContain(client_secret);
    expect(kept(home).client_secret).toBe(client_secret);
  });

  test('stops on Ctrl-C at the prompt without storing anything', async () => {
    const home = tempFolder();
    const stdin = keyboard(`${serviceUrl}\r`, '\u0003');
    const { exit, err } = await runCommand(['login'], { home, stdin, terminal: true });
    expect(exit).toBe(130);
    expect(err).toMatch(/\n$/);
    expect(err).not.toContain('Interrupted');
    expect(readdirSync(home)).toEqual([]);
  });

  test('reads credentials from the environment', async () => {
    const home = tempFolder();
    const { exit } = await runCommand(['login'], { home, env: single.env, fetch: single.fetch });
    expect(exit).toBe(0);
    expect(kept(home).client_id).toBe(single.client.client_id);
  });

  test('rejects a secret passed as an argument', async () => {
    const { exit, out, err, error } = await runCommand(['login', '{"client_id":"a","client_secret":"acs_CANARY"}']);
    expect([exit, out]).toEqual([4, '']);
    expect(error.message).toContain('other programs can see the command line');
    expect(err).not.toContain('CANARY');
  });

  test('does not store credentials that the service rejects, and explains what to do', async () => {
    const home = tempFolder();
    const input = JSON.stringify({ base_url: serviceUrl, ...single.client, client_secret: 'acs_CANARY_wrong' });
    const { exit, err, error } = await runCommand(['login', '-'], { home, input, fetch: single.fetch });
    expect(exit).toBe(2);
    expect(error).toMatchObject({ type: 'unauthorized', retryable: false });
    expect(error.hint).not.toContain('hosted.');
    expect(err).not.toContain('CANARY');
    expect(readdirSync(home)).toEqual([]);
  });

  test.each(['ftp://service.internal', 'http://connectors.example.com', 'https://user:pass@service.internal', 'x'])(
    'rejects the URL %s',
    async (base_url) => {
      const input = JSON.stringify({ base_url, ...single.client });
      const { exit, error } = await runCommand(['login', '-'], { input });
      expect(exit).toBe(4);
      expect(error.message).toContain('base_url');
    },
  );

  test('explains how to log in when there is no terminal', async () => {
    const { exit, error } = await runCommand(['login']);
    expect(exit).toBe(4);
    expect(error.hint).toContain('agent-connectors login -');
  });

  test('replaces a file that others can read with a private one', async () => {
    const home = tempFolder();
    mkdirSync(join(home, '.config/agent-connectors'), { recursive: true, mode: 0o777 });
    writeFileSync(fileOf(home), 'not JSON');
    chmodSync(fileOf(home), 0o666);
    const broken = await runCommand(['whoami'], { home });
    expect(broken.exit).toBe(2);
    expect(broken.error.hint).toContain('login again');
    const input = JSON.stringify({ base_url: serviceUrl, ...single.client });
    await runCommand(['login', '-'], { home, input, fetch: single.fetch });
    expect(statSync(fileOf(home)).mode & 0o777).toBe(0o600);
  });
});

describe('the settings path', () => {
  test.each([
    ['linux', {}, '/home/a/.config/agent-connectors/settings.json'],
    ['linux', { XDG_CONFIG_HOME: '/x' }, '/x/agent-connectors/settings.json'],
    ['linux', { XDG_CONFIG_HOME: 'relative' }, '/home/a/.config/agent-connectors/settings.json'],
    ['darwin', {}, '/home/a/Library/Application Support/agent-connectors/settings.json'],
    ['win32', { APPDATA: '/roaming' }, '/roaming/agent-connectors/settings.json'],
  ] as const)('on %s with %j is %s', (platform, env, path) => {
    expect(settingsFile({ platform, env, home: '/home/a' })).toBe(path);
  });
});

describe('effective settings', () => {
  test('prompt the user to log in if none are found', async () => {
    const { exit, out, error } = await runCommand(['whoami']);
    expect([exit, out]).toEqual([2, '']);
    expect(error).toMatchObject({ type: 'unauthorized', code: 'unauthorized' });
    expect(error.hint).toContain('agent-connectors login');
  });

  test('prefer the environment over the file', async () => {
    const home = tempFolder();
    const input = JSON.stringify({ base_url: serviceUrl, ...client, organization_id: organizations[0] });
    await runCommand(['login', '-'], { home, input, fetch });
    expect((await runCommand(['whoami'], { home, fetch })).json).toMatchObject({
      client_id: client.client_id,
      credentials_from: fileOf(home),
    });
    const { json } = await runCommand(['whoami'], { home, fetch: single.fetch, env: single.env });
    expect(json).toMatchObject({ client_id: single.client.client_id, credentials_from: 'environment' });
  });

  test('never mix the credentials of two services', async () => {
    const home = tempFolder();
    const input = JSON.stringify({ base_url: serviceUrl, ...single.client });
    await runCommand(['login', '-'], { home, input, fetch: single.fetch });
    const { exit, error } = await runCommand(['whoami'], {
      home,
      env: { AGENT_CONNECTORS_BASE_URL: 'https://elsewhere.example.com' },
    });
    expect(exit).toBe(2);
    expect(error.message).toContain('does not point to the service');
  });

  test('report a missing service URL', async () => {
    const { exit, error } = await runCommand(['whoami'], { env: { ...env, AGENT_CONNECTORS_BASE_URL: '' } });
    expect([exit, error.message]).toEqual([2, 'AGENT_CONNECTORS_BASE_URL is missing.']);
    expect(error.hint).toContain('http://127.0.0.1:4020');
  });

  test('ignore an incomplete credential pair', async () => {
    const { exit, error } = await runCommand(['whoami'], { env: { ...env, AGENT_CONNECTORS_CLIENT_SECRET: '' } });
    expect(exit).toBe(2);
    expect(error.message).toContain('Only one');
  });

  test('no longer exist after logout', async () => {
    const home = tempFolder();
    await runCommand(['login', '-'], {
      home,
      input: JSON.stringify({ base_url: serviceUrl, ...single.client }),
      fetch: single.fetch,
    });
    const first = await runCommand(['logout'], { home });
    expect(first.json).toEqual({ logged_out: true, removed: fileOf(home) });
    expect((await runCommand(['logout'], { home })).json).toEqual({ logged_out: true, removed: null });
    expect((await runCommand(['whoami'], { home })).exit).toBe(2);
  });
});

describe('organizations and workspaces', () => {
  test('selects one of several organizations by name and remembers it', async () => {
    const home = tempFolder();
    const login = await runCommand(['login', '-'], {
      home,
      input: JSON.stringify({ base_url: serviceUrl, ...client }),
      fetch,
    });
    expect(login.json.hint).toContain('organizations use');
    const unchosen = await runCommand(['workspaces', 'list'], { home, fetch });
    expect(unchosen.exit).toBeGreaterThan(0);

    const missing = await runCommand(['organizations', 'use', '{"name":"bta"}'], { home, fetch });
    expect(missing.exit).toBe(3);
    expect(missing.error.message).toContain("Did you mean 'beta'?");

    const chosen = await runCommand(['organizations', 'use', '{"name":"beta"}'], { home, fetch });
    expect(chosen.json).toEqual({ organization_id: organizations[1], name: 'beta' });
    expect(kept(home).organization_id).toBe(organizations[1]);
    const { json } = await runCommand(['organizations', 'list'], { home, fetch });
    expect(json.data.map(({ name, current }: any) => [name, current])).toEqual([
      ['acme', false],
      ['beta', true],
    ]);
  });

  test('creates and lists a workspace', async () => {
    const given = { env: single.env, fetch: single.fetch };
    expect((await runCommand(['workspaces', 'create', '{"name":"sales"}'], given)).json).toMatchObject({
      name: 'sales',
    });
    const again = await runCommand(['workspaces', 'create', '{"name":"sales"}'], given);
    expect([again.exit, again.error.code]).toEqual([1, 'conflict']);
    const { json } = await runCommand(['workspaces', 'list'], given);
    expect(json.data.map(({ name, current }: any) => [name, current])).toEqual([
      ['default', true],
      ['sales', false],
    ]);
  });

  test('lists workspaces from all pages', async () => {
    const { env, fetch, service, organizations } = many;
    for (let made = 1; made < 103; made++) await service.state.workspaces.create(organizations[0]!, `w${made}`);
    const { json } = await runCommand(['workspaces', 'list'], { env, fetch });
    expect(new Set(json.data.map(({ name }: any) => name)).size).toBe(103);
  });

  test('tables are colored only on a terminal, unless disabled', async () => {
    const given = { env: single.env, fetch: single.fetch };
    const plain = await runCommand(['workspaces', 'list', '--pretty'], given);
    expect(plain.out).toMatch(/^id\s+name\s+current\s+created_at/);
    expect(plain.out).not.toContain('\u001b');
    const coloured = await runCommand(['workspaces', 'list', '--pretty'], { ...given, terminal: true });
    expect(coloured.out).toContain('\u001b[1m');
    const without = await runCommand(['workspaces', 'list', '--pretty'], {
      fetch: single.fetch,
      env: { ...single.env, NO_COLOR: '1' },
      terminal: true,
    });
    expect(without.out).not.toContain('\u001b');
  });
});
