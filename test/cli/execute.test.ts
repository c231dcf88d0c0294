import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { safeName } from 'agent-connectors/node';
import { beforeAll, describe, expect, test } from 'vitest';
import { asConnectorError, reportOf } from '../../src/cli/failure.js';
import { keyboard, linearKey, runCommand, startTestService, tempFolder } from './session.js';

const { env, fetch, sandbox, requests } = await startTestService();
const given = { env, fetch };

const execute = (argument: object, ...flags: string[]) =>
  runCommand(['connectors', 'execute', JSON.stringify({ name: 'issues', ...argument }), ...flags], given);

beforeAll(async () => {
  const { oauth } = sandbox.vendors['google-drive'].credentials;
  const linear = { connector_type: 'linear', credentials: { api_key: linearKey } };
  const drive = { name: 'files', connector_type: 'Google Drive', credentials: oauth };
  const gong = { name: 'calls', connector_type: 'gong', credentials: sandbox.vendors.gong.credentials.basic };
  for (const connector of [{ name: 'issues', ...linear }, { name: 'second', ...linear }, drive, gong]) {
    const { exit } = await runCommand(['connectors', 'create', '-'], { ...given, input: JSON.stringify(connector) });
    expect(exit).toBe(0);
  }
});

describe('connectors execute', () => {
  test('returns data and meta with the selected fields', async () => {
    const { exit, json } = await execute({
      entity: 'issues',
      action: 'list',
      params: { first: 3 },
      select_fields: ['id', 'title'],
    });
    expect(exit).toBe(0);
    expect(json.data).toHaveLength(3);
    expect(Object.keys(json.data[0])).toEqual(['id', 'title']);
    expect(json.meta.hasNextPage).toBe(true);
  });

  test('returns the concise view, even for all pages', async () => {
    const users = { entity: 'users', action: 'list' };
    const { json } = await execute(users, '--view', 'concise');
    expect(Object.keys(json.data[0])).toEqual(['id', 'name', 'email', 'active']);
    const { out } = await execute(users, '--view=concise', '--all');
    expect(JSON.parse(out.split('\n')[0]!)).not.toHaveProperty('admin');
    expect(await execute(users, '--view', 'short')).toMatchObject({ exit: 4 });
  });

  test('prints all pages as JSON lines', async () => {
    const { exit, out } = await execute({ entity: 'users', action: 'list', params: { first: 5 } }, '--all');
    const records = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(exit).toBe(0);
    expect(records.length).toBeGreaterThan(5);
    expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
  });

  test('says on standard error what the records of all pages do not contain', async () => {
    const search = await execute({ entity: 'issues', action: 'context_store_search', params: { query: {} } }, '--all');
    expect([search.exit, search.out]).toEqual([0, '']);
    expect(search.error).toMatchObject({
      type: 'warning',
      message: expect.stringMatching(/^Incomplete: /),
      complete: false,
      missing: expect.arrayContaining([expect.objectContaining({ reason: 'not_synced', entity: 'issues' })]),
    });
    const users = await execute({ entity: 'users', action: 'list' }, '--all');
    expect(users.error).toMatchObject({
      type: 'note',
      message: expect.stringMatching(/^Not included: Deactivated users/),
      complete: true,
    });
    expect(users.out.trim().split('\n')).not.toContain('');
  });

  test.each([
    [{ entity: 'isues', action: 'list' }, 4, "Did you mean 'issues'?"],
    [{ entity: 'issues', action: 'lits' }, 4, "Did you mean 'list'?"],
    [{ entity: 'issues', action: 'list', params: { frist: 1 } }, 4, "Did you mean 'first'?"],
    [{ entity: 'issues', action: 'get', params: { id: 'NOPE-1' } }, 3, 'Could not find'],
    [{ entity: 'issues' }, 4, 'action is missing'],
    [{ entity: 'issues', action: 'list', name: 'isues' }, 3, "Did you mean 'issues'?"],
    [{ entity: 'issues', action: 'list', id: 'con_x' }, 4, 'not both'],
    [{ entity: 'issues', action: 'list', name: 'linear' }, 4, 'Several'],
  ])('%j exits with code %i', async (argument, code, said) => {
    const { exit, out, error } = await execute(argument);
    expect([exit, out]).toEqual([code, '']);
    expect(`${error.message} ${JSON.stringify(error.issues ?? '')}`).toContain(said);
  });

  test('finds a connector by id, or by type if it is the only one', async () => {
    const { json } = await runCommand(['connectors', 'list', '{"connector_type":"google-drive"}'], given);
    const call = { entity: 'about', action: 'get', params: {} };
    const byId = await runCommand(['connectors', 'execute', JSON.stringify({ id: json.data[0].id, ...call })], given);
    const byType = await runCommand(
      ['connectors', 'execute', JSON.stringify({ name: 'google_drive', ...call })],
      given,
    );
    expect(byId.exit).toBe(0);
    expect(byType.json).toEqual(byId.json);
  });

  test('sends writes with an idempotency key and executes a repeated key only once', async () => {
    const teams = await execute({ entity: 'teams', action: 'list', params: { first: 1 } });
    const write = {
      entity: 'issues',
      action: 'create',
      params: { teamId: teams.json.data[0].id, title: 'Once' },
      idempotency_key: 'once-1',
      intent: 'to test it',
    };
    const from = requests.length;
    const [first, second] = [await execute(write), await execute(write)];
    expect(first.exit).toBe(0);
    expect(second.json).toEqual(first.json);
    const keys = requests
      .slice(from)
      .flatMap(({ path, headers }) => (path.endsWith('/execute') ? headers.get('idempotency-key') : []));
    expect(keys).toEqual(['once-1', 'once-1']);
    const other = await execute({ ...write, params: { ...write.params, title: 'Twice' } });
    expect([other.exit, other.error.code, other.error.idempotency_key]).toEqual([1, 'conflict', 'once-1']);
    expect((await execute({ entity: 'teams', action: 'list', idempotency_key: 'x' })).exit).toBe(4);
  });

  test('does not print a key for a write that was not sent', async () => {
    const from = requests.length;
    const { exit, error } = await execute({ entity: 'issues', action: 'lst', params: {} });
    expect([exit, error.code]).toEqual([4, 'unknown_action']);
    expect(error).not.toHaveProperty('idempotency_key');
    expect(requests.slice(from).some(({ path }) => path.endsWith('/execute'))).toBe(false);
  });

  test('never retries a write under a different key, and prints the key it used', async () => {
    const keys: Array<string | null> = [];
    const lost: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      if (!request.url.endsWith('/execute')) return fetch(request);
      keys.push(request.headers.get('idempotency-key'));
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
    };
    const argument = { name: 'issues', entity: 'comments', action: 'create', params: { issueId: 'X-1', body: 'b' } };
    const { exit, error } = await runCommand(['connectors', 'execute', JSON.stringify(argument)], { env, fetch: lost });
    expect(exit).toBe(1);
    expect(error).toMatchObject({ code: 'unknown_outcome', retryable: false, idempotency_key: keys[0] });
    expect(new Set(keys).size).toBe(1);
    expect(error.hint).toContain(keys[0]);
  });

  const broken = (code: string) => new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
  const comment = JSON.stringify({
    name: 'issues',
    entity: 'comments',
    action: 'create',
    params: { issueId: 'X-1', body: 'b' },
  });

  test('reports an unknown outcome for a lost write, even if its retry was rejected', async () => {
    const codes = ['ECONNRESET', 'ECONNREFUSED', 'ECONNREFUSED'];
    const killed: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      if (!request.url.endsWith('/execute')) return fetch(request);
      throw broken(codes.shift()!);
    };
    const { exit, error } = await runCommand(['connectors', 'execute', comment], { env, fetch: killed });
    expect([exit, codes]).toEqual([1, []]);
    expect(error).toMatchObject({ code: 'unknown_outcome', retryable: false });
    expect(error.hint).toContain(`"idempotency_key":"${error.idempotency_key}"`);
  });

  test('reports a write that was never sent as not executed', async () => {
    const down: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      if (!request.url.endsWith('/execute')) return fetch(request);
      throw broken('ECONNREFUSED');
    };
    const { error } = await runCommand(['connectors', 'execute', comment], { env, fetch: down });
    expect(error).toMatchObject({ code: 'network', retryable: true });
  });

  test("reports an unknown outcome and the signal's exit code if a signal interrupts a write", async () => {
    const stop = new AbortController();
    const hanging: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      if (!request.url.endsWith('/execute')) return fetch(request);
      setTimeout(() => stop.abort(), 10);
      return new Promise(() => {});
    };
    const given = { env, fetch: hanging, signal: stop.signal };
    const { exit, error } = await runCommand(['connectors', 'execute', comment], given);
    expect([exit, error.code, error.retryable]).toEqual([130, 'unknown_outcome', false]);
  });

  test('asks before deleting, and requires --yes without a terminal', async () => {
    const made = await runCommand(
      ['connectors', 'execute', '{"name":"files","entity":"files","action":"create","params":{"name":"scrap"}}'],
      given,
    );
    expect(made.exit).toBe(0);
    const argument = JSON.stringify({
      name: 'files',
      entity: 'files',
      action: 'delete',
      params: { fileId: made.json.data.id },
    });
    const refused = await runCommand(['connectors', 'execute', argument], given);
    expect([refused.exit, refused.error.hint]).toEqual([4, 'Pass --yes to confirm.']);
    const no = await runCommand(['connectors', 'execute', argument], {
      ...given,
      terminal: true,
      stdin: keyboard('no\n'),
    });
    expect(no.exit).toBe(1);
    const yes = await runCommand(['connectors', 'execute', argument, '--yes'], given);
    expect(yes.json.data).toEqual({ success: true });
  });
});

describe('a download', () => {
  const asked = async () => {
    const list = {
      name: 'files',
      entity: 'files',
      action: 'list',
      params: { q: "mimeType='application/pdf'", pageSize: 30 },
    };
    const { json } = await runCommand(['connectors', 'execute', JSON.stringify(list)], given);
    // Owners can forbid the download of a file.
    const { id, size, name } = json.data.find(({ capabilities }: any) => capabilities?.canDownload !== false);
    const argument = JSON.stringify({ name: 'files', entity: 'files', action: 'download', params: { fileId: id } });
    return { argument, size: Number(size), name };
  };
  const run = (name: string, entity: string, action: string, params: object, ...flags: string[]) =>
    runCommand(['connectors', 'execute', JSON.stringify({ name, entity, action, params }), ...flags], given);
  const download = (argument: string, ...flags: string[]) =>
    runCommand(['connectors', 'execute', argument, ...flags], given);

  test('writes the whole file and overwrites an existing one only with --force', async () => {
    const { argument, size } = await asked();
    const home = tempFolder();
    const path = join(home, 'a.pdf');
    const first = await download(argument, '--output', path);
    expect(first.err).toBe('');
    expect(first.json.data).toEqual({ path, bytes: size });
    expect(readFileSync(path)).toHaveLength(size);
    const executed = () => requests.filter(({ path }) => path.endsWith('/execute')).length;
    const before = executed();
    const again = await download(argument, '--output', path);
    expect([again.exit, again.error.code]).toEqual([1, 'conflict']);
    expect(again.error.message).toBe(`File ${path} already exists, so nothing was requested.`);
    expect(again.error.hint).toContain('--force');
    expect(executed()).toBe(before);
    expect((await download(argument, '--output', path, '--force')).exit).toBe(0);
    expect(readdirSync(home)).toEqual(['a.pdf']);
  });

  test('into a folder is named after the record if the vendor sends no file name, with the extension of an export', async () => {
    const { argument, name } = await asked();
    const home = tempFolder();
    const { json } = await download(argument, '--output', `${home}/`);
    expect(json.meta.file_name).toBeNull();
    expect(readdirSync(home)).toEqual([safeName(name)]);
    expect(json.data.path).toBe(join(home, safeName(name)));
    const documents = { q: "mimeType='application/vnd.google-apps.document'", pageSize: 30 };
    const list = JSON.stringify({ name: 'files', entity: 'files', action: 'list', params: documents });
    const found = await runCommand(['connectors', 'execute', list], given);
    const document = found.json.data.find(({ capabilities }: any) => capabilities?.canDownload !== false);
    const params = { fileId: document.id, mimeType: 'text/plain' };
    const exported = JSON.stringify({ name: 'files', entity: 'files_export', action: 'download', params });
    await download(exported, '--output', home);
    expect(readdirSync(home).sort()).toEqual([safeName(name), safeName(`${document.name}.txt`)].sort());
  });

  test.each([
    ['Q1/Q2 plan', 'text/plain', 'Q1_Q2 plan.txt'],
    ['Roadmap v2.0', 'application/pdf', 'Roadmap v2.0.pdf'],
    ['report.docx', 'application/pdf', 'report.pdf'],
    ['report.PDF', 'application/pdf', 'report.PDF'],
    ['About Next.js', 'text/plain', 'About Next.js.txt'],
    [' ', 'application/pdf', 'download.pdf'],
    ['C:\\plans', 'application/rtf', 'C__plans.rtf'],
  ])('of a document named %j exported as %s is saved as %s', async (title, mimeType, fileName) => {
    const home = tempFolder();
    const document = 'application/vnd.google-apps.document';
    const created = await run('files', 'files_upload', 'create', { name: title, text: 'Words', mimeType: document });
    expect(created.error).toBeUndefined();
    const params = { fileId: created.json.data.id, mimeType };
    const { error } = await run('files', 'files_export', 'download', params, '--output', home);
    expect(error).toBeUndefined();
    expect(readdirSync(home)).toEqual([fileName]);
  });

  test.each(['README', 'main.py'])('of a text file named %s keeps its name', async (name) => {
    const home = tempFolder();
    const created = await run('files', 'files_upload', 'create', { name, text: 'Words', file_mime_type: 'text/plain' });
    await run('files', 'files', 'download', { fileId: created.json.data.id }, '--output', home);
    expect(readdirSync(home)).toEqual([name]);
  });

  test('of a recording is named after its call', async () => {
    const home = tempFolder();
    const { json } = await run('calls', 'calls', 'list', { fromDateTime: '2000-01-01', toDateTime: '2100-01-01' });
    const media = json.data.find(({ media }: any) => media === 'Video');
    const params = { filter: { callIds: [media.id] }, contentSelector: { exposedFields: { media: true } } };
    for (const entity of ['call_audio', 'call_video']) await run('calls', entity, 'download', params, '--output', home);
    const title = safeName(media.title.replaceAll('/', '_'));
    expect(readdirSync(home)).toEqual([`${title}.mp3`, `${title}.mp4`]);
  });

  test('into a folder uses a safe file name and shows progress on a terminal', async () => {
    const { argument, size } = await asked();
    const home = tempFolder();
    mkdirSync(join(home, 'in'));
    const { json, err } = await runCommand(['connectors', 'execute', argument, '--output', join(home, 'in')], {
      ...given,
      terminal: true,
    });
    expect(json.data.bytes).toBe(size);
    expect(readdirSync(join(home, 'in'))).toHaveLength(1);
    expect(err).toMatch(/\d+ %|\d B/);
    expect(err.endsWith('\r\u001b[2K')).toBe(true);
  });

  test('requires --output, which other actions do not accept', async () => {
    const { argument } = await asked();
    expect((await download(argument)).error.message).toContain('requires --output');
    const list = '{"name":"issues","entity":"issues","action":"list"}';
    expect((await download(list, '--output', 'x')).error.message).toContain('--output is for downloads');
    expect((await download(argument, '--output', 'x', '--all')).exit).toBe(4);
  });

  test('fetches nothing if the folder is missing or the target is standard output', async () => {
    const { argument } = await asked();
    const home = tempFolder();
    const from = requests.length;
    for (const path of ['none/x', 'none/']) {
      const { exit, error } = await download(argument, '--output', `${home}/${path}`);
      expect([exit, error.message]).toEqual([4, `--output: folder ${join(home, 'none')} not found.`]);
    }
    const dash = await download(argument, '--output', '-');
    expect([dash.exit, dash.error.message]).toEqual([
      4,
      expect.stringContaining('downloads are not written to standard output'),
    ]);
    expect(requests.slice(from).some(({ path }) => path.endsWith('/execute'))).toBe(false);
    expect(readdirSync(home)).toEqual([]);
  });

  test('is reported as failed, not aborted, when the disk is full', () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    const { report, exit } = reportOf(asConnectorError(full), []);
    expect(report).toMatchObject({ type: 'error', code: 'failed', retryable: false });
    expect([exit, report.message]).toEqual([1, expect.stringContaining('the disk is full')]);
  });

  test('leaves no file when interrupted', async () => {
    const { argument } = await asked();
    const home = tempFolder();
    const stop = new AbortController();
    const slow: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      if (!request.url.endsWith('/execute')) return fetch(request);
      const body = new ReadableStream({
        pull(controller) {
          controller.enqueue(new Uint8Array(1000));
          setTimeout(() => stop.abort(), 20);
          return new Promise(() => {});
        },
      });
      return new Response(body, { headers: { 'content-length': '100000' } });
    };
    const argv = ['connectors', 'execute', argument, '--output', join(home, 'a.pdf')];
    const { exit, error, out } = await runCommand(argv, { env, fetch: slow, signal: stop.signal });
    expect([exit, out, error.type]).toEqual([130, '', 'interrupted']);
    expect(readdirSync(home)).toEqual([]);
  });
});
