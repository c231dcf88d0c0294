import { createSandbox } from 'agent-connectors-sandbox';
import { beforeAll, describe, expect, test } from 'vitest';
import { linearKey, runCommand, serviceUrl, startTestService } from './session.js';

const { env, fetch, sandbox } = await startTestService();
const given = { env, fetch };
const { oauth, metadata_readonly } = sandbox.vendors['google-drive'].credentials;

beforeAll(async () => {
  const connectors = [
    { name: 'issues', connector_type: 'linear', credentials: { api_key: linearKey } },
    { name: 'narrow', connector_type: 'google-drive', credentials: metadata_readonly },
    { name: 'files', connector_type: 'google-drive', credentials: oauth },
  ];
  for (const connector of connectors) {
    await runCommand(['connectors', 'create', '-'], { ...given, input: JSON.stringify(connector) });
  }
});

const doctor = async (name: string, through = fetch, ...flags: string[]) => {
  const argv = ['doctor', JSON.stringify({ name }), ...flags];
  const { exit, out, json } = await runCommand(argv, { env, fetch: through });
  return { exit, out, service: json?.service, diagnosis: json?.connectors[0] };
};

describe('doctor through a service', () => {
  test('reads every entity, and reports identity, scopes, clock and quota just as it does without a service', async () => {
    const { exit, service, diagnosis } = await doctor('files');
    const local = await runCommand(['doctor', '--local', '{"name":"google-drive"}'], {
      env: {
        GOOGLE_DRIVE_CLIENT_ID: oauth.client_id,
        GOOGLE_DRIVE_CLIENT_SECRET: oauth.client_secret,
        GOOGLE_DRIVE_REFRESH_TOKEN: oauth.refresh_token,
      },
      fetch: sandbox.fetch,
    });
    const [direct] = local.json.connectors;
    expect([exit, diagnosis.ok]).toEqual([0, true]);
    expect(diagnosis.entities).toEqual(direct.entities);
    expect(diagnosis.identity).toEqual(direct.identity);
    expect(diagnosis.quota).toEqual([expect.objectContaining({ name: 'requests to the service' }), ...direct.quota]);
    expect(diagnosis.scopes).toEqual({ granted: null, missing_for: [] });
    expect(service.scopes).toContain('read');
  });

  test("reports the vendor's limits just as it does without a service", async () => {
    const { diagnosis } = await doctor('issues');
    const direct = await runCommand(['doctor', '--local'], {
      env: { LINEAR_API_KEY: linearKey },
      fetch: createSandbox().fetch,
    });
    const names = ({ quota }: any) => quota.map(({ name, limit }: any) => [name, limit]).sort();
    const { quota } = diagnosis;
    expect(names({ quota: quota.slice(1) })).toEqual(names(direct.json.connectors[0]));
    expect(quota).toContainEqual({ name: 'requests', remaining: expect.any(Number), limit: 2500 });
    const { out } = await doctor('issues', fetch, '--pretty');
    expect(out).toMatch(/quota: \d+ of 2500 requests left\n/);
  });

  test('reports the missing scope and omits the quota if the service does not provide it', async () => {
    const older: typeof fetch = async (input, init) =>
      new URL(input instanceof Request ? input.url : input).pathname.endsWith('/quota')
        ? fetch(`${serviceUrl}/api/v1/absent`, { headers: new Request(input, init).headers })
        : fetch(input, init);
    const { exit, diagnosis } = await doctor('narrow', older);
    const [problem] = diagnosis.problems;
    expect([exit, problem.code]).toEqual([1, 'scope_missing']);
    expect(diagnosis.scopes.missing_for).toEqual(problem.entities);
    expect(problem.fix).toContain('Authorize again with a wider scope');
    expect(problem.fix).toContain('connectors update');
    expect(problem.fix).not.toMatch(/doctor|--local/);
    expect(JSON.stringify(diagnosis)).not.toContain(metadata_readonly.refresh_token);
  });

  test('reports the identity as text', async () => {
    const { out } = await doctor('files', fetch, '--pretty');
    expect(out).toMatch(/^✓ files {2}[^{"]+ \([^@\s]+@[^\s]+\), from about\n/);
  });

  test('reports one problem per cause if syncs of several entities fail', async () => {
    const failing: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (!new URL(input instanceof Request ? input.url : input).pathname.endsWith('/inspect')) return response;
      const body: any = await response.json();
      const failed = Object.entries({ files: 'HTTP 500', drives: 'HTTP 500', comments: 'HTTP 429' });
      const entities = failed.map(([entity, error]) => ({ entity, status: 'failed', error }));
      return Response.json({ ...body, context_store_readiness: { entities } });
    };
    const { diagnosis } = await doctor('files', failing);
    const syncs = diagnosis.problems.flatMap(({ problem }: any) => (/last sync/.test(problem) ? [problem] : []));
    expect(syncs).toEqual([
      expect.stringMatching(/files, drives failed: HTTP 500$/),
      expect.stringMatching(/comments failed: HTTP 429$/),
    ]);
  });

  test('reports clock skew relative to the service', async () => {
    const late: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      const headers = new Headers(response.headers);
      headers.set('date', new Date(Date.now() + 600_000).toUTCString());
      return new Response(response.body, { status: response.status, headers });
    };
    const { exit, diagnosis } = await doctor('issues', late);
    expect(exit).toBe(1);
    expect(diagnosis.problems[0]).toMatchObject({
      code: 'clock_skew',
      problem: expect.stringContaining('the service'),
    });
  });

  test('reports what a policy excludes, without counting it as a problem', async () => {
    const policy = JSON.stringify({ name: 'issues', allow: ['linear:teams.*'] });
    expect((await runCommand(['policies', 'set', policy], given)).exit).toBe(0);
    const { exit, diagnosis } = await doctor('issues');
    await runCommand(['policies', 'delete', '{"name":"issues"}'], given);
    const entities = Object.fromEntries(diagnosis.entities.map((each: any) => [each.entity, each.status]));
    expect([exit, entities.teams, entities.issues]).toEqual([0, 'ok', 'not_tried']);
  });

  test('gives actionable advice instead of suggesting another check', async () => {
    sandbox.revoke(linearKey);
    const { exit, diagnosis } = await doctor('issues');
    expect(exit).toBe(1);
    const [problem] = diagnosis.problems;
    expect(problem).toMatchObject({ code: 'unauthorized', fix: expect.stringContaining('connectors update') });
    expect(problem.fix).not.toMatch(/doctor|check|environment|--local/);
  });
});
