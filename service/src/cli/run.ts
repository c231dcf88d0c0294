import { nearest } from 'agent-connectors';
import { loadConnectors } from 'agent-connectors/node';
import { tokenScopes } from '../data/state/rows.js';
import { VERSION } from '../version.js';
import { type Arguments, modulesIn, readArguments } from './arguments.js';
import { backup } from './backup.js';
import { createClient, createOrganization, deleteClient, listClients, rollSecret, updateClient } from './clients.js';
import { exportAudit } from './export-audit.js';
import { migrate } from './migrate.js';
import { moveIntoPostgres } from './move-state.js';
import { exportAll, importAll } from './records.js';
import { rotateKey } from './rotate-key.js';
import { serveUntilStopped } from './serve.js';
import type { Terminal } from './terminal.js';
import { verifyAudit } from './verify-audit.js';

const help = `agent-connectors-service: holds connectors and runs their actions over HTTP

Usage: agent-connectors-service [command] [options]

Commands
  (none)               start the service
  create-organization  make an organization and its workspace 'default'
                         --name <name>
  create-client        make a client
                         --name <name> [--organization <id or name> ...]
                         [--scopes <list>]
                         [--as-user <e-mail> [--as-group <e-mail> ...]]
  list-clients         list the clients
  update-client <id>   change what a client may do   --scopes <list>
  roll-secret <id>     replace a client's secret
                         [--overlap <seconds that the old one works: 86400>]
  delete-client <id>   delete a client; its tokens are refused at once
  rotate-key           start using a new master key, while the service runs
                         [--data-keys]
  backup               copy the state at one moment, while the service runs
                         --to <folder> [--with-key]
  export <file or ->   write all replicated records to a new file or stdout
  import <file or ->   read an export into a store without records
  move-state           move the state of a data folder into the database that
                         DATABASE_URL names
  migrate              spread the records over the nodes of the Citus cluster
                         that DATABASE_URL names   --distribute
  export-audit         print the audit logs as lines of JSON
                         [--from <time>] [--until <time>]
                         [--organization <id or name> ...]
  verify-audit         verify the audit logs [head ...] against heads that it
                         printed before

Options
  --data <folder>            state (AGENT_CONNECTORS_DATA, or data)
  --host <address>           address to listen on (HOST, or 127.0.0.1)
  --port <number>            port to listen on (PORT, or 4020; 0: a free one)
  --create-key               make a key file in a data folder that has none
  --key-command <command>    a program that prints the key, such as one of a
                             KMS (AGENT_CONNECTORS_KEY_COMMAND)
  --data-keys                rotate-key: new data keys too, for every value
  --audit-log <file>         append each entry of the audit log as a line of
                             JSON (AGENT_CONNECTORS_AUDIT_LOG)
  --audit-retention <days>   remove older entries of the audit log
                             (AGENT_CONNECTORS_AUDIT_RETENTION)
  --dev                      try it: in memory, with a key that ends with the
                             process
  --connectors <module>      a module with further connectors: a path or a
                             package, as often as needed
  --endpoints <json>         own addresses by connector type
                             (AGENT_CONNECTORS_ENDPOINTS)
  --allow-host <host>        a host that a base_url or webhook may name
                             (AGENT_CONNECTORS_ALLOW_HOSTS)
  --max-body-bytes <number>  longest body of a request (8388608)
  --limits <json>            how much callers may ask for
                             (AGENT_CONNECTORS_LIMITS)
  --host-name <name>         a name of the service, as often as needed
  --trusted-proxies <list>   networks, or number, of proxies in front of it
  --local-metrics            show /metrics to this machine without a token
  --embedder <name>          none: rank by words alone; local: the model of
                             agent-connectors-embedder; or the folder of a
                             model (AGENT_CONNECTORS_EMBEDDER)
  --rerank-url <url>         an interface like Cohere's or Jina's /rerank that
                             orders the hits of semantic searches
                             (AGENT_CONNECTORS_RERANK_URL)
  --no-replication           leave replication to other processes
                             (AGENT_CONNECTORS_REPLICATION=0)
  --public-url <address>     where people and MCP clients reach the service
                             (AGENT_CONNECTORS_PUBLIC_URL, or where it listens)
  --mcp-allow-writes         clients of /mcp may change data
                             (AGENT_CONNECTORS_MCP_ALLOW_WRITES=1)
  --mcp-allow-origin <host>  a host whose pages may call /mcp and sign in
                             (AGENT_CONNECTORS_MCP_ALLOW_ORIGINS)
  --print-login-link         print a link at the start that signs in to the
                             console once
  --json                     print JSON
  --help, --version

The key that seals credentials is read from AGENT_CONNECTORS_KEY (32 bytes in
base64 or hex: openssl rand -base64 32), from the output of --key-command, or
from the file 'key' in the data folder. It is never an argument. At SIGHUP the
key file or the command is read again, and the file of --audit-log is reopened.
State and replicated records are kept in the data folder, or in the Postgres
database that DATABASE_URL names.
`;

const commands: Readonly<
  Record<string, (args: Arguments, terminal: Terminal) => number | void | Promise<number | void>>
> = {
  '': serveUntilStopped,
  'create-organization': createOrganization,
  'create-client': createClient,
  'list-clients': listClients,
  'update-client': updateClient,
  'roll-secret': rollSecret,
  'delete-client': deleteClient,
  'rotate-key': rotateKey,
  backup,
  export: exportAll,
  import: importAll,
  'move-state': moveIntoPostgres,
  migrate,
  'export-audit': exportAudit,
  'verify-audit': verifyAudit,
};

/** Runs the command with its arguments and gives back the exit code. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const fail = (error: unknown, hint = '') => {
    terminal.error(`${error instanceof Error ? error.message : String(error)}\n${hint}`);
    return 1;
  };
  let parsed: Arguments;
  try {
    const modules = modulesIn(args);
    const connectors = modules.length > 0 ? await loadConnectors(modules) : undefined;
    parsed = readArguments(args, terminal.environment, connectors);
    checkCommand(parsed);
  } catch (error) {
    return fail(error, 'Try --help.\n');
  }
  if (parsed.help || parsed.version) {
    terminal.out(parsed.help ? helpFor(parsed.command) : `${VERSION}\n`);
    return 0;
  }
  try {
    return (await commands[parsed.command]!(parsed, terminal)) ?? 0;
  } catch (error) {
    return fail(error);
  }
}

/** The lines of one command; the whole help where none is named. */
function helpFor(command: string): string {
  const [lines, head] = new RegExp(`^  (${command}(?: <.*?>)?) {2,}.*\\n(?: {4,}.*\\n)*`, 'm').exec(help) ?? [];
  if (command === '' || lines === undefined) return help;
  return `Usage: agent-connectors-service ${head} [options]\n\n${lines}\n--data <folder> and --json go with every command. For all of them: --help\n`;
}

const commandsOfOneClient: ReadonlySet<string> = new Set(['delete-client', 'update-client', 'roll-secret']);
const commandsWithArgument: ReadonlySet<string> = new Set([...commandsOfOneClient, 'export', 'import', 'verify-audit']);

function checkCommand({ command, rest, help, version, scopes, to, distribute }: Arguments): void {
  if (!Object.hasOwn(commands, command)) {
    const close = nearest(command, Object.keys(commands).filter(Boolean));
    throw new Error(`There is no command '${command}'.${close ? ` Did you mean '${close}'?` : ''}`);
  }
  if (rest.length > 0 && !commandsWithArgument.has(command)) throw new Error(`Unexpected argument '${rest[0]}'.`);
  if (help || version) return;
  if (commandsOfOneClient.has(command) && rest.length !== 1) {
    throw new Error('Pass the id of one client; list-clients prints them.');
  }
  if (command === 'update-client' && !scopes) {
    throw new Error(`update-client needs --scopes <list>: ${tokenScopes.join(', ')}.`);
  }
  if (command === 'migrate' && !distribute)
    throw new Error('migrate needs --distribute: other migrations run at the start.');
  if (command === 'backup' && to === undefined) throw new Error('backup needs --to <folder>, a new one.');
}
