import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CreateOptions, createService } from 'agent-connectors-service';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished } from 'vitest';
import { type Tenant, tenantOf } from './http/setup.js';

/** A message as an endpoint received it. */
export interface Received {
  readonly id: string;
  readonly type: string;
  readonly data: Record<string, any>;
  readonly headers: Record<string, string>;
  readonly body: string;
}

async function read(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  const headers = request.headers as Record<string, string>;
  return { id: headers['webhook-id']!, ...JSON.parse(body), headers, body };
}

/** An endpoint on this machine that responds with the status from `statusOf`. */
export async function openEndpoint(statusOf: (message: Received) => number | Promise<number> = () => 204) {
  const received: Received[] = [];
  const accepted: Received[] = [];
  const server = createServer(async (request, response) => {
    const message = await read(request);
    received.push(message);
    const status = await statusOf(message);
    if (status < 300) accepted.push(message);
    response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end('ok');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received, accepted };
}

/** A service whose operator allows webhooks to this machine, with a clock controlled by the test. */
export async function startWebhooks(options: CreateOptions = {}) {
  const clock = { ahead: 0 };
  const service = await createService({
    dataFolder: ':memory:',
    dev: true,
    replicate: false,
    allowHosts: ['127.0.0.1'],
    now: () => Date.now() + clock.ahead,
    ...options,
  });
  onTestFinished(() => service.close());
  const tenant = await tenantOf(service, 'Acme');
  return { service, clock, tenant };
}

/** Registers an endpoint. */
export async function register({ ask }: Tenant, url: string, more: object = {}) {
  const { body, status, text } = await ask('POST', '/api/v1/webhooks', { json: { url, ...more } });
  if (status !== 200) throw new Error(text);
  return body as { id: string; secret: string };
}

/** Waits until an endpoint's messages have these statuses. */
export const settled = ({ ask }: Tenant, id: string, statuses: readonly string[]) =>
  expect
    .poll(async () => (await ask('GET', `/api/v1/webhooks/${id}/deliveries`)).body.data.map((one: any) => one.status))
    .toEqual(statuses);

/** Throws if a message is not signed with the secret; uses the Standard Webhooks library. */
export const verifyWith = (secret: string, { body, headers }: Received) => new Webhook(secret).verify(body, headers);
