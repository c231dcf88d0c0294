import { sql } from 'kysely';
import type { KeyRing } from '../vault/keys.js';
import { AccessCache, expiring } from './access-cache.js';
import { openAccessRows } from './access-rows.js';
import { openAccessTokens } from './access-tokens.js';
import { openOrganizations, openWorkspaces } from './accounts.js';
import { openActivity } from './activity.js';
import { openChain } from './audit/chain.js';
import { openAuditFile } from './audit/file.js';
import { openAudit } from './audit/log.js';
import { openBacklog } from './backlog.js';
import { openBackoffs } from './backoffs.js';
import { openClients } from './clients.js';
import { openCommits } from './commits.js';
import { openConnectClients } from './connect-clients.js';
import { openConnectors, openCredentials } from './connectors.js';
import { openConsoleSessions } from './console-sessions.js';
import type { Database } from './database.js';
import { openJobs } from './jobs.js';
import { openLeases } from './leases.js';
import { openLedger } from './ledger.js';
import { openLedgerRows } from './ledger-rows.js';
import { openDatabase, rejectAbandonedState, type StateLocation } from './location.js';
import { migrate } from './migrate.js';
import { openOAuthApps } from './oauth-apps.js';
import { openGrants } from './oauth-grants.js';
import { openPlans } from './plans.js';
import { openPolicies } from './policies.js';
import { joinProcesses } from './processes.js';
import { openRateLimits } from './rate-limits.js';
import { openMarks, openReplicas } from './replicas.js';
import { openSealedEntries } from './sealed-entries.js';
import { openSealing } from './sealing.js';
import { openSetups } from './setups.js';
import type { Quotas, State } from './types.js';
import { openVendorLimits } from './vendor-limits.js';
import { openWebhooks } from './webhooks/queue.js';

/** Where the state is stored, and its keys. */
export interface StateOptions extends StateLocation {
  readonly keys: KeyRing;
  /** An open database to use instead of the location's. */
  readonly database?: Database | undefined;
  /** Milliseconds since 1970; if undefined, leases and the like use the database's clock. */
  readonly now?: (() => number) | undefined;
  /** Quotas per organization; unlimited if undefined. */
  readonly quotas?: Quotas | undefined;
  /** Receives warnings for the operator. */
  readonly warn?: ((message: string) => void) | undefined;
  /** A file that receives every audit entry from this process as a JSON line. */
  readonly auditFile?: string | undefined;
  /** Receives errors from background work. */
  readonly report?: ((error: unknown) => void) | undefined;
}

/** Opens the state; rejects wrong keys and newer databases. */
export async function openState(options: StateOptions): Promise<State> {
  const { now = Date.now } = options;
  const database = options.database ?? (await openDatabase(options, options.now));
  try {
    await migrate(database, now);
    if (await ignoresPolicies(database)) options.warn?.(policiesIgnored);
    await rejectAbandonedState(database, options);
    return await createState(database, now, options);
  } catch (error) {
    await database.close();
    throw error;
  }
}

const policiesIgnored =
  'Row-level security has no effect: the role in DATABASE_URL is a superuser or has BYPASSRLS. ' +
  'Connect as a role that has neither and owns the service’s tables (see docs/guides/hosting.md).';

/** Whether the connected role bypasses row policies. */
async function ignoresPolicies({ engine, query }: Database): Promise<boolean> {
  if (engine !== 'postgres') return false;
  const role = sql<{ ignores: boolean }>`
    select rolsuper or rolbypassrls as ignores from pg_roles where rolname = current_user`;
  return (await role.execute(query)).rows[0]?.ignores ?? false;
}

async function createState(
  database: Database,
  now: () => number,
  { keys, quotas = {}, auditFile, report = () => {} }: StateOptions,
): Promise<State> {
  const sealing = await openSealing(database, keys, now);
  const processes = await joinProcesses(database, { keys, now, report });
  const leases = openLeases(database);
  const chain = await openChain(database, sealing);
  const file = auditFile === undefined ? undefined : await openAuditFile(auditFile);
  const mark = openMarks(database, processes);
  const rows = openLedgerRows(database, sealing, processes);
  const commits = openCommits(database, { chain, ledger: rows, mark, now, onAppended: file?.append, report });
  const ledger = openLedger(database, { sealing, processes, rows, commits });
  await ledger.sweep();
  const audit = openAudit(database, { chain, commits, file, keys, report });
  const closeAll = async () => {
    await audit.close();
    await leases.releaseAll();
    await processes.leave();
    await database.close();
  };
  let closing: Promise<void> | undefined;
  const cache = new AccessCache(database, now);
  const sources = {
    clients: openClients(database, now),
    connectors: openConnectors(database, sealing, now, quotas),
    grants: openGrants(database),
    policies: openPolicies(database, now),
    workspaces: openWorkspaces(database, now, quotas),
  };
  const tokens = openAccessTokens(database, now);
  // Only revocations change what a caller may do.
  const accessTokens = { ...tokens, ...expiring(cache, { revoke: tokens.revoke }) };
  return {
    access: openAccessRows(cache, sources, now),
    organizations: expiring(cache, openOrganizations(database, now)),
    workspaces: expiring(cache, sources.workspaces),
    clients: expiring(cache, sources.clients),
    accessTokens,
    connectors: expiring(cache, sources.connectors),
    credentials: openCredentials(database, sealing, leases),
    ledger,
    replicas: openReplicas(database, mark),
    jobs: expiring(cache, openJobs(database)),
    backoffs: openBackoffs(database),
    consoleSessions: openConsoleSessions(database),
    oauthApps: openOAuthApps(database, {
      inAll: quotas.oauthApps ?? Number.MAX_SAFE_INTEGER,
      ofNetwork: quotas.oauthAppsOfAddress ?? Number.MAX_SAFE_INTEGER,
    }),
    grants: expiring(cache, sources.grants),
    setups: openSetups(database, sealing, quotas),
    audit,
    activity: openActivity(database, { flush: commits.flush, now }),
    policies: expiring(cache, sources.policies),
    plans: openPlans(database, sealing),
    sealedEntries: openSealedEntries(database, sealing),
    connectClients: openConnectClients(database, sealing, now),
    webhooks: expiring(cache, openWebhooks(database, sealing, now)),
    backlog: openBacklog(database).backlog,
    rateLimits: database.engine === 'postgres' ? openRateLimits(database) : undefined,
    vendorLimits: database.engine === 'postgres' ? openVendorLimits(database) : undefined,
    ...expiring(cache, {
      atomically: <T>(name: string, work: () => Promise<T>) =>
        database.transaction(async () => {
          await database.lock(name);
          return work();
        }),
    }),
    claim: leases.claim,
    reloadKeys: processes.reloadKeys,
    async ping() {
      await database.query.selectFrom('versions').select('version').limit(1).execute();
    },
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}
