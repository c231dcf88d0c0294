import * as api from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import {
  accessToken,
  action,
  connector,
  entity,
  get,
  one,
  type RequestEvent,
  record,
  type Steps,
} from 'agent-connectors';
import { LinearConnector } from 'agent-connectors/linear';
import { traced } from 'agent-connectors/telemetry';
import { createSandbox } from 'agent-connectors-sandbox';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';

const canary = 'CANARY-span-5c1e';

/** Keeps the spans that end during a test. */
function recordSpans(): InMemorySpanExporter {
  const spans = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  provider.register();
  onTestFinished(() => {
    for (const part of [api.trace, api.context, api.propagation]) part.disable();
  });
  return spans;
}

/** A traced connector to a sandbox, whose first responses can be replaced, and the spans of its calls. */
function start(replies: Array<() => Response> = [], options: object = {}) {
  const spans = recordSpans();
  const sandbox = createSandbox({ seed: 7, scale: 0.2 });
  const linear = new (traced(LinearConnector, api))({
    credentials: sandbox.vendors.linear.credentials.api_key,
    fetch: async (input, init) => replies.shift()?.() ?? sandbox.fetch(input, init),
    ...options,
  });
  return { linear, secret: sandbox.vendors.linear.credentials.api_key.api_key, spans: () => spans.getFinishedSpans() };
}

test('a call is a span with a client span for each attempt', async () => {
  const seen: RequestEvent[] = [];
  const hooks = {
    onRequest: (event: RequestEvent) => {
      seen.push(event);
      throw new Error('A hook of the caller fails.');
    },
  };
  const unavailable = () => new Response('busy', { status: 503, headers: { 'retry-after': '0' } });
  const dropped = () => {
    throw new TypeError('fetch failed');
  };
  const { linear, spans, secret } = start([unavailable, dropped], { hooks });
  const { data } = await linear.issues.list({ first: 2, filter: { title: { contains: canary } } });
  expect(data).toEqual([]);
  expect(seen.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  const [call] = spans().filter(({ name }) => name === 'issues.list');
  expect(call?.attributes).toEqual({ 'agent_connectors.connector_type': 'linear' });
  const attempts = spans().filter(({ parentSpanContext }) => parentSpanContext?.spanId === call!.spanContext().spanId);
  const request = {
    'http.request.method': 'POST',
    'server.address': 'api.linear.app',
    'server.port': 443,
    'url.full': 'https://api.linear.app/graphql',
  };
  expect(attempts.map(({ name, kind, attributes, ended }) => [name, kind, ended, attributes])).toEqual([
    ['POST', api.SpanKind.CLIENT, true, { ...request, 'http.response.status_code': 503, 'error.type': '503' }],
    ['POST', api.SpanKind.CLIENT, true, { ...request, 'http.request.resend_count': 1, 'error.type': 'network' }],
    [
      'POST',
      api.SpanKind.CLIENT,
      true,
      { ...request, 'http.request.resend_count': 2, 'http.response.status_code': 200 },
    ],
  ]);
  const text = JSON.stringify(
    spans().map(({ name, attributes, events, status }) => [name, attributes, events, status]),
  );
  expect(text).not.toContain(canary);
  expect(text).not.toContain(secret);
});

test('a failed call has the code of its error, and so has an attempt without a response', async () => {
  const dropped = () => {
    throw new TypeError(canary);
  };
  const { linear, spans } = start([dropped], { retries: 0 });
  await expect(linear.teams.list()).rejects.toMatchObject({ code: 'network' });
  await expect(linear.execute('issues', 'create', { title: 'x' } as never)).rejects.toMatchObject({
    code: 'invalid_params',
  });
  expect(spans().map(({ name, attributes, status }) => [name, attributes['error.type'], status])).toEqual([
    ['POST', 'network', { code: api.SpanStatusCode.ERROR }],
    ['teams.list', 'network', { code: api.SpanStatusCode.ERROR }],
    ['issues.create', 'invalid_params', { code: api.SpanStatusCode.ERROR }],
  ]);
});

test('calls at the same time have their own attempts, and pages are calls', async () => {
  const { linear, spans } = start();
  const pages = linear.paginate('issues', 'list', { first: 20 }).pages()[Symbol.asyncIterator]();
  await Promise.all([linear.teams.list(), linear.users.list(), pages.next()]);
  await pages.next();
  const calls = spans().filter(({ name }) => name.includes('.'));
  expect(calls.map(({ name }) => name).sort()).toEqual(['issues.list', 'issues.list', 'teams.list', 'users.list']);
  for (const call of calls) {
    const { spanId } = call.spanContext();
    expect(spans().filter(({ parentSpanContext }) => parentSpanContext?.spanId === spanId)).toHaveLength(1);
  }
});

test.each(['/notes/1', '/notes/2'])(
  'an attempt whose failure the action catches ends too, before one of %s',
  async (next) => {
    const spans = recordSpans();
    const request = function* (): Steps {
      try {
        return yield get('/notes/1');
      } catch {
        return yield get(next);
      }
    };
    const read = action({
      description: 'Read.',
      params: z.strictObject({}),
      returns: one(record({ id: z.string() })),
      request,
      example: {},
    });
    const Notes = connector({
      name: 'notes',
      title: 'Notes',
      description: 'Made by a test.',
      version: '1.0.0',
      definitionId: '00000000-0000-4000-8000-000000000003',
      endpoints: { api: 'https://api.notes.example' },
      auth: { token: accessToken('A token.') },
      entities: { notes: entity({ description: 'Notes.', actions: { get: read } }) },
    });
    const replies = [() => Promise.reject(new TypeError('fetch failed')), async () => Response.json({ id: '1' })];
    const notes = new (traced(Notes, api))({
      credentials: { access_token: 'a-token-of-a-test' },
      retries: 0,
      fetch: () => replies.shift()!(),
    });
    await notes.execute('notes', 'get', {});
    const ended = spans.getFinishedSpans().map(({ name, attributes, status }) => {
      const { 'url.full': url, 'error.type': type } = attributes;
      return [name, url && new URL(String(url)).pathname, type, status.code];
    });
    expect(ended).toHaveLength(3);
    expect(ended).toContainEqual(['GET', '/notes/1', '_OTHER', api.SpanStatusCode.ERROR]);
    expect(ended).toContainEqual(['GET', next, undefined, api.SpanStatusCode.UNSET]);
    expect(ended).toContainEqual(['notes.get', undefined, undefined, api.SpanStatusCode.UNSET]);
  },
);

test('without an SDK, calls work and nothing is recorded', async () => {
  const { vendors, fetch } = createSandbox({ seed: 7, scale: 0.2 });
  const linear = new (traced(LinearConnector, api))({ credentials: vendors.linear.credentials.api_key, fetch });
  expect((await linear.teams.list()).data.length).toBeGreaterThan(0);
});
