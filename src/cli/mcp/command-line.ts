import { parseArgs } from 'node:util';
import { nearest } from '../../call/nearest.js';
import { usageError } from '../failure.js';

/** What `agent-connectors mcp` is asked for. */
export interface McpCommandLine {
  readonly help: boolean;
  readonly local: boolean;
  readonly allowWrites: boolean;
  readonly log: boolean;
  /** Names of connectors; all that there are when left out. */
  readonly connectors: readonly string[] | undefined;
  readonly workspace: string | undefined;
  readonly maxOutputTokens: number | undefined;
}

/** Help for the command. */
export const mcpHelp = `Serve connectors to an MCP client on standard input and output.

Usage  agent-connectors mcp [flags]

Without --local the connectors of a workspace are served, by the service that login or the environment names.

Flags
  --local                   without a service, with credentials from the environment
  --connectors <names>      only these, such as --connectors linear,gong
  --workspace <name>        another workspace of the service
  --allow-writes            offer what changes data too; without it nothing can be changed
  --max-output-tokens <n>   tokens that a result takes at most; 20000 when left out
  --log                     a line of JSON for each call on standard error: names and times, nothing else
  --help

Examples
  agent-connectors mcp --local --connectors linear
  agent-connectors mcp --workspace sales --allow-writes
`;

const options = {
  help: { type: 'boolean', short: 'h' },
  local: { type: 'boolean' },
  'allow-writes': { type: 'boolean' },
  log: { type: 'boolean' },
  connectors: { type: 'string', multiple: true },
  workspace: { type: 'string' },
  'max-output-tokens': { type: 'string' },
} as const;

const isFlag = (name: string) => /^--?[a-z][a-z-]{0,29}$/.test(name);

/** Reads the command's flags; a value that is out of place is never repeated, since it may be a secret. */
export function readMcpCommandLine(argv: readonly string[]): McpCommandLine {
  const { values, tokens } = parseArgs({ args: [...argv], options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind === 'positional') throw usageError('mcp takes flags alone.', { hint: validFlagsHint() });
    if (token.kind !== 'option') continue;
    const { rawName, name, value } = token;
    const option = Object.hasOwn(options, name) ? options[name as keyof typeof options] : undefined;
    if (!option) {
      const close = nearest(rawName, flags());
      const flagText = isFlag(rawName) ? `flag ${rawName}` : 'such flag';
      throw usageError(`mcp has no ${flagText}.${close ? ` Did you mean ${close}?` : ''}`, { hint: validFlagsHint() });
    }
    if (option.type === 'string' && !value?.trim()) throw usageError(`--${name} needs a value after it.`);
    if (option.type === 'boolean' && value !== undefined) throw usageError(`--${name} takes no value.`);
  }
  const text = (name: 'workspace' | 'max-output-tokens') => values[name] as string | undefined;
  const names = (values.connectors as string[] | undefined)?.flatMap((list) => list.split(','));
  const tokensText = text('max-output-tokens');
  if (tokensText !== undefined && !/^[1-9]\d{3,6}$/.test(tokensText)) {
    throw usageError('--max-output-tokens must be a whole number from 1000 to 9999999.');
  }
  if (values.local && values.workspace !== undefined) {
    throw usageError('--workspace belongs to a service, and --local does without one.');
  }
  return {
    help: values.help === true,
    local: values.local === true,
    allowWrites: values['allow-writes'] === true,
    log: values.log === true,
    connectors: names?.map((name) => name.trim()).filter(Boolean),
    workspace: text('workspace'),
    maxOutputTokens: tokensText === undefined ? undefined : Number(tokensText),
  };
}

const flags = (): string[] => Object.keys(options).map((name) => `--${name}`);
const validFlagsHint = () => `Valid: ${flags().join(', ')}.`;
