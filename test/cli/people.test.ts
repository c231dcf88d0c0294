import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createSandbox } from 'agent-connectors-sandbox';
import { createService } from 'agent-connectors-service';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { classByName } from '../../src/cli/definitions.js';
import { keyboard, linearKey, runCommand, serviceUrl, startTestService, tempFolder } from './session.js';

const { env, fetch } = await startTestService();
const given = { env, fetch };
const onTerminal = { ...given, terminal: true };

describe('on a terminal', () => {
  test('lists are tables and errors are text; with an argument, output is JSON', async () => {
    const created = JSON.stringify({ name: 'issues', connector_type: 'linear', credentials: { api_key: linearKey } });
    expect((await runCommand(['connectors', 'create', '-'], { ...given, input: created })).exit).toBe(0);
    const list = await runCommand(['connectors', 'list'], onTerminal);
    expect(list.out).toMatch(/id.*name.*connector_type/);
    const filtered = await runCommand(['connectors', 'list', '{"connector_type":"linear"}'], onTerminal);
    expect(filtered.json.data).toHaveLength(1);
    const failed = await runCommand(['connectors', 'inspect', '{"name":"isues"}'], onTerminal);
    expect(failed.exit).toBe(3);
    expect(failed.err).toMatch(/✗.*Connector not found.*Did you mean 'issues'/);
  });

  test.each([
    ['--json', ['--json'], {}],
    ['AGENT_CONNECTORS_OUTPUT', [], { AGENT_CONNECTORS_OUTPUT: 'json' }],
  ])('%s keeps JSON for lists and errors', async (_, flags, more) => {
    const options = { ...onTerminal, env: { ...env, ...more } };
    expect((await runCommand(['connectors', 'list', ...flags], options)).json.data).toEqual(expect.any(Array));
    const failed = await runCommand(['connectors', 'inspect', '{"name":"isues"}', ...flags], options);
    expect(failed.error.code).toBe('not_found');
  });

  test('in a pipe, lists are JSON', async () => {
    expect((await runCommand(['connectors', 'list'], given)).json.data).toEqual(expect.any(Array));
  });

  test('execute and describe print JSON without an argument, too', async () => {
    const { json } = await runCommand(['connectors', 'describe', '--local'], { terminal: true });
    expect(json.data ?? json).toBeTruthy();
  });

  test('recent moments are distances, and titles link to the vendor', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-05-04T12:00:00Z') });
    onTestFinished(() => void vi.useRealTimers());
    const node = (id: string, createdAt: string, url: string) => ({ id, title: `Issue ${id}`, createdAt, url });
    const nodes = [
      node('a', '2026-05-04T11:55:00.000Z', 'https://linear.app/a'),
      node('b', '2026-05-04T15:00:00.000Z', 'javascript:alert(1)'),
      node('c', '2026-04-01T11:55:00.000Z', 'https://linear.app/c\u001b]52;c;eA==\u0007'),
    ];
    const vendor = async () => Response.json({ data: { issues: { nodes, pageInfo: { hasNextPage: false } } } });
    const { out } = await runCommand(
      ['connectors', 'execute', '--local', '--pretty', '{"name":"linear","entity":"issues","action":"list"}'],
      { env: { LINEAR_API_KEY: linearKey }, fetch: vendor, terminal: true },
    );
    expect(out).toContain('\u001b]8;;https://linear.app/a\u001b\\Issue a\u001b]8;;\u001b\\');
    expect(out).toContain('5 min ago');
    expect(out).toContain('in 3 h');
    expect(out).toContain('2026-04-01 11:55Z');
    expect(out).not.toContain(']8;;javascript');
    expect(out).not.toContain('\u001b]52');
  });
});

describe('waiting', async () => {
  const sandbox = createSandbox();
  const service = await createService({ dev: true, fetch: sandbox.fetch });
  const { organizations, workspaces, clients } = service.state;
  const { id } = await organizations.create('acme');
  await workspaces.create(id, 'default');
  const { client, secret } = await clients.create('tests', [id]);
  const hosted = {
    fetch: (async (input, init) => service.fetch(new Request(input, init))) as typeof globalThis.fetch,
    env: {
      AGENT_CONNECTORS_BASE_URL: serviceUrl,
      AGENT_CONNECTORS_CLIENT_ID: client.id,
      AGENT_CONNECTORS_CLIENT_SECRET: secret,
    },
  };
  const linear = { name: 'issues', connector_type: 'linear', credentials: { api_key: linearKey } };

  test('sync --wait and jobs --watch end with the job, and show its progress on standard error', async () => {
    await runCommand(['connectors', 'create', '-'], { ...hosted, input: JSON.stringify(linear) });
    const synced = await runCommand(['connectors', 'sync', '--wait', '{"name":"issues"}'], {
      ...hosted,
      terminal: true,
    });
    expect([synced.exit, synced.json.status]).toEqual([0, 'done']);
    expect(synced.json.counts.read).toBeGreaterThan(0);
    const watched = await runCommand(['connectors', 'jobs', '--watch', '{"name":"issues"}'], hosted);
    expect([watched.exit, watched.json.id, watched.err]).toEqual([0, synced.json.id, '']);
  });

  test('logs --follow prints each entry once, oldest first, until it is interrupted', async () => {
    const stop = new AbortController();
    const following = runCommand(['logs', '--follow'], { ...hosted, signal: stop.signal });
    for (let round = 0; round < 3; round++) {
      await pause(700);
      await runCommand(['connectors', 'execute', '{"name":"issues","entity":"teams","action":"list"}'], hosted);
    }
    await pause(1500);
    stop.abort();
    const { exit, out } = await following;
    expect(exit).toBe(130);
    const entries = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const numbers = entries.map(({ seq }) => seq);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    expect(entries.filter(({ entity }) => entity === 'teams').length).toBeGreaterThanOrEqual(3);
  });

  test('logs --follow of an empty log prints everything that is written next', async () => {
    const stop = new AbortController();
    let looks = 0;
    const fetchAfterEmptyLog = (async (input, init) => {
      if (!String(input instanceof Request ? input.url : input).includes('/audit')) return hosted.fetch(input, init);
      looks += 1;
      if (looks === 3) stop.abort();
      return looks === 1 ? Response.json({ data: [], next: null }) : hosted.fetch(input, init);
    }) as typeof globalThis.fetch;
    const { out } = await runCommand(['logs', '--follow', '{"limit":1}'], {
      ...hosted,
      fetch: fetchAfterEmptyLog,
      signal: stop.signal,
    });
    expect(out.trimEnd().split('\n').length).toBeGreaterThanOrEqual(6);
  });

  test('logs --follow prints aligned lines with local times on a terminal, no wider than it', async () => {
    const entry = (seq: number, own: object) => ({
      seq,
      at: new Date().toISOString(),
      via: 'http',
      intent: null,
      ...own,
    });
    const read = {
      entity: 'settings_scorecards',
      action: 'context_store_search',
      connector_type: 'gong',
      duration_ms: 12,
    };
    const data = [
      entry(2, { ...read, event: 'execute', outcome: 'rate_limited', intent: 'the weekly report of the support team' }),
      entry(1, { event: 'token', entity: null, outcome: 'success', connector_type: null, duration_ms: null }),
    ];
    const stop = new AbortController();
    let looks = 0;
    const fetch = (async (input, init) => {
      if (!String(input instanceof Request ? input.url : input).includes('/audit')) return hosted.fetch(input, init);
      looks += 1;
      if (looks === 2) stop.abort();
      return Response.json({ data: looks === 1 ? data : [], next: null });
    }) as typeof globalThis.fetch;
    const { out } = await runCommand(['logs', '--follow'], {
      ...hosted,
      env: { ...hosted.env, NO_COLOR: '1' },
      fetch,
      signal: stop.signal,
      terminal: true,
      columns: 80,
    });
    const lines = out.trimEnd().split('\n');
    // The date is shown before midnight, too, if it passes now.
    const time = '(\\d{4}-\\d\\d-\\d\\d )?\\d\\d:\\d\\d:\\d\\d';
    expect(lines[0]).toMatch(new RegExp(`^${time} {2}success {4}token {25}http$`));
    expect(lines[1]).toMatch(
      new RegExp(`^${time} {2}rate_limited {2}settings_scorecards.context_store_search {2}http`),
    );
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  test.sequential('closes the service', () => service.close());
});

test('open gives the console’s URL and opens it', async () => {
  const opened: string[] = [];
  const { json } = await runCommand(['open'], { ...given, browse: (url) => opened.push(url) > 0 });
  expect(json).toEqual({ url: `${serviceUrl}/console/`, opened: true });
  expect(opened).toEqual([json.url]);
});

describe('init', () => {
  test('asks for the type on a terminal', async () => {
    const file = join(tempFolder(), 'first.mjs');
    const stdin = keyboard('linear\n');
    const { exit, err } = await runCommand(['init', JSON.stringify({ file })], { terminal: true, stdin });
    expect([exit, err]).toEqual([0, 'Connector type (gong, google-analytics, google-drive, granola, linear): ']);
    expect(readFileSync(file, 'utf8')).toContain("from 'agent-connectors/linear'");
  });

  test('without a terminal lists the types if none is named; the type can be a word', async () => {
    expect((await runCommand(['init'])).error.hint).toContain('linear');
    expect((await runCommand(['init', 'linaer'])).error.message).toContain("'linear'");
  });

  test.each(['linear', 'granola', 'gong', 'google-drive', 'google-analytics'])(
    'writes a program for %s',
    async (type) => {
      const file = join(tempFolder(), 'first.mjs');
      const argument = JSON.stringify({ connector_type: type, file });
      const { exit, json } = await runCommand(['init', argument]);
      expect(exit).toBe(0);
      const text = readFileSync(file, 'utf8');
      expect(text).toContain(`from 'agent-connectors/${type}'`);
      for (const name of json.next[1].match(/\b[A-Z_]+(?==)/g)) expect(text).toContain(`process.env.${name}`);
      const [, name] = /import \{ (\w+) \}/.exec(text)!;
      expect((await classByName(type, {}))!.name).toBe(name);
      expect((await runCommand(['init', argument])).error.message).toContain('exists already');
      expect((await runCommand(['init', argument, '--force'])).exit).toBe(0);
    },
  );
});

test('completion for PowerShell offers commands and flags', async () => {
  const { out } = await runCommand(['completion', 'powershell']);
  expect(out).toContain('Register-ArgumentCompleter -Native -CommandName agent-connectors');
  expect(out).toMatch(/'connectors' \{ 'list', /);
  expect(out).toContain("'--wait'");
});
