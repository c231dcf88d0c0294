import type { KeyRing } from '../vault/keys.js';
import { openOrganizations, openWorkspaces } from './accounts.js';
import { openClients } from './clients.js';
import { openConnectors } from './connectors.js';
import { openCredentials } from './credentials.js';
import { type Database, openDatabase } from './database.js';
import { openLeases } from './leases.js';
import { openLedger } from './ledger.js';
import { migrate } from './migrate.js';
import { joinProcesses } from './processes.js';
import { openSealing } from './sealing.js';
import type { State } from './types.js';

/** Where the state is kept, and with which keys. */
export interface StateOptions {
  /** The data folder, or `:memory:` for a state that ends with the process. */
  readonly folder: string;
  readonly keys: KeyRing;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
}

/** Opens all that the service keeps; a wrong key or a newer database is refused here. */
export function openState({ folder, keys, now = Date.now }: StateOptions): State {
  const database = openDatabase(folder);
  try {
    return stateOf(database, keys, now);
  } catch (error) {
    database.close();
    throw error;
  }
}

function stateOf(database: Database, keys: KeyRing, now: () => number): State {
  migrate(database, now);
  const sealing = openSealing(database, keys);
  const processes = joinProcesses(database, keys.newest.id, now);
  const leases = openLeases(database, now);
  const ledger = openLedger(database, sealing, processes, now);
  ledger.sweep();
  return {
    organizations: openOrganizations(database, now),
    workspaces: openWorkspaces(database, now),
    clients: openClients(database, now),
    connectors: openConnectors(database, sealing, now),
    credentials: openCredentials(database, sealing, leases),
    ledger,
    atomically: (work) => database.transaction(work),
    ping() {
      database.get('SELECT max(version) FROM versions');
    },
    close() {
      if (database.closed) return;
      leases.leave();
      processes.leave();
      database.close();
    },
  };
}
