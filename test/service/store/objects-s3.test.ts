import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { objectsFrom } from '../../../service/src/data/objects/options.js';
import { failure } from '../../failure.js';
import { newStore } from './fixtures.js';
import { documents, documentsOf, longDocument, maxInline } from './objects.js';

const keys = {
  AWS_ACCESS_KEY_ID: 'CANARYKEYID',
  AWS_SECRET_ACCESS_KEY: 'canary-secret',
  AWS_SESSION_TOKEN: 'canary-token',
};
const canary = /canary/i;

/** A server with the given responses, and the requests that it received. */
async function serverOf(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const requests: Array<Pick<IncomingMessage, 'method' | 'url' | 'headers'>> = [];
  const server = createServer((request, response) => {
    requests.push(request);
    request.resume().on('end', () => answer(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { requests, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const bucket = (endpoint: string) =>
  objectsFrom({ AGENT_CONNECTORS_OBJECTS: 's3://texts/of/us', AWS_ENDPOINT_URL_S3: endpoint, ...keys })!;

test('the location is a bucket or a folder, and errors contain only the name of the variable', () => {
  const from = (location: string, more: object = keys) =>
    objectsFrom({ AGENT_CONNECTORS_OBJECTS: location, ...more } as Record<string, string>);
  expect(objectsFrom({})).toBeUndefined();
  expect(from('file:///var/lib/texts', {})).toBeDefined();
  expect(from('s3://texts')).toBeDefined();
  for (const location of ['texts', 'file://host/x', 'https://texts', 's3://u:canary@texts', 's3://texts/a?b=canary']) {
    expect(() => from(location)).toThrow('AGENT_CONNECTORS_OBJECTS must be s3://bucket/prefix or file:///folder.');
  }
  expect(() => from('s3://texts', {})).toThrow('so AWS_ACCESS_KEY_ID must also be set');
  expect(() => from('s3://texts', { ...keys, AWS_ENDPOINT_URL: 'http://a:canary@b' })).toThrow(
    'AWS_ENDPOINT_URL_S3 must be an http or https URL without a username or password.',
  );
});

test('keys are paths in the bucket; requests and bodies are signed', async () => {
  const { requests, endpoint } = await serverOf((_, response) => response.end());
  await bucket(endpoint).put('con_1/abc', Buffer.from('text'));
  expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual(['PUT /texts/of/us/con_1/abc']);
  const { authorization = '', ...headers } = requests[0]!.headers;
  expect(authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=CANARYKEYID\/\d{8}\/us-east-1\/s3\/aws4_request/);
  expect(headers['x-amz-content-sha256']).toBe('982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1');
  expect(JSON.stringify([authorization, headers])).not.toContain('canary-secret');
});

test('errors do not contain the key, whatever the server responds', async () => {
  const { endpoint } = await serverOf((request, response) => {
    response.writeHead(403).end(`<Code>SignatureDoesNotMatch</Code>${JSON.stringify(request.headers)} canary-secret`);
  });
  const refused = await failure(bucket(endpoint).put('con_1/abc', Buffer.from('text')));
  expect(refused).toMatchObject({ code: 'network', retryable: true });
  expect(refused.message).toBe('The service’s object store is unavailable (HTTP 403, SignatureDoesNotMatch).');
  // No server listens on port 1.
  const unreachable = await failure(bucket('http://127.0.0.1:1').get('con_1/abc', 10));
  expect(unreachable.message).toMatch(/^The service’s object store is unavailable \(\w/);
  for (const error of [refused, unreachable]) {
    expect(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toMatch(canary);
  }
});

test('while the object store is unavailable, nothing is written, and searches that need no long texts still work', async () => {
  let answers = true;
  const stored = new Set<string>();
  const { endpoint } = await serverOf(({ method, url = '' }, response) => {
    if (!answers) return void response.writeHead(403).end();
    if (method === 'PUT') stored.add(url);
    response.writeHead(stored.has(url) ? 200 : 404).end();
  });
  const of = documentsOf('con_1');
  const store = await newStore({ folder: ':memory:', entities: [documents], maxInline, objects: bucket(endpoint) });
  await store.write(of, [longDocument('a', 'zebra')]);
  answers = false;
  expect(await failure(store.write(of, [longDocument('b', 'okapi')]))).toMatchObject({ code: 'network' });
  expect(await store.count(of)).toBe(1);
  const search = (params: object) => store.search({ ...of, params });
  expect((await search({ query: { filter: { keyword: { content: 'zebra' } } }, fields: ['id'] })).data).toEqual([
    { id: 'a' },
  ]);
  expect(await failure(search({ query: {} }))).toMatchObject({ code: 'network', retryable: true });
});
