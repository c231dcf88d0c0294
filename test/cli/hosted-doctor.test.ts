import { beforeAll, describe, expect, test } from 'vitest';
import { linearKey, runCommand, startTestService } from './session.js';

const { env, fetch, sandbox } = await startTestService();
const given = { env, fetch };
const { oauth } = sandbox.vendors['google-drive'].credentials;

beforeAll(async () => {
  const connectors = [
    { name: 'issues', connector_type: 'linear', credentials: { api_key: linearKey } },
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
  test('reads every entity, and tells identity, scopes, clock and quota as without one', async () => {
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
    expect(diagnosis.scopes.missing_for).toEqual([]);
    expect(service.scopes).toContain('read');
  });

  test('tells identity in words to people', async () => {
    const { out } = await doctor('files', fetch, '--pretty');
    expect(out).toMatch(/^✓ files {2}[^{"]+ \([^@\s]+@[^\s]+\), from about\n/);
  });

  test('tells a clock that is apart from the service’s', async () => {
    const late: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      const headers = new Headers(response.headers);
      headers.set('date', new Date(Date.now() + 600_000).toUTCString());
      return new Response(response.body, { status: response.status, headers });
    };
    const { exit, diagnosis } = await doctor('issues', late);
    expect(exit).toBe(1);
    expect(diagnosis.problems[0]).toMatchObject({ code: 'clock_skew', what: expect.stringContaining('the service') });
  });

  test('tells what a policy keeps from being read, which is no fault', async () => {
    const policy = JSON.stringify({ name: 'issues', allow: ['linear:teams.*'] });
    expect((await runCommand(['policies', 'set', policy], given)).exit).toBe(0);
    const { exit, diagnosis } = await doctor('issues');
    await runCommand(['policies', 'delete', '{"name":"issues"}'], given);
    const entities = Object.fromEntries(diagnosis.entities.map((each: any) => [each.entity, each.status]));
    expect([exit, entities.teams, entities.issues]).toEqual([0, 'ok', 'not_tried']);
  });

  test('advises what can be done, and never another look', async () => {
    sandbox.revoke(linearKey);
    const { exit, diagnosis } = await doctor('issues');
    expect(exit).toBe(1);
    const [problem] = diagnosis.problems;
    expect(problem).toMatchObject({ code: 'unauthorized', mend: expect.stringContaining('connectors update') });
    expect(problem.mend).not.toMatch(/doctor|check|environment|--local/);
  });
});
