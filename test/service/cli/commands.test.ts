import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newKey } from '../keys.js';
import { bytesIn, createTenant, newFolder, newState } from '../state/fixtures.js';
import { runToEnd } from './terminal.js';

/** A data folder with a key file and the organization `acme`. */
async function prepared() {
  const data = join(newFolder(), 'data');
  const { code, out } = await runToEnd([
    'create-organization',
    '--name',
    'acme',
    '--data',
    data,
    '--create-key',
    '--json',
  ]);
  expect(code).toBe(0);
  const key = () => readFileSync(join(data, 'key'), 'utf8').trim().split('\n');
  return { data, organization: JSON.parse(out) as { id: string; name: string }, key };
}

describe('the command line', () => {
  it('shows its help and version', async () => {
    const help = await runToEnd(['--help']);
    expect(help).toMatchObject({ code: 0, error: '' });
    for (const name of ['create-client', 'rotate-key', '--create-key', 'AGENT_CONNECTORS_KEY']) {
      expect(help.out).toContain(name);
    }
    expect(help.out.split('\n').filter((line) => line.length > 80)).toEqual([]);
    const { version } = JSON.parse(readFileSync('service/package.json', 'utf8')) as { version: string };
    expect(await runToEnd(['--version'])).toEqual({ code: 0, out: `${version}\n`, error: '' });
  });

  it.each([
    [['serve-me'], "Unknown command 'serve-me'"],
    [['constructor'], "Unknown command 'constructor'"],
    [['list-cleints'], "Did you mean 'list-clients'?"],
    [['list-clients', 'all'], "Unexpected argument 'all'."],
    [['--prot', '80'], "Unknown option '--prot'. Did you mean '--port'?"],
    [['create-client', '--secret=canary'], "Unknown option '--secret'"],
    [['--port', 'http'], '--port must be'],
    [['--port', '65536'], '--port must be'],
    [['--max-body-bytes', '0'], '--max-body-bytes must be'],
    [['create-client', '--scopes', 'read,all'], "--scopes has 'all'. Scopes: read, write, manage, admin."],
    [['create-client', '--scopes', ''], "--scopes has ''"],
    [['roll-secret', 'cli_x', '--overlap', '1d'], '--overlap must be'],
    [['roll-secret', 'cli_x', '--overlap', '604801'], '--overlap must be'],
    [['--key', 'canary'], "'--key'"],
    [['backup', '--to', '--with-key'], '--to needs a value.'],
    [['export-audit', '--from', '2026-02-01', '--until', '2026-01-01'], '--from is later than --until.'],
    [
      ['update-client', 'cli_x'],
      'update-client needs --scopes <list> (read, write, manage, admin) or --as-user <email>.',
    ],
    [['roll-secret', '--data', 'd'], 'Pass the id or name of a client; see list-clients.'],
    [['migrate'], 'migrate needs --distribute'],
    [['backup'], 'backup needs --to <folder>, a new one.'],
  ])('rejects %j and refers to the help', async (given, words) => {
    const { code, out, error } = await runToEnd(given);
    expect([code, out]).toEqual([1, '']);
    expect(error).toContain(words);
    expect(error).toContain('Try --help');
    expect(error).not.toContain('canary');
  });

  it('suggests --dev if there is no key', async () => {
    const { code, error } = await runToEnd(['--data', join(newFolder(), 'data')]);
    expect(code).toBe(1);
    expect(error).toContain('To evaluate the service in memory, pass --dev.');
  });

  it('shows help for one command', async () => {
    const help = await runToEnd(['roll-secret', '--help']);
    expect(help).toMatchObject({ code: 0, error: '' });
    expect(help.out).toBe(`Usage: agent-connectors-service roll-secret <id> [options]

  roll-secret <id>     replace a client's secret
                         [--overlap <seconds the old one stays valid> (86400)]
                         [--end-tokens]

All commands accept --data <folder> and --json. For all options: --help
`);
    expect((await runToEnd(['backup', '--help'])).out).toMatch(/--to <folder> \[--with-key\]\n\nAll commands/);
    expect((await runToEnd(['verify-audit', '--help'])).out).toMatch(/\[head \.\.\.\]\n\nAll commands/);
  });

  it("exports an organization's audit log by name and rejects an unknown organization", async () => {
    const { data, organization } = await prepared();
    await runToEnd(['create-client', '--name', 'agent', '--data', data, '--json']);
    const named = await runToEnd(['export-audit', '--organization', 'acme', '--data', data]);
    expect(JSON.parse(named.out)).toMatchObject({ organization_id: organization.id, event: 'client.created' });
    const absent = await runToEnd(['export-audit', '--organization', 'nope', '--data', data]);
    expect([absent.code, absent.out]).toEqual([1, '']);
    expect(absent.error).toContain("No organization matches 'nope'.");
  });

  it('rejects a folder without a database, except when creating an organization', async () => {
    const data = join(newFolder(), 'mistyped');
    const environment = { AGENT_CONNECTORS_KEY: newKey() };
    for (const command of [['list-clients'], ['rotate-key'], ['delete-client', 'cli_x'], ['create-client']]) {
      const { code, error } = await runToEnd([...command, '--data', data], { environment });
      expect(code).toBe(1);
      expect(error).toContain(`no database in ${data}`);
    }
    expect(existsSync(data)).toBe(false);
  });
});

describe('clients', () => {
  it('are created, listed and deleted', async () => {
    const { data, organization } = await prepared();
    const made = await runToEnd(['create-client', '--name', 'agent', '--data', data, '--json']);
    const { client_id, client_secret, organization_id } = JSON.parse(made.out);
    expect(organization_id).toBe(organization.id);
    expect(client_secret).toMatch(/^acs_[0-9A-Za-z]{49}$/);
    expect(bytesIn(data)).not.toContain(client_secret);
    const listed = await runToEnd(['list-clients', '--data', data, '--json']);
    expect(JSON.parse(listed.out)).toEqual([
      {
        id: client_id,
        name: 'agent',
        organizations: [organization],
        created_at: expect.any(String),
        scopes: ['read', 'write', 'manage', 'admin'],
      },
    ]);
    expect((await runToEnd(['list-clients', '--data', data])).out).toMatch(new RegExp(`^${client_id} .*agent.*acme`));
    expect(await runToEnd(['delete-client', client_id, '--data', data])).toMatchObject({ code: 0 });
    expect((await runToEnd(['delete-client', client_id, '--data', data])).error).toBe(
      `Client ${client_id} not found. Run list-clients to see all clients.\n`,
    );
    expect((await runToEnd(['list-clients', '--data', data])).out).toBe('');
  });

  it('have the scopes they were created with', async () => {
    const { data } = await prepared();
    const made = await runToEnd(['create-client', '--name', 'a', '--scopes', 'write, read', '--data', data, '--json']);
    expect(made.code).toBe(0);
    const listed = await runToEnd(['list-clients', '--data', data, '--json']);
    expect(JSON.parse(listed.out)).toMatchObject([{ scopes: ['read', 'write'] }]);
    expect((await runToEnd(['list-clients', '--data', data])).out).toMatch(/ read,write\n$/);
  });

  it('have their secret printed on a terminal, and otherwise written to a file', async () => {
    const { data } = await prepared();
    const shown = await runToEnd(['create-client', '--name', 'a', '--data', data], { interactive: true });
    expect(shown.out).toMatch(/client_secret +acs_[0-9A-Za-z]{49}\n/);
    const filed = await runToEnd(['create-client', '--name', 'b', '--data', data]);
    expect(filed.out).not.toContain('acs_');
    const path = filed.out.trim();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(path, 'utf8')).client_secret).toMatch(/^acs_/);
  });

  it('can belong to several organizations, and one must be specified if there is a choice', async () => {
    const { data, organization } = await prepared();
    await runToEnd(['create-organization', '--name', 'beta', '--data', data]);
    const unclear = await runToEnd(['create-client', '--name', 'agent', '--data', data]);
    expect(unclear.error).toMatch(/--organization: .*acme.*beta/);
    const wrong = await runToEnd(['create-client', '--name', 'agent', '--organization', 'gamma', '--data', data]);
    expect(wrong.error).toContain("No organization matches 'gamma'");
    const both = ['--organization', 'beta', '--organization', organization.id];
    await runToEnd(['create-client', '--name', 'agent', ...both, '--data', data, '--json']);
    const [client] = JSON.parse((await runToEnd(['list-clients', '--data', data, '--json'])).out);
    expect(client.organizations.map(({ name }: { name: string }) => name)).toEqual(['beta', 'acme']);
  });

  it('are not created without a name', async () => {
    const { data } = await prepared();
    for (const name of [[], ['--name', ' ']]) {
      expect((await runToEnd(['create-client', ...name, '--data', data])).error).toContain('needs a --name');
    }
  });
});

describe('rotate-key', () => {
  it('creates a new key in the key file and makes the old one unusable', async () => {
    const { data, key } = await prepared();
    const before = key();
    const state = await newState({ folder: data, keys: before });
    const { id } = await (await createTenant(state)).connect();
    await state.close();
    const rotated = await runToEnd(['rotate-key', '--data', data, '--json']);
    expect(JSON.parse(rotated.out)).toEqual({ rewrapped: 1, resealed: 0 });
    expect(key()).toHaveLength(1);
    expect(key()).not.toEqual(before);
    expect(rotated.out).not.toContain(key()[0]);
    expect(await (await newState({ folder: data, keys: key() })).credentials.load(id)).toEqual({
      api_key: 'lin_api_1',
    });
    await expect(newState({ folder: data, keys: before })).rejects.toThrow(/wrong key/);
    expect(statSync(join(data, 'key')).mode & 0o777).toBe(0o600);
    expect(readdirSync(data).filter((name) => name.includes('part'))).toEqual([]);
  });

  it('does not change the key file while a service uses it', async () => {
    const { data, key } = await prepared();
    const before = key();
    const running = await newState({ folder: data, keys: before });
    const { code, error } = await runToEnd(['rotate-key', '--data', data]);
    expect(code).toBe(1);
    expect(error).toContain('stop it');
    expect(key()).toEqual(before);
    await running.close();
    expect(await runToEnd(['rotate-key', '--data', data])).toMatchObject({ code: 0 });
  });

  it('resumes an interrupted rotation with its new key', async () => {
    const { data, key } = await prepared();
    const [old] = key();
    const fresh = newKey();
    const state = await newState({ folder: data, keys: [old!] });
    await (await createTenant(state)).connect();
    await state.close();
    writeFileSync(join(data, 'key'), `${fresh}\n${old}\n`);
    expect(await runToEnd(['rotate-key', '--data', data])).toMatchObject({ code: 0 });
    expect(key()).toEqual([fresh]);
  });

  it('reads the new and the old key from the environment', async () => {
    const data = join(newFolder(), 'data');
    const [old, fresh] = [newKey(), newKey()];
    const state = await newState({ folder: data, keys: [old] });
    await (await createTenant(state)).connect();
    await state.close();
    const only = await runToEnd(['rotate-key', '--data', data], { environment: { AGENT_CONNECTORS_KEY: old } });
    expect(only.out).toContain('AGENT_CONNECTORS_KEY_PREVIOUS to the current one');
    const environment = { AGENT_CONNECTORS_KEY: fresh, AGENT_CONNECTORS_KEY_PREVIOUS: ` ${old},` };
    const rotated = await runToEnd(['rotate-key', '--data', data], { environment });
    expect(rotated.out).toMatch(/^1 data key and 0 values.*\nAGENT_CONNECTORS_KEY_PREVIOUS can be removed/);
    await (await newState({ folder: data, keys: [fresh] })).ping();
    expect(existsSync(join(data, 'key'))).toBe(false);
  });

  it('identifies an incorrect key only by its id', async () => {
    const { data, key } = await prepared();
    const state = await newState({ folder: data, keys: key() });
    await (await createTenant(state, 'beta')).connect();
    await state.close();
    const environment = { AGENT_CONNECTORS_KEY: newKey() };
    const { code, out, error } = await runToEnd(['list-clients', '--data', data], { environment });
    expect([code, out]).toEqual([1, '']);
    expect(error).toMatch(/is encrypted with key [0-9a-f]{16}, /);
    for (const text of [...key(), environment.AGENT_CONNECTORS_KEY]) expect(error).not.toContain(text);
    const almost = environment.AGENT_CONNECTORS_KEY.slice(0, 40);
    const short = await runToEnd(['list-clients', '--data', data], { environment: { AGENT_CONNECTORS_KEY: almost } });
    expect(short.error).toContain('32 random bytes');
    expect(short.error).not.toContain(almost);
  });
});
