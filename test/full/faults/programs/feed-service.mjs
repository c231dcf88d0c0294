/**
 * A service with one connector, whose vendor lists what has changed since a number.
 * Arguments: <folder> <key> <port> <URL of the vendor> <how far its clock is ahead, in ms>.
 */
import { existsSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { action, apiKey, codeOfStatus, connector, entity, get, many, record } from 'agent-connectors';
import { serve } from 'agent-connectors-service';
import * as z from 'zod';

const [folder, key, port, vendor, ahead] = process.argv.slice(2);

const list = action({
  description: 'List changed items.',
  params: z.strictObject({ since: z.int().optional() }),
  returns: many(record({ id: z.string(), n: z.number(), gone: z.boolean() }), z.object({})),
  request: (params) => get('/items', params),
  read: ({ rows }) => ({ data: rows, meta: {} }),
  example: {},
});

class Ledger extends connector({
  name: 'ledger',
  title: 'Ledger',
  description: 'Numbered changes.',
  version: '0.0.0',
  definitionId: '5b0a4c2e-7a55-4f53-8c3b-7a0d9e3f1c11',
  endpoints: { api: vendor },
  auth: { api_key: apiKey('A key.') },
  fault: ({ status }) => (status === 200 ? undefined : { code: codeOfStatus(status), message: `Status ${status}.` }),
  entities: {
    items: entity({ description: 'Items.', search: { fields: { string: ['id'], number: ['n'] } }, actions: { list } }),
  },
  replication: async () => ({
    replication: {
      interval: '1h',
      entities: {
        items: {
          async *read(source) {
            for (let since = source.state ?? 0; ; ) {
              const { data } = await source.execute('items', 'list', { since });
              if (data.length === 0) return;
              since = data.at(-1).n;
              yield {
                records: data.filter(({ gone }) => !gone),
                removed: data.filter(({ gone }) => gone).map(({ id }) => id),
                state: since,
              };
            }
          },
        },
      },
    },
  }),
}) {}

const service = await serve({
  dataFolder: folder,
  key,
  port: Number(port),
  connectors: { ledger: async () => Ledger },
  allowHosts: ['127.0.0.1'],
  endpoints: { ledger: vendor },
  embedders: [],
  now: () => Date.now() + Number(ahead),
});
const credentials = join(folder, 'client.json');
if (!existsSync(credentials)) {
  const { id } = await service.state.organizations.create('Acme');
  await service.state.workspaces.create(id, 'default');
  const { client, secret } = await service.state.clients.create('Acme program', [id]);
  writeFileSync(credentials, JSON.stringify({ client_id: client.id, client_secret: secret }));
}
writeSync(1, `${service.url}\n`);
