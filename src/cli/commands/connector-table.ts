import type { CommandSpecification } from '../arguments/specification.js';
import type { CliEnvironment } from '../environment.js';

const connectorKeys = { workspace: 'text', name: 'text', id: 'text' } as const;

const localNote =
  'With --local there is no service: name is the type of the connector, and its credentials are taken from the environment.';

const moreKeys = async (environment: CliEnvironment) => (await import('../local/keys.js')).doctorKeys(environment);

/** Commands about connectors. */
export const connectorCommands: readonly CommandSpecification[] = [
  {
    path: ['connectors', 'list'],
    summary: 'List the connectors of a workspace.',
    keys: { workspace: 'text', connector_type: 'text', limit: 'count', cursor: 'text' },
    flags: ['pretty', 'all'],
    examples: [
      'agent-connectors connectors list --pretty',
      'agent-connectors connectors list \'{"workspace":"sales"}\' --all',
    ],
    load: async () => (await import('./connectors.js')).listConnectors,
  },
  {
    path: ['connectors', 'create'],
    summary: 'Make a connector: in the browser, or with credentials from a pipe or a file.',
    details: [
      'Without credentials, the service’s setup pages are opened in a browser, and the command waits until they are filled in. With credentials, the connector is made at once. Credentials in the command line are refused: other programs can see those.',
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
    path: ['connectors', 'describe'],
    summary: 'Show what a connector can do: entities, actions, parameters.',
    details: [
      'Without entity an outline; with entity, or entity and action, the JSON Schemas of that; --full gives all of them.',
      `${localNote} Without a name it lists the types and their variables.`,
    ],
    keys: { ...connectorKeys, connector_type: 'text', entity: 'text', action: 'text' },
    flags: ['pretty', 'local', 'full'],
    examples: [
      'agent-connectors connectors describe \'{"workspace":"default","name":"our issues"}\'',
      'agent-connectors connectors describe --local \'{"name":"linear","entity":"issues","action":"create"}\'',
      'agent-connectors connectors describe --local --pretty',
    ],
    load: async () => (await import('./describe.js')).describeConnector,
  },
  {
    path: ['connectors', 'execute'],
    summary: 'Run one action of one entity.',
    details: [
      'Prints {"data":…,"meta":…}. select_fields and exclude_fields take dotted paths, such as "state.name". --all goes through all pages of a list.',
      'A write is sent with an idempotency_key, yours or a new one; a failure names it, so that the same write can be sent again without being done twice. Nothing else that changes data is ever repeated.',
      'A download goes to --output: all of it or nothing, and over no other file without --force.',
      `${localNote} A variable is the name of the type in capitals with that of the field, such as …_API_KEY, or …_CLIENT_ID, …_CLIENT_SECRET and …_REFRESH_TOKEN for OAuth; connectors describe --local lists all of them. AGENT_CONNECTORS_ENDPOINTS holds addresses of your own, as JSON by type.`,
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
    },
    flags: ['pretty', 'all', 'local', 'yes', 'view', 'output', 'force'],
    examples: [
      'agent-connectors connectors execute \'{"name":"our issues","entity":"issues","action":"list","params":{"first":5}}\'',
      'agent-connectors connectors execute --local \'{"name":"linear","entity":"issues","action":"list"}\' --all',
      'agent-connectors connectors execute --json @create-issue.json',
      'agent-connectors connectors execute \'{"name":"files","entity":"files","action":"download","params":{"fileId":"1dyU"}}\' --output downloads/',
    ],
    load: async () => (await import('./execute.js')).executeAction,
  },
  {
    path: ['connectors', 'check'],
    summary: 'Find out whether a connector’s credentials hold, by one cheap read.',
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
    summary: 'Have the service copy a connector’s records for searching.',
    details: ['Of a run that is under way already, its id comes back.'],
    keys: connectorKeys,
    flags: ['pretty'],
    examples: ['agent-connectors connectors sync \'{"name":"our issues"}\''],
    load: async () => (await import('./connectors.js')).syncConnector,
  },
  {
    path: ['connectors', 'delete'],
    summary: 'Delete a connector with its credentials and stored records.',
    details: ['Asks first on a terminal; elsewhere it needs --yes.'],
    keys: connectorKeys,
    flags: ['pretty', 'yes'],
    examples: ['agent-connectors connectors delete \'{"name":"our issues"}\' --yes'],
    load: async () => (await import('./connectors.js')).deleteConnector,
  },
  {
    path: ['skills', 'docs'],
    summary: 'Read a connector’s documentation for agents: the outline, or one section.',
    keys: { ...connectorKeys, docs_id: 'text', section: 'text' },
    flags: ['pretty'],
    examples: ['agent-connectors skills docs \'{"name":"our issues","section":"actions.issues.create"}\''],
    load: async () => (await import('./connectors.js')).skillDocs,
  },
  {
    path: ['mcp'],
    summary: 'Serve connectors to an MCP client on standard input and output.',
    details: [
      'Its flags are its own: `agent-connectors mcp --help` lists them. Nothing can be changed without --allow-writes.',
    ],
    flags: ['local'],
    examples: ['agent-connectors mcp', 'agent-connectors mcp --local'],
    load: async () => {
      const { runMcp } = await import('../mcp/command.js');
      return ({ environment }) => runMcp([], environment.env, environment);
    },
  },
  {
    path: ['doctor'],
    summary: 'Find out what works, what does not, and how to mend it.',
    details: [
      'Asks each connector it can see who it is, makes one cheap read of each entity, and compares clocks and quotas.',
      'With --local, those connectors whose credentials are in the environment. Where one needs a value of yours as well, such as an id, its report names the key of the argument and the variable that it is read from.',
    ],
    keys: { ...connectorKeys, connector_type: 'text' },
    moreKeys,
    flags: ['pretty', 'local'],
    examples: ['agent-connectors doctor --pretty', 'agent-connectors doctor --local \'{"name":"linear"}\''],
    load: async () => (await import('./doctor.js')).doctor,
  },
];
