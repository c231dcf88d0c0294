import type { CommandSpecification } from './arguments/specification.js';
import { accountCommands } from './commands/account-table.js';
import { connectorCommands } from './commands/connector-table.js';
import { governanceCommands } from './commands/governance-table.js';
import { productCommands } from './commands/products-table.js';

const completion: CommandSpecification = {
  path: ['completion'],
  summary: 'Print a shell completion script.',
  details: [
    'bash: source <(agent-connectors completion bash). zsh: source <(agent-connectors completion zsh), after compinit. fish: agent-connectors completion fish | source. PowerShell: agent-connectors completion powershell | Out-String | Invoke-Expression.',
  ],
  words: ['bash', 'zsh', 'fish', 'powershell'],
  flags: [],
  examples: ['source <(agent-connectors completion bash)', 'agent-connectors completion fish | source'],
  load: async () => (await import('./commands/completion.js')).completion(commands),
};

const docs: CommandSpecification = {
  path: ['docs'],
  summary: 'List, search or print this version’s documentation.',
  details: ['--mcp serves it to an MCP client, with the tools search_docs and read_page.'],
  keys: { page: 'text', search: 'text' },
  subject: 'search',
  flags: ['pretty', 'mcp'],
  printsTable: true,
  examples: [
    "agent-connectors docs 'rate limits'",
    'agent-connectors docs \'{"page":"docs/guides/calls.md"}\'',
    'agent-connectors docs --mcp',
  ],
  load: async () => (await import('./commands/docs.js')).showDocs,
};

/** All commands, in the order in which help lists them. */
export const commands: readonly CommandSpecification[] = [
  ...accountCommands,
  completion,
  docs,
  ...connectorCommands,
  ...governanceCommands,
  ...productCommands,
];
