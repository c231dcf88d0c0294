import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { personOf, startOAuthService } from '../service/oauth/setup.js';
import { type CommandOptions, keyboard, runCommand, tempFolder } from './session.js';

type Service = Awaited<ReturnType<typeof startOAuthService>>;

const typed = ({ url }: Service) => ({ stdin: keyboard(`${url}\r`, '\r'), terminal: true, fetch });
const fileOf = (home: string) => join(home, '.config/agent-connectors/settings.json');
const stored = (home: string) => JSON.parse(readFileSync(fileOf(home), 'utf8'));

/** A browser in which a person allows access, and which then returns to the command line. */
const browserThat = (
  { url, acme }: Service,
  fields: Record<string, string>,
  onReturn = (target: URL) => fetch(target),
) => {
  const opened: string[] = [];
  const browse = (address: string) => {
    opened.push(address);
    personOf(url, acme).allow(address, fields).then(onReturn);
    return true;
  };
  return { browse, opened };
};

test('a person logs in with a browser, for one workspace and with the scopes that they allow', async () => {
  const service = await startOAuthService();
  const { url } = service;
  const home = tempFolder();
  const { browse, opened } = browserThat(service, { write: '1' });
  const login = await runCommand(['login', '--json'], { ...typed(service), home, browse });
  expect(login.exit, login.err).toBe(0);
  expect(login.json).toMatchObject({ logged_in: true, base_url: url, workspace: 'main', scopes: ['read', 'write'] });
  const { sign_in, ...rest } = stored(home);
  expect(rest).toEqual({ base_url: url, organization_id: expect.any(String), workspace: 'main' });
  expect(statSync(fileOf(home)).mode & 0o777).toBe(0o600);
  const { searchParams } = new URL(opened[0]!);
  expect(Object.fromEntries(searchParams)).toMatchObject({ resource: `${url}/api`, code_challenge_method: 'S256' });
  for (const secret of [sign_in.access_token, sign_in.refresh_token])
    expect(login.out + login.err).not.toContain(secret);

  const options: CommandOptions = { home, fetch };
  expect((await runCommand(['connectors', 'list'], options)).json.data).toMatchObject([{ name: 'Linear' }]);
  const managed = await runCommand(['workspaces', 'create', '{"name":"sales"}'], options);
  const synced = await runCommand(['connectors', 'sync', '{"name":"Linear"}'], options);
  for (const { exit, error } of [managed, synced]) {
    expect([exit, error.code]).toEqual([2, 'forbidden']);
    expect(error.hint).toContain('Log in with a client id and secret');
  }

  writeFileSync(
    fileOf(home),
    JSON.stringify({ ...stored(home), sign_in: { ...sign_in, expires_at: '2020-01-01T00:00:00Z' } }),
  );
  expect((await runCommand(['whoami'], options)).json).toMatchObject({
    workspace_name: 'main',
    scopes: ['read', 'write'],
  });
  const renewed = stored(home).sign_in;
  expect(renewed.refresh_token).not.toBe(sign_in.refresh_token);
  expect(Date.parse(renewed.expires_at)).toBeGreaterThan(Date.now());
  expect(statSync(fileOf(home)).mode & 0o777).toBe(0o600);

  expect((await runCommand(['logout'], options)).json).toMatchObject({ logged_out: true, revoked: true });
  const ended = await fetch(`${url}/api/v1/account/me`, {
    headers: { authorization: `Bearer ${renewed.access_token}` },
  });
  expect(ended.status).toBe(401);
});

test('without a browser on this machine, the URL that it returns to is pasted', async () => {
  const { url, acme } = await startOAuthService();
  const home = tempFolder();
  const stdin = keyboard(`${url}\r`, '\r', 'not a URL\r');
  let show = (_: string) => {};
  const shown = new Promise<string>((resolve) => {
    show = resolve;
  });
  const onError = (text: string) => {
    const [address] = /http:\S+authorize\?\S+/.exec(text) ?? [];
    if (address) show(address);
  };
  const running = runCommand(['login', '--no-browser', '--json'], { stdin, terminal: true, home, fetch, onError });
  const target = await personOf(url, acme).allow(await shown);
  stdin.write(`${target}\r`);
  const { json, err } = await running;
  expect(json).toMatchObject({ logged_in: true, scopes: ['read'] });
  expect(err).toContain('That is not a URL.');
});

test('an answer to another login is not accepted, and denied access is reported', async () => {
  const service = await startOAuthService();
  const home = tempFolder();
  const pages: string[] = [];
  const { browse } = browserThat(service, { decision: 'deny' }, async (target) => {
    const foreign = new URL(target);
    foreign.searchParams.set('state', 'foreign');
    for (const each of [foreign, target]) pages.push(await (await fetch(each)).text());
    return new Response();
  });
  const { exit, err } = await runCommand(['login', '--json'], { ...typed(service), home, browse });
  expect(exit).toBe(2);
  expect(err).toContain('"code":"unauthorized","message":"Access was denied."');
  await expect.poll(() => pages).toHaveLength(2);
  expect(pages[0]).toContain('This page belongs to another login.');
  expect(pages[1]).toContain('Access denied');
});

test('the address has to be that of the service', async () => {
  const { url } = await startOAuthService();
  const base_url = url.replace('127.0.0.1', 'localhost');
  const wrong: typeof fetch = async (input, init) => fetch(String(input).replace('localhost', '127.0.0.1'), init);
  const stdin = keyboard(`${base_url}\r`, '\r');
  const { exit, err } = await runCommand(['login'], { stdin, terminal: true, fetch: wrong });
  expect(exit).toBe(4);
  expect(err).toContain(`The service's address is ${url}, not ${base_url}.`);
});
