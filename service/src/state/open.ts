import { openAudit } from '../audit/log.js';
import { openConsoleSessions } from '../console/sessions.js';
import { openPolicies } from '../policies/store.js';
import type { KeyRing } from '../vault/keys.js';
import { openOrganizations, openWorkspaces } from './accounts.js';
import { openClients } from './clients.js';
import { openConnectors } from './connectors.js';
import { openCredentials } from './credentials.js';
import { type Database, openDatabase } from './database.js';
import { openJobs } from './jobs.js';
import { openLeases } from './leases.js';
import { openLedger } from './ledger.js';
import { migrate } from './migrate.js';
import { joinProcesses } from './processes.js';
import { openReplicas } from './replicas.js';
import { openSealing } from './sealing.js';
import { openSetups } from './setups.js';
import type { State } from './types.js';

/** Where the state is kept, and with which keys. */
export interface StateOptions {
  /** The data folder, or `:memory:` for a state that ends with the process. */
  readonly folder: string;
  readonly keys: KeyRing;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
  /** Told of what fails where nobody waits for it. */
  readonly report?: ((error: unknown) => void) | undefined;
}

/** Opens all that the service keeps; a wrong key or a newer database is refused here. */
export function openState({ folder, keys, now = Date.now, report = () => {} }: StateOptions): State {
  const database = openDatabase(folder);
  try {
    return stateOf(database, keys, now, report);
  } catch (error) {
    database.close();
    throw error;
  }
}

function stateOf(database: Database, keys: KeyRing, now: () => number, report: (error: unknown) => void): State {
  migrate(database, now);
  const sealing = openSealing(database, keys);
  const processes = joinProcesses(database, keys.newest.id, now);
  const leases = openLeases(database, now);
  const ledger = openLedger(database, sealing, processes, now);
  ledger.sweep();
  const audit = openAudit(database, { keys, now, report });
  return {
    organizations: openOrganizations(database, now),
    workspaces: openWorkspaces(database, now),
    clients: openClients(database, now),
    connectors: openConnectors(database, sealing, now),
    credentials: openCredentials(database, sealing, leases),
    ledger,
    replicas: openReplicas(database),
    jobs: openJobs(database, now),
    consoleSessions: openConsoleSessions(database, now),
    setups: openSetups(database, sealing, now),
    audit,
    policies: openPolicies(database, now),
    atomically: (work) => database.transaction(work),
    ping() {
      database.get('SELECT max(version) FROM versions');
    },
    close() {
      if (database.closed) return;
      audit.close();
      leases.leave();
      processes.leave();
      database.close();
    },
  };
}
