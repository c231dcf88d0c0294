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
import { person } from './person.js';
import { exportAll, exportToTables, importAll } from './records.js';
import { rotateKey } from './rotate-key.js';
import { serveUntilStopped } from './serve.js';
import type { Terminal } from './terminal.js';
import { verifyAudit } from './verify-audit.js';

const help = `agent-connectors-service: stores connectors and runs their actions over HTTP

Usage: agent-connectors-service [command] [options]

Commands
  (none)               start the service
  create-organization  create an organization with a workspace 'default'
                         --name <name>
  create-client        create a client
                         --name <name> [--organization <id or name> ...]
                         [--scopes <list>]
                         [--as-user <email> [--as-group <email> ...]]
  list-clients         list the clients; commands accept their ids and names
  update-client <id>   change a client's scopes, or its user and all of the
                         user's groups
                         [--scopes <list>]
                         [--as-user <email> [--as-group <email> ...]]
  roll-secret <id>     replace a client's secret
                         [--overlap <seconds the old one stays valid> (86400)]
                         [--end-tokens]
  delete-client <id>   delete a client and revoke its tokens
  rotate-key           start using a new master key, while the service runs
                         [--data-keys]
  backup               back up the state while the service runs
                         --to <folder> [--with-key]
  export <file or ->   write all replicated records to a new file or stdout
  export-tables <folder>
                       write all replicated records to a new folder, as JSON
                       lines that analysis tools read, a file per entity
  import <file or ->   import an export into an empty store
  person <verb>        export <file or -> or erase: what is stored about a
                       person in records, files, stored writes and plans
                         --about <email, name or id> ...
                         [--organization <id or name> ...] [--yes]
  move-state           move the state of a data folder into the database in
                         DATABASE_URL
  migrate              distribute the records over the Citus cluster in
                         DATABASE_URL   --distribute
  export-audit         print the audit logs as JSON lines
                         [--from <time>] [--until <time>]
                         [--organization <id or name> ...]
  verify-audit         verify the audit logs; with heads that it printed
                       before, also that no entry is missing   [head ...]

Options
  --data <folder>            state (AGENT_CONNECTORS_DATA, or data)
  --host <address>           address to listen on (HOST, or 127.0.0.1)
  --port <number>            port to listen on (PORT, or 4020; 0: any free port)
  --create-key               create a key file in the data folder if missing
  --key-command <command>    a program that prints the key, for example from
                             a KMS (AGENT_CONNECTORS_KEY_COMMAND)
  --data-keys                rotate-key: also replace the data keys
  --audit-log <file>         also append audit log entries to this file, as JSON
                             lines (AGENT_CONNECTORS_AUDIT_LOG)
  --audit-retention <days>   delete older audit log entries (400; 0 for never)
                             (AGENT_CONNECTORS_AUDIT_RETENTION)
  --log-level <level>        debug, info, warn, error or silent
                             (AGENT_CONNECTORS_LOG_LEVEL, or info)
  --dev                      for evaluation: in memory, with a temporary key
  --connectors <module>      load connectors from a path or package; repeatable
  --endpoints <json>         custom base URLs by connector type
                             (AGENT_CONNECTORS_ENDPOINTS)
  --allow-host <host>        allow this private host in base_url and webhooks
                             (AGENT_CONNECTORS_ALLOW_HOSTS)
  --max-body-bytes <number>  maximum request body (8388608)
  --limits <json>            limits for callers
                             (AGENT_CONNECTORS_LIMITS)
  --host-name <name>         accepted host name of the service; repeatable
  --trusted-proxies <list>   networks of trusted proxies, or their number
  --local-metrics            serve /metrics to this machine without a token
  --embedder <name>          none: lexical ranking only; local: the model of
                             agent-connectors-embedder; or the folder of a
                             model (AGENT_CONNECTORS_EMBEDDER)
  --rerank-url <url>         a Cohere- or Jina-compatible /rerank endpoint for
                             semantic search
                             (AGENT_CONNECTORS_RERANK_URL)
  --objects <url>            s3://bucket/prefix or file:///folder for long texts
                             (AGENT_CONNECTORS_OBJECTS)
  --no-replication           leave replication to other processes
                             (AGENT_CONNECTORS_REPLICATION=0)
  --public-url <address>     public URL for users and MCP clients
                             (AGENT_CONNECTORS_PUBLIC_URL, or listen address)
  --mcp-allow-writes         allow writes through /mcp
                             (AGENT_CONNECTORS_MCP_ALLOW_WRITES=1)
  --mcp-allow-origin <host>  allow pages on this host to call /mcp and sign in
                             (AGENT_CONNECTORS_MCP_ALLOW_ORIGINS)
  --no-client-metadata-documents
                             apps register instead of publishing metadata
                             (AGENT_CONNECTORS_CLIENT_METADATA_DOCUMENTS=0)
  --print-login-link         print a one-time sign-in link for the console
  --json                     print JSON
  --help, --version

The master key is read from AGENT_CONNECTORS_KEY (32 bytes in base64 or hex:
openssl rand -base64 32), from the output of --key-command, or from the file
'key' in the data folder, never from an argument. SIGHUP reloads the key and
reopens the --audit-log file. State and replicated records are stored in the
data folder, or in the Postgres database in DATABASE_URL.
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
  'export-tables': exportToTables,
  import: importAll,
  person,
  'move-state': moveIntoPostgres,
  migrate,
  'export-audit': exportAudit,
  'verify-audit': verifyAudit,
};

/** Runs a command and returns its exit code. */
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

/** Help for one command, or the full help if no command is given. */
function helpFor(command: string): string {
  const [lines, head] = new RegExp(`^  (${command}(?: <.*?>)?) {2,}.*\\n(?: {4,}.*\\n)*`, 'm').exec(help) ?? [];
  if (command === '' || lines === undefined) return help;
  return `Usage: agent-connectors-service ${head} [options]\n\n${lines}\nAll commands accept --data <folder> and --json. For all options: --help\n`;
}

const commandsOfOneClient: ReadonlySet<string> = new Set(['delete-client', 'update-client', 'roll-secret']);
const commandsWithArgument: ReadonlySet<string> = new Set([
  ...commandsOfOneClient,
  'export',
  'export-tables',
  'import',
  'person',
  'verify-audit',
]);

function checkCommand({ command, rest, help, version, scopes, asUser, to, distribute }: Arguments): void {
  if (!Object.hasOwn(commands, command)) {
    const close = nearest(command, Object.keys(commands).filter(Boolean));
    throw new Error(`Unknown command '${command}'.${close ? ` Did you mean '${close}'?` : ''}`);
  }
  if (rest.length > 0 && !commandsWithArgument.has(command)) throw new Error(`Unexpected argument '${rest[0]}'.`);
  if (help || version) return;
  if (commandsOfOneClient.has(command) && rest.length !== 1) {
    throw new Error('Pass the id or name of a client; see list-clients.');
  }
  if (command === 'update-client' && !scopes && !asUser) {
    throw new Error(`update-client needs --scopes <list> (${tokenScopes.join(', ')}) or --as-user <email>.`);
  }
  if (command === 'migrate' && !distribute)
    throw new Error('migrate needs --distribute: other migrations run at startup.');
  if (command === 'backup' && to === undefined) throw new Error('backup needs --to <folder>, a new one.');
}
