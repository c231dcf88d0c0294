import { ConnectorError } from '../call/errors.js';
import type { Arguments } from './arguments.js';
import { maxCalls } from './definitions.js';
import type { Member } from './toolset.js';

/** Tokens that each result has at least. */
const minTokens = 500;

/** Tokens of a heading. */
const headingTokens = 40;

/** Refuses too many calls, and arguments that belong into them; gives the tokens that each result may take. */
export function checkBatch(args: Arguments, tokens: number): number {
  const { length } = args.calls as readonly unknown[];
  const most = Math.min(maxCalls, Math.floor(tokens / minTokens));
  const others = Object.keys(args).filter((name) => name !== 'calls' && name !== 'intent');
  const problem =
    length === 0 || length > most
      ? `must contain 1 to ${most} calls`
      : others.length > 0
        ? `stands alone: ${others.join(', ')} ${others.length === 1 ? 'goes' : 'go'} into each call`
        : undefined;
  if (problem === undefined) return Math.floor(tokens / length) - headingTokens;
  throw new ConnectorError('invalid_params', `calls ${problem}.`, { issues: [{ path: 'calls', message: problem }] });
}

/** What a call of a batch is headed by: its names, where they are plain. */
export function titleOf(call: unknown, index: number, [first, ...others]: readonly Member[]): string {
  const { connector, entity, action } = call as Arguments;
  const names = [others.length === 0 ? first!.key : connector, entity, action];
  const isPlain = names.every((name) => typeof name === 'string' && /^[\w-]{1,64}$/.test(name));
  return isPlain ? `${index + 1}. ${names[0]}/${names[1]}.${names[2]}` : `${index + 1}.`;
}

interface Answer {
  readonly text: string;
  readonly data?: unknown;
  readonly isError: boolean;
}

/** Results one below the other; an error only where every call failed. */
export function joinResults(titles: readonly string[], results: readonly Answer[]) {
  return {
    text: results.map(({ text }, index) => `## ${titles[index]}\n${text}`).join('\n\n'),
    data: { results: results.map(({ data, isError }) => ({ isError, ...(data as object) })) },
    isError: results.every(({ isError }) => isError),
  };
}
