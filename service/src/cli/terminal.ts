import type { Readable } from 'node:stream';

/** What a command talks to: the process it runs in, or a test. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether a person reads what is put out. */
  readonly interactive: boolean;
  out(text: string): void;
  error(text: string): void;
  /** What is put in. */
  input(): Readable;
  /** Calls back at each signal to stop, until the function that comes back is called. */
  onStop(listener: () => void): () => void;
  /** Calls back at each signal to read files again (SIGHUP), until the function that comes back is called. */
  onReload(listener: () => void): () => void;
}

/** The terminal of this process, which goes on when nobody reads its outputs any more. */
export function processTerminal(): Terminal {
  for (const output of [process.stdout, process.stderr]) output.on('error', ignoreBrokenPipe);
  return {
    environment: process.env,
    interactive: process.stdout.isTTY === true,
    out: (text) => void process.stdout.write(text),
    error: (text) => void process.stderr.write(text),
    input: () => process.stdin,
    onStop: (listener) => onSignals(['SIGINT', 'SIGTERM'], listener),
    // On a terminal it says that the terminal is gone.
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
