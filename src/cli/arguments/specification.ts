import type { CliEnvironment } from '../environment.js';
import type { Printer } from '../output/printer.js';

/** What the value of a key must be. */
export type Kind = 'text' | 'object' | 'nullable' | 'texts' | 'count' | 'boolean' | 'booleans' | 'replication';

/** Keys that a command's JSON argument may have. */
export interface ArgumentKeys {
  readonly [key: string]: Kind;
}

/** Flags that commands share. */
export type FlagName =
  | 'pretty'
  | 'all'
  | 'local'
  | 'yes'
  | 'force'
  | 'output'
  | 'full'
  | 'no-browser'
  | 'dry-run'
  | 'raw'
  | 'view';

/** One command: all that parsing, help and completion know of it. */
export interface CommandSpecification {
  readonly path: readonly string[];
  readonly summary: string;
  /** Paragraphs of its help. */
  readonly details?: readonly string[] | undefined;
  /** Keys of the JSON argument; none is taken where they are left out. */
  readonly keys?: ArgumentKeys | undefined;
  /** Further keys that depend on the connector types there are. */
  readonly moreKeys?: ((environment: CliEnvironment) => Promise<ArgumentKeys>) | undefined;
  /** Words, one of which is taken in place of JSON. */
  readonly words?: readonly string[] | undefined;
  readonly flags: readonly FlagName[];
  /** Whole command lines that can be copied. */
  readonly examples: readonly string[];
  readonly load: () => Promise<(call: CommandCall) => Promise<number | void>>;
}

/** Flags: how each is written in help, and what it does. */
export const flags: Readonly<Record<FlagName, readonly [string, string]>> = {
  pretty: ['--pretty', 'print tables instead of JSON, in colour on a terminal'],
  all: ['--all', 'fetch all pages, one record per line (JSON Lines)'],
  local: ['--local', 'use credentials from the environment, not a service'],
  yes: ['--yes', 'do not ask before deleting'],
  force: ['--force', 'overwrite the --output file'],
  output: ['--output <file>', 'download to this file, or to this folder under the vendor’s file name'],
  view: ['--view <concise|full>', 'concise (only the main fields) or full (default)'],
  'dry-run': ['--dry-run', 'show the changes without making them'],
  raw: ['--raw', 'include vendor fields that the connector does not list'],
  full: ['--full', 'include all JSON Schemas'],
  'no-browser': ['--no-browser', 'print the URL without opening it'],
};

/** Flags as they were given. */
export type Flags = Readonly<Partial<Record<Exclude<FlagName, 'output' | 'view'>, boolean>>> & {
  readonly output?: string | undefined;
  readonly view?: string | undefined;
};

/** One run of one command. */
export interface CommandCall {
  readonly specification: CommandSpecification;
  /** The JSON argument, checked; empty where none was given. */
  readonly argument: Readonly<Record<string, any>>;
  /** The word that was given in place of JSON. */
  readonly word: string | undefined;
  readonly flags: Flags;
  readonly print: Printer;
  readonly environment: CliEnvironment;
  /** Never printed in an error. */
  readonly secrets: string[];
}
