import type { CommandSpecification } from '../arguments/specification.js';

/** Commands about the caller and the command line itself. */
export const accountCommands: readonly CommandSpecification[] = [
  {
    path: ['login'],
    summary: 'Log in to a service: in a browser, or with a client id and secret.',
    details: [
      'In the browser, you choose a workspace and whether to allow writes; managing connectors, clients and policies needs a client id and secret. If the browser is on another machine, pass --no-browser and paste the URL that it returns to.',
      'Prompts for missing values on a terminal, without echoing the secret. The secret is never read from the command line: pipe it in, keep it in a file, or set AGENT_CONNECTORS_BASE_URL, AGENT_CONNECTORS_CLIENT_ID and AGENT_CONNECTORS_CLIENT_SECRET.',
    ],
    keys: { base_url: 'text', client_id: 'text', client_secret: 'text', organization_id: 'text', workspace: 'text' },
    flags: ['pretty', 'no-browser'],
    examples: [
      'agent-connectors login',
      'agent-connectors login --no-browser',
      'agent-connectors login - < client.json',
      'agent-connectors login \'{"base_url":"https://connectors.example.com","workspace":"sales"}\'',
    ],
    load: async () => (await import('./login.js')).login,
  },
  {
    path: ['init'],
    summary: 'Write a first program: one call with credentials from the environment.',
    keys: { connector_type: 'text', file: 'text' },
    subject: 'connector_type',
    flags: ['pretty', 'force'],
    examples: ['agent-connectors init linear'],
    load: async () => (await import('./init.js')).writeFirstProgram,
  },
  {
    path: ['open'],
    summary: 'Open the service’s console in a browser.',
    flags: ['pretty', 'no-browser'],
    examples: ['agent-connectors open'],
    load: async () => (await import('./account.js')).openConsole,
  },
  {
    path: ['logout'],
    summary: 'Delete the saved login, and end it if it was made in a browser.',
    flags: ['pretty'],
    examples: ['agent-connectors logout'],
    load: async () => (await import('./account.js')).logout,
  },
  {
    path: ['whoami'],
    summary: 'Show the current client, organization and scopes.',
    flags: ['pretty'],
    examples: ['agent-connectors whoami --pretty'],
    load: async () => (await import('./account.js')).whoami,
  },
  {
    path: ['organizations', 'list'],
    summary: 'List your organizations.',
    flags: ['pretty'],
    examples: ['agent-connectors organizations list --pretty'],
    load: async () => (await import('./account.js')).listOrganizations,
  },
  {
    path: ['organizations', 'use'],
    summary: 'Set the organization for later commands.',
    keys: { id: 'text', name: 'text' },
    flags: ['pretty'],
    examples: ['agent-connectors organizations use \'{"name":"Sales Europe"}\''],
    load: async () => (await import('./account.js')).useOrganization,
  },
  {
    path: ['workspaces', 'list'],
    summary: 'List the organization’s workspaces.',
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
    summary: 'Create a workspace.',
    keys: { name: 'text', workspace: 'text' },
    flags: ['pretty'],
    examples: ['agent-connectors workspaces create \'{"name":"sales"}\''],
    load: async () => (await import('./account.js')).createWorkspace,
  },
  {
    path: ['workspaces', 'search'],
    summary: 'Search the records of all connectors in a workspace.',
    details: [
      'Semantic search, best hits first. entities and connector_ids (ids or names) narrow it; mode is lexical, dense or hybrid.',
    ],
    keys: {
      workspace: 'text',
      prompt: 'text',
      limit: 'count',
      mode: 'text',
      context_size: 'count',
      connector_ids: 'texts',
      entities: 'texts',
    },
    subject: 'prompt',
    flags: ['pretty'],
    examples: [
      "agent-connectors workspaces search 'late deliveries'",
      'agent-connectors workspaces search \'{"prompt":"late deliveries","limit":5}\' --pretty',
    ],
    load: async () => (await import('./search.js')).searchWorkspace,
  },
  {
    path: ['workspaces', 'delete'],
    summary: 'Delete a workspace, its connectors and their stored records.',
    details: [
      'On a terminal, asks for confirmation; otherwise, requires --yes. --dry-run shows what would be deleted.',
    ],
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
    summary: 'Create a token for a single workspace, such as a customer’s.',
    details: [
      'The token expires after 20 minutes unless you set expires_in (60 to 1200 seconds); expires_at shows when. scopes can include read, write, manage and admin, but only those that you have (default: read and write). If the workspace does not exist, it is created, which requires the manage scope.',
    ],
    keys: { workspace: 'text', scopes: 'texts', expires_in: 'count' },
    flags: ['pretty'],
    examples: ['agent-connectors tokens create \'{"workspace":"sales","scopes":["read"],"expires_in":300}\''],
    load: async () => (await import('./account.js')).createToken,
  },
];
