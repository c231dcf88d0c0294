import { AgentConnectors } from 'agent-connectors/hosted';
import type { Sandbox } from 'agent-connectors-sandbox';
import { type SandboxServer, serve as serveSandbox } from 'agent-connectors-sandbox/server';
import type { TestedConnector } from 'agent-connectors-sandbox/testing';
import { type RunningService, serve } from 'agent-connectors-service';
import { onTestFinished } from 'vitest';
import type { ParitySubject } from './subject.js';

/** One way to reach a vendor. */
export interface Route {
  readonly connector: TestedConnector;
  readonly sandbox: Sandbox;
  /** The vendor's URL. */
  readonly url: string;
}

/** Two equal vendors over HTTP: one reached directly, one through a service. */
export interface Pair {
  readonly local: Route;
  readonly hosted: Route;
  readonly client: AgentConnectors;
  readonly service: RunningService;
  readonly connectorId: string;
  /** The service options for a hosted connector. */
  readonly target: { baseUrl: string; clientId: string; clientSecret: string; connectorId: string };
}

interface PairOptions {
  /** Options for both connectors. */
  readonly options?: object;
  /** Replaces the subject's own credentials. */
  readonly credentials?: (sandbox: Sandbox) => object;
  /** Options set on the connector in the service. */
  readonly settings?: Record<string, boolean>;
}

/** Starts a pair for one test. */
export async function pairOf(
  subject: ParitySubject,
  { options = {}, credentials = subject.credentials, settings }: PairOptions = {},
): Promise<Pair> {
  const [direct, behind] = await Promise.all([vendor(subject), vendor(subject)]);
  const { name } = subject.Connector.manifest;
  const service = await serve({
    dataFolder: ':memory:',
    dev: true,
    port: 0,
    replicate: false,
    endpoints: { [name]: `${behind.url}/${name}` },
  });
  onTestFinished(async () => {
    // Close the vendors first: requests waiting for them would delay the service's shutdown.
    await Promise.all([direct.close(), behind.close()]);
    await service.close();
  });
  const client = new AgentConnectors({ baseUrl: service.url, ...(await clientOf(service)) });
  const { id } = await client.connectors.create({
    connector_type: name,
    credentials: credentials(behind.sandbox),
    ...(settings && { settings }),
    ...(name === 'google-analytics' && { replication_config: { property_ids: '320200001' } }),
  });
  // A separate fetch has a separate queue in the rate limit.
  const fetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init);
  const local = new subject.Connector({
    credentials: credentials(direct.sandbox),
    endpoints: `${direct.url}/${name}`,
    fetch,
    ...options,
  });
  const target = { baseUrl: service.url, ...(await clientOf(service)), connectorId: id };
  const hosted = new subject.Connector({ ...options, hosted: target });
  return {
    local: { connector: local, sandbox: direct.sandbox, url: direct.url },
    hosted: { connector: hosted, sandbox: behind.sandbox, url: behind.url },
    client,
    service,
    target,
    connectorId: id,
  };
}

const vendor = (subject: ParitySubject): Promise<SandboxServer> => serveSandbox({ sandbox: subject.sandbox() });

const clients = new WeakMap<RunningService, { clientId: string; clientSecret: string }>();

/** A client of the service's only organization, which has the workspace `default`. */
async function clientOf(service: RunningService): Promise<{ clientId: string; clientSecret: string }> {
  const cached = clients.get(service);
  if (cached) return cached;
  const { id } = await service.state.organizations.create('Acme');
  await service.state.workspaces.create(id, 'default');
  const { client, secret } = await service.state.clients.create('tests', [id]);
  const made = { clientId: client.id, clientSecret: secret };
  clients.set(service, made);
  return made;
}

/** Parameters that an action succeeds with, looked up at this side's own vendor. */
export async function paramsOn({ sandbox }: Route, subject: ParitySubject, action: string): Promise<object> {
  const credentials = subject.credentials(sandbox);
  const { fetch } = sandbox;
  const createParams = subject.params[action];
  if (!createParams) throw new Error(`No parameters to try ${action} with.`);
  return createParams(new subject.Connector({ credentials, fetch }) as any);
}
