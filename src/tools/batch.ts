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

/** What is wrong with a batch's size, or with arguments that belong inside its calls. */
export function batchProblem(args: Arguments, most: number): string | undefined {
  const { length } = args.calls as readonly unknown[];
  const others = Object.keys(args).filter((name) => name !== 'calls' && name !== 'intent');
  if (length === 0 || length > most) return `must contain 1 to ${most} calls`;
  if (others.length === 0) return undefined;
  return `must be the only argument: ${others.join(', ')} ${others.length === 1 ? 'goes' : 'go'} into each call`;
}

/** Rejects an invalid batch of reads; returns the token limit per result. */
export function checkBatch(args: Arguments, tokens: number): number {
  const problem = batchProblem(args, mostCallsIn(tokens));
  if (problem === undefined) return Math.floor(tokens / (args.calls as readonly unknown[]).length) - headingTokens;
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
