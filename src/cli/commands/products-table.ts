import type { CommandSpecification } from '../arguments/specification.js';

const load = async () => import('./products.js');
const webhook = { id: 'text' } as const;

/** Commands for products whose users connect accounts. */
export const productCommands: readonly CommandSpecification[] = [
  {
    path: ['connect', 'session'],
    summary: 'Start a connect session and print the URL for your user to open.',
    details: [
      'The origin of return_url must be registered for the client (connect origins). Pass connector_id instead of connector_type to reconnect a connector. brand is {"name","logo","color","support_url"}; replicate is true (default), false, "ask" or a replication_config. workspace_name is an alias for workspace, as in the HTTP API.',
    ],
    keys: {
      ...{ workspace: 'text', workspace_name: 'text', connector_type: 'text', connector_id: 'text', name: 'text' },
      ...{ any_account: 'boolean', return_url: 'text', state: 'text', methods: 'texts', scopes: 'texts' },
      ...{ replicate: 'replication', settings: 'booleans', brand: 'object', locale: 'text', user: 'text' },
      ...{ expires_in: 'count' },
    },
    flags: ['pretty'],
    examples: ['agent-connectors connect session @session.json'],
    load: async () => (await load()).beginSession,
  },
  {
    path: ['connect', 'origins'],
    summary: 'Show or set the origins that a client’s connect sessions may return to.',
    details: [
      'Without origins, shows the current ones. origins replaces them all; with [], no session can start until you set new ones. client_id defaults to your own.',
    ],
    keys: { client_id: 'text', origins: 'list' },
    flags: ['pretty'],
    examples: [
      'agent-connectors connect origins \'{"origins":["https://app.example.com"]}\'',
      'agent-connectors connect origins \'{"origins":[]}\'',
    ],
    load: async () => (await load()).connectOrigins,
  },
  {
    path: ['connect', 'key'],
    summary: 'Create or replace the key that signs connect results; it is shown once.',
    keys: { client_id: 'text', overlap_seconds: 'count' },
    flags: ['pretty'],
    examples: ['agent-connectors connect key', 'agent-connectors connect key \'{"overlap_seconds":3600}\''],
    load: async () => (await load()).rollConnectKey,
  },
  {
    path: ['webhooks', 'list'],
    summary: 'List webhook endpoints.',
    flags: ['pretty'],
    examples: ['agent-connectors webhooks list --pretty'],
    load: async () => (await load()).listWebhooks,
  },
  {
    path: ['webhooks', 'create'],
    summary: 'Create a webhook endpoint; its secret is shown once.',
    details: [
      'events are connector.connected, connector.needs_reauthorization, connector.failing, connector.recovered, connector.synced and connector.removed (default: all).',
    ],
    keys: { url: 'text', events: 'texts', workspace: 'text' },
    flags: ['pretty'],
    examples: ['agent-connectors webhooks create \'{"url":"https://app.example.com/webhooks"}\''],
    load: async () => (await load()).createWebhook,
  },
  {
    path: ['webhooks', 'update'],
    summary: 'Update or re-enable an endpoint.',
    keys: { ...webhook, url: 'text', events: 'texts', enabled: 'boolean' },
    flags: ['pretty'],
    examples: ['agent-connectors webhooks update \'{"id":"whk_…","enabled":true}\''],
    load: async () => (await load()).updateWebhook,
  },
  {
    path: ['webhooks', 'delete'],
    summary: 'Delete an endpoint and its pending deliveries.',
    keys: webhook,
    flags: ['pretty'],
    examples: ['agent-connectors webhooks delete \'{"id":"whk_…"}\''],
    load: async () => (await load()).deleteWebhook,
  },
  {
    path: ['webhooks', 'secret'],
    summary: 'Replace an endpoint’s secret; the new one is shown once.',
    keys: { ...webhook, overlap_seconds: 'count' },
    flags: ['pretty'],
    examples: ['agent-connectors webhooks secret \'{"id":"whk_…"}\''],
    load: async () => (await load()).rollWebhookSecret,
  },
  {
    path: ['webhooks', 'test'],
    summary: 'Send a webhook.test event to an endpoint.',
    keys: webhook,
    flags: ['pretty'],
    examples: ['agent-connectors webhooks test \'{"id":"whk_…"}\''],
    load: async () => (await load()).testWebhook,
  },
  {
    path: ['webhooks', 'deliveries'],
    summary: 'List deliveries to an endpoint, newest first.',
    details: ['status is waiting, pending, delivered or failed.'],
    keys: { ...webhook, status: 'text', limit: 'count', cursor: 'text' },
    flags: ['pretty'],
    examples: ['agent-connectors webhooks deliveries \'{"id":"whk_…","status":"failed"}\' --pretty'],
    load: async () => (await load()).listDeliveries,
  },
  {
    path: ['webhooks', 'replay'],
    summary: 'Resend a delivered or failed message.',
    keys: { ...webhook, delivery_id: 'text' },
    flags: ['pretty'],
    examples: ['agent-connectors webhooks replay \'{"id":"whk_…","delivery_id":"msg_…"}\''],
    load: async () => (await load()).replayDelivery,
  },
];
