import { checkFlags, split } from '../arguments/flags.js';
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

/** Reads the command's flags; a value that is out of place is never repeated, since it may be a secret. */
export function readMcpCommandLine(argv: readonly string[]): McpCommandLine {
  const { values, positionals, tokens } = split(argv, options);
  const valid = Object.keys(options).map((name) => `--${name}`);
  checkFlags(tokens, argv, options, valid, 'agent-connectors mcp');
  if (positionals.length > 0) throw usageError('mcp takes flags alone.', { hint: `Valid: ${valid.join(', ')}.` });
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
