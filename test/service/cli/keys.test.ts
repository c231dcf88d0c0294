import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, test } from 'vitest';
import { newKey } from '../keys.js';
import { createTenant, newFolder, newState } from '../state/fixtures.js';
import { runToEnd, start } from './terminal.js';

/** A command that runs a program with this Node binary; the folder is its first argument. */
const node = (program: string, folder = '') => `'${process.execPath}' -e "${program}" '${folder}'`;
const printFile = "process.stdout.write(require('fs').readFileSync(process.argv[1] + '/secret'))";

describe('a key command', () => {
  const createWith = (command: string, environment: Record<string, string> = {}) => {
    const data = join(newFolder(), 'data');
    const args = ['create-organization', '--name', 'acme', '--data', data, '--key-command', command];
    return runToEnd(args, { environment });
  };

  it('can be set with an argument or an environment variable, and prints the key', async () => {
    const folder = newFolder();
    const data = join(folder, 'a data folder');
    const key = newKey();
    writeFileSync(join(folder, 'secret'), `${key}\n`);
    const command = node(printFile, folder);
    const made = await runToEnd(['create-organization', '--name', 'acme', '--data', data, '--key-command', command]);
    expect(made).toMatchObject({ code: 0, error: '' });
    const state = await newState({ folder: data, keys: [key] });
    const { id } = await (await createTenant(state, 'beta')).connect();
    await state.close();
    const environment = { AGENT_CONNECTORS_KEY_COMMAND: command };
    expect(await runToEnd(['list-clients', '--data', data], { environment })).toMatchObject({ code: 0 });
    const fresh = newKey();
    writeFileSync(join(folder, 'secret'), `${fresh}\n${key}\n`);
    const rotated = await runToEnd(['rotate-key', '--data', data], { environment });
    expect(rotated.out).toMatch(/^1 data key and 0 values.*\nThe key command no longer needs to print the old keys/);
    const after = await newState({ folder: data, keys: [fresh] });
    expect(await after.credentials.load(id)).toEqual({ api_key: 'lin_api_1' });
  });

  it.each([
    ['exited with code 3', node("console.log('canary'); console.error('canary'); process.exit(3)")],
    ['could not be started (ENOENT)', '/nowhere/canary'],
    ['produced no output', node("console.error('canary')")],
    ['printed more than 64 KiB', node("process.stdout.write('canary'.repeat(20_000))")],
    ['must be 32 random bytes', node("process.stdout.write('canary')")],
    ['with balanced quotes', "cat 'canary"],
  ])('that fails is reported without its output: %s', async (words, command) => {
    const { code, out, error } = await createWith(command);
    expect([code, out]).toEqual([1, '']);
    expect(error).toContain(words);
    expect(error).not.toContain('canary');
  });

  it('is run without a shell', async () => {
    const { error } = await createWith(node('process.exit(process.argv.length)', '$(id);`id`|x'));
    expect(error).toContain('exited with code 2');
  });

  it('is rejected if a key is also given', async () => {
    const { error } = await createWith('cat key', { AGENT_CONNECTORS_KEY: newKey() });
    expect(error).toContain('Both AGENT_CONNECTORS_KEY and a key command are set');
  });
});

test('rotates a key file while a service is running, and the service reloads it on SIGHUP', async () => {
  const data = join(newFolder(), 'data');
  const keyFile = () => readFileSync(join(data, 'key'), 'utf8').trim().split('\n');
  const service = start(['--data', data, '--port', '0', '--create-key', '--no-replication']);
  while (!service.out.includes('listening')) await wait(5);
  const [before] = keyFile();
  const rotating = runToEnd(['rotate-key', '--data', data, '--json']);
  while (keyFile().length < 2) await wait(5);
  while (!service.out.includes('reloaded')) {
    service.reload();
    await wait(20);
  }
  const rotated = await rotating;
  expect([rotated.code, JSON.parse(rotated.out).resealed]).toEqual([0, 0]);
  expect(keyFile()).not.toContain(before);
  expect(keyFile()).toHaveLength(1);
  writeFileSync(join(data, 'key'), 'canary');
  service.reload();
  while (!service.out.includes('not reloaded')) await wait(5);
  expect(service.out).not.toContain('canary');
  service.signal();
  expect(await service.exit).toBe(0);
});
