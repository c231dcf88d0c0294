import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createSandbox } from 'agent-connectors-sandbox';
import { serve } from 'agent-connectors-sandbox/server';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import '../../examples/guides/faults.test.js';
import '../../examples/offline.test.js';

let printed: string[] = [];

beforeEach(() => {
  const sandbox = createSandbox({ seed: 1 });
  const { api_key, oauth } = sandbox.vendors.linear.credentials;
  vi.stubEnv('GOOGLE_ACCESS_TOKEN', sandbox.vendors['google-drive'].credentials.access_token.access_token);
  vi.resetModules();
  vi.stubGlobal('fetch', sandbox.fetch);
  vi.stubEnv('LINEAR_API_KEY', api_key.api_key);
  const { credentials, properties } = sandbox.vendors['google-analytics'];
  vi.stubEnv('GOOGLE_CREDENTIALS_JSON', credentials.service_account.credentials_json);
  vi.stubEnv('GOOGLE_ANALYTICS_PROPERTY_ID', properties.website);
  const { access_key, access_key_secret } = sandbox.vendors.gong.credentials.basic;
  vi.stubEnv('GONG_ACCESS_KEY', access_key);
  vi.stubEnv('GONG_ACCESS_KEY_SECRET', access_key_secret);
  vi.stubEnv('GRANOLA_API_KEY', sandbox.vendors.granola.credentials.api_key.api_key);
  vi.stubEnv('LINEAR_CLIENT_ID', oauth.client_id);
  vi.stubEnv('LINEAR_CLIENT_SECRET', oauth.client_secret);
  vi.stubEnv('LINEAR_REFRESH_TOKEN', oauth.refresh_token);
  printed = [];
  vi.spyOn(console, 'log').mockImplementation((...words) => void printed.push(words.map(String).join(' ')));
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

test('schemas checks a form, extends a record and prints JSON Schema', async () => {
  await import('../../examples/guides/schemas.js');
  expect(printed[0]).toMatch(/^title: .+,priority: /);
  expect(printed.at(-1)).toBe('Acme');
});

test('first-call prints five issues and says that there are more', async () => {
  await import('../../examples/first-call.js');
  expect(printed).toHaveLength(6);
  expect(printed[0]).toMatch(/^.+: .+ \(.+\)$/);
  expect(printed[5]).toMatch(/^next page: \S+$/);
});

test('write creates and updates an issue and adds a comment', async () => {
  await import('../../examples/write.js');
  expect(printed).toEqual([expect.stringMatching(/^https:\S+\/sign-in-fails-on-safari$/)]);
});

test('pages iterates over issues and projects', async () => {
  await import('../../examples/pages.js');
  expect(printed.at(-1)).toMatch(/^[1-9]\d* urgent issues$/);
  expect(printed.at(-2)).toMatch(/^\d+ false$/);
});

test('errors shows the fields of an error', async () => {
  await import('../../examples/errors.js');
  expect(printed[0]).toBe('not_found');
  expect(printed[3]).toBe('false undefined');
});

test('guarded reads within its permissions', async () => {
  await import('../../examples/guarded.js');
  expect(Object.keys(JSON.parse(printed[0]!)).sort()).toEqual(['assignee', 'title']);
});

test('oauth stores the new refresh token', async () => {
  await import('../../examples/oauth.js');
  expect(printed[0]).toMatch(/ 1$/);
});

test('code-mode counts issues without reading them', async () => {
  await import('../../examples/code-mode.js');
  const counts: Record<string, number> = JSON.parse(printed[0]!);
  expect(Object.keys(counts)).toContain('Done');
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(200);
});

test('sandbox-port connects to a listening sandbox', async () => {
  vi.unstubAllGlobals();
  const server = await serve();
  vi.stubEnv('SANDBOX_LINEAR', `${server.url}/linear`);
  await import('../../examples/sandbox-port.js');
  expect(printed).toEqual(['4']);
  await server.close();
});

test('files saves a download and uploads a file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'examples-'));
  vi.stubEnv('DOWNLOADS', folder);
  await import('../../examples/files.js');
  expect(printed[0]).toMatch(/^[1-9]\d* 5$/);
  expect(printed[1]).toBe('Hello');
  expect(printed[2]).toMatch(/^[\w-]{20,}$/);
  expect((await readdir(folder)).sort()).toEqual(['report.pdf', 'upload.txt', 'video.mp4']);
  await rm(folder, { recursive: true });
});

test('mistake names the invalid parameter and the closest valid one', async () => {
  await import('../../examples/guides/mistake.js');
  expect(printed).toEqual([expect.stringMatching(/frist.*first/)]);
});

test('patience succeeds eventually', async () => {
  await import('../../examples/guides/patience.js');
  expect(printed).toEqual(['5']);
});

test("skill-docs prints an action's parameters", async () => {
  await import('../../examples/guides/skill-docs.js');
  expect(printed[1]).toMatch(/^# issues\.create\n/);
});

test('tools prints the names of three tools', async () => {
  await import('../../examples/guides/tools.js');
  expect(printed).toEqual(['inspect_connector,read_skill_docs,execute']);
});

test('tokens stores tokens in a file for the next program', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'examples-'));
  vi.stubEnv('TOKENS', join(folder, 'tokens.json'));
  await import('../../examples/guides/tokens.js');
  vi.resetModules();
  vi.stubEnv('LINEAR_REFRESH_TOKEN', 'used up');
  await import('../../examples/guides/tokens.js');
  expect(printed).toEqual(['4', '4']);
  expect(await readdir(folder)).toEqual(['tokens.json']);
  await rm(folder, { recursive: true });
});

test('following finds new records, without duplicates', async () => {
  await import('../../examples/guides/following.js');
  expect(printed.at(-1)).toBe('true true');
  expect(printed.filter((line) => line.endsWith(' false'))).toHaveLength(1);
  expect(new Set(printed).size).toBe(printed.length);
});

test('analytics prints rows with column names', async () => {
  await import('../../examples/analytics.js');
  expect(printed).toHaveLength(20);
  expect(printed[0]).toMatch(/^\d{8} \S+ [1-9]\d*$/);
});

test('weekly-report lists finished issues, calls and visits', async () => {
  await import('../../examples/guides/weekly-report.js');
  expect(printed[0]).not.toContain('[null]');
  const [, finished, calls, visitors] = printed[0]!.split(/\n## \w+\n/);
  expect(finished).toMatch(/^- \[[A-Z]+-\d+\]\(https:\S+\) .+ \(.+\)$/m);
  expect(calls).toMatch(/^- \[.+\]\(https:\S+\), \d+ minutes$/m);
  expect(visitors!.trim().split('\n')).toHaveLength(7);
});

test('calls saves a recording', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'examples-'));
  vi.stubEnv('DOWNLOADS', folder);
  await import('../../examples/calls.js');
  expect(printed[0]).toMatch(/^[1-9]\d* calls, [1-9]\d* private calls omitted$/);
  expect(await readdir(folder)).toEqual(['call.mp3']);
  await rm(folder, { recursive: true });
});

test('once creates one issue in two runs', async () => {
  const file = join(tmpdir(), 'sign-in-issue.json');
  onTestFinished(() => rm(file, { force: true }));
  await rm(file, { force: true });
  await import('../../examples/once.js');
  vi.resetModules();
  await import('../../examples/once.js');
  expect(new Set(printed).size).toBe(1);
  expect(printed).toHaveLength(2);
});

test('mcp-client creates a transport to the service', async () => {
  const { transportFor } = await import('../../examples/guides/mcp-client.js');
  expect(transportFor(async () => 'token')).toHaveProperty('send');
});

test('mcp serves until its input ends, and over HTTP rejects requests without a token', async () => {
  const usual = Object.getOwnPropertyDescriptor(process, 'stdin')!;
  Object.defineProperty(process, 'stdin', { value: Readable.from([]), configurable: true });
  onTestFinished(() => void Object.defineProperty(process, 'stdin', usual));
  await import('../../examples/mcp.js');
  const { handle } = await import('../../examples/mcp-http.js');
  const response = await handle(new Request('http://127.0.0.1/mcp', { method: 'POST' }));
  expect(response.status).toBe(401);
});
