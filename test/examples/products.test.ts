import { verifyWebhook } from 'agent-connectors/hosted';
import { expect, test } from 'vitest';
import { connectServer, type UserSession } from '../../examples/products.js';
import { failure } from '../failure.js';
import { signIn, startProduct } from '../service/setup/connect.js';
import { openEndpoint, register, settled, startWebhooks } from '../service/webhooks.js';

const origin = 'https://app.example.com';
const ada = (): UserSession => ({ userId: '7', email: 'ada@example.com' });

test('the guide’s server lets a user connect, and connect again, each result once and for the user alone', async () => {
  const { client, key, running } = await startProduct();
  const { begin, returned } = connectServer(client, key, '', origin);
  const [session, grace] = [ada(), { userId: '8', email: 'grace@example.com' }];
  const browser = running.browser();
  const connect = async (connectorId?: string) => {
    const { url } = await begin(session, 'linear', connectorId);
    return (await signIn(browser, await browser.open(url))).url;
  };
  const address = await connect();
  await begin(grace, 'linear');
  expect(await failure(returned(grace, address))).toMatchObject({ code: 'unauthorized' });
  const { status, connectorId } = await returned(session, address);
  expect(status).toBe('connected');
  await expect(returned(session, address)).rejects.toThrow('connecting nothing');
  expect(await returned(session, await connect(connectorId!))).toEqual({ status: 'connected', connectorId });
  const names = async (workspace_name: string) => (await client.connectors.list({ workspace_name })).data.length;
  expect([await names('user-7'), await names('user-8')]).toEqual([1, 0]);
});

test('the guide’s handler takes signed webhooks alone, and acts once on each', async () => {
  const { tenant } = await startWebhooks();
  const { url, received } = await openEndpoint();
  const { id, secret } = await register(tenant, url);
  const connector = await tenant.connect('linear', { api_key: 'lin_api_1' }, { name: 'Issues' });
  await settled(tenant, id, ['delivered']);
  const [message] = received;
  const requestOf = (body = message!.body) =>
    new Request(url, { method: 'POST', body, headers: { ...message!.headers, host: 'x' } });
  const { headers } = requestOf();
  expect(await verifyWebhook(headers, message!.body, { secret })).toMatchObject({
    ...{ type: 'connector.connected', data: { connector_id: connector } },
  });
  const late = verifyWebhook(headers, message!.body, { secret, now: Date.now() + 301_000 });
  expect(await failure(late)).toMatchObject({ code: 'unauthorized', message: 'The webhook is too old.' });
  const { webhook } = connectServer({} as never, '', secret, origin);
  const told: string[] = [];
  const send = async (request: Request) => (await webhook(request, (_, text) => told.push(text))).status;
  expect([await send(requestOf()), await send(requestOf(`${message!.body} `))]).toEqual([204, 401]);
  expect(told).toEqual([]);
});
