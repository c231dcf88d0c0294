import { createTokens } from './accounts/tokens.js';
import { openEgress, type Resolve } from './connectors/egress.js';
import { openInstances } from './connectors/instances.js';
import { type App, type Bindings, createApp } from './http/app.js';
import { countAttempts } from './http/attempts.js';
import { authenticator } from './http/authenticate.js';
import { createMetrics } from './http/metrics.js';
import type { Services } from './http/route.js';
import { mountMcp } from './mcp/mount.js';
import { defaults, folderOf, type ServiceOptions } from './options.js';
import { listen } from './server.js';
import { openState } from './state/open.js';
import type { State } from './state/types.js';
import { chooseKeys } from './vault/choose.js';

/** Options of a service that runs in the caller's own process. */
export interface CreateOptions extends ServiceOptions {
  /** Finds the addresses of vendors' hosts, in place of the system's resolver; none that is private is connected to. */
  readonly resolve?: Resolve | undefined;
}

/** A service without a socket. */
export interface Service {
  /** Answers one request; a server may pass the socket's two ends along. */
  fetch(request: Request, bindings?: Bindings): Promise<Response>;
  readonly state: State;
  /** Waits for the requests that are under way, and closes the state. */
  close(): Promise<void>;
}

/** A service that listens. */
export interface RunningService extends Service {
  readonly url: string;
  readonly port: number;
}

const hour = 60 * 60 * 1000;
/** Milliseconds that requests under way are given when the service is closed. */
const patience = 10_000;

/** A service, and what a server that is closed waits for. */
interface Opened {
  readonly service: Service;
  /** Waits for the requests that are under way, and lets none begin that has no end. */
  quiet(): Promise<void>;
}

/** Makes a service; nothing listens yet. */
export const createService = (options: CreateOptions = {}): Service => open(options).service;

function open(options: CreateOptions): Opened {
  const { now = Date.now, logger, endpoints = {}, allowHosts = [], resolve } = options;
  const keys = chooseKeys({ ...options, folder: folderOf(options) });
  const state = openState({ folder: folderOf(options), keys, now });
  const egress = openEgress({ origins: originsOf(endpoints), hosts: allowHosts, resolve });
  const tokens = createTokens(keys, now);
  const metrics = createMetrics();
  const policy = { endpoints, allowHosts };
  const services: Services = {
    state,
    tokens,
    authenticate: authenticator(state, tokens, now),
    instances: openInstances({
      credentials: state.credentials,
      policy,
      fetch: options.fetch ?? egress.fetch,
      now,
      onReply: metrics.vendorReply,
    }),
    policy,
    metrics,
    attempts: countAttempts(now),
    maxBodyBytes: options.maxBodyBytes ?? defaults.maxBodyBytes,
    now,
    report: (error, request_id) => logger?.error({ request_id, err: safeError(error) }, 'failure'),
  };
  const mcp = mountMcp(services, {
    allowWrites: options.mcpAllowWrites ?? false,
    allowedOrigins: options.mcpAllowOrigins,
  });
  const app = createApp(services, mcp, logger);
  const sweeping = setInterval(() => state.ledger.sweep(), hour);
  sweeping.unref();
  let quieting: Promise<unknown> | undefined;
  const quiet = async () => {
    quieting ??= Promise.all([settledWithin(app, patience), mcp.close(patience)]);
    await quieting;
  };
  const service = {
    fetch: app.fetch,
    state,
    async close() {
      clearInterval(sweeping);
      await quiet();
      state.close();
      await egress.close();
    },
  };
  return { service, quiet };
}

/** Makes a service and lets it listen, on loopback unless another host is named. */
export async function serve(options: CreateOptions = {}): Promise<RunningService> {
  const { service, quiet } = open(options);
  try {
    const { host = defaults.host, port = defaults.port } = options;
    const server = await listen(service.fetch, { host, port });
    return {
      ...service,
      url: server.url,
      port: server.port,
      async close() {
        await Promise.all([server.close(patience), quiet()]);
        await service.close();
      },
    };
  } catch (error) {
    await service.close();
    throw error;
  }
}

const originsOf = (endpoints: NonNullable<ServiceOptions['endpoints']>): string[] =>
  Object.values(endpoints)
    .flatMap((given) => (typeof given === 'string' ? [given] : Object.values(given)))
    .filter((address) => address !== undefined);

async function settledWithin(app: App, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([app.settled(), late]).finally(() => clearTimeout(timer));
}

/** Where an unforeseen error arose; its message may quote what a tenant sent. */
function safeError(error: unknown): object {
  if (!(error instanceof Error)) return { name: typeof error };
  const { name, stack = '' } = error;
  const { code } = error as { readonly code?: unknown };
  const frames = stack.split('\n').filter((line) => line.startsWith('    at '));
  return { name, ...(typeof code === 'string' && { code }), stack: [name, ...frames].join('\n') };
}
