import type { CliEnvironment } from '../environment.js';
import type { Printer } from '../output/printer.js';

/** What the value of a key must be. */
export type Kind =
  | 'text'
  | 'object'
  | 'nullable'
  /** A non-empty array of strings. */
  | 'texts'
  /** A non-empty array of objects. */
  | 'objects'
  /** An array of strings; an empty one clears the setting. */
  | 'list'
  | 'count'
  | 'boolean'
  | 'booleans'
  | 'replication';

/** Keys of a command's JSON argument. */
export interface ArgumentKeys {
  readonly [key: string]: Kind;
}

/** Flags shared by several commands. */
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
  | 'view'
  | 'wait'
  | 'watch'
  | 'follow'
  | 'mcp';

/** A command, as needed for parsing, help and completion. */
export interface CommandSpecification {
  readonly path: readonly string[];
  readonly summary: string;
  /** Help text, in paragraphs. */
  readonly details?: readonly string[] | undefined;
  /** Keys of the JSON argument; none if undefined. */
  readonly keys?: ArgumentKeys | undefined;
  /** Additional keys that depend on the available connector types. */
  readonly moreKeys?: ((environment: CliEnvironment) => Promise<ArgumentKeys>) | undefined;
  /** The key that text instead of JSON is the value of; by default `name` or `id`, if it has one. */
  readonly subject?: string | undefined;
  /** Words accepted instead of JSON. */
  readonly words?: readonly string[] | undefined;
  readonly flags: readonly FlagName[];
  /** Whether it prints JSON on a terminal, too, because programs are written from what it shows. */
  readonly printsJson?: true | undefined;
  /** Whether it prints a table on a terminal although it has an argument, because people read its report. */
  readonly printsTable?: true | undefined;
  /** Complete command lines to copy. */
  readonly examples: readonly string[];
  readonly load: () => Promise<(call: CommandCall) => Promise<number | void>>;
}

/** The key that text instead of JSON is the value of. */
export const subjectOf = ({ subject, keys = {} }: CommandSpecification): string | undefined =>
  subject ?? ['name', 'id'].find((name) => Object.hasOwn(keys, name));

/** Flags: how help shows them, and what they do. */
export const flags: Readonly<Record<FlagName, readonly [string, string]>> = {
  pretty: ['--pretty', 'print tables instead of JSON, in color on a terminal'],
  wait: ['--wait', 'wait until the job ends; exit code 1 if it fails'],
  watch: ['--watch', 'show the newest job until it ends; exit code 1 if it fails'],
  follow: ['--follow', 'print new entries as they are written, until Ctrl-C'],
  all: ['--all', 'fetch all pages, one record per line (JSON Lines)'],
  local: ['--local', 'use credentials from the environment instead of a service'],
  yes: ['--yes', 'do not ask before deleting'],
  force: ['--force', 'overwrite the --output file'],
  output: ['--output <file>', 'download to this file, or into this folder with the name of the file'],
  view: ['--view <concise|full>', 'concise (only the main fields) or full (default)'],
  'dry-run': ['--dry-run', 'show the changes without making them'],
  raw: ['--raw', 'include vendor fields that the connector does not list'],
  full: ['--full', 'include all JSON Schemas'],
  mcp: ['--mcp', 'serve the documentation to an MCP client on standard input and output'],
  'no-browser': ['--no-browser', 'print the URL without opening it'],
};

/** Parsed flags. */
export type Flags = Readonly<Partial<Record<Exclude<FlagName, 'output' | 'view'>, boolean>>> & {
  readonly output?: string | undefined;
  readonly view?: string | undefined;
};

/** One run of one command. */
export interface CommandCall {
  readonly specification: CommandSpecification;
  /** The validated JSON argument; empty by default. */
  readonly argument: Readonly<Record<string, any>>;
  /** The word or name passed instead of JSON. */
  readonly word: string | undefined;
  readonly flags: Flags;
  readonly print: Printer;
  /** Whether errors and warnings on a terminal are text. */
  readonly isRead: boolean;
  readonly environment: CliEnvironment;
  /** Never printed in an error. */
  readonly secrets: string[];
}
