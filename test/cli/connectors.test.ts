import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { keyboard, linearKey, runCommand, serviceUrl, startTestService, tempFolder } from './session.js';

const { env, fetch, sandbox, requests } = await startTestService();
const given = { env, fetch };
const canary = 'lin_api_CANARY0123456789';

beforeAll(async () => {
  const linear = { name: 'issues', connector_type: 'linear', credentials: { api_key: linearKey } };
  const drive = {
    name: 'files',
    connector_type: 'Google Drive',
    credentials: sandbox.vendors['google-drive'].credentials.oauth,
  };
  for (const connector of [linear, drive]) {
    const made = await runCommand(['connectors', 'create', '-'], { ...given, input: JSON.stringify(connector) });
    expect(made.err).toBe('');
    expect(made.exit).toBe(0);
  }
});

describe('connectors create', () => {
  test('rejects credentials anywhere on the command line', async () => {
    const holding = [
      { connector_type: 'linear', credentials: { api_key: canary } },
      { connector_type: 'linear', credentials: {}, api_key: canary },
      { connector_type: 'linear', replication_config: { nested: [{ accessToken: canary }] } },
    ];
    for (const argument of holding) {
      for (const argv of [[JSON.stringify(argument)], ['--json', JSON.stringify(argument)]]) {
        const { exit, out, err, error } = await runCommand(['connectors', 'create', ...argv], given);
        expect([exit, out]).toEqual([4, '']);
        expect(err).not.toContain('CANARY');
        expect(error.hint ?? '').toMatch(/standard input|Valid keys/);
      }
    }
  });

  test('reads credentials from a file and never prints them', async () => {
    const path = join(tempFolder(), 'connector.json');
    writeFileSync(
      path,
      `\ufeff${JSON.stringify({ name: 'second', connector_type: 'linear', credentials: { api_key: canary } })}`,
    );
    const made = await runCommand(['connectors', 'create', `@${path}`], given);
    expect(made.json).toMatchObject({ name: 'second', connector_type: 'linear', workspace_name: 'default' });
    expect([made.exit, made.error]).toMatchObject([0, { type: 'warning', code: 'invalid_credentials' }]);
    expect(made.error.message).toMatch(/^The vendor rejected the credentials: \S/);
    expect(made.error.hint).toContain(`connectors update - (id ${made.json.id})`);
    const wrong = await runCommand(['connectors', 'create', `@${path}`], given);
    expect([wrong.exit, wrong.error.code]).toEqual([1, 'conflict']);
    const check = await runCommand(['connectors', 'check', '{"name":"second"}'], given);
    expect([check.exit, check.json.status]).toEqual([2, 'failed']);
    const all = [made, wrong, check].map(({ out, err }) => out + err).join('');
    expect(all).not.toContain('CANARY');
  });

  test('reads a file encoded by a Windows shell, and explains why another file cannot be read', async () => {
    const home = tempFolder();
    const path = join(home, 'wide.json');
    writeFileSync(path, Buffer.from('\ufeff{"nope":1}', 'utf16le'));
    expect((await runCommand(['connectors', 'list', `@${path}`], given)).error.message).toContain(
      'nope is an unknown key',
    );
    writeFileSync(path, Buffer.from([0x7b, 0xc3, 0x28]));
    expect((await runCommand(['connectors', 'list', `@${path}`], given)).error.message).toContain('UTF-8');
    expect((await runCommand(['connectors', 'list', `@${home}`], given)).error.message).toContain('folder');
    expect((await runCommand(['connectors', 'list', '@nowhere.json'], given)).error.message).toContain(
      'does not exist',
    );
  });

  test('explains how to continue without credentials if the service has no setup flow', async () => {
    const without: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      return fetch(request.url.endsWith('/setup') ? `${new URL(request.url).origin}/api/v1/nowhere` : request);
    };
    const argv = ['connectors', 'create', '{"name":"x","connector_type":"gong"}'];
    const { exit, error } = await runCommand(argv, { env, fetch: without });
    expect(exit).toBe(4);
    expect(error.message).toContain('no setup flow');
    expect(error.hint).toContain('connectors create -');
  });
});

describe('connectors create and sync', () => {
  test('report an unknown outcome if a create request is lost', async () => {
    let tries = 0;
    const lost: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      if (!request.url.endsWith('/connectors')) return fetch(request);
      tries++;
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
    };
    const input = JSON.stringify({ name: 'lost', connector_type: 'linear', credentials: { api_key: linearKey } });
    const { exit, error } = await runCommand(['connectors', 'create', '-'], { env, fetch: lost, input });
    expect([exit, error.code, error.retryable, tries]).toEqual([1, 'unknown_outcome', false, 1]);
    expect(error.message).toContain('connectors.create was sent');
  });
});

describe('the setup flow, if the service has one', () => {
  const flow = (url: string, statuses: string[]) => {
    const asked: string[] = [];
    const answer: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      const { pathname } = new URL(request.url);
      asked.push(`${request.method} ${pathname}`);
      if (pathname.endsWith('/token')) return Response.json({ access_token: 't', expires_in: 900 });
      if (pathname.endsWith('/setup')) return Response.json({ setup_url: url, setup_id: 's1' });
      if (pathname.endsWith('/setup/s1'))
        return Response.json({ status: statuses.shift(), connector_id: 'con_1', error: 'denied' });
      return Response.json({ id: 'con_1', name: 'x' });
    };
    return { answer, asked };
  };
  const create = ['connectors', 'create', '{"name":"x"}'];

  test('prints the URL, opens it on a terminal, waits, and returns the connector', async () => {
    const { answer, asked } = flow(`${serviceUrl}/setup/s1`, ['pending', 'done']);
    const opened: string[] = [];
    const browse = (shown: string) => opened.push(shown) > 0;
    const { exit, json, err } = await runCommand(create, { env, fetch: answer, terminal: true, browse });
    expect([exit, json]).toEqual([0, { id: 'con_1', name: 'x' }]);
    expect(err).toContain(`Continue in a browser: ${serviceUrl}/setup/s1\n`);
    expect(err).toContain('Waiting for the browser');
    expect(opened).toEqual([`${serviceUrl}/setup/s1`]);
    expect(asked.filter((line) => line.endsWith('/setup/s1'))).toHaveLength(2);
  });

  test('does not open a browser without a terminal or with --no-browser', async () => {
    const opened: string[] = [];
    const browse = (shown: string) => opened.push(shown) > 0;
    const piped = flow(`${serviceUrl}/setup/s1`, ['done']);
    await runCommand(create, { env, fetch: piped.answer, browse });
    const asked = flow(`${serviceUrl}/setup/s1`, ['done']);
    await runCommand([...create, '--no-browser'], { env, fetch: asked.answer, terminal: true, browse });
    expect(opened).toEqual([]);
  });

  test.each(['javascript:alert(1)', 'file:///etc/passwd', 'https://a:b@service.internal/', 'not a URL'])(
    'rejects the URL %s',
    async (url) => {
      const opened: string[] = [];
      const { answer } = flow(url, ['done']);
      const { exit, error } = await runCommand(create, {
        env: { ...env, AGENT_CONNECTORS_OUTPUT: 'json' },
        fetch: answer,
        terminal: true,
        browse: (shown) => opened.push(shown) > 0,
      });
      expect([exit, error.code, opened]).toEqual([1, 'invalid_response', []]);
    },
  );

  test('reports a failed setup', async () => {
    const { answer } = flow(`${serviceUrl}/setup/s1`, ['failed']);
    const { exit, err } = await runCommand(create, { env, fetch: answer });
    expect(exit).toBe(1);
    expect(JSON.parse(err.split('\n')[1]!)).toMatchObject({ message: 'Setup failed: denied.', setup_id: 's1' });
  });
});

describe('the other commands', () => {
  test('list shows a page, or one connector per line', async () => {
    const page = await runCommand(['connectors', 'list', '{"limit":1}'], given);
    expect(page.json.data).toHaveLength(1);
    expect(page.json.next).toBeTypeOf('string');
    const { out } = await runCommand(['connectors', 'list', '{"limit":1}', '--all'], given);
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).name),
    ).toEqual(expect.arrayContaining(['issues', 'files']));
  });

  test('describe shows an outline or details', async () => {
    const outline = await runCommand(['connectors', 'describe', '{"name":"issues"}'], given);
    expect(outline.json).toMatchObject({ name: 'issues', connector_type: 'linear', workspace_name: 'default' });
    expect(outline.json.entities[0].actions[0]).toMatchObject({
      name: 'list',
      effect: 'read',
      params: ['first?', 'after?', 'filter?', 'orderBy?', 'includeArchived?', 'count?'],
    });
    expect(outline.json.readiness.entities.length).toBeGreaterThan(0);
    const action = await runCommand(
      ['connectors', 'describe', '{"name":"issues","entity":"issues","action":"create"}'],
      given,
    );
    expect(action.json.entity.actions[0].params.required).toContain('teamId');
    const full = await runCommand(['connectors', 'describe', '{"name":"issues"}', '--full'], given);
    expect(full.json.entities[0].record).toMatchObject({ type: 'object' });
    const wrong = await runCommand(['connectors', 'describe', '{"name":"issues","entity":"isues"}'], given);
    expect([wrong.exit, wrong.error.code]).toEqual([4, 'unknown_entity']);
  });

  test('check and doctor report whether credentials work', async () => {
    expect((await runCommand(['connectors', 'check', '{"name":"issues"}'], given)).json.status).toBe('succeeded');
    const { exit, json } = await runCommand(['doctor'], given);
    expect(exit).toBe(1);
    const byName = Object.fromEntries(json.connectors.map((each: any) => [each.connector, each]));
    expect(byName.issues).toMatchObject({ ok: true, problems: [] });
    expect(byName.second.ok).toBe(false);
    expect(byName.second.problems[0].fix).toContain('credentials');
    expect((await runCommand(['doctor', '{"name":"issues"}'], given)).exit).toBe(0);
  });

  test.each([
    ['sync', ['connectors', 'sync', '{"name":"issues"}']],
    ['skills docs', ['skills', 'docs', '{"docs_id":"linear","section":"auth"}']],
  ])("%s returns the service's response", async (_, argv) => {
    const before = requests.length;
    const { exit, json, error } = await runCommand(argv, given);
    expect(requests.slice(before).some(({ path }) => /\/(sync|docs)$/.test(path))).toBe(true);
    if (exit === 0) expect(json).toBeTypeOf('object');
    else expect(error.message).toBeTypeOf('string');
  });

  test('reads documentation by a docs_id from the list', async () => {
    const { json } = await runCommand(['connectors', 'list'], given);
    const { docs_id } = json.data.find(({ name }: any) => name === 'issues');
    const { out } = await runCommand(['connectors', 'list', '--all'], given);
    expect(out).toContain(docs_id);
    const read = await runCommand(['skills', 'docs', JSON.stringify({ docs_id })], given);
    expect(read.json.metadata.title).toContain('Linear');
    const unknown = await runCommand(['skills', 'docs', '{"docs_id":"nope"}'], given);
    expect([unknown.exit, unknown.error.hint]).toEqual([3, expect.stringContaining('connectors list')]);
    const byId = await runCommand(['connectors', 'inspect', '{"id":"con_x"}'], given);
    expect([byId.exit, byId.error.hint]).toEqual([3, expect.stringContaining('connectors list')]);
    const workspace = await runCommand(['connectors', 'list', '{"workspace":"nope"}'], given);
    expect([workspace.exit, workspace.error.hint]).toEqual([3, expect.stringContaining('workspaces list')]);
  });

  test('delete requires confirmation', async () => {
    const argv = ['connectors', 'delete', '{"name":"second"}'];
    expect((await runCommand(argv, given)).exit).toBe(4);
    const no = await runCommand(argv, { ...given, terminal: true, stdin: keyboard('y\n') });
    expect([no.exit, no.out]).toEqual([1, '']);
    expect(no.err).toContain("Deleting the connector 'second' (linear)");
    const yes = await runCommand(argv, { ...given, terminal: true, stdin: keyboard('yes\n') });
    expect(yes.json).toMatchObject({ name: 'second', deleted: true });
    expect((await runCommand([...argv, '--yes'], given)).exit).toBe(3);
  });
});
