import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, test } from 'vitest';
import { fakeClock } from '../engine/fake-clock.js';
import { skipBackoff } from '../engine/time.js';
import { linearKey, runCommand, tempFolder } from './session.js';

const credentials = createSandbox().vendors;

/** Runs the doctor on one connector in its own sandbox. */
async function examine(
  env: Record<string, string>,
  {
    argument = {},
    prepare = () => {},
    through,
  }: {
    argument?: object;
    prepare?: (sandbox: ReturnType<typeof createSandbox>) => unknown;
    through?: (fetch: typeof globalThis.fetch) => typeof globalThis.fetch;
  } = {},
) {
  const sandbox = createSandbox();
  await prepare(sandbox);
  const fetch = through ? through(sandbox.fetch) : sandbox.fetch;
  const { exit, json, err } = await runCommand(['doctor', '--local', JSON.stringify(argument)], {
    env,
    fetch,
    home: tempFolder(),
  });
  expect(err).toBe('');
  return { exit, json, diagnosis: json.connectors[0], problem: json.connectors[0].problems[0] };
}

const client = (
  prefix: string,
  { client_id, client_secret, refresh_token }: { client_id: string; client_secret: string; refresh_token: string },
) => ({
  [`${prefix}_CLIENT_ID`]: client_id,
  [`${prefix}_CLIENT_SECRET`]: client_secret,
  [`${prefix}_REFRESH_TOKEN`]: refresh_token,
});

const linear = { LINEAR_API_KEY: linearKey };
const analytics = credentials['google-analytics'].credentials;

describe('doctor', () => {
  test('does not blame the credentials if the host is unreachable', async () => {
    skipBackoff();
    const refuse = Object.assign(new TypeError('fetch failed'), { code: 'ECONNREFUSED' });
    const { diagnosis } = await examine(linear, {
      through: () => () => Promise.reject(refuse),
    });
    const [first, ...others] = diagnosis.entities;
    expect(first).toMatchObject({ status: 'failed', code: 'network' });
    expect(new Set(others.map(({ reason }: { reason: string }) => reason))).toEqual(
      new Set(['api.linear.app is unreachable']),
    );
  });

  test('reports identity, remaining quota and clock skew, and no problems for a healthy connector', async () => {
    // A Date header has no fractions of a second, so the doctor assumes the middle of the second.
    fakeClock(Math.floor(Date.now() / 1000) * 1000 + 500);
    const { exit, diagnosis } = await examine(linear);
    expect(exit).toBe(0);
    expect(diagnosis).toMatchObject({
      connector: 'linear',
      ok: true,
      credentials: { mode: 'api_key', variables: ['LINEAR_API_KEY'] },
      identity: { name: 'tomas.aguirre@fernhill.example', detail: 'Fernhill Software (linear.app/fernhill)' },
      problems: [],
    });
    expect(diagnosis.entities.map(({ entity, status }: any) => [entity, status])).toEqual(
      ['issues', 'projects', 'teams', 'workflow_states', 'users', 'comments'].map((entity) => [entity, 'ok']),
    );
    expect(diagnosis.quota).toContainEqual({ name: 'requests', remaining: expect.any(Number), limit: 2500 });
    expect(diagnosis.clock_skew_seconds).toBe(0);
  });

  test('identifies the account with one request more', async () => {
    const sent: string[] = [];
    const through =
      (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
      (input, init) => {
        sent.push(new URL(input instanceof Request ? input.url : input).pathname);
        return fetch(input, init);
      };
    const { diagnosis: issues } = await examine(linear, { through });
    expect(issues.identity).toMatchObject({ name: expect.stringMatching(/@fernhill\.example$/) });
    expect(sent).toHaveLength(issues.entities.length + 1);
    sent.length = 0;
    const argument = { property_id: '320200001' };
    const { diagnosis: reports } = await examine(client('GOOGLE_ANALYTICS', analytics.oauth), { argument, through });
    expect(reports.identity).toEqual({ name: null, detail: expect.stringMatching(/^Accounts?: .*Fernhill/) });
    expect(sent.filter((path) => path.endsWith('/accountSummaries'))).toHaveLength(1);
    expect(sent.filter((path) => path.endsWith('/token'))).toHaveLength(1);
  });

  test('reads as many entities as possible, taking parameters from earlier results', async () => {
    const env = client('GOOGLE_DRIVE', credentials['google-drive'].credentials.oauth);
    const { exit, diagnosis } = await examine(env);
    expect(exit).toBe(0);
    const status = Object.fromEntries(diagnosis.entities.map((each: any) => [each.entity, each.status]));
    expect(status).toMatchObject({ files: 'ok', permissions: 'ok', revisions: 'ok', changes: 'ok', about: 'ok' });
    expect(status.files_upload).toBe('not_tried');
    expect(diagnosis.identity.emailAddress).toContain('@');
  });

  test('does not report a problem if the sampled record does not support the read', async () => {
    const env = client('GOOGLE_DRIVE', credentials['google-drive'].credentials.oauth);
    const folder = { name: 'Plans', mimeType: 'application/vnd.google-apps.folder' };
    const create = { name: 'google-drive', entity: 'files', action: 'create', params: folder };
    const prepare = ({ fetch }: ReturnType<typeof createSandbox>) =>
      runCommand(['connectors', 'execute', '--local', JSON.stringify(create)], { env, fetch, home: tempFolder() });
    const { exit, diagnosis } = await examine(env, { prepare });
    expect([exit, diagnosis.problems]).toEqual([0, []]);
    expect(diagnosis.entities.find(({ entity }: any) => entity === 'revisions')).toEqual({
      entity: 'revisions',
      action: 'list',
      status: 'inconclusive',
      code: 'forbidden',
      reason: 'tested with the first record from files: Google Drive: The file does not support revisions.',
    });
  });

  test('diagnoses all connectors with credentials', async () => {
    const { json } = await examine({ ...linear, GRANOLA_API_KEY: credentials.granola.credentials.api_key.api_key });
    expect(json.connectors.map(({ connector, ok }: any) => [connector, ok])).toEqual([
      ['granola', true],
      ['linear', true],
    ]);
    const none = await runCommand(['doctor', '--local']);
    expect([none.exit, none.error.hint.includes('describe --local')]).toEqual([2, true]);
  });

  test('reports a missing scope', async () => {
    const env = client('GOOGLE_DRIVE', credentials['google-drive'].credentials.metadata_readonly);
    const { exit, diagnosis, problem } = await examine(env);
    expect(exit).toBe(1);
    expect(problem).toMatchObject({ code: 'scope_missing' });
    expect(problem.fix).toContain('Authorize again with a wider scope');
    expect(diagnosis.scopes.missing_for).toEqual(problem.entities);
    expect(diagnosis.entities.find(({ entity }: any) => entity === 'files').status).toBe('ok');
  });

  test("reports a property's remaining quota", async () => {
    const argument = { property_id: '320200001' };
    const { diagnosis } = await examine(client('GOOGLE_ANALYTICS', analytics.oauth), { argument });
    expect(diagnosis.entities[0]).toMatchObject({ entity: 'website_overview', status: 'ok' });
    expect(diagnosis.quota).toContainEqual({ name: 'tokensPerDay', remaining: expect.any(Number), limit: null });
  });

  test('reports the Google Analytics scope even without a property', async () => {
    const { problem } = await examine(client('GOOGLE_ANALYTICS', analytics.wrong_scope));
    expect(problem).toMatchObject({
      code: 'scope_missing',
      fix: 'Authorize again with the analytics.readonly scope.',
    });
  });

  test('reports an expired token after one or two requests', async () => {
    const { access_token } = credentials.linear.credentials.access_token;
    let asked = 0;
    const { exit, diagnosis, problem } = await examine(
      { LINEAR_ACCESS_TOKEN: access_token },
      {
        prepare: (sandbox) => sandbox.expireTokens(),
        through: (fetch) => (input, init) => {
          asked++;
          return fetch(input, init);
        },
      },
    );
    expect(exit).toBe(1);
    expect(problem).toMatchObject({ code: 'unauthorized', entities: ['issues'] });
    expect(problem.fix).toContain('authorize again');
    expect(diagnosis.entities[1]).toMatchObject({ status: 'not_tried' });
    expect(asked).toBeLessThanOrEqual(2);
  });

  test('reports a revoked key', async () => {
    const { problem } = await examine(linear, { prepare: (sandbox) => sandbox.revoke(linearKey) });
    expect(problem).toMatchObject({ code: 'unauthorized' });
    expect(problem.fix).toContain('Create a new API key in Linear');
  });

  test('reports a revoked refresh token', async () => {
    const { oauth } = credentials['google-drive'].credentials;
    const { problem } = await examine(client('GOOGLE_DRIVE', oauth), {
      prepare: (sandbox) => sandbox.revoke(oauth.refresh_token),
    });
    expect(problem.code).toMatch(/^(unauthorized|invalid_credentials)$/);
    expect(problem.fix).toContain('Authorize the application again');
  });

  test('reports a host that does not exist', async () => {
    const { problem } = await examine(linear, {
      through: () => async () => {
        throw new TypeError('fetch failed', {
          cause: Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }),
        });
      },
    });
    expect(problem.code).toBe('network');
    expect(problem.problem).toBe('Linear (api.linear.app) could not be reached (ENOTFOUND).');
    expect(problem.fix).toBe('Check the URL, proxy and firewall of the machine that sent the request.');
  });

  test('reports a wrong host if the vendor has several', async () => {
    const { access_key, access_key_secret } = credentials.gong.credentials.regional;
    const { problem } = await examine({ GONG_ACCESS_KEY: access_key, GONG_ACCESS_KEY_SECRET: access_key_secret });
    expect(problem.code).toBe('unauthorized');
    expect(problem.fix).toContain('base_url');
  });

  test('reports an API that is not enabled', async () => {
    const { problem } = await examine(client('GOOGLE_ANALYTICS', analytics.service_disabled), {
      argument: { name: 'google-analytics', property_id: '1' },
    });
    expect(problem.code).toBe('forbidden');
    expect(problem.fix).toContain('Enable the Google Analytics Data API');
  });

  test('reports clock skew', async () => {
    const { diagnosis, problem } = await examine(linear, {
      through: (fetch) => async (input, init) => {
        const response = await fetch(input, init);
        const headers = new Headers(response.headers);
        headers.set('date', new Date(Date.now() + 600_000).toUTCString());
        return new Response(response.body, { status: response.status, headers });
      },
    });
    expect(diagnosis.clock_skew_seconds).toBeGreaterThan(590);
    expect(problem).toMatchObject({ code: 'clock_skew' });
    expect(problem.problem).toMatch(/^This machine's clock is 6\d\d s behind|^This machine's clock is 59\d s behind/);
  });

  test('prints a readable report', async () => {
    const { fetch, revoke } = createSandbox();
    const good = await runCommand(['doctor', '--local', '--pretty'], { env: linear, fetch });
    expect(good.out).toMatch(
      /^✓ linear {2}tomas\.aguirre@fernhill\.example, Fernhill Software \(linear\.app\/fernhill\)\n {2}✓ issues\n/,
    );
    revoke(linearKey);
    const bad = await runCommand(['doctor', '--local', '--pretty'], { env: linear, fetch });
    expect(bad.out).toMatch(/✗ linear\n {2}Linear: .*\n {2}→ Create a new API key/);
    const narrow = await runCommand(['doctor', '--local', '--pretty'], { env: linear, fetch, columns: 50 });
    expect(narrow.out.split('\n').filter((line) => line.length > 50)).toEqual([]);
  });
});
