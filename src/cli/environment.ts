import type { Readable, Writable } from 'node:stream';
import type { ConnectorRegistry } from '../node/connectors.js';

/** Input of a command: a pipe, a file, or a terminal that can hide typed text. */
export type Input = Readable & { readonly isTTY?: boolean | undefined; setRawMode?(raw: boolean): unknown };

/** Output of a command. */
export type Output = Writable & { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined };

/** Everything that a command can use from its environment. */
export interface CliEnvironment {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** The user's home folder. */
  readonly home: string;
  /** Aborts the command; partial output is removed. */
  readonly signal: AbortSignal;
  readonly fetch: typeof globalThis.fetch;
  /** Additional connectors, from the modules of `--connectors`. */
  readonly connectors?: ConnectorRegistry | undefined;
  /** Opens a URL in a browser; false if no browser is available. */
  readonly browse: (address: string) => boolean;
}
