import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConnectButton, type Connections, useConnections } from 'agent-connectors-react';
import { createElement, version } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, onTestFinished, test } from 'vitest';

/** A product's server with one connection, which records requests. */
async function startServer() {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray();
    requests.push(`${request.method} ${request.url} ${Buffer.concat(chunks)}`.trim());
    if (request.method === 'DELETE') return response.writeHead(404).end('Account not found.');
    if (request.method === 'PUT') return response.writeHead(204).end();
    const json =
      request.method === 'GET'
        ? [{ id: 'con_1', type: 'linear', name: 'Linear', status: 'connected' }]
        : { url: 'u', nonce: 'n' };
    return response.end(JSON.stringify(json));
  });
  await new Promise<void>((ready) => {
    server.listen(0, '127.0.0.1', ready);
  });
  onTestFinished(() => void server.close());
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/connections` };
}

/** What the hook returns in its first render. */
function firstRender(endpoint?: string): Connections {
  let returned: Connections | undefined;
  const Probe = () => {
    returned = useConnections(endpoint);
    return null;
  };
  renderToString(createElement(Probe));
  return returned!;
}

test('renders on a server: a button that is ready, and no connections yet', () => {
  expect(Number(version.split('.')[0])).toBeGreaterThanOrEqual(18);
  const html = renderToString(createElement(ConnectButton, { type: 'linear', className: 'wide' }, 'Connect Linear'));
  expect(html).toBe('<button class="wide" type="button">Connect Linear</button>');
  expect(firstRender()).toMatchObject({ connections: [], isLoading: true, error: undefined });
});

test('starts and finishes a session on the product’s server', async () => {
  const { url, requests } = await startServer();
  const { begin, finish } = firstRender(url);
  expect(await begin({ type: 'linear' })).toEqual({ url: 'u', nonce: 'n' });
  await begin({ connectorId: 'con_1' });
  await finish('https://app.example.com/connected?signature=x');
  expect(requests).toEqual([
    'POST /connections {"type":"linear"}',
    'POST /connections {"connectorId":"con_1"}',
    'PUT /connections {"address":"https://app.example.com/connected?signature=x"}',
    'GET /connections',
  ]);
});

test('reports the text of an error of the product’s server', async () => {
  const { url, requests } = await startServer();
  await expect(firstRender(url).disconnect('con 1')).rejects.toThrow('Account not found.');
  expect(requests).toEqual(['DELETE /connections?id=con%201']);
});

test('keeps users apart on a server: nothing is shared between renders', async () => {
  const { url } = await startServer();
  await firstRender(url).reload();
  expect(firstRender(url).connections).toEqual([]);
});
