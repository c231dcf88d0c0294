import { ConnectorError } from 'agent-connectors';
import type { FollowChanges } from 'agent-connectors/hosted';
import type { ChangesPage } from 'agent-connectors/wire';
import { safeError } from './common/log.js';
import { isLoopback, loopbackNames } from './common/loopback.js';
import { createMetrics, instrumentedFetch, openTelemetry } from './common/telemetry.js';
import { openContextStore } from './context-store.js';
import { defaultEmbedders } from './data/search/embedding/options.js';
import { openState } from './data/state/open.js';
import type { Scope } from './data/state/rows.js';
import type { State } from './data/state/types.js';
import { chooseKeys } from './data/vault/choose.js';
import { createTokens } from './domain/accounts/tokens.js';
import { flushRefusals } from './domain/audit/refusals.js';
import { openAccessWatch } from './domain/calls/access-watch.js';
import { changesOf } from './domain/connectors/changes.js';
import { loadDefinitions } from './domain/connectors/definitions.js';
import { openEgress, type Resolve } from './domain/connectors/egress.js';
import { openGate } from './domain/connectors/gate.js';
import { openInstances, openQuotas } from './domain/connectors/instances.js';
import { addressFinder } from './domain/limits/addresses.js';
import { openAdmission, ownBuckets } from './domain/limits/admission.js';
import { openMemoryBudget } from './domain/limits/memory.js';
import { type Limits, limitsWith } from './domain/limits/options.js';
import { sharedBuckets } from './domain/limits/shared-buckets.js';
import { openStorageLimits } from './domain/limits/storage.js';
import { sharedVendorLimits } from './domain/limits/vendor-limits.js';
import { metadataReader } from './domain/oauth/metadata-document.js';
import { openDispatcher } from './domain/webhooks/dispatcher.js';
import { defaults, type ServiceOptions, stateLocation } from './options.js';
import { countAttempts } from './web/api/attempts.js';
import { authenticator, type Bindings } from './web/api/handle-request.js';
import { knownHosts } from './web/api/known-hosts.js';
import type { Services } from './web/api/route.js';
import { createApp } from './web/app.js';
import { mountConsole } from './web/console/mount.js';
import { mountMcp } from './web/mcp/mount.js';
import { baseAddress, publicUrlWarning } from './web/oauth/base-address.js';
import { mountOAuth } from './web/oauth/index.js';
import { listen } from './web/server.js';
import { mountSetup } from './web/setup/index.js';
import { type PublicAddress, publicAddress } from './web/setup/public-address.js';

/** Options for a service in the caller's own process. */
export interface CreateOptions extends ServiceOptions {
  /** Resolves vendor host names in place of the system's resolver; the service never connects to private addresses. */
  readonly resolve?: Resolve | undefined;
}

/** A service without a socket. */
export interface Service {
  /** Handles a request; a server may also pass the Node request and response. */
  fetch(request: Request, bindings?: Bindings): Promise<Response>;
  /**
   * Changes of an entity's replicated records, page by page: store each page together with its `meta.cursor`, and pass
   * that to continue. It ends with the newest change, unless `follow` is set. Throws `cursor_expired` if changes since the
   * cursor may have been forgotten, and `not_found` if the organization has no such connector.
   */
  changes(scope: Scope, connectorId: string, options: FollowChanges): AsyncGenerator<ChangesPage, void, undefined>;
  /** The service's state. */
  readonly state: State;
  /** Reloads the master keys and reopens the audit log file. */
  reload(): Promise<void>;
  /** Waits for running requests and closes the state. */
  close(): Promise<void>;
}

/** A listening service. */
export interface RunningService extends Service {
  /** URL that it listens on. */
  readonly url: string;
  /** Port that it listens on. */
  readonly port: number;
}

const hour = 60 * 60 * 1000;
/** How long a cursor of a change feed is valid. */
const changeRetentionMs = 30 * 24 * hour;
/** Milliseconds that running requests have to finish on shutdown: most supervisors kill a process after 10 s. */
const shutdownTimeoutMs = 8000;

/** A service, and what its server waits for when closing. */
interface OpenedService {
  readonly service: Service;
  /** Resolves once the record store is open; requests wait for it. */
  readonly ready: Promise<unknown>;
  readonly address: PublicAddress;
  readonly limits: Limits;
  /** Waits for running requests and does not start new streams. */
  drain(): Promise<void>;
}

/** Creates a service that does not listen yet. */
export const createService = async (options: CreateOptions = {}): Promise<Service> =>
  (await open(options, false)).service;

/** Opens the service. If it is embedded in the caller's own server, that server is responsible for checking host names. */
async function open(options: CreateOptions, listens: boolean): Promise<OpenedService> {
  const limits = limitsWith(options.limits);
  const { now = Date.now, logger, endpoints = {}, allowHosts = [], resolve } = options;
  const location = stateLocation(options);
  const definitions = await loadDefinitions(options.connectors);
  // Before anything is opened: ambiguous types would get each other's credentials.
  const keys = await chooseKeys({ ...options, ...location });
  const report = (error: unknown, request_id: string, details?: object) =>
    logger?.error({ request_id, ...details, err: safeError(error) }, 'failure');
  const state = await openState({
    ...location,
    keys,
    now: options.now,
    quotas: limits,
    auditFile: options.auditFile,
    warn: (message) => logger?.warn({}, message),
    report: (error) => report(error, 'audit'),
  });
  const egress = openEgress({
    origins: originsOf(endpoints),
    hosts: allowHosts,
    resolve,
    proxy: options.httpsProxy,
    noProxy: options.noProxy,
  });
  const tokens = createTokens(keys, now);
  const metrics = createMetrics((error) => report(error, 'metrics'));
  const quotas = openQuotas(now);
  const openBuckets = state.rateLimits ? sharedBuckets(state.rateLimits, now) : ownBuckets(now);
  const addressPolicy = { endpoints, allowHosts };
  const { host = defaults.host, port = defaults.port, publicUrl, hostNames, oauthClients = {} } = options;
  const address = publicAddress(publicUrl, { host, port });
  const base = baseAddress(publicUrl, address);
  const warning = publicUrlWarning(publicUrl);
  if (warning !== undefined) logger?.warn({}, warning);
  const guards = {
    isKnownHost: listens ? knownHosts({ hostNames, publicUrl, host }) : () => true,
    addressOf: addressFinder(options.trustedProxies),
    onForwarded: forwardedWarning(options),
  };
  const memory = openMemoryBudget(limits);
  const isOnDisk = location.databaseUrl === undefined && location.folder !== ':memory:';
  const storage = openStorageLimits(limits, openBuckets, isOnDisk ? location.folder : undefined, now);
  let isStopping = false;
  const { telemetry, loaded } = openTelemetry({ traceVendors: options.traceVendors ?? false });
  const fetch = instrumentedFetch(options.fetch ?? egress.vendorFetch, telemetry);
  const dispatcher = openDispatcher({ state, fetch: options.fetch ?? egress.fetch, now, report });
  const instances = openInstances({
    definitions,
    credentials: state.credentials,
    policy: addressPolicy,
    fetch,
    now,
    keys,
    limitsOf: state.vendorLimits && sharedVendorLimits(state.vendorLimits, now, (error) => report(error, 'limits')),
    quotas,
    metrics,
    telemetry,
  });
  const storeOptions = {
    folder: location.folder,
    databaseUrl: location.databaseUrl,
    keys,
    replicates: options.replicate ?? true,
    recordsPerOrganization: limits.recordsPerOrganization,
    memory,
    state,
    definitions,
    instances,
    metrics,
    telemetry,
    now,
    report,
    logger,
    embedders: options.embedders ?? defaultEmbedders,
    reranker: options.reranker,
    objects: options.objects,
    indexHidden: options.indexHidden,
    deliver: dispatcher.wake,
  };
  // Connectors created before telemetry is loaded would never be instrumented.
  const opening = loaded.then(() => openContextStore(storeOptions));
  const ready = opening.then((contextStore) => {
    const { records, engine, readiness, searches, writeThrough, nodes } = contextStore;
    const services: Services = {
      state,
      definitions,
      tokens,
      instances,
      quotas,
      addressPolicy,
      metrics,
      telemetry,
      now,
      report,
      records,
      engine,
      readiness,
      searches,
      writeThrough,
      nodes,
      gate: openGate({ state, definitions, telemetry, storage, report }),
      storage,
      accessWatch: openAccessWatch(state.access),
      authenticate: authenticator(state, tokens, now, base.of, (error) => report(error, 'tokens')),
      attempts: countAttempts(openBuckets),
      memory,
      admission: openAdmission(limits, openBuckets, memory),
      webhooks: {
        wake: dispatcher.wake,
        // The caller's own fetch has its own guard.
        checkUrl: async (url) => (options.fetch ? undefined : egress.check(url)),
      },
      isStopping: () => isStopping,
      localMetrics: options.localMetrics ?? options.dev ?? false,
      maxBodyBytes: options.maxBodyBytes ?? defaults.maxBodyBytes,
    };
    const mcp = mountMcp(
      services,
      { allowWrites: options.mcpAllowWrites ?? false, allowedOrigins: options.mcpAllowOrigins },
      keys,
    );
    const setup = mountSetup({ ...services, setups: state.setups, fetch, address, oauthClients });
    const web = mountConsole(services, {
      sessions: state.consoleSessions,
      publicUrl,
      mcpAllowWrites: options.mcpAllowWrites ?? false,
      oidc: options.oidc,
    });
    const oauth = mountOAuth(
      {
        services,
        sessions: state.consoleSessions,
        base,
        publicUrl,
        readDocument:
          options.clientMetadataDocuments === false ? undefined : metadataReader(options.fetch ?? egress.fetchPublic),
        mcpAllowWrites: options.mcpAllowWrites ?? false,
      },
      options.mcpAllowOrigins,
    );
    return { app: createApp(services, { mcp, setup, web, oauth }, guards, logger), services, mcp, web, contextStore };
  });
  let running: Awaited<typeof ready> | undefined;
  ready.then(
    (opened) => {
      running = opened;
    },
    // Reported to requests and to `serve`.
    () => {},
  );
  const sweep = async () => {
    const { accessTokens, ledger, plans, setups, consoleSessions, grants, oauthApps, webhooks, rateLimits, backoffs } =
      state;
    for (const part of [
      accessTokens,
      ledger,
      plans,
      setups,
      consoleSessions,
      grants,
      oauthApps,
      webhooks,
      rateLimits,
      backoffs,
    ])
      await part?.sweep();
    const contextStore = await opening;
    await contextStore.engine.removeOrphans();
    await contextStore.forgetChanges(now() - changeRetentionMs);
    // Once per hour across all processes, since it reads every connector's references.
    if (options.objects && (await state.claim('collect objects', 0.9 * hour))) await contextStore.collectObjects();
    await state.activity.sweep();
    const { auditRetentionDays = defaults.auditRetentionDays } = options;
    if (auditRetentionDays) await state.audit.prune(new Date(now() - auditRetentionDays * 24 * hour).toISOString());
  };
  const sweepTimer = setInterval(() => void sweep().catch((error) => report(error, 'sweep')), hour);
  sweepTimer.unref();
  const inFlight = new Set<Promise<Response>>();
  let draining: Promise<unknown> | undefined;
  const drainAll = async () => {
    isStopping = true;
    const opened = running ?? (await ready.catch(() => undefined));
    if (!opened) return;
    const { mcp, web, contextStore } = opened;
    web.close();
    await Promise.all([settleWithin(inFlight, shutdownTimeoutMs), mcp.close(shutdownTimeoutMs), contextStore.drain()]);
  };
  const drain = async () => {
    draining ??= drainAll();
    await draining;
  };
  const service: Service = {
    fetch(request, bindings) {
      const responding = running ? running.app(request, bindings) : ready.then(({ app }) => app(request, bindings));
      inFlight.add(responding);
      return responding.finally(() => inFlight.delete(responding));
    },
    async *changes(scope, connectorId, options) {
      const { services } = await ready;
      const row = await state.connectors.get(scope, connectorId);
      if (!row) throw new ConnectorError('not_found', `There is no connector '${connectorId}'.`);
      // Loaded on demand.
      const { followChanges } = await import('agent-connectors/hosted');
      yield* followChanges((query) => changesOf(row, query, services), options);
    },
    state,
    async reload() {
      await Promise.all([state.reloadKeys(), state.audit.reopen()]);
    },
    async close() {
      clearInterval(sweepTimer);
      await drain();
      flushRefusals(state.audit);
      await dispatcher.close();
      await opening.then((contextStore) => contextStore.close()).catch(() => {});
      await state.close();
      await egress.close();
    },
  };
  return { service, ready, address, limits, drain };
}

/** Creates a service and starts listening, on loopback unless another host is given. */
export async function serve(options: CreateOptions = {}): Promise<RunningService> {
  const { service, ready, address, limits, drain } = await open(options, true);
  try {
    await ready;
    const { host = defaults.host, port = defaults.port } = options;
    const server = await listen(service.fetch, { host, port }, limits, options.trustedProxies);
    address.setListenUrl(server.url);
    return {
      ...service,
      url: server.url,
      port: server.port,
      async close() {
        await Promise.all([server.close(shutdownTimeoutMs), drain()]);
        await service.close();
      },
    };
  } catch (error) {
    await service.close();
    throw error;
  }
}

/** Warns once about what looks like an unconfigured proxy, behind which all callers have the same address. */
function forwardedWarning({ trustedProxies, logger }: CreateOptions): () => void {
  let isKnown = trustedProxies !== undefined;
  return () => {
    if (isKnown) return;
    isKnown = true;
    logger?.warn(
      {},
      'Ignored the X-Forwarded-For header of a request. If the service is behind a proxy, set --trusted-proxies; otherwise, limits and the audit log treat all callers as one address. If there is no proxy, set it to 0.',
    );
  };
}

/**
 * Origins of the operator's endpoints; local ones under all of this machine's names, since a local server may return
 * URLs that use a different one.
 */
const originsOf = (endpoints: NonNullable<ServiceOptions['endpoints']>): string[] =>
  Object.values(endpoints)
    .flatMap((given) => (typeof given === 'string' ? [given] : Object.values(given)))
    .filter((address) => address !== undefined)
    .flatMap((address) => {
      const { protocol, hostname, port } = new URL(address);
      return isLoopback(hostname) ? loopbackNames.map((name) => `${protocol}//${name}:${port}`) : [address];
    });

async function settleWithin(work: Iterable<Promise<unknown>>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([Promise.allSettled(work), timeout]).finally(() => clearTimeout(timer));
}
