import type { Readable, Writable } from 'node:stream';
import type { ConnectorRegistry } from '../node/connectors.js';

/** Where a command reads from: a pipe, a file, or a terminal that can hide what is typed. */
export type Input = Readable & { readonly isTTY?: boolean | undefined; setRawMode?(raw: boolean): unknown };

/** Where a command writes to. */
export type Output = Writable & { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined };

/** Everything outside of a command that it may touch. */
export interface CliEnvironment {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** The user's own folder. */
  readonly home: string;
  /** Ends the command; what it was writing goes away. */
  readonly signal: AbortSignal;
  readonly fetch: typeof globalThis.fetch;
  /** Connectors beside the built-in ones, from the modules of `--connectors`. */
  readonly connectors?: ConnectorRegistry | undefined;
  /** Shows an address in a browser; false where there is none. */
  readonly browse: (address: string) => boolean;
}
