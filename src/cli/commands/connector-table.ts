import type { CommandSpecification } from '../arguments/specification.js';
import type { CliEnvironment } from '../environment.js';

const connectorKeys = { workspace: 'text', name: 'text', id: 'text' } as const;

const localNote =
  'With --local, no service is used: name is the connector type, and credentials come from the environment.';

const moreKeys = async (environment: CliEnvironment) => (await import('../local/diagnose.js')).doctorKeys(environment);

/** Commands about connectors. */
export const connectorCommands: readonly CommandSpecification[] = [
  {
    path: ['connectors', 'list'],
    summary: 'List the connectors in a workspace.',
    keys: { workspace: 'text', connector_type: 'text', limit: 'count', cursor: 'text' },
    flags: ['pretty', 'all'],
    examples: ['agent-connectors connectors list', 'agent-connectors connectors list \'{"workspace":"sales"}\' --all'],
    load: async () => (await import('./connectors.js')).listConnectors,
  },
  {
    path: ['connectors', 'create'],
    summary: 'Create a connector in the browser, or with credentials from standard input or a file.',
    details: [
      'Without credentials, opens the service’s setup pages in a browser and waits until setup is complete. With credentials, creates the connector immediately. Credentials on the command line are rejected because other programs can see them.',
    ],
    keys: {
      workspace: 'text',
      name: 'text',
      connector_type: 'text',
      definition_id: 'text',
      credentials: 'object',
      replication_config: 'object',
      settings: 'booleans',
    },
    flags: ['pretty', 'no-browser'],
    examples: [
      'agent-connectors connectors create \'{"workspace":"default","name":"our issues","connector_type":"linear"}\'',
      'agent-connectors connectors create - < connector.json',
      'agent-connectors connectors create @connector.json',
    ],
    load: async () => (await import('./create.js')).createConnector,
  },
  {
    path: ['connectors', 'import'],
    summary: 'Create the connectors listed in a file, such as one made from another product.',
    details: [
      'The file contains {"version":1,"connectors":[…]}. Each connector has connector_type and name, and can have workspace, external_id, credentials, replication_config and settings. Missing workspaces are created. A connector that exists already, by workspace and name, stays as it is.',
      'Tokens that the service cannot renew, because the file lacks their OAuth client or refresh token, are not stored: the connection is reported as must_reconnect, with the command that starts a connect session for it.',
      '--dry-run checks the file and shows what would be created. Neither it nor the import sends anything to a vendor. Exit code 1 if a connector could not be created.',
    ],
    keys: { version: 'count', connectors: 'objects' },
    flags: ['pretty', 'dry-run'],
    printsTable: true,
    examples: [
      'agent-connectors connectors import @connectors.json --dry-run',
      'agent-connectors connectors import - < connectors.json',
    ],
    load: async () => (await import('./import.js')).importConnectors,
  },
  {
    path: ['connectors', 'describe'],
    summary: 'Show what a connector can do: entities, actions, parameters.',
    details: [
      'Prints an outline, or the JSON Schemas of one entity or action; --full prints all schemas.',
      `${localNote} Without a name, lists the types and their environment variables.`,
    ],
    keys: { ...connectorKeys, connector_type: 'text', entity: 'text', action: 'text' },
    flags: ['pretty', 'local', 'full'],
    printsJson: true,
    examples: [
      'agent-connectors connectors describe \'{"workspace":"default","name":"our issues"}\'',
      'agent-connectors connectors describe --local \'{"name":"linear","entity":"issues","action":"create"}\'',
      'agent-connectors connectors describe --local --pretty',
    ],
    load: async () => (await import('./describe.js')).describeConnector,
  },
  {
    path: ['connectors', 'execute'],
    summary: 'Run an action.',
    details: [
      'Prints {"data":…,"meta":…}. select_fields and exclude_fields take dotted paths, such as "state.name". --all reads all pages of a list.',
      'A write is sent with an idempotency_key, yours or a generated one. If it fails, the error contains the key, so you can retry safely. Writes are never retried automatically without a key.',
      '--dry-run shows the request a write would send. Pass the "plan" in its result as "plan" to send exactly that request; if it would differ, nothing is sent.',
      '--output saves a download only if it completes, and overwrites an existing file only with --force.',
      `${localNote} Variable names combine the type and the field in uppercase, such as …_API_KEY, or …_CLIENT_ID, …_CLIENT_SECRET and …_REFRESH_TOKEN for OAuth; connectors describe --local lists them. AGENT_CONNECTORS_ENDPOINTS sets custom base URLs, as JSON by type.`,
    ],
    keys: {
      ...connectorKeys,
      connector_type: 'text',
      entity: 'text',
      action: 'text',
      params: 'object',
      select_fields: 'texts',
      exclude_fields: 'texts',
      intent: 'text',
      idempotency_key: 'text',
      plan: 'object',
    },
    flags: ['pretty', 'all', 'view', 'raw', 'dry-run', 'local', 'yes', 'output', 'force'],
    printsJson: true,
    examples: [
      'agent-connectors connectors execute \'{"name":"our issues","entity":"issues","action":"list","params":{"first":5}}\'',
      'agent-connectors connectors execute --local \'{"name":"linear","entity":"issues","action":"list"}\' --all',
      'agent-connectors connectors execute --json @create-issue.json',
      'agent-connectors connectors execute \'{"name":"files","entity":"files","action":"download","params":{"fileId":"1dyU"}}\' --output downloads/',
    ],
    load: async () => (await import('./execute.js')).executeAction,
  },
  {
    path: ['connectors', 'inspect'],
    summary: 'Show a connector’s account and search readiness.',
    keys: connectorKeys,
    flags: ['pretty'],
    examples: ['agent-connectors connectors inspect \'{"name":"our issues"}\' --pretty'],
    load: async () => (await import('./connectors.js')).inspectConnector,
  },
  {
    path: ['connectors', 'check'],
    summary: 'Test a connector’s credentials with one lightweight read.',
    details: [localNote],
    keys: { ...connectorKeys, connector_type: 'text' },
    moreKeys,
    flags: ['pretty', 'local'],
    examples: [
      'agent-connectors connectors check \'{"name":"our issues"}\'',
      'agent-connectors connectors check --local \'{"name":"granola"}\'',
    ],
    load: async () => (await import('./connectors.js')).checkConnector,
  },
  {
    path: ['connectors', 'sync'],
    summary: 'Sync a connector’s records now.',
    details: [
      'Returns the id of the queued or running job; --wait shows its progress and returns the job once it ends.',
    ],
    keys: connectorKeys,
    flags: ['pretty', 'wait'],
    examples: [
      'agent-connectors connectors sync \'{"name":"our issues"}\'',
      'agent-connectors connectors sync --wait \'{"name":"our issues"}\'',
    ],
    load: async () => (await import('./connectors.js')).syncConnector,
  },
  {
    path: ['connectors', 'jobs'],
    summary: 'List a connector’s sync jobs: progress, counts, errors.',
    keys: { ...connectorKeys, limit: 'count', cursor: 'text' },
    flags: ['pretty', 'all', 'watch'],
    examples: [
      'agent-connectors connectors jobs \'{"name":"our issues","limit":1}\'',
      'agent-connectors connectors jobs --watch \'{"name":"our issues"}\'',
    ],
    load: async () => (await import('./connectors.js')).listJobs,
  },
  {
    path: ['connectors', 'rename'],
    summary: 'Rename a connector.',
    keys: { ...connectorKeys, to: 'text' },
    flags: ['pretty', 'dry-run'],
    examples: ['agent-connectors connectors rename \'{"name":"our issues","to":"Issues"}\''],
    load: async () => (await import('./change.js')).renameConnector,
  },
  {
    path: ['connectors', 'update'],
    summary: 'Update a connector’s credentials, replication or settings.',
    details: [
      'Omitted fields are unchanged. Credentials are replaced completely, and read only from a file or standard input. Prints old and new values and the effects of the change; --dry-run changes nothing.',
    ],
    keys: {
      ...connectorKeys,
      new_name: 'text',
      credentials: 'object',
      replication_config: 'nullable',
      settings: 'booleans',
    },
    flags: ['pretty', 'dry-run'],
    examples: [
      'agent-connectors connectors update - < changes.json',
      'agent-connectors connectors update \'{"name":"our issues","replication_config":{"interval":"2h"}}\' --dry-run',
    ],
    load: async () => (await import('./change.js')).updateConnector,
  },
  {
    path: ['connectors', 'delete'],
    summary: 'Delete a connector, its credentials and stored records.',
    details: [
      'On a terminal, asks for confirmation; otherwise, requires --yes. --dry-run shows what would be deleted.',
    ],
    keys: connectorKeys,
    flags: ['pretty', 'yes', 'dry-run'],
    examples: [
      'agent-connectors connectors delete \'{"name":"our issues"}\' --dry-run',
      'agent-connectors connectors delete \'{"name":"our issues"}\' --yes',
    ],
    load: async () => (await import('./change.js')).deleteConnector,
  },
  {
    path: ['skills', 'docs'],
    summary: 'Read a connector’s documentation for agents: the outline, or one section.',
    keys: { ...connectorKeys, docs_id: 'text', docs_skill_id: 'text', section: 'text' },
    flags: ['pretty'],
    examples: ['agent-connectors skills docs \'{"name":"our issues","section":"actions.issues.create"}\''],
    load: async () => (await import('./connectors.js')).skillDocs,
  },
  {
    path: ['mcp'],
    summary: 'Serve connectors to an MCP client on standard input and output.',
    details: ['Read-only unless --allow-writes is set. For its flags, run `agent-connectors mcp --help`.'],
    flags: ['local'],
    examples: ['agent-connectors mcp', 'agent-connectors mcp --local'],
    load: async () => {
      const { runMcp } = await import('../mcp/command.js');
      return ({ environment }) => runMcp([], environment.env, environment);
    },
  },
  {
    path: ['doctor'],
    summary: 'Diagnose connectors and print how to fix any failure.',
    details: [
      'For each connector, checks the account, reads each entity once, and checks clock skew and quotas.',
      'With --local, checks connectors with credentials in the environment. If a check needs a value such as an id, the report shows the argument key and the environment variable for it.',
    ],
    keys: { ...connectorKeys, connector_type: 'text' },
    moreKeys,
    flags: ['pretty', 'local'],
    examples: ['agent-connectors doctor --pretty', 'agent-connectors doctor --local \'{"name":"linear"}\''],
    load: async () => (await import('./doctor.js')).doctor,
  },
];
