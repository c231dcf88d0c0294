import { checkFlags, split } from '../arguments/flags.js';
import { usageError } from '../failure.js';

/** Parsed options of `agent-connectors mcp`. */
export interface McpCommandLine {
  readonly help: boolean;
  readonly local: boolean;
  readonly allowWrites: boolean;
  /** Whether agents can run code that uses the connectors. */
  readonly code: boolean;
  readonly log: boolean;
  /** Whether results also contain structured content. */
  readonly structured: boolean;
  /** Connector names; all connectors by default. */
  readonly connectors: readonly string[] | undefined;
  readonly workspace: string | undefined;
  readonly maxOutputTokens: number | undefined;
}

/** Help for the command. */
export const mcpHelp = `Serve connectors to an MCP client on standard input and output.

Usage  agent-connectors mcp [flags]

Serves the connectors of a workspace, using the service from login or the
environment; with --local, connectors with credentials in the environment.

Flags
  --local                   use credentials from the environment, not a service
  --connectors <names>      only these, such as --connectors linear,gong
  --workspace <name>        a workspace in the service
  --allow-writes            allow writes (default: read-only)
  --code                    add run_code, which runs the agent's
                            JavaScript in an isolate, read-only
  --structured              add structured content to results, and declare
                            its schemas (default: text only)
  --max-output-tokens <n>   maximum tokens per result (default: as many as
                            clients pass on, 9500 bytes)
  --log                     log call names and times to standard error, one
                            JSON object per line
  --help

Examples
  agent-connectors mcp --local --connectors linear
  agent-connectors mcp --workspace sales --allow-writes
`;

const options = {
  help: { type: 'boolean', short: 'h' },
  local: { type: 'boolean' },
  'allow-writes': { type: 'boolean' },
  code: { type: 'boolean' },
  log: { type: 'boolean' },
  structured: { type: 'boolean' },
  connectors: { type: 'string', multiple: true },
  workspace: { type: 'string' },
  'max-output-tokens': { type: 'string' },
} as const;

/** The command's flags with leading dashes, for shell completion. */
export const mcpFlags: readonly string[] = Object.keys(options).map((name) => `--${name}`);

/** Parses the command's flags; a misplaced value is never quoted, since it may be a secret. */
export function readMcpCommandLine(argv: readonly string[]): McpCommandLine {
  const { values, positionals, tokens } = split(argv, options);
  checkFlags(tokens, argv, options, mcpFlags, 'agent-connectors mcp');
  if (positionals.length > 0) throw usageError('mcp takes only flags.', { hint: `Valid: ${mcpFlags.join(', ')}.` });
  const text = (name: 'workspace' | 'max-output-tokens') => values[name] as string | undefined;
  const names = (values.connectors as string[] | undefined)?.flatMap((list) => list.split(','));
  const tokensText = text('max-output-tokens');
  if (tokensText !== undefined && !/^[1-9]\d{3,6}$/.test(tokensText)) {
    throw usageError('--max-output-tokens must be a whole number from 1000 to 9999999.');
  }
  if (values.local && values.workspace !== undefined) {
    throw usageError('--workspace requires a service, so it cannot be combined with --local.');
  }
  return {
    help: values.help === true,
    local: values.local === true,
    allowWrites: values['allow-writes'] === true,
    code: values.code === true,
    log: values.log === true,
    structured: values.structured === true,
    connectors: names?.map((name) => name.trim()).filter(Boolean),
    workspace: text('workspace'),
    maxOutputTokens: tokensText === undefined ? undefined : Number(tokensText),
  };
}
