import { type ParseArgsConfig, parseArgs } from 'node:util';
import { nearest } from '../../errors/nearest.js';
import { usageError } from '../failure.js';

/** Flags of a command line. */
export type FlagOptions = NonNullable<ParseArgsConfig['options']>;

type Config<Options extends FlagOptions> = { options: Options; strict: false; tokens: true };

/** Splits a command line into words and flags, without rejecting any. */
export const split = <Options extends FlagOptions>(
  args: readonly string[],
  options: Options,
): ReturnType<typeof parseArgs<Config<Options>>> =>
  parseArgs({ args: [...args], options, strict: false, tokens: true });

type Token = ReturnType<typeof split>['tokens'][number];

/** Whether a word can be quoted in a message; any other word could be a misplaced secret. */
export const isSafeToEcho = (word: string): boolean => /^-{0,2}[a-z][a-z-]{0,29}$/i.test(word);

const secretFlag = /secret|password|token|key|credential/i;

/** Rejects the first flag that is unknown, misplaced, duplicated or missing its value. */
export function checkFlags(
  tokens: readonly Token[],
  args: readonly string[],
  options: FlagOptions,
  valid: readonly string[],
  command: string,
): void {
  const seen = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, value, index } = token;
    const flag = `--${name}`;
    if (!valid.includes(flag)) throw unknownFlag(args[index]!.split('=')[0]!, valid, command);
    const { type, multiple } = options[name]!;
    if (type === 'boolean') {
      if (value !== undefined) throw usageError(`${flag} takes no value.`);
      continue;
    }
    if (!value?.trim()) {
      throw usageError(`${flag} needs a value.`, { hint: `Run ${command} --help for usage.` });
    }
    if (seen.has(name) && !multiple) throw usageError(`${flag} was passed twice.`);
    seen.add(name);
  }
}

function unknownFlag(flag: string, valid: readonly string[], command: string) {
  const close = nearest(flag, valid);
  if (!close && secretFlag.test(flag)) {
    return usageError('Secrets are not accepted as arguments: other programs on this machine can see them.', {
      hint: 'Pass them as JSON on standard input (-), in a file (@file), or in the environment.',
    });
  }
  const didYouMean = close ? ` Did you mean ${close}?` : '';
  return usageError(`Unknown flag${isSafeToEcho(flag) ? ` ${flag}` : ''} for ${command}.${didYouMean}`, {
    hint: `Valid: ${valid.join(', ')}.`,
  });
}
