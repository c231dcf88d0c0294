import { nearest } from '../../errors/nearest.js';
import { failure, usageError } from '../failure.js';
import { checkFlags, type FlagOptions, isSafeToEcho, split } from './flags.js';
import { type CommandSpecification, type Flags, flags as known } from './specification.js';

/** A parsed command line. */
export type ParsedCommandLine =
  | { readonly kind: 'help'; readonly path: readonly string[] }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'command';
      readonly specification: CommandSpecification;
      readonly flags: Flags;
      /** JSON, `@file`, `-` or a word, as given on the command line. */
      readonly text: string | undefined;
    };

/** The flags of all commands. */
const options: FlagOptions = {
  ...Object.fromEntries(
    Object.entries(known).map(([name, [usage]]) => [name, { type: usage.includes('<') ? 'string' : 'boolean' }]),
  ),
  json: { type: 'string' },
  connectors: { type: 'string', multiple: true },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
};

/** Whether `--json` has no value: then it selects the output format, and the argument follows on its own or not at all. */
const isBareJson = (word: string, index: number, args: readonly string[]): boolean =>
  word === '--json' && (args[index + 1] ?? '--').startsWith('--');

/** Whether a command line asks for JSON on a terminal, too. */
export const asksForJson = (argv: readonly string[]): boolean => argv.some(isBareJson);

/** Parses a command line. */
export function parse(argv: readonly string[], commands: readonly CommandSpecification[]): ParsedCommandLine {
  const asksForHelp = argv[0] === 'help';
  const args = (asksForHelp ? argv.slice(1) : argv).filter((...at) => !isBareJson(...at));
  const { tokens, values } = split(args, options);
  const { path, specification, words } = resolve(tokens, commands);
  if (asksForHelp || values.help) return { kind: 'help', path };
  if (!specification && values.version) return { kind: 'version' };
  const valid = specification ? flagsOf(specification) : ['--help', '--version'];
  checkFlags(tokens, args, options, valid, ['agent-connectors', ...path].join(' '));
  if (!specification) return { kind: 'help', path };
  const { json, ...flags } = values as Flags & { readonly json?: string };
  return { kind: 'command', specification, flags, text: textOf(json, words, specification) };
}

interface Resolved {
  readonly path: readonly string[];
  /** All words that are not part of the path. */
  readonly words: readonly string[];
  readonly specification?: CommandSpecification | undefined;
}

/** Finds the command named by the first words; flags may appear between them. */
function resolve(tokens: ReturnType<typeof split>['tokens'], commands: readonly CommandSpecification[]): Resolved {
  const path: string[] = [];
  const words: string[] = [];
  let specification: CommandSpecification | undefined;
  let isTerminated = false;
  for (const token of tokens) {
    isTerminated ||= token.kind === 'option-terminator';
    if (token.kind !== 'positional') continue;
    if (specification || isTerminated) {
      words.push(token.value);
      continue;
    }
    if (!childrenOf(path, commands).includes(token.value)) throw unknownCommand(token.value, path, commands);
    path.push(token.value);
    specification = commands.find((command) => command.path.join(' ') === path.join(' '));
  }
  return { path, words, specification };
}

/** Extracts `--connectors <module>` from a command line; after the word `mcp`, the flag selects the connectors to serve. */
export function modulesIn(argv: readonly string[]): { modules: string[]; rest: string[] } {
  const modules: string[] = [];
  const taken = new Set<number>();
  for (const token of split(argv, options).tokens) {
    if (token.kind === 'option-terminator' || (token.kind === 'positional' && token.value === 'mcp')) break;
    if (token.kind !== 'option' || token.name !== 'connectors') continue;
    if (!token.value?.trim()) throw usageError('--connectors needs a path or a package name.');
    modules.push(token.value);
    taken.add(token.index);
    if (!token.inlineValue) taken.add(token.index + 1);
  }
  return { modules, rest: argv.filter((_, index) => !taken.has(index)) };
}

/** Words that can come after a path. */
export const childrenOf = (path: readonly string[], commands: readonly CommandSpecification[]): string[] => [
  ...new Set(
    commands.flatMap((command) =>
      path.every((word, index) => command.path[index] === word) ? (command.path[path.length] ?? []) : [],
    ),
  ),
];

/** Alternative command names that the API or other programs use. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  approvals: ['plans', 'prepare'],
  audit: ['logs', 'log', 'history', 'events'],
  connectors: ['definitions', 'integrations', 'sources'],
  organizations: ['orgs', 'org'],
  tokens: ['keys', 'scoped-token', 'scoped-tokens'],
  webhooks: ['hooks', 'hook'],
  policies: ['rules', 'permissions'],
  whoami: ['me', 'account'],
  doctor: ['quota', 'diagnose', 'health'],
  list: ['ls'],
  delete: ['remove', 'rm'],
  create: ['new', 'add'],
  execute: ['run', 'call'],
  inspect: ['get', 'show'],
  session: ['start', 'begin', 'create'],
  show: ['get', 'inspect'],
  refuse: ['reject', 'deny'],
  request: ['prepare', 'plan'],
  set: ['put', 'create'],
  describe: ['schema', 'actions'],
};

/** The rest of the command that an unknown word was most likely meant to be. */
function likelyCommand(word: string, path: readonly string[], commands: readonly CommandSpecification[]) {
  const subcommands = childrenOf(path, commands);
  const close = nearest(word, subcommands);
  if (close) return close;
  const named = subcommands.flatMap((name) => (synonyms[name] ?? []).map((synonym) => [synonym, name] as const));
  const synonym = nearest(
    word,
    named.map(([each]) => each),
  );
  if (synonym) return named.find(([each]) => each === synonym)?.[1];
  return path.length > 0 ? undefined : commands.find((command) => command.path.at(-1) === word)?.path.join(' ');
}

function unknownCommand(word: string, path: readonly string[], commands: readonly CommandSpecification[]) {
  const subcommands = childrenOf(path, commands);
  const close = likelyCommand(word, path, commands);
  const commandText = isSafeToEcho(word) ? ` '${[...path, word].join(' ')}'` : ' of that name';
  const didYouMean = close ? ` Did you mean '${[...path, close].join(' ')}'?` : '';
  return failure('invalid_params', `Unknown command${commandText}.${didYouMean}`, {
    type: 'unknown_command',
    hint: `Run agent-connectors ${[...path, '--help'].join(' ')} for a list of commands.`,
    extra: { available_commands: subcommands.map((name) => [...path, name].join(' ')), did_you_mean: close ?? null },
  });
}

/** A command's only argument, passed directly or after `--json`. */
function textOf(json: string | undefined, given: readonly string[], { path, keys, words }: CommandSpecification) {
  const command = path.join(' ');
  if (given.length > 1) {
    throw usageError(`${command} takes one argument, but ${given.length} were passed.`, {
      hint: "Put single quotes around the JSON: '{…}'.",
    });
  }
  if (json !== undefined && given.length > 0) {
    throw usageError('The argument was passed twice: on its own and with --json.');
  }
  const text = json ?? given[0];
  if (text !== undefined && !keys && !words) throw usageError(`${command} takes no argument.`);
  return text;
}

/** The flags of one command, as typed. */
export const flagsOf = ({ flags }: CommandSpecification): string[] => [
  '--json',
  ...flags.map((name) => `--${name}`),
  '--help',
];
