import { Command, CommanderError } from 'commander';
import { nearest } from '../../call/nearest.js';
import { failure, usageError } from '../failure.js';
import type { Flags } from './specification.js';
import { type CommandSpecification, type FlagName, flags as known } from './specification.js';

/** What a command line asks for. */
export type ParsedCommandLine =
  | { readonly kind: 'help'; readonly path: readonly string[] }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'command';
      readonly specification: CommandSpecification;
      readonly flags: Flags;
      /** JSON, `@file`, `-` or a word, as it stands in the command line. */
      readonly text: string | undefined;
    };

/** Flags that take the next word with them. */
const flagsWithValue = new Set(['--json', '--output']);

/** Reads a command line. */
export function parse(argv: readonly string[], commands: readonly CommandSpecification[]): ParsedCommandLine {
  const { path, rest, specification } = resolve(argv, commands);
  const words = beforeSeparator(rest);
  if (words.includes('--help') || words.includes('-h')) return { kind: 'help', path };
  if (specification) return { kind: 'command', specification, ...parseCommand(specification, rest) };
  if (words.includes('--version') || words.includes('-V')) return { kind: 'version' };
  const [unknownWord] = words.filter((word) => word.startsWith('-'));
  if (unknownWord === undefined) return { kind: 'help', path };
  throw unknownFlag(unknownWord, ['--help', '--version'], path);
}

const beforeSeparator = (words: readonly string[]): string[] => {
  const end = words.indexOf('--');
  // What follows these is a value, whatever it looks like.
  return words.slice(0, end === -1 ? undefined : end).filter((_, index) => !flagsWithValue.has(words[index - 1] ?? ''));
};

interface Resolved {
  readonly path: readonly string[];
  /** All words but those of the path. */
  readonly rest: readonly string[];
  readonly specification?: CommandSpecification | undefined;
}

/** Finds the command that the first words name; flags may stand between them. */
function resolve(argv: readonly string[], commands: readonly CommandSpecification[]): Resolved {
  const path: string[] = [];
  const rest: string[] = [];
  let words = argv;
  if (words[0] === 'help') words = [...words.slice(1), '--help'];
  for (const [index, word] of words.entries()) {
    if (word === '--') return { path, rest: [...rest, ...words.slice(index)] };
    if (word.startsWith('-') || flagsWithValue.has(words[index - 1] ?? '')) {
      rest.push(word);
      continue;
    }
    const subcommands = childrenOf(path, commands);
    if (!subcommands.includes(word)) throw unknownCommand(word, path, subcommands);
    path.push(word);
    const specification = commands.find((command) => command.path.join(' ') === path.join(' '));
    if (specification) return { path, rest: [...rest, ...words.slice(index + 1)], specification };
  }
  return { path, rest };
}

/** Takes `--connectors <module>` out of a command line; after the word `mcp` it names connectors to serve. */
export function modulesIn(argv: readonly string[]): { modules: string[]; rest: string[] } {
  const modules: string[] = [];
  const rest: string[] = [];
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index]!;
    const isValue = flagsWithValue.has(argv[index - 1] ?? '');
    if (!isValue && (word === 'mcp' || word === '--')) return { modules, rest: [...rest, ...argv.slice(index)] };
    const [flag, value = argv[index + 1]] = word.startsWith('--connectors=')
      ? ['--connectors', word.slice(13)]
      : [word];
    if (isValue || flag !== '--connectors') {
      rest.push(word);
      continue;
    }
    if (!value?.trim()) throw usageError('--connectors needs a path or a package name after it.');
    modules.push(value);
    if (flag === word) index++;
  }
  return { modules, rest };
}

/** Words that may follow a path. */
export const childrenOf = (path: readonly string[], commands: readonly CommandSpecification[]): string[] => [
  ...new Set(
    commands.flatMap((command) =>
      path.every((word, index) => command.path[index] === word) ? (command.path[path.length] ?? []) : [],
    ),
  ),
];

/** Whether a word can be repeated in a message: a secret in the wrong place must not be. */
const isSafeToEcho = (word: string): boolean => /^-{0,2}[a-z][a-z-]{0,29}$/i.test(word);

function unknownCommand(word: string, path: readonly string[], subcommands: readonly string[]) {
  const close = nearest(word, subcommands);
  const commandText = isSafeToEcho(word) ? ` '${[...path, word].join(' ')}'` : ' of that name';
  const didYouMean = close ? ` Did you mean '${[...path, close].join(' ')}'?` : '';
  return failure('invalid_params', `There is no command${commandText}.${didYouMean}`, {
    type: 'unknown_command',
    hint: `Run agent-connectors ${[...path, '--help'].join(' ')} to see what there is.`,
    extra: { available_commands: subcommands.map((name) => [...path, name].join(' ')), did_you_mean: close ?? null },
  });
}

const secretFlag = /secret|password|token|key|credential/i;

function unknownFlag(flag: string, valid: readonly string[], path: readonly string[]) {
  const name = flag.split('=')[0]!;
  if (secretFlag.test(name)) {
    return usageError('Secrets are not taken as arguments: other programs on this machine can see those.', {
      hint: 'Pass them as JSON on standard input (-), in a file (@file), or in the environment.',
    });
  }
  const close = nearest(name, valid);
  const didYouMean = close ? ` Did you mean ${close}?` : '';
  const command = ['agent-connectors', ...path].join(' ');
  return usageError(`${command} has no ${isSafeToEcho(name) ? `flag ${name}` : 'such flag'}.${didYouMean}`, {
    hint: `Valid: ${valid.join(', ')}.`,
  });
}

/** Reads what follows the command's name. */
function parseCommand(
  specification: CommandSpecification,
  rest: readonly string[],
): { flags: Flags; text: string | undefined } {
  const command = commandOf(specification);
  try {
    command.parse(rest, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw asUsageError(error, specification);
  }
  const { json, browser, ...given } = command.opts<Record<string, string | boolean>>();
  const words = command.args;
  const path = specification.path.join(' ');
  if (words.length > 1) {
    throw usageError(`${path} takes one argument, and ${words.length} were given.`, {
      hint: "Put the JSON between single quotes, so that the shell passes it as one: '{…}'.",
    });
  }
  if (json !== undefined && words.length > 0) {
    throw usageError('The argument was given twice: by itself, and after --json.');
  }
  const text = (json as string | undefined) ?? words[0];
  if (text !== undefined && !specification.keys && !specification.words) throw usageError(`${path} takes no argument.`);
  return { flags: { ...given, ...(browser === false && { 'no-browser': true }) } as Flags, text };
}

function commandOf({ path, keys, flags }: CommandSpecification): Command {
  const command = new Command(path.join(' '))
    .exitOverride()
    .helpOption(false)
    .allowExcessArguments(true)
    .argument('[argument]')
    .configureOutput({ writeOut: () => {}, writeErr: () => {}, outputError: () => {} });
  if (keys) command.option('--json <argument>', '', rejectRepeated('--json'));
  for (const name of flags) {
    if (name === 'output') command.option(known[name][0], '', rejectRepeated('--output'));
    else command.option(known[name][0]);
  }
  return command;
}

const rejectRepeated =
  (flag: string) =>
  (value: string, before: string | undefined): string => {
    if (before !== undefined) throw usageError(`${flag} was given twice.`);
    return value;
  };

/** The flags of one command, as they are typed. */
export const flagsOf = ({ keys, flags }: CommandSpecification): string[] => [
  ...(keys ? ['--json'] : []),
  ...flags.map((name: FlagName) => known[name][0].split(' ')[0]!),
  '--help',
];

function asUsageError(error: CommanderError, specification: CommandSpecification) {
  // The message repeats the flag with its value; only its name is looked at.
  const flag = /'(-[^'\s=]*)/.exec(error.message)?.[1] ?? '';
  if (error.code === 'commander.unknownOption') return unknownFlag(flag, flagsOf(specification), specification.path);
  const name = /^--(json|output)$/.test(flag) ? flag : /--(json|output)/.exec(error.message)?.[0];
  return usageError(name ? `${name} needs a value after it.` : 'The command line could not be read.', {
    hint: `Run agent-connectors ${specification.path.join(' ')} --help to see how it goes.`,
  });
}
