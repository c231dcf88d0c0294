import type { CommandSpecification } from './arguments/specification.js';
import { accountCommands } from './commands/account-table.js';
import { connectorCommands } from './commands/connector-table.js';

/** Every command, in the order in which help lists them. */
export const commands: readonly CommandSpecification[] = [...accountCommands, ...connectorCommands];
