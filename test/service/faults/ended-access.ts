import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createSandbox } from 'agent-connectors-sandbox';
import { createService, type Service } from 'agent-connectors-service';
import { expect, onTestFinished, vi } from 'vitest';
import { clientOf, textOf } from '../../mcp/setup.js';
import { handleIn } from '../../tools/setup.js';
import { connectorPath, createRequester, requestTo, type Tenant, tenantOf } from '../http/setup.js';
import { newKey } from '../keys.js';

/** What a vendor does with a request: sends it on, rate-limits it, or holds it until `release`. */
type Mode = 'open' | 'limited' | 'held';

/** Two processes with the same data, a clock that both use, and a vendor that can make calls wait. */
export interface Processes {
  readonly near: Service;
  readonly far: Service;
  readonly vendor: Vendor;
  /** Makes what a process has cached too old to use. */
  expireCaches(): void;
}

/** The vendors of both processes. */
export class Vendor {
  mode: Mode = 'open';
  /** Bodies of the requests that were limited or held, and of those that arrived afterwards. */
  readonly waiting: string[] = [];
  readonly arrived: string[] = [];
  readonly sandbox = createSandbox({ seed: 7, scale: 0.2 });
  release = () => {};
  readonly #released = new Promise<void>((resolve) => {
    this.release = resolve;
  });

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    if (String(input).includes('alt=media')) return new Response(endlessFile());
    const body = String(init?.body ?? '');
    if (this.mode === 'open') {
      this.arrived.push(body);
      return this.sandbox.fetch(input, init);
    }
    this.waiting.push(body);
    if (this.mode === 'limited') {
      const limited = { errors: [{ message: 'slow down', extensions: { code: 'RATELIMITED' } }] };
      return Response.json(limited, { status: 429, headers: { 'retry-after': '1' } });
    }
    await this.#released;
    return this.sandbox.fetch(input, init);
  };
}

const endlessFile = () =>
  new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        controller.enqueue(new Uint8Array(1_000));
      },
    },
    { highWaterMark: 0 },
  );

/** Starts two processes with the data in this location. */
export async function startProcesses(location: {
  readonly dataFolder: string;
  readonly databaseUrl?: string;
}): Promise<Processes> {
  const clock = { now: Date.parse('2026-05-01T12:00:00Z') };
  const vendor = new Vendor();
  const options = {
    ...location,
    key: newKey(),
    fetch: vendor.fetch,
    replicate: false,
    embedders: [],
    mcpAllowWrites: true,
    limits: { rate: 0 },
    now: () => clock.now,
  };
  const [near, far] = [await createService(options), await createService(options)];
  onTestFinished(async () => {
    await Promise.all([near.close(), far.close()]);
  });
  const expireCaches = () => {
    clock.now += 5_000;
  };
  return { near, far, vendor, expireCaches };
}

/** What a change ends: writes, reads, or also everything that needs the caller's token. */
export type Ended = 'writes' | 'reads' | 'token';

/** A tenant with an agent that has access to it. */
export interface Agent {
  readonly admin: Tenant;
  readonly clientId: string;
  readonly token: string;
  readonly linear: string;
  readonly drive: string;
  readonly credentials: { readonly linear: object; readonly drive: object };
}

/** A change of access, made in the other process. */
export interface Change {
  readonly name: string;
  readonly ends: Ended;
  /** The code of the error of a call that was waiting. */
  readonly code: string;
  make(agent: Agent, ask: Tenant['ask'], service: Service): Promise<{ readonly status: number } | undefined>;
}

const policy = (rule: object) => (_: Agent, ask: Tenant['ask']) =>
  ask('PUT', '/api/v1/policies', { json: { workspace_name: 'main', ...rule } });
const scopes = (names: readonly string[]) => (agent: Agent, ask: Tenant['ask']) =>
  ask('PUT', `/api/v1/clients/${agent.clientId}`, { json: { scopes: names } });

/** Every way of ending access. */
export const changes: readonly Change[] = [
  { name: 'a read-only policy', ends: 'writes', code: 'denied_by_policy', make: policy({ read_only: true }) },
  {
    name: 'a policy that requires approval',
    ends: 'writes',
    code: 'denied_by_policy',
    make: policy({ approval: ['linear:*.create'] }),
  },
  { name: 'a policy that denies', ends: 'reads', code: 'denied_by_policy', make: policy({ allow: ['users.list'] }) },
  { name: 'a lost write scope', ends: 'writes', code: 'forbidden', make: scopes(['read']) },
  { name: 'lost scopes', ends: 'token', code: 'forbidden', make: scopes(['manage']) },
  {
    name: 'a deleted client',
    ends: 'token',
    code: 'forbidden',
    make: async ({ clientId }, _, { state }) => void (await state.clients.delete(clientId)),
  },
  {
    name: 'a new client secret that ends the tokens',
    ends: 'token',
    code: 'forbidden',
    make: ({ clientId }, ask) =>
      ask('POST', `/api/v1/clients/${clientId}/secret`, { json: { overlap_seconds: 60, end_tokens: true } }),
  },
  {
    name: 'a revoked token',
    ends: 'token',
    code: 'forbidden',
    make: ({ token }, ask) => ask('POST', '/api/v1/account/tokens/revoke', { json: { token } }),
  },
  {
    name: 'new credentials',
    ends: 'reads',
    code: 'conflict',
    async make({ linear, drive, credentials }, ask) {
      await ask('PUT', connectorPath(drive), { json: { credentials: credentials.drive } });
      return ask('PUT', connectorPath(linear), { json: { credentials: credentials.linear } });
    },
  },
  {
    name: 'a deleted connector',
    ends: 'reads',
    code: 'not_found',
    async make({ linear, drive }, ask) {
      await ask('DELETE', connectorPath(drive));
      return ask('DELETE', connectorPath(linear));
    },
  },
  {
    name: 'a deleted workspace',
    ends: 'token',
    code: 'not_found',
    make: (_, ask) => ask('DELETE', '/api/v1/workspaces/main'),
  },
];

/** Creates a tenant with two connectors and an agent. */
export async function newAgent({ near, vendor }: Processes, name: string): Promise<Agent> {
  const admin = await tenantOf(near, name);
  const { linear, 'google-drive': drive } = vendor.sandbox.vendors;
  const credentials = { linear: linear.credentials.api_key, drive: drive.credentials.access_token };
  const { client, secret } = await near.state.clients.create('agent', [admin.organizationId]);
  const json = { client_id: client.id, client_secret: secret };
  const { body } = await createRequester(near)('POST', '/api/v1/account/applications/token', { json });
  return {
    admin,
    clientId: client.id,
    token: body.access_token,
    linear: await admin.connect('linear', credentials.linear),
    drive: await admin.connect('google-drive', credentials.drive),
    credentials,
  };
}

/** One piece of work of an agent. */
interface Work {
  readonly name: string;
  readonly kind: 'write' | 'read' | 'stream';
  /** The code of its error; `success` if it has none. */
  readonly outcome: Promise<string>;
}

const comment = (body: string) => ({ entity: 'comments', action: 'create', params: { issueId: 'ENG-1', body } });

/** Bodies of requests; a service reads a body once it has checked the request's token. */
class Bodies {
  read = 0;

  readonly streamOf = (text: string) => {
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      this.read++;
      controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    };
    return new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 });
  };
}

async function mcpClient({ near }: Processes, { token }: Agent, bodies = new Bodies()) {
  const client = clientOf('legacy');
  const transport = new StreamableHTTPClientTransport(new URL('http://service.test/mcp'), {
    requestInit: { headers: { authorization: `Bearer ${token}`, 'x-workspace': 'main' } },
    fetch: (url, { body, ...init } = {}) =>
      near.fetch(
        requestTo(String(url), init.method ?? 'GET', {
          headers: Object.fromEntries(new Headers(init.headers)),
          ...(body && { raw: bodies.streamOf(String(body)) }),
          ...(init.signal && { signal: init.signal }),
        }),
      ),
  });
  await client.connect(transport);
  onTestFinished(() => client.close().catch(() => {}));
  return client;
}

/** Starts work of each kind in one process, makes a change in the other, and returns how the work ended. */
export async function endAccess(processes: Processes, change: Change) {
  const { near, far, vendor, expireCaches } = processes;
  vendor.mode = 'open';
  // Until the vendor's limit, which processes share in Postgres, is over.
  for (let times = 0; times < 20; times++) expireCaches();
  const agent = await newAgent(processes, change.name);
  const authorization = `Bearer ${agent.token}`;
  const ask = createRequester(near, { authorization });
  const codeOf = ({ status, body }: { readonly status: number; readonly body: any }) =>
    status === 200 ? 'success' : body.code;
  const bodies = new Bodies();
  const execute = async (json: object, more = {}) => {
    const raw = bodies.streamOf(JSON.stringify(json));
    const headers = { 'content-type': 'application/json', ...more };
    return codeOf(await ask('POST', connectorPath(agent.linear, '/execute'), { raw, headers }));
  };
  const client = await mcpClient(processes, agent, bodies);
  const call = async (name: string, args: object) => {
    const result = await client
      .callTool({ name, arguments: { connector: 'linear', ...args } })
      .catch((error: Error) => ({ isError: true, content: [{ type: 'text', text: error.message }] }));
    return { isError: result.isError, text: textOf(result) };
  };
  const codeIn = ({ isError, text }: Awaited<ReturnType<typeof call>>) =>
    isError ? (/\b(denied_by_policy|forbidden|conflict|not_found)\b/.exec(text)?.[1] ?? text) : 'success';
  const handle = handleIn((await call('execute', { entity: 'issues', action: 'list', params: { first: 100 } })).text);
  const download = await near.fetch(
    requestTo(connectorPath(agent.drive, '/execute'), 'POST', {
      json: { entity: 'files', action: 'download', params: { fileId: 'f1' } },
      headers: { authorization },
    }),
  );
  const reader = download.body!.getReader();
  await reader.read();
  const events = await near.fetch(
    requestTo('/mcp', 'GET', {
      headers: {
        authorization,
        accept: 'text/event-stream',
        'x-workspace': 'main',
        'mcp-session-id': String((client.transport as StreamableHTTPClientTransport).sessionId),
      },
    }),
  );
  vendor.mode = 'limited';
  vendor.waiting.length = 0;
  bodies.read = 0;
  const work: Work[] = [
    { name: 'keyed write', kind: 'write', outcome: execute(comment('keyed'), { 'idempotency-key': 'k1' }) },
    { name: 'write without a key', kind: 'write', outcome: execute(comment('unkeyed')) },
    { name: 'read', kind: 'read', outcome: execute({ entity: 'teams', action: 'list', params: {} }) },
    { name: 'MCP write', kind: 'write', outcome: call('execute_write', comment('mcp')).then(codeIn) },
  ];
  await vi.waitFor(() => expect(vendor.waiting.length).toBeGreaterThanOrEqual(1), 20_000);
  const queued = Array.from({ length: 4 }, (_, index) => execute(comment(`queued ${index}`)));
  work.push({
    name: 'queued writes',
    kind: 'write',
    outcome: Promise.all(queued).then((codes) => [...new Set(codes)].join()),
  });
  await vi.waitFor(() => expect(bodies.read).toBe(8), 20_000);
  const made = await change.make(agent, createRequester(far, { authorization: `Bearer ${agent.admin.token}` }), far);
  expect(made?.status ?? 200).toBe(200);
  expireCaches();
  vendor.mode = 'open';
  vendor.arrived.length = 0;
  const outcomes: Record<string, string> = {};
  for (const { name, outcome } of work) outcomes[name] = await outcome;
  outcomes['continued result'] = await mcpClient(processes, agent)
    .then((again) => again.callTool({ name: 'execute', arguments: { connector: 'linear', continue: handle } }))
    .then((result) => (result.isError ? 'refused' : 'success'))
    .catch(() => 'refused');
  const readToEnd = async () => {
    for (;;) if ((await reader.read()).done) return;
  };
  if (change.ends === 'writes') {
    await reader.read();
    await reader.cancel();
    await events.body?.cancel();
    outcomes.download = 'success';
  } else
    outcomes.download = await readToEnd().then(
      () => 'success',
      (error) => error.code,
    );
  outcomes['event stream'] = change.ends === 'token' ? await events.text().then(() => 'ended') : 'open';
  return { outcomes, writes: vendor.arrived.filter((body) => body.includes('mutation')), agent, events };
}

/** How each piece of work ends after a change. */
export function endsOf({ ends, code }: Change): Record<string, string> {
  const read = ends === 'writes' ? 'success' : code;
  return {
    'keyed write': code,
    'write without a key': code,
    'queued writes': code,
    'MCP write': code,
    read,
    download: read,
    // With new credentials, the rest is read with them.
    'continued result': ends === 'writes' || code === 'conflict' ? 'success' : 'refused',
    'event stream': ends === 'token' ? 'ended' : 'open',
  };
}
