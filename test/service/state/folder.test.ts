import { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CreateOptions, createService, type Service } from 'agent-connectors-service';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRequester, tenantOf } from '../http/setup.js';
import { newKey } from '../keys.js';
import { bytesIn, createTenant, newFolder, newState, openTestDatabase, rotateKeys } from './fixtures.js';

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('the data folder', () => {
  it('is private to its owner, as is every file in it', async () => {
    const folder = join(newFolder(), 'deep', 'data');
    const before = process.umask(0);
    try {
      await (await createTenant(await newState({ folder }))).connect();
    } finally {
      process.umask(before);
    }
    expect(modeOf(folder)).toBe(0o700);
    const modes = readdirSync(folder).map((name) => [name, modeOf(join(folder, name))]);
    expect(modes).toContainEqual(['state.db-wal', 0o600]);
    expect(modes.filter(([, mode]) => mode !== 0o600)).toEqual([]);
  });

  it('that others can write to is rejected and left unchanged', async () => {
    const folder = newFolder();
    chmodSync(folder, 0o777);
    await expect(newState({ folder })).rejects.toThrow(/Other users can write/);
    expect(modeOf(folder)).toBe(0o777);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('survives a restart', async () => {
    const folder = newFolder();
    const keys = [newKey()];
    const first = await newState({ folder, keys });
    const { scope, connect } = await createTenant(first);
    const row = await connect();
    await first.close();
    await first.close();
    await expect(first.ping()).rejects.toThrow('closed');
    expect(await (await newState({ folder, keys })).connectors.get(scope, row.id)).toEqual(row);
  });

  it('can be backed up by copying its database after closing it', async () => {
    const [folder, copy] = [newFolder(), newFolder()];
    const keys = [newKey()];
    const state = await newState({ folder, keys });
    const { scope, connect } = await createTenant(state);
    const row = await connect();
    await state.close();
    copyFileSync(join(folder, 'state.db'), join(copy, 'state.db'));
    expect(await (await newState({ folder: copy, keys })).connectors.get(scope, row.id)).toEqual(row);
  });

  it('with a database from a newer release is rejected with an explanation', async () => {
    const folder = newFolder();
    const keys = [newKey()];
    await (await newState({ folder, keys })).close();
    const database = await openTestDatabase(folder);
    await database.query.insertInto('versions').values({ version: 999, name: 'future', applied_at: '' }).execute();
    await database.close();
    await expect(newState({ folder, keys })).rejects.toThrow(/version 999.*newer release/);
  });

  it('contains no plaintext secrets, either before or after closing', async () => {
    const folder = newFolder();
    const key = newKey();
    const state = await newState({ folder, keys: [key] });
    const { organization, scope, connect } = await createTenant(state);
    const canaries = ['canary-api-key-1', 'canary-refresh-2', 'canary-rotated-3', 'canary-answer-4', 'canary-hash-5'];
    const { id } = await connect({ credentials: { api_key: canaries[0]!, refresh_token: canaries[1]! } });
    await state.credentials.save(id, { refresh_token: canaries[2]! });
    const write = { clientId: 'cli_1', connectorId: id, entity: 'issues', action: 'create', key: 'canary-key-6' };
    const entry = await state.ledger.begin(write, canaries[4]!);
    if (entry.state !== 'begun') throw new Error(`The write is ${entry.state}.`);
    await state.ledger.finish(entry.write, 200, JSON.stringify({ title: canaries[3] }));
    const { secret } = await state.clients.create('agent', [organization.id]);
    const secrets = [...canaries, 'canary-key-6', secret, secret.slice(4), key, 'canary'];
    const found = () => secrets.filter((canary) => bytesIn(folder).includes(canary));
    expect(bytesIn(folder)).toContain('acme');
    expect(found()).toEqual([]);
    await state.connectors.delete(scope, id);
    await state.close();
    expect(found()).toEqual([]);
  });
});

describe("a folder's key", () => {
  const open = async (options: CreateOptions) => {
    const service = await createService({ replicate: false, ...options });
    onTestFinished(() => service.close());
    return service;
  };
  /** Whether a service accepts another service's token, which requires the same key. */
  const accepts = async (service: Service, token: string) => {
    const { status } = await createRequester(service, { authorization: `Bearer ${token}` })(
      'GET',
      '/api/v1/account/me',
    );
    return status === 200;
  };

  it('is created only on request, and reused later', async () => {
    const dataFolder = join(newFolder(), 'data');
    await expect(open({ dataFolder })).rejects.toThrow(/AGENT_CONNECTORS_KEY.*--create-key/);
    expect(existsSync(dataFolder)).toBe(false);
    const first = await open({ dataFolder, createKey: true });
    expect(modeOf(join(dataFolder, 'key'))).toBe(0o600);
    const { token } = await tenantOf(first, 'Acme');
    await first.close();
    for (const createKey of [false, true]) {
      const again = await open({ dataFolder, createKey });
      expect(await accepts(again, token)).toBe(true);
      await again.close();
    }
  });

  it('is not created if a database exists whose own key is missing', async () => {
    const dataFolder = newFolder();
    await (await newState({ folder: dataFolder })).close();
    for (const createKey of [false, true])
      await expect(open({ dataFolder, createKey })).rejects.toThrow(/database but no key/);
    expect(readdirSync(dataFolder)).not.toContain('key');
  });

  it('is rejected if others can read it, or if it is invalid', async () => {
    const dataFolder = newFolder();
    const path = join(dataFolder, 'key');
    const refusal = () => open({ dataFolder }).then(String, String);
    writeFileSync(path, 'canary-not-a-key\n', { mode: 0o600 });
    expect(await refusal()).toMatch(/32 random bytes/);
    expect(await refusal()).not.toContain('canary');
    chmodSync(path, 0o640);
    expect(await refusal()).toMatch(/Other users can read.*chmod 600/);
    writeFileSync(path, '\n', { mode: 0o600 });
    chmodSync(path, 0o600);
    expect(await refusal()).toMatch(/empty/);
  });

  it('is overridden by a key passed as an option, which can be combined with its previous keys', async () => {
    const dataFolder = newFolder();
    const first = await open({ dataFolder, createKey: true });
    const { token } = await tenantOf(first, 'Acme');
    await first.close();
    const ofFile = readFileSync(join(dataFolder, 'key'), 'utf8').trim();
    const key = newKey();
    const both = await open({ dataFolder, key, previousKeys: [ofFile] });
    expect(await accepts(both, token)).toBe(true);
    const { token: newer } = await tenantOf(both, 'Globex');
    await both.close();
    await rotateKeys(dataFolder, [key, ofFile]);
    const alone = await open({ dataFolder, key });
    expect([await accepts(alone, token), await accepts(alone, newer)]).toEqual([false, true]);
    await expect(open({ dataFolder, previousKeys: [ofFile] })).rejects.toThrow(/but AGENT_CONNECTORS_KEY is not/);
  });

  it('is different for every in-memory state', async () => {
    const [one, other] = [await open({ dataFolder: ':memory:' }), await open({ dataFolder: ':memory:' })];
    const { token } = await tenantOf(one, 'Acme');
    expect([await accepts(one, token), await accepts(other, token)]).toEqual([true, false]);
  });
});
