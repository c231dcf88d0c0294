import fc from 'fast-check';
import { expect } from 'vitest';
import { requestTo, startTestService } from '../../service/http/setup.js';
import { check, type Fuzz } from './run.js';
import { bytes, canary, headerTexts, texts, trees } from './values.js';

/** The connector's key: unknown to callers, but the vendor may echo it. */
const plantedKey = 'lin_api_PLANTED-0123456789';

const names = [
  'authorization',
  'x-organization-id',
  'x-workspace',
  'x-request-id',
  'idempotency-key',
  'accept',
  'range',
  'content-type',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'expect',
  'cookie',
  'origin',
  'host',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-http-method-override',
  'sec-fetch-site',
  'x-console',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'last-event-id',
  'if-none-match',
  'traceparent',
];

const typicalValues: Readonly<Record<string, readonly string[]>> = {
  'content-type': ['application/json', 'application/json; charset=utf-16', 'text/plain', 'multipart/form-data'],
  accept: ['application/json', '*/*', 'text/event-stream', 'application/json, text/event-stream'],
  'content-length': ['0', '-1', '1e9', '99999999999999999999'],
  authorization: ['Bearer', 'Bearer x', 'Basic eDp5', 'bearer eyJhbGciOiJub25lIn0.e30.'],
  'idempotency-key': ['one', 'x'.repeat(128), 'x'.repeat(129)],
};

const header = fc
  .constantFrom(...names)
  .chain((name) =>
    fc.tuple(fc.constant(name), fc.oneof(headerTexts, fc.constantFrom(...(typicalValues[name] ?? ['x'])))),
  );

const requestCases = fc.record({
  pick: fc.nat(10_000),
  method: fc.constantFrom(undefined, undefined, undefined, 'GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'),
  /** Values for path parameters. */
  part: texts,
  search: fc.array(fc.tuple(fc.constantFrom('limit', 'cursor', 'workspace_name', 'id', 'section', 'x'), texts), {
    maxLength: 2,
  }),
  headers: fc.array(header, { maxLength: 5 }),
  token: fc.constantFrom('none', 'own', 'own', 'own'),
  body: fc.oneof(
    fc.constant(undefined),
    fc.constant('good' as const),
    bytes,
    trees.map((tree) => new TextEncoder().encode(JSON.stringify(tree))),
  ),
  reply: trees,
  status: fc.constantFrom(200, 200, 400, 401, 403, 404, 429, 500, 503),
});

/** Bodies that reach the code behind the validation. */
const good: Readonly<Record<string, object>> = {
  execute: { entity: 'issues', action: 'list', params: { first: 1 } },
  createScopedToken: { workspace_name: 'main' },
  createToken: { client_id: 'x', client_secret: 'wrong' },
};

interface ApiRoute {
  readonly path: string;
  readonly method: string;
  readonly operationId: string;
}

/** Routes beyond those in the API reference. */
const undocumentedRoutes: readonly ApiRoute[] = ['/mcp', '/mcp', '/', '/console', '/console/session', '/nowhere'].map(
  (path) => ({
    path,
    method: 'POST',
    operationId: 'unnamed',
  }),
);

const oneOf = <T>(all: readonly T[], pick: number): T => all[pick % all.length]!;

/** Whatever a request contains: the response is not an internal error, rejections are JSON, and no secret is in it. */
export const requestHeaders: Fuzz = async (count) => {
  let reply: { readonly body: unknown; readonly status: number } = { body: {}, status: 200 };
  const lines: string[] = [];
  const note = (fields: object, message: string) => void lines.push(JSON.stringify([fields, message]));
  const { service, ask, tenant } = await startTestService({
    logger: { debug: note, info: note, warn: note, error: note },
    fetch: async () => {
      const { body, status } = reply;
      // Calls retry for as long as the vendor limits them.
      if (status === 429) reply = { body, status: 200 };
      return Response.json(body, { status, headers: { 'retry-after': '0' } });
    },
  });
  const acme = await tenant();
  const id = await acme.connect('linear', { api_key: plantedKey });
  const { body: reference } = await ask('GET', '/openapi.json');
  const documentedRoutes = Object.entries<Record<string, { operationId: string }>>(reference.paths).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({ path, method: method.toUpperCase(), operationId })),
  );
  const routes: readonly ApiRoute[] = [...documentedRoutes, ...undocumentedRoutes];

  await check(count, requestCases, async (one) => {
    const route = oneOf(routes, one.pick);
    const method = one.method ?? route.method;
    // Requests that delete or change something do not use the real id, which later cases need.
    const isRepeatable = method === 'GET' || method === 'HEAD' || method === 'POST';
    const part = encodeURIComponent(one.part.replaceAll(/\p{Cs}/gu, '?'));
    const path = route.path
      .replace('{id}', isRepeatable && one.pick % 3 !== 0 ? id : part)
      .replaceAll(/\{\w+\}/g, part);
    const search = new URLSearchParams(one.search.map(([name, value]) => [name, value])).toString();
    const headers = new Headers();
    if (one.token === 'own') headers.set('authorization', `Bearer ${acme.token}`);
    if (one.body !== undefined) headers.set('content-type', 'application/json');
    for (const [name, value] of one.headers) headers.set(name, value.trim());
    const raw =
      one.body === 'good' ? JSON.stringify(good[route.operationId] ?? {}) : (one.body as Uint8Array<ArrayBuffer>);
    reply = { body: JSON.parse(JSON.stringify(one.reply).replaceAll(canary, plantedKey)), status: one.status };
    lines.length = 0;

    const request = requestTo(`${path}${search && `?${search}`}`, method, {
      headers: Object.fromEntries(headers),
      ...(raw !== undefined && method !== 'GET' && method !== 'HEAD' && { raw }),
    });
    const response = await service.fetch(request);
    const text = isStream(response) ? '' : await response.text();
    if (isStream(response)) await response.body?.cancel();
    const where = `${method} ${path} ${response.status} ${text.slice(0, 300)} ${lines.join(' ').slice(0, 600)}`;
    expect([500, 501].includes(response.status), where).toBe(false);
    if (response.status >= 400 && method !== 'HEAD') expect(typeof JSON.parse(text), where).toBe('object');
    const shown = `${text} ${JSON.stringify([...response.headers])} ${lines.join(' ')}`;
    // Data from a vendor is passed on unchanged.
    const isData = response.status < 400 && JSON.stringify(reply.body).includes(plantedKey);
    expect(shown.includes(plantedKey) && !isData, where).toBe(false);
    expect(shown.includes(acme.clientSecret), where).toBe(false);
    expect(response.headers.get('x-request-id') ?? '-', where).toMatch(/^[\w.-]{1,128}$/);
  });
};

const isStream = (response: Response) => response.headers.get('content-type')?.startsWith('text/event-stream') === true;
