import type { CliEnvironment } from '../environment.js';
import type { Printer } from '../output/printer.js';

/** What the value of a key must be. */
export type Kind = 'text' | 'object' | 'texts' | 'count' | 'booleans';

/** Keys that a command's JSON argument may have. */
export interface ArgumentKeys {
  readonly [key: string]: Kind;
}

/** Flags that commands share. */
export type FlagName = 'pretty' | 'all' | 'local' | 'yes' | 'force' | 'output' | 'view' | 'full' | 'no-browser';

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
  pretty: ['--pretty', 'tables for people, in colour on a terminal, in place of JSON'],
  all: ['--all', 'every page, one record a line (JSON lines)'],
  local: ['--local', 'without a service, with credentials from the environment'],
  yes: ['--yes', 'do not ask before something is deleted'],
  force: ['--force', 'replace the file of --output if there is one'],
  output: ['--output <file>', 'where a download goes; a folder takes the vendor’s file name'],
  view: ['--view <concise|full>', 'concise keeps the fields that a person would read first; full when left out'],
  full: ['--full', 'with the JSON Schemas of everything'],
  'no-browser': ['--no-browser', 'print the address and open nothing'],
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
