import { expect, test } from 'vitest';
import { ownBuckets } from '../../../service/src/domain/limits/admission.js';
import { countAttempts } from '../../../service/src/web/api/attempts.js';
import { startConsoleService } from '../console/setup.js';
import { recordLines } from '../recorder.js';
import { formWith } from '../setup/browser.js';
import { startSetup } from '../setup/start.js';

const tokens = '/api/v1/account/applications/token';
const canary = 'acs_CANARY-0123456789-0123456789-wrong';

/** A service behind a trusted proxy, and its complete log output. */
async function behindProxy() {
  const { lines, logger } = recordLines();
  const began = Date.now();
  const service = await startConsoleService({ logger, trustedProxies: ['127.0.0.0/8'], now: () => began });
  return { ...service, lines };
}

const from = (address: string) => ({ 'x-forwarded-for': address, 'x-console': '1', 'sec-fetch-site': 'same-origin' });

test('sign-ins and rejections are recorded with the client and address, but without secrets', async () => {
  const { service, clientId, clientSecret, organizationId, ask, lines } = await behindProxy();
  const wrong = { client_id: clientId, client_secret: canary };
  const right = { client_id: clientId, client_secret: clientSecret };
  await ask('POST', '/console/session', { json: wrong, headers: from('203.0.113.1') });
  await ask('POST', tokens, { json: wrong, headers: from('203.0.113.2') });
  const signedIn = await ask('POST', '/console/session', { json: right, headers: from('203.0.113.3') });
  const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!;
  await ask('POST', tokens, { json: right, headers: from('203.0.113.4') });
  const link = await service.state.consoleSessions.createLink(clientId);
  await ask('POST', '/console/session', { json: { link }, headers: from('203.0.113.5') });
  const made = { workspace_name: 'main', connector_type: 'linear', name: 'mine' };
  await ask('POST', '/api/v1/integrations/connectors', { json: made, cookie, headers: from('203.0.113.6') });
  await ask('DELETE', '/console/session', { cookie, headers: from('203.0.113.7') });
  const entries = await service.state.audit.list({ organizationId, limit: 100 });
  expect(
    entries.reverse().map(({ event, via, outcome, client_id, address }) => [event, via, outcome, client_id, address]),
  ).toEqual([
    ['sign_in', 'console', 'unauthorized', clientId, '203.0.113.1'],
    ['token', 'http', 'unauthorized', clientId, '203.0.113.2'],
    ['sign_in', 'console', 'success', clientId, '203.0.113.3'],
    ['token', 'http', 'success', clientId, '203.0.113.4'],
    ['sign_in', 'console', 'success', clientId, '203.0.113.5'],
    ['connector.created', 'console', 'success', clientId, '203.0.113.6'],
    ['sign_out', 'console', 'success', clientId, '203.0.113.7'],
  ]);
  const shown = JSON.stringify(entries) + lines.join('');
  for (const secret of [canary, clientSecret, link, cookie.split('=')[1]!]) expect(shown).not.toContain(secret);
});

test('an attempt by an unknown client is recorded only in the service log, with the address', async () => {
  const { service, organizationId, ask, lines } = await behindProxy();
  const json = { client_id: 'cli_CANARY', client_secret: canary };
  await ask('POST', tokens, { json, headers: from('203.0.113.9') });
  await ask('POST', '/console/session', { json: { link: canary }, headers: from('203.0.113.9') });
  expect(await service.state.audit.list({ organizationId, limit: 10 })).toEqual([]);
  const refused = lines.map((line) => JSON.parse(line)).filter(({ status }) => status === 401);
  expect(refused.map(({ route, address }) => [route, address])).toEqual([
    [tokens, '203.0.113.9'],
    ['/console', '203.0.113.9'],
  ]);
  expect(lines.join('')).not.toContain('CANARY');
});

test('sign-in attempts are limited per origin, not per shared proxy', async () => {
  const { clientId, clientSecret, organizationId, service, ask } = await behindProxy();
  const attempt = async (client_secret: string, address: string) =>
    (await ask('POST', tokens, { json: { client_id: clientId, client_secret }, headers: from(address) })).status;
  const guesses = [];
  for (let guess = 0; guess < 11; guess++) guesses.push(await attempt(canary, '203.0.113.1'));
  expect(guesses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
  expect(await attempt(canary, '203.0.113.2')).toBe(401);
  // Rate-limited attempts are neither looked up nor logged.
  expect(await service.state.audit.list({ organizationId, limit: 100 })).toHaveLength(11);
  expect(await attempt(clientSecret, '203.0.113.1')).toBe(200);
});

test.each(['a token', 'the console'])(
  'a correct secret is never rejected because of incorrect ones from others: %s',
  async (way) => {
    const began = Date.now();
    const { clientId, clientSecret, ask } = await startConsoleService({
      limits: { signIns: 40 },
      now: () => began,
    });
    const attempt = async (client_id: string, client_secret: string) => {
      const path = way === 'a token' ? tokens : '/console/session';
      return (await ask('POST', path, { json: { client_id, client_secret }, headers: from('203.0.113.1') })).status;
    };
    const invented = await Promise.all(Array.from({ length: 200 }, (_, index) => attempt(`cli_${index}`, canary)));
    expect([401, 429].map((status) => invented.filter((one) => one === status).length)).toEqual([100, 100]);
    const own = await Promise.all(Array.from({ length: 20 }, () => attempt(clientId, canary)));
    expect(new Set(own)).toEqual(new Set([429]));
    expect(await attempt(clientId, clientSecret)).toBe(200);
  },
);

test('attempts with many client names do not evict earlier ones from the rate limiter', async () => {
  const attempts = countAttempts(ownBuckets(() => 0));
  const isRefused = (client: string, address: string) =>
    attempts.recordFailure(client, address).then(
      () => false,
      () => true,
    );
  for (let guess = 0; guess < 10; guess++) await attempts.recordFailure('guessed', '203.0.113.1');
  for (let other = 0; other < 12_000; other++) {
    await attempts.recordFailure(`other ${other}`, `10.0.${other >> 8}.${other & 255}`);
    if (other % 1000 === 0) expect([other, await isRefused('guessed', '203.0.113.1')]).toEqual([other, true]);
  }
  expect(await isRefused('other 0', '10.0.0.0')).toBe(false);
});

test('a setup is recorded when it starts and each time credentials are tried', async () => {
  const { beginAndOpen, acme, server, sandbox } = await startSetup();
  const { page, browser } = await beginAndOpen('linear');
  const again = await browser.submit(formWith(page, /name="api_key"/), { api_key: 'lin_api_CANARY_not_a_key' });
  await browser.submit(formWith(again, /name="api_key"/), { ...sandbox.vendors.linear.credentials.api_key });
  const entries = await server.state.audit.list({ organizationId: acme.organizationId, limit: 10 });
  expect(
    entries.reverse().map(({ event, via, outcome, client_id, address }) => [event, via, outcome, client_id, address]),
  ).toEqual([
    // The tenant's own token request, which does not use the socket.
    ['token', 'http', 'success', acme.clientId, null],
    ['setup.begun', 'http', 'success', acme.clientId, '127.0.0.1'],
    ['setup.tried', 'setup', 'invalid_credentials', acme.clientId, '127.0.0.1'],
    ['setup.tried', 'setup', 'success', acme.clientId, '127.0.0.1'],
  ]);
  expect(JSON.stringify(entries)).not.toContain('CANARY');
});
