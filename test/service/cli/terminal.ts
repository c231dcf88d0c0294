import { Readable } from 'node:stream';
import { run } from '../../../service/src/cli/run.js';
import type { Terminal } from '../../../service/src/cli/terminal.js';

/** Inputs for a command. */
interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly interactive?: boolean;
  /** Input on stdin; an iterable is read when the command asks. */
  readonly input?: string | AsyncIterable<string>;
}

/** A running command and its output so far. */
export interface Run {
  readonly exit: Promise<number>;
  readonly out: string;
  readonly error: string;
  /** Sends the same signal as Ctrl+C. */
  signal(): void;
  /** Sends SIGHUP. */
  reload(): void;
}

/** Runs a command in this process with a fake terminal that records its output. */
export function start(
  argv: readonly string[],
  { environment = {}, interactive = false, input = '' }: RunOptions = {},
): Run {
  const listeners = new Set<() => void>();
  const reloadListeners = new Set<() => void>();
  const output = { out: '', error: '' };
  const terminal: Terminal = {
    environment,
    interactive,
    canAnswer: interactive,
    out(text) {
      output.out += text;
    },
    error(text) {
      output.error += text;
    },
    input: () => Readable.from(typeof input === 'string' ? [input] : input),
    onStop(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onReload(listener) {
      reloadListeners.add(listener);
      return () => reloadListeners.delete(listener);
    },
  };
  const exit = run(argv, terminal);
  return {
    exit,
    get out() {
      return output.out;
    },
    get error() {
      return output.error;
    },
    signal() {
      for (const listener of listeners) listener();
    },
    reload() {
      for (const listener of reloadListeners) listener();
    },
  };
}

/** Runs a command to completion. */
export async function runToEnd(argv: readonly string[], options: RunOptions = {}) {
  const running = start(argv, options);
  const code = await running.exit;
  return { code, out: running.out, error: running.error };
}
