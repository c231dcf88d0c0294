import type { CommandSpecification } from '../arguments/specification.js';

/** Commands about the caller, and about the command line itself. */
export const accountCommands: readonly CommandSpecification[] = [
  {
    path: ['login'],
    summary: 'Keep the client id and secret of a service, once it has accepted them.',
    details: [
      'Asks for what is missing on a terminal; the secret is not shown while it is typed. It is never taken from the command line: pipe it in, keep it in a file, or set AGENT_CONNECTORS_BASE_URL, AGENT_CONNECTORS_CLIENT_ID and AGENT_CONNECTORS_CLIENT_SECRET.',
    ],
    keys: { base_url: 'text', client_id: 'text', client_secret: 'text', organization_id: 'text', workspace: 'text' },
    flags: ['pretty'],
    examples: [
      'agent-connectors login',
      'agent-connectors login - < client.json',
      'agent-connectors login \'{"base_url":"https://connectors.example.com","workspace":"sales"}\'',
    ],
    load: async () => (await import('./login.js')).login,
  },
  {
    path: ['logout'],
    summary: 'Forget the client id and secret.',
    flags: ['pretty'],
    examples: ['agent-connectors logout'],
    load: async () => (await import('./account.js')).logout,
  },
  {
    path: ['whoami'],
    summary: 'Show who the service takes you for.',
    flags: ['pretty'],
    examples: ['agent-connectors whoami --pretty'],
    load: async () => (await import('./account.js')).whoami,
  },
  {
    path: ['organizations', 'list'],
    summary: 'List the organizations that you may act in.',
    flags: ['pretty'],
    examples: ['agent-connectors organizations list --pretty'],
    load: async () => (await import('./account.js')).listOrganizations,
  },
  {
    path: ['organizations', 'use'],
    summary: 'Choose the organization that later commands act in.',
    keys: { id: 'text', name: 'text' },
    flags: ['pretty'],
    examples: ['agent-connectors organizations use \'{"name":"Sales Europe"}\''],
    load: async () => (await import('./account.js')).useOrganization,
  },
  {
    path: ['workspaces', 'list'],
    summary: 'List the workspaces of the organization.',
    keys: { name_contains: 'text' },
    flags: ['pretty'],
    examples: [
      'agent-connectors workspaces list --pretty',
      'agent-connectors workspaces list \'{"name_contains":"sales"}\'',
    ],
    load: async () => (await import('./account.js')).listWorkspaces,
  },
  {
    path: ['workspaces', 'create'],
    summary: 'Make a workspace.',
    keys: { name: 'text', workspace: 'text' },
    flags: ['pretty'],
    examples: ['agent-connectors workspaces create \'{"name":"sales"}\''],
    load: async () => (await import('./account.js')).createWorkspace,
  },
  {
    path: ['workspaces', 'search'],
    summary: 'Search everything that the connectors of a workspace have copied.',
    details: [
      'Finds by meaning; the best hits come first. entities and connector_ids narrow the search, mode is lexical, dense or hybrid.',
    ],
    keys: {
      ...{ workspace: 'text', prompt: 'text', limit: 'count', mode: 'text', context_size: 'count' },
      ...{ connector_ids: 'texts', entities: 'texts' },
    },
    flags: ['pretty'],
    examples: ['agent-connectors workspaces search \'{"prompt":"late deliveries","limit":5}\' --pretty'],
    load: async () => (await import('./account.js')).searchWorkspace,
  },
  {
    path: ['workspaces', 'delete'],
    summary: 'Delete a workspace with its connectors and their stored records.',
    details: ['Asks first on a terminal; elsewhere it needs --yes. --dry-run shows what would be deleted.'],
    keys: { name: 'text', workspace: 'text' },
    flags: ['pretty', 'yes', 'dry-run'],
    examples: [
      'agent-connectors workspaces delete \'{"name":"sales"}\' --dry-run',
      'agent-connectors workspaces delete \'{"name":"sales"}\' --yes',
    ],
    load: async () => (await import('./change.js')).deleteWorkspace,
  },
  {
    path: ['tokens', 'create'],
    summary: 'Make a token for one workspace, such as for the program of one customer.',
    details: [
      'The token expires after 20 minutes, or after expires_in seconds (60 to 1200); expires_at says when. scopes are read, write, manage and admin, as far as you have them; read and write when left out. A workspace that does not exist is created, which needs the scope manage.',
    ],
    keys: { workspace: 'text', scopes: 'texts', expires_in: 'count' },
    flags: ['pretty'],
    examples: ['agent-connectors tokens create \'{"workspace":"sales","scopes":["read"],"expires_in":300}\''],
    load: async () => (await import('./account.js')).createToken,
  },
];
