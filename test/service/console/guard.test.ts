import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openAssets } from '../../../service/src/web/console/assets.js';
import { consoleHeaders, startConsoleService } from './setup.js';

const workspaces = '/api/v1/workspaces';

describe('a session instead of a token', () => {
  test.each([
    ['another site, as reported by the browser', { 'x-console': '1', 'sec-fetch-site': 'cross-site' }],
    ['another port on the same machine', { 'x-console': '1', 'sec-fetch-site': 'same-site' }],
    ['another origin', { 'x-console': '1', origin: 'https://evil.example' }],
    ['a page without an origin', { 'x-console': '1', 'sec-fetch-site': 'same-origin', origin: 'null' }],
    ["a form on the service's own page, which cannot set the header", { 'sec-fetch-site': 'same-origin' }],
    ['a request that does not report its origin', { 'x-console': '1' }],
  ])('is rejected for %s', async (_, headers) => {
    const { ask, signIn } = await startConsoleService();
    const cookie = await signIn();
    const refused = await ask('POST', workspaces, { json: { name: 'stolen' }, cookie, headers });
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
    const { body } = await ask('GET', workspaces, { cookie });
    expect(body.data).toHaveLength(1);
  });

  test("is accepted for the console's own pages, regardless of which headers the browser sends", async () => {
    const { ask, signIn, service } = await startConsoleService();
    const cookie = await signIn();
    const byOrigin = { 'x-console': '1', origin: service.url };
    expect((await ask('POST', workspaces, { json: { name: 'one' }, cookie, headers: consoleHeaders })).status).toBe(
      200,
    );
    expect((await ask('POST', workspaces, { json: { name: 'two' }, cookie, headers: byOrigin })).status).toBe(200);
  });

  test('requires the public URL behind a proxy, regardless of the Host header', async () => {
    const { ask, clientId, clientSecret, service } = await startConsoleService({
      publicUrl: 'https://connectors.example.com',
    });
    const json = { client_id: clientId, client_secret: clientSecret };
    const from = (origin: string) => ask('POST', '/console/session', { json, headers: { 'x-console': '1', origin } });
    expect((await from(service.url)).status).toBe(403);
    expect((await from('https://connectors.example.com')).status).toBe(200);
  });

  test('does not grant access to the MCP server, and a token takes precedence over the session', async () => {
    const { ask, signIn } = await startConsoleService();
    const cookie = await signIn();
    expect((await ask('POST', '/mcp', { json: {}, cookie })).status).toBe(401);
    const headers = { ...consoleHeaders, authorization: 'Bearer wrong' };
    expect((await ask('GET', workspaces, { cookie, headers })).status).toBe(401);
  });

  test("can access only its client's organizations", async () => {
    const { ask, signIn, service } = await startConsoleService();
    const cookie = await signIn();
    const other = await service.state.organizations.create('Other');
    const headers = { ...consoleHeaders, 'x-organization-id': other.id };
    expect((await ask('GET', workspaces, { cookie, headers })).status).toBe(403);
    expect((await ask('GET', '/console/events', { cookie, headers })).status).toBe(403);
  });
});

test('all pages below /console forbid third-party code, framing and referrers, including error pages', async () => {
  const { ask } = await startConsoleService();
  for (const path of ['/console', '/console/connectors/con_1', '/console/session', '/console/assets/none.js']) {
    const { headers } = await ask('GET', path);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'; base-uri 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.has('access-control-allow-origin')).toBe(false);
  }
  expect((await ask('GET', '/console/assets/none.js')).status).toBe(404);
  expect((await ask('PUT', '/console')).status).toBe(405);
});

test('files are compressed and cached forever by name; the page is revalidated each time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'console-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html>page');
  writeFileSync(join(folder, 'assets', 'index-abc.js'), 'run()');
  const { file, page } = openAssets(folder);
  const plain = file('assets/index-abc.js', new Headers());
  expect([plain?.headers.get('content-type'), plain?.headers.get('cache-control')]).toEqual([
    'text/javascript; charset=utf-8',
    'public, max-age=31536000, immutable',
  ]);
  expect(await plain?.text()).toBe('run()');
  const small = file('assets/index-abc.js', new Headers({ 'accept-encoding': 'gzip, br;q=1' }));
  expect(small?.headers.get('content-encoding')).toBe('br');
  expect(brotliDecompressSync(Buffer.from(await small!.arrayBuffer())).toString()).toBe('run()');
  expect(page(new Headers()).headers.get('cache-control')).toBe('no-store');
  expect(await page(new Headers()).text()).toBe('<!doctype html>page');
  expect(file('index.html', new Headers())).toBeUndefined();
  expect(file('../package.json', new Headers())).toBeUndefined();
});
