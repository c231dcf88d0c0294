import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCommand, tempFolder } from './session.js';

const script = async (shell: string) => (await runCommand(['completion', shell])).out;

/** Bash's completions for the last of these words. */
async function offered(
  words: readonly string[],
  wordBreaks = ' \t\n"\'@><=;|&(:',
  command: readonly string[] = ['agent-connectors'],
): Promise<string[]> {
  const folder = tempFolder();
  for (const name of ['call.json', 'other.json']) writeFileSync(join(folder, name), '{}');
  const program = `${await script('bash')}
COMP_WORDBREAKS=$1; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); "$(complete -p "$1" | sed 's/.*-F \\([a-z_]*\\).*/\\1/')"; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const args = ['--norc', '-c', program, 'bash', wordBreaks, ...command, ...words];
  return execFileSync('bash', args, { cwd: folder, encoding: 'utf8' }).split('\n').filter(Boolean);
}

describe.skipIf(process.platform === 'win32')('bash completes', () => {
  test.each([
    [['appro'], ['approvals']],
    [
      ['approvals', 're'],
      ['refuse', 'request'],
    ],
    [['connectors', 'execute', '--d'], ['--dry-run']],
    [['connectors', 'execute', '--j'], ['--json']],
    [['mcp', '--allow'], ['--allow-writes']],
    [['--conn'], ['--connectors']],
    [['connectors', 'execute', '@', 'ca'], ['call.json']],
    [['connectors', 'execute', '--output', 'o'], ['other.json']],
  ])('%j', async (words, expected) => {
    expect((await offered(words)).sort()).toEqual(expected);
  });

  test.each([
    [['npx', 'agent-connectors'], ['appro'], ['approvals']],
    [['npx', '--yes', 'agent-connectors'], ['connectors', 'execute', '--d'], ['--dry-run']],
    [['npx'], ['agent-conn'], []],
  ])('after %j, %j', async (command, words, expected) => {
    expect(await offered(words, undefined, command)).toEqual(expected);
  });

  test('files after an @, whether or not bash splits words at @', async () => {
    expect((await offered(['connectors', 'execute', '@'])).sort()).toEqual(['call.json', 'other.json']);
    expect(await offered(['connectors', 'execute', '@ca'], ' \t\n')).toEqual(['@call.json']);
  });
});

test.each([['zsh'], ['fish']])('%s completes files after an @, and every flag', async (shell) => {
  const text = await script(shell);
  expect(text).toContain('@');
  for (const flag of ['dry-run', 'raw', 'connectors', 'allow-writes']) expect(text).toContain(flag);
});

test.each([
  ['bash', 'complete -p npx &>/dev/null ||'],
  ['zsh', '(( $+_comps[npx] )) ||'],
  ['powershell', 'load that one afterwards to keep it'],
])('%s keeps another completion of npx, or says that it does not', async (shell, text) => {
  expect(await script(shell)).toContain(text);
});
