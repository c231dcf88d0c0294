import { chmodSync, copyFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chooseKeys } from '../../../service/src/data/vault/choose.js';
import { newKey } from '../keys.js';
import { bytesIn, createTenant, newFolder, newState, openTestDatabase } from './fixtures.js';

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('the data folder', () => {
  it('is made for its owner alone, with every file in it', async () => {
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

  it('that others may write to is refused, and not changed', async () => {
    const folder = newFolder();
    chmodSync(folder, 0o777);
    await expect(newState({ folder })).rejects.toThrow(/Others may write/);
    expect(modeOf(folder)).toBe(0o777);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('keeps what was written through a restart', async () => {
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

  it('is saved by a copy of its database, once that is closed', async () => {
    const [folder, copy] = [newFolder(), newFolder()];
    const keys = [newKey()];
    const state = await newState({ folder, keys });
    const { scope, connect } = await createTenant(state);
    const row = await connect();
    await state.close();
    copyFileSync(join(folder, 'state.db'), join(copy, 'state.db'));
    expect(await (await newState({ folder: copy, keys })).connectors.get(scope, row.id)).toEqual(row);
  });

  it('with a newer database is refused, with what to do', async () => {
    const folder = newFolder();
    const keys = [newKey()];
    await (await newState({ folder, keys })).close();
    const database = await openTestDatabase(folder);
    await database.query.insertInto('versions').values({ version: 999, name: 'future', applied_at: '' }).execute();
    await database.close();
    await expect(newState({ folder, keys })).rejects.toThrow(/version 999.*newer release/);
  });

  it('has no secret in any of its bytes, before and after it is closed', async () => {
    const folder = newFolder();
    const key = newKey();
    const state = await newState({ folder, keys: [key] });
    const { organization, scope, connect } = await createTenant(state);
    const canaries = ['canary-api-key-1', 'canary-refresh-2', 'canary-rotated-3', 'canary-answer-4', 'canary-hash-5'];
    const { id } = await connect({ credentials: { api_key: canaries[0]!, refresh_token: canaries[1]! } });
    await state.credentials.save(id, { refresh_token: canaries[2]! });
    const write = { clientId: 'cli_1', connectorId: id, entity: 'issues', action: 'create', key: 'canary-key-6' };
    await state.ledger.begin(write, canaries[4]!);
    await state.ledger.finish(write, 200, JSON.stringify({ title: canaries[3] }));
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

describe('the key of a folder', () => {
  it('is made only when asked for, and found again afterwards', () => {
    const folder = join(newFolder(), 'data');
    expect(() => chooseKeys({ folder })).toThrow(/AGENT_CONNECTORS_KEY.*--create-key/);
    const made = chooseKeys({ folder, createKey: true });
    expect(modeOf(join(folder, 'key'))).toBe(0o600);
    expect(chooseKeys({ folder }).newest.id).toBe(made.newest.id);
    expect(chooseKeys({ folder, createKey: true }).newest.id).toBe(made.newest.id);
    expect(readdirSync(folder)).toEqual(['key']);
  });

  it('is not made where a database has lost its own', async () => {
    const folder = newFolder();
    await (await newState({ folder })).close();
    expect(() => chooseKeys({ folder, createKey: true })).toThrow(/database but no key/);
    expect(readdirSync(folder)).not.toContain('key');
  });

  it('is refused when others can read it, or when it is not one', () => {
    const folder = newFolder();
    const path = join(folder, 'key');
    writeFileSync(path, 'canary-not-a-key\n', { mode: 0o600 });
    expect(() => chooseKeys({ folder })).toThrow(/32 random bytes/);
    expect(() => chooseKeys({ folder })).not.toThrow('canary');
    chmodSync(path, 0o640);
    expect(() => chooseKeys({ folder })).toThrow(/Others can read.*chmod 600/);
    writeFileSync(path, '\n', { mode: 0o600 });
    chmodSync(path, 0o600);
    expect(() => chooseKeys({ folder })).toThrow(/empty/);
  });

  it('gives way to one that is given, with those before it', () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'data'));
    const [key, previous] = [newKey(), newKey()];
    chooseKeys({ folder, createKey: true });
    const ring = chooseKeys({ folder, key, previousKeys: [previous] });
    expect(ring.all).toHaveLength(2);
    expect(ring.newest.id).toBe(chooseKeys({ folder: ':memory:', key }).newest.id);
    expect(() => chooseKeys({ folder, previousKeys: [previous] })).toThrow(/without AGENT_CONNECTORS_KEY/);
  });

  it('is a new one each time in memory', () => {
    const folder = ':memory:';
    expect(chooseKeys({ folder }).newest.id).not.toBe(chooseKeys({ folder }).newest.id);
  });
});
