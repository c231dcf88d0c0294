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

/** All commands, in the order in which help lists them. */
export const commands: readonly CommandSpecification[] = [
  ...accountCommands,
  completion,
  ...connectorCommands,
  ...governanceCommands,
  ...productCommands,
];
