import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
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

/** A login on a terminal without a browser: the URL to open, once it is shown, and the command's outcome. */
function logInByHand({ url }: Service, ...pasted: string[]) {
  const stdin = keyboard(`${url}\r`, '\r', ...pasted);
  let show = (_: string) => {};
  const shown = new Promise<string>((resolve) => {
    show = resolve;
  });
  const onError = (text: string) => {
    const [address] = /http:\S+authorize\?\S+/.exec(text) ?? [];
    if (address) show(address);
  };
  const home = tempFolder();
  const outcome = runCommand(['login', '--no-browser', '--json'], { stdin, terminal: true, home, fetch, onError });
  return { shown, outcome, paste: (text: string) => stdin.write(`${text}\r`) };
}

test('without a browser on this machine, the URL that it returns to is pasted, within minutes', async () => {
  let ahead = 0;
  const service = await startOAuthService({ now: () => Date.now() + ahead });
  const { shown, outcome, paste } = logInByHand(service, 'not a URL\r');
  const target = await personOf(service.url, service.acme).allow(await shown);
  ahead = 9 * 60_000;
  paste(await shown);
  paste(target.origin);
  paste(target.href);
  const { json, err } = await outcome;
  expect(json, err).toMatchObject({ logged_in: true, scopes: ['read'] });
  expect(err.match(/That is .*/g)).toEqual([
    expect.stringContaining('That is not the URL that the browser has after access is allowed'),
    expect.stringContaining('That is the URL to open. Paste the one that the browser has after access is allowed'),
    expect.stringContaining('That is not the URL'),
  ]);
});

test('an answer has to name the service, which says that it does', async () => {
  const service = await startOAuthService();
  const { shown, outcome, paste } = logInByHand(service);
  const target = await personOf(service.url, service.acme).allow(await shown);
  target.searchParams.delete('iss');
  paste(target.href);
  const { exit, err } = await outcome;
  expect([exit, err]).toEqual([2, expect.stringContaining('The URL does not belong to this login.')]);
});

test('an unanswered login is reported as timed out, not as interrupted', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { shown, outcome } = logInByHand(await startOAuthService());
  await shown;
  vi.advanceTimersByTime(600_000);
  const { exit, err } = await outcome;
  expect([exit, err]).toEqual([1, expect.stringContaining('"code":"timeout"')]);
  expect(err).toContain('Access was not allowed within 10 minutes.');
});

test('any request to the port that the browser returns to is answered', async () => {
  const { shown, outcome, paste } = logInByHand(await startOAuthService());
  const port = Number(new URL(new URL(await shown).searchParams.get('redirect_uri')!).port);
  for (const path of ['//', '///x', '/\\', 'http://[', '/callback']) {
    const status = new Promise((resolve, reject) => {
      get({ host: '127.0.0.1', port, path }, (response) => resolve(response.resume().statusCode)).on('error', reject);
    });
    expect(await status, path).toBe(404);
  }
  paste('\u0003');
  expect((await outcome).exit).toBe(130);
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
