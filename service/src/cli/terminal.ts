import type { Readable } from 'node:stream';

/** A command's input and output, provided by the current process or by a test. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether the output goes to a terminal. */
  readonly interactive: boolean;
  /** Whether a person can answer questions on standard input. */
  readonly canAnswer: boolean;
  out(text: string): void;
  error(text: string): void;
  /** Standard input. */
  input(): Readable;
  /** Calls `listener` on every stop signal; returns a function that unsubscribes. */
  onStop(listener: () => void): () => void;
  /** Calls `listener` on every reload signal (SIGHUP); returns a function that unsubscribes. */
  onReload(listener: () => void): () => void;
}

/** This process's terminal. The process keeps running when its output is closed. */
export function processTerminal(): Terminal {
  for (const output of [process.stdout, process.stderr]) output.on('error', ignoreBrokenPipe);
  return {
    environment: process.env,
    interactive: process.stdout.isTTY === true,
    canAnswer: process.stdin.isTTY === true && process.stdout.isTTY === true,
    out: (text) => void process.stdout.write(text),
    error: (text) => void process.stderr.write(text),
    input: () => process.stdin,
    onStop: (listener) => onSignals(['SIGINT', 'SIGTERM'], listener),
    // On a TTY, SIGHUP means that the terminal has closed.
    onReload: (listener) => onSignals(process.stdout.isTTY ? [] : ['SIGHUP'], listener),
  };
}

function onSignals(signals: readonly NodeJS.Signals[], listener: () => void): () => void {
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}

function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
