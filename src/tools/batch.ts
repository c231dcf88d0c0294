import { ConnectorError } from '../errors/connector-error.js';
import type { Arguments } from './arguments.js';
import type { Member } from './toolset.js';

/** Maximum concurrent calls. */
const maxCalls = 10;

/** Minimum tokens per result. */
const minTokens = 500;

/** Maximum calls in a batch whose results share this many tokens. */
export const mostCallsIn = (tokens: number): number => Math.min(maxCalls, Math.floor(tokens / minTokens));

/** Tokens of a heading. */
const headingTokens = 40;

/**
 * Rejects batches with too many calls, or with arguments that belong inside the calls; returns the token limit per
 * result.
 */
export function checkBatch(args: Arguments, tokens: number): number {
  const { length } = args.calls as readonly unknown[];
  const most = mostCallsIn(tokens);
  const others = Object.keys(args).filter((name) => name !== 'calls' && name !== 'intent');
  const problem =
    length === 0 || length > most
      ? `must contain 1 to ${most} calls`
      : others.length > 0
        ? `must be the only argument: ${others.join(', ')} ${others.length === 1 ? 'goes' : 'go'} into each call`
        : undefined;
  if (problem === undefined) return Math.floor(tokens / length) - headingTokens;
  throw new ConnectorError('invalid_params', `calls ${problem}.`, { issues: [{ path: 'calls', message: problem }] });
}

/** Heading of a call in a batch: its names, if they are plain words. */
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

/** Joins results; it is an error only if every call failed. */
export function joinResults(titles: readonly string[], results: readonly Answer[]) {
  return {
    text: results.map(({ text }, index) => `## ${titles[index]}\n${text}`).join('\n\n'),
    data: { results: results.map(({ data, isError }) => ({ isError, ...(data as object) })) },
    isError: results.every(({ isError }) => isError),
  };
}
