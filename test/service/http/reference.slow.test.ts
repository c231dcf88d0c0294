import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { createSandbox } from 'agent-connectors-sandbox';
import { serve } from 'agent-connectors-service';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { connectorPath, execute, startTestService, tenantOf } from './setup.js';

const page = readFileSync(new URL('../../../docs/service-api.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```sh\n(.+?)^```$/gms)].map(([, code]) => code!);
/** Joins commands that are split across lines. */
const lines = blocks.flatMap((block) => block.replaceAll('\\\n', '').split(/\n(?=curl )/));

/** Method and path of a command. */
function operationOf(line: string): readonly [method: string, path: string] {
  const [, address] = /\$BASE(\/[^"?]+)/.exec(line)!;
  const path = address!
    .replace(/\$(ID|CLIENT_ID|PLAN|GRANT|SESSION|WEBHOOK)\b/, '{id}')
    .replace('$DELIVERY', '{delivery_id}')
    .replace('$SETUP', '{setup_id}')
    .replace(/\/workspaces\/[\w-]+/, '/workspaces/{name}');
  return [/-X (\w+)/.exec(line)?.[1] ?? (line.includes(' -d ') ? 'POST' : 'GET'), path];
}

/** The documented JSON of an operation's response, with its references resolved. */
function responseSchema(document: any, [method, path]: readonly [string, string], status = 200): any {
  const { content } = document.paths[path][method.toLowerCase()].responses[status];
  return JSON.parse(
    JSON.stringify(content['application/json'].schema).replaceAll(
      /\{"\$ref":"#\/components\/schemas\/(\w+)"\}/g,
      (_, name) => JSON.stringify(document.components.schemas[name]),
    ),
  );
}

/** What is wrong with a response, including fields that are not documented. */
function faultsOf(response: unknown, documented: any) {
  const closed = JSON.parse(JSON.stringify(documented), (_, schema) =>
    schema?.properties && schema.type === 'object' ? { additionalProperties: false, ...schema } : schema,
  );
  return z.fromJSONSchema(closed).safeParse(response).error?.issues ?? [];
}

test('every curl command in the reference works as shown and returns what is documented', {
  timeout: 300_000,
}, async () => {
  const service = await serve({
    dataFolder: ':memory:',
    dev: true,
    port: 0,
    fetch: createSandbox({ seed: 7, scale: 0.2 }).fetch,
  });
  onTestFinished(() => service.close());
  const { clientId, clientSecret, organizationId } = await tenantOf(service, 'Acme');
  const scope = { organizationId };
  const [workspace] = (await service.state.workspaces.list(scope, { limit: 1 })).rows;
  const { id: GRANT, code } = await service.state.grants.create(scope, {
    workspaceId: workspace!.id,
    clientId,
    appId: 'https://app.example/client.json',
    appName: 'App',
    redirectUri: 'https://app.example/',
    resource: 'mcp',
    scopes: ['read'],
    connectorIds: null,
    challenge: '',
  });
  await service.state.grants.redeemCode(code, () => true);
  const issued = await service.fetch(
    new Request(`${service.url}/api/v1/account/applications/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: clientId, client_secret: clientSecret }),
    }),
  );
  const environment: Record<string, string> = {
    OLD_TOKEN: ((await issued.json()) as { access_token: string }).access_token,
    PATH: process.env.PATH ?? '',
    BASE: service.url,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
    GRANT,
    SIGNATURE: 'of the result',
  };
  const document = (await (await service.fetch(new Request(`${service.url}/openapi.json`))).json()) as any;
  expect(lines.length).toBeGreaterThan(15);
  for (const line of lines) {
    const script = line.replace(/^curl -sS/, 'curl -sS --fail-with-body');
    const { stdout } = await promisify(execFile)('sh', ['-c', script], { env: environment }).catch((error) => {
      // No user has connected an account in a browser.
      if (line.includes('/confirm') && error.stdout.includes('cannot be confirmed')) return error;
      throw new Error(`${line}\n${error.stdout}${error.stderr}`);
    });
    const answer = stdout.startsWith('{') ? JSON.parse(stdout) : {};
    if (stdout.startsWith('{')) {
      const status = line.includes('/confirm') ? 409 : 200;
      expect([line, faultsOf(answer, responseSchema(document, operationOf(line), status))]).toEqual([line, []]);
    }
    environment.TOKEN ??= answer.access_token;
    if (answer.connector_type) environment.ID ??= answer.id;
    environment.SETUP ??= answer.setup_id;
    if (answer.preview) environment.PLAN ??= answer.id;
    if (answer.nonce) environment.SESSION ??= answer.id;
    if (answer.secret && answer.url) environment.WEBHOOK ??= answer.id;
    if (answer.webhook_id) environment.DELIVERY ??= answer.id;
  }
});

test('the commands in the reference cover every path of the service', async () => {
  const { body } = await (await startTestService()).ask('GET', '/openapi.json');
  const asked = lines.map((line) => operationOf(line).join(' '));
  const known = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect([...new Set(asked)].sort()).toEqual(known.sort());
});

const schema = z.looseObject({});
const Content = z.record(z.string().regex(/^[\w+.*-]+\/[\w+.*-]+$/), z.strictObject({ schema }));
const Operation = z.strictObject({
  operationId: z.string().regex(/^[a-z]\w+$/),
  summary: z.string().min(5),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z.array(
    z
      .strictObject({
        name: z.string(),
        in: z.enum(['path', 'query', 'header']),
        required: z.boolean(),
        description: z.string().optional(),
        schema: z.looseObject({ type: z.string() }),
      })
      .refine((parameter) => parameter.in !== 'path' || parameter.required),
  ),
  requestBody: z.strictObject({ required: z.boolean(), content: Content }).optional(),
  responses: z.record(
    z.string().regex(/^[2-5]\d\d$/),
    z.strictObject({ description: z.string().min(1), content: Content.optional() }),
  ),
});
const Document = z.strictObject({
  openapi: z.literal('3.1.0'),
  info: z.strictObject({
    title: z.string(),
    version: z.string().regex(/^\d+\.\d+\.\d+/),
    description: z.string(),
    license: z.strictObject({ name: z.string(), identifier: z.string() }),
  }),
  servers: z.array(z.strictObject({ url: z.string() })),
  paths: z.record(z.string().startsWith('/'), z.partialRecord(z.enum(['get', 'post', 'put', 'delete']), Operation)),
  components: z.strictObject({
    schemas: z.record(z.string(), schema),
    securitySchemes: z.record(
      z.string(),
      z.strictObject({ type: z.literal('http'), scheme: z.string(), bearerFormat: z.string() }),
    ),
  }),
});

test('the OpenAPI document is valid 3.1 and all its references resolve', async () => {
  const { ask } = await startTestService();
  const { body } = await ask('GET', '/openapi.json');
  const document = Document.parse(body);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ path, ...operation! })),
  );
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { path, parameters, security, responses } of operations) {
    const named = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => `{${name}}`);
    expect(path.match(/\{\w+\}/g) ?? []).toEqual(named);
    for (const scheme of security.flatMap(Object.keys))
      expect(document.components.securitySchemes).toHaveProperty(scheme);
    expect(Object.keys(responses)).toContain('200');
  }
  for (const [, name] of JSON.stringify(body).matchAll(/"\$ref":"([^"]+)"/g)) {
    expect(name).toMatch(/^#\/components\/schemas\/\w+$/);
    expect(document.components.schemas).toHaveProperty(name!.split('/').at(-1)!);
  }
  expect((await ask('GET', '/api/v1/openapi.json')).text).toBe(JSON.stringify(body));
});

test('responses match the OpenAPI document', async () => {
  const { tenant, sandbox, ask } = await startTestService();
  const acme = await tenant();
  const id = await acme.connect('linear', sandbox.vendors.linear.credentials.api_key);
  const { body: document } = await ask('GET', '/openapi.json');
  const fits = (response: unknown, path: string, method: string, status: number) =>
    expect([path, faultsOf(response, responseSchema(document, [method, path], status))]).toEqual([path, []]);
  const own = '/api/v1/integrations/connectors/{id}';
  for (const [path, method, status] of [
    ['/api/v1/account/me', 'get', 200],
    ['/api/v1/organizations', 'get', 200],
    ['/api/v1/workspaces', 'get', 200],
    ['/api/v1/integrations/connectors', 'get', 200],
    ['/api/v1/integrations/connectors', 'post', 415],
    [own, 'get', 200],
    [`${own}/check`, 'post', 200],
    [`${own}/inspect`, 'get', 200],
    [`${own}/describe`, 'get', 200],
  ] as const) {
    const answer = await acme.ask(method.toUpperCase(), path.replace('{id}', id));
    expect([path, answer.status]).toEqual([path, status]);
    fits(answer.body, path, method, status);
  }
  fits((await execute(acme, id, 'issues', 'list')).body, `${own}/execute`, 'post', 200);
  fits((await execute(acme, id, 'issue', 'list')).body, `${own}/execute`, 'post', 422);
  fits((await acme.ask('GET', connectorPath('con_x'))).body, own, 'get', 404);
});
