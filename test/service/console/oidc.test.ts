import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { expect, onTestFinished, test } from 'vitest';
import { optionsFrom } from '../../../service/src/options.js';
import { startConsoleService } from './setup.js';

const secret = 'secret-of-the-console';

/** A service whose people sign in through a provider; `groupsOf` are their groups. */
async function startWithProvider(
  groupsOf: Readonly<Record<string, readonly string[]>>,
  idToken = true,
  options: Parameters<typeof startConsoleService>[0] = {},
  email_verified: boolean | string = true,
) {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const roles: [string, string][] = [];
  const oidc = {
    issuer,
    clientId: 'console',
    clientSecret: secret,
    roles,
    groupsClaim: 'groups',
    scope: 'openid email',
  };
  const console_ = await startConsoleService({ ...options, oidc });
  const { service, clientId } = console_;
  const { client: reader } = await service.state.clients.create('Readers', [console_.organizationId], ['read']);
  roles.push(['admins', clientId], ['readers', reader.id]);
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'console', client_secret: secret, redirect_uris: [`${service.url}/console/oidc/callback`] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified', 'groups'] },
    conformIdTokenClaims: !idToken,
    cookies: { keys: ['key of the test'] },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.com`, email_verified, groups: groupsOf[id] }),
    }),
  });
  server.on('request', provider.callback());
  return { ...console_, readerId: reader.id, issuer };
}

/** A browser without scripts. */
function browser() {
  const cookies = new Map<string, string>();
  const visit = async (
    url: string,
    form?: Readonly<Record<string, string>>,
    stopAt = '#',
  ): Promise<{ url: string; text: string }> => {
    const host = new URL(url).port;
    const own = [...cookies].flatMap(([key, value]) => (key.startsWith(`${host} `) ? [value] : []));
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: own.join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      cookies.set(`${host} ${pair.split('=')[0]}`, pair);
    }
    const location = response.headers.get('location');
    const next = location === null ? undefined : new URL(location, url).href;
    return next === undefined || next.includes(stopAt)
      ? { url: next ?? url, text: await response.text() }
      : visit(next, undefined, stopAt);
  };
  /** Signs in at the provider and allows the service to know who it is; returns where the browser ends, or stops. */
  const signIn = async (start: string, name: string, stopAt = '#') => {
    let page = await visit(start, undefined, stopAt);
    while (page.url.includes('/interaction/')) {
      const action = /<form[^>]*action="([^"]+)"/.exec(page.text)![1]!;
      const prompt = /name="prompt" value="(\w+)"/.exec(page.text)![1]!;
      page = await visit(
        new URL(action, page.url).href,
        prompt === 'login' ? { prompt, login: name, password: 'any' } : { prompt },
        stopAt,
      );
    }
    return page.url;
  };
  const cookieOf = (url: string, name: string) => cookies.get(`${new URL(url).port} ${name}`) ?? '';
  return { visit, signIn, cookieOf };
}

test.each([
  ['the ID token', true],
  ['the user info', false],
])(
  'people sign in as the client of their first group, which the provider names in %s',
  { timeout: 60_000 },
  async (_, idToken) => {
    const { service, ask, clientId, readerId } = await startWithProvider(
      { ada: ['staff', 'readers', 'admins'], bob: ['readers'], eve: ['staff'] },
      idToken,
    );
    expect((await ask('GET', '/console/oidc')).body).toEqual({ available: true });
    const start = `${service.url}/console/oidc/start`;
    const sessionOf = async (name: string) => {
      const { signIn, cookieOf } = browser();
      expect(await signIn(start, name)).toBe(`${service.url}/console/`);
      const cookie = cookieOf(service.url, 'agent-connectors');
      expect(cookieOf(service.url, 'agent-connectors-oidc')).toBe('agent-connectors-oidc=');
      return { body: (await ask('GET', '/console/session', { cookie })).body, cookie };
    };
    const ada = await sessionOf('ada');
    expect(ada.body).toMatchObject({ client_id: clientId });
    const bob = await sessionOf('bob');
    expect(bob.body).toMatchObject({ client_id: readerId, scopes: ['read'] });
    const refused = await ask('POST', '/api/v1/workspaces', { json: { name: 'new' }, cookie: bob.cookie });
    expect(refused.status).toBe(403);
    expect(await browser().signIn(start, 'eve')).toBe(`${service.url}/console/#sign-in=forbidden`);
    const entries = (await ask('GET', '/api/v1/audit', { cookie: ada.cookie })).body.data;
    expect(entries.filter(({ event }: Record<string, string>) => event === 'sign_in')).toHaveLength(2);
    const people = entries.flatMap(({ event, subject }: Record<string, string | null>) =>
      event === 'sign_in' && subject !== null ? [subject] : [],
    );
    expect(people.sort()).toEqual(['ada@example.com', 'bob@example.com']);
  },
);

// As text, since some providers send it so.
test.each([false, 'false'])(
  'an address that the provider says is not verified (%j) names nobody',
  {
    timeout: 60_000,
  },
  async (verified) => {
    const { service, ask } = await startWithProvider({ eve: ['admins'] }, true, {}, verified);
    const { signIn, cookieOf } = browser();
    await signIn(`${service.url}/console/oidc/start`, 'eve');
    const cookie = cookieOf(service.url, 'agent-connectors');
    const { data } = (await ask('GET', '/api/v1/audit', { cookie })).body;
    const subjects = data.map(({ subject }: Record<string, string | null>) => subject);
    expect(subjects).toContain('eve');
    expect(subjects).not.toContain('eve@example.com');
  },
);

test('an answer of the provider counts only in the browser that asked for it, and once', {
  timeout: 60_000,
}, async () => {
  const { service, ask, clientId, clientSecret } = await startWithProvider({ ada: ['admins'] });
  const callback = `${service.url}/console/oidc/callback`;
  const { visit } = browser();
  expect((await visit(`${callback}?code=stolen&state=any`)).url).toBe(`${service.url}/console/#sign-in=expired`);
  // Started here, answered with another browser's state.
  const other = browser();
  const first = await fetch(`${service.url}/console/oidc/start`, { redirect: 'manual' });
  expect(first.headers.getSetCookie()[0]).toMatch(/HttpOnly; SameSite=Lax/);
  const cookie = first.headers.getSetCookie()[0]!.split(';')[0]!;
  const forged = await fetch(`${callback}?code=stolen&state=any`, { redirect: 'manual', headers: { cookie } });
  expect(forged.headers.get('location')).toBe('/console/#sign-in=failed');
  expect((await other.visit(`${callback}?error=access_denied`)).url).toContain('#sign-in=expired');
  expect(forged.headers.getSetCookie()).toEqual([expect.stringMatching(/^agent-connectors-oidc=;.* Max-Age=0$/)]);
  // The end of a sign-in, opened in other browsers: one that has not started, and one that has started another.
  const ada = browser();
  const end = await ada.signIn(`${service.url}/console/oidc/start`, 'ada', callback);
  expect(end).toMatch(/callback\?code=/);
  expect((await browser().visit(end)).url).toBe(`${service.url}/console/#sign-in=expired`);
  const started = browser();
  await started.signIn(`${service.url}/console/oidc/start`, 'eve', callback);
  expect((await started.visit(end)).url).toBe(`${service.url}/console/#sign-in=failed`);
  expect(started.cookieOf(service.url, 'agent-connectors')).toBe('');
  // In its own browser it counts once, and its URL signs nobody in afterwards.
  expect((await ada.visit(end)).url).toBe(`${service.url}/console/`);
  expect((await ada.visit(end)).url).toBe(`${service.url}/console/#sign-in=expired`);
  // A second sign-in in the same browser ends the first session, whose strict cookie the provider's redirect lacks.
  const before = ada.cookieOf(service.url, 'agent-connectors');
  expect((await ask('GET', '/console/session', { cookie: before })).status).toBe(200);
  const again = await ada.signIn(`${service.url}/console/oidc/start`, 'ada', callback);
  const finished = await fetch(again, {
    redirect: 'manual',
    headers: { cookie: ada.cookieOf(service.url, 'agent-connectors-oidc'), 'sec-fetch-site': 'cross-site' },
  });
  expect(finished.headers.get('location')).toBe('/console/');
  expect((await ask('GET', '/console/session', { cookie: before })).status).toBe(401);
  // The client id and secret stay.
  const session = await ask('POST', '/console/session', { json: { client_id: clientId, client_secret: clientSecret } });
  expect(session.status).toBe(200);
});

test('a sign-in that another site starts begins on a page of the service, which has the strict cookie', async () => {
  const { service } = await startWithProvider({});
  const start = `${service.url}/console/oidc/start`;
  const visit = (site: string) => fetch(start, { redirect: 'manual', headers: { 'sec-fetch-site': site } });
  const foreign = await visit('cross-site');
  expect([foreign.status, foreign.headers.getSetCookie()]).toEqual([200, []]);
  expect(await foreign.text()).toContain('<meta http-equiv="refresh" content="0; url=/console/oidc/start">');
  for (const site of ['same-origin', 'none']) expect((await visit(site)).status).toBe(303);
});

test('without a provider, there is only the form, and an unreachable provider is reported', async () => {
  const { ask } = await startConsoleService();
  expect((await ask('GET', '/console/oidc')).body).toEqual({ available: false });
  const oidc = {
    issuer: 'http://127.0.0.1:9',
    clientId: 'a',
    clientSecret: 'b',
    roles: [],
    groupsClaim: 'g',
    scope: 's',
  };
  const { service } = await startConsoleService({ oidc });
  const response = await fetch(`${service.url}/console/oidc/start`, { redirect: 'manual' });
  expect(response.headers.get('location')).toBe('/console/#sign-in=failed');
});

test('the provider is read from the environment', () => {
  const read = (oidc: string, oidcSecret?: string) =>
    optionsFrom({ AGENT_CONNECTORS_OIDC: oidc, AGENT_CONNECTORS_OIDC_SECRET: oidcSecret }).oidc;
  const json = {
    issuer: 'https://id.example.com',
    client_id: 'console',
    roles: [
      { group: '20', client_id: 'cli_1' },
      { group: '3', client_id: 'cli_2' },
    ],
  };
  expect(read(JSON.stringify(json), 'sec')).toEqual({
    issuer: 'https://id.example.com',
    clientId: 'console',
    clientSecret: 'sec',
    roles: [
      ['20', 'cli_1'],
      ['3', 'cli_2'],
    ],
    groupsClaim: 'groups',
    scope: 'openid email',
  });
  expect(() => read(JSON.stringify(json))).toThrow('AGENT_CONNECTORS_OIDC_SECRET');
  expect(() => read('{"issuer"', 'sec')).toThrow('AGENT_CONNECTORS_OIDC must be JSON');
  const rejects = (changes: object, field: string) =>
    expect(() => read(JSON.stringify({ ...json, ...changes }), 'sec')).toThrow(`see ${field}.`);
  rejects({ roles: [{ group: 'admins', client_id: 'root' }] }, 'roles.0.client_id');
  rejects({ roles: { admins: 'cli_1' } }, 'roles');
  rejects({ issuer: 'http://id.example.com' }, 'issuer');
  rejects({ issuer: 'http://localhost.example.com' }, 'issuer');
  expect(read(JSON.stringify({ ...json, issuer: 'http://localhost:9000' }), 'sec')).toBeDefined();
});

test('sign-in needs https, except on this computer', async () => {
  const provider = { clientId: 'a', clientSecret: 'b', roles: [], groupsClaim: 'g', scope: 's' };
  const oidc = { ...provider, issuer: 'http://id.example.com' };
  await expect(startConsoleService({ oidc })).rejects.toThrow('must use https');
  const { service } = await startWithProvider({}, true, { publicUrl: 'http://console.example.com' });
  const start = await fetch(`${service.url}/console/oidc/start`, { redirect: 'manual' });
  expect(start.headers.get('location')).toBe('/console/#sign-in=failed');
});

test('behind https, no other host can set the cookie of a sign-in', { timeout: 60_000 }, async () => {
  const { service } = await startWithProvider({}, true, { publicUrl: 'https://console.example.com' });
  const start = await fetch(`${service.url}/console/oidc/start`, { redirect: 'manual' });
  expect(start.headers.getSetCookie()).toEqual([
    expect.stringMatching(
      /^__Host-agent-connectors-oidc=[\w-]+\.[\w-]+\.[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600; Secure$/,
    ),
  ]);
  const url = new URL(start.headers.get('location')!);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    redirect_uri: 'https://console.example.com/console/oidc/callback',
    code_challenge_method: 'S256',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.any(String),
    state: expect.any(String),
  });
  // An unprefixed cookie, which another host of the domain could set, does not count.
  const pair = start.headers.getSetCookie()[0]!.split(';')[0]!.replace('__Host-', '');
  const forged = await fetch(`${service.url}/console/oidc/callback?code=a&state=${url.searchParams.get('state')}`, {
    redirect: 'manual',
    headers: { cookie: pair },
  });
  expect(forged.headers.get('location')).toBe('/console/#sign-in=expired');
});
