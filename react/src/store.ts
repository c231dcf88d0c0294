import type { ConnectPage } from 'agent-connectors/connect';

/** A connected account, as listed by your server. */
export interface Connection {
  /** Id of the connector. */
  readonly id: string;
  /** Connector type, such as `google-drive`. */
  readonly type: string;
  /** Name of the connector. */
  readonly name: string;
  /** `connected` or, if the vendor rejects the credentials, `needs_reauthorization`. */
  readonly status: string;
}

/** A new account to connect. */
export interface NewAccount {
  /** Connector type, such as `google-drive`. */
  readonly type: string;
}

/** A connection to connect again. */
export interface ExistingAccount {
  /** Id of the connector. */
  readonly connectorId: string;
}

/** What to connect: a new account of a type, or an existing connection again. */
export type Account = NewAccount | ExistingAccount;

/** The connections of an endpoint. */
export interface ConnectionsState {
  /** Empty until they are loaded. */
  readonly connections: readonly Connection[];
  /** Until the first response. */
  readonly isLoading: boolean;
  /** Why they could not be loaded. */
  readonly error: unknown;
}

/** Connections shared by all components with the same endpoint. */
export interface ConnectionsStore {
  readonly subscribe: (listener: () => void) => () => void;
  readonly state: () => ConnectionsState;
  /** The state on the server and in the first render. */
  readonly initial: () => ConnectionsState;
  readonly loadOnce: () => void;
  /** Loads the connections again. */
  readonly reload: () => Promise<void>;
  /** Starts a connect session on your server. */
  readonly begin: (account: Account) => Promise<ConnectPage>;
  /** Passes a result to your server, which verifies it. */
  readonly finish: (address: string) => Promise<void>;
  /** Disconnects a connection. */
  readonly disconnect: (id: string) => Promise<void>;
}

const stores = new Map<string, ConnectionsStore>();
const initial: ConnectionsState = { connections: [], isLoading: true, error: undefined };

/** The store of an endpoint. */
export function storeOf(endpoint: string): ConnectionsStore {
  const store = stores.get(endpoint) ?? createStore(endpoint);
  // On a server, requests of different users must not share connections.
  if (typeof window !== 'undefined') stores.set(endpoint, store);
  return store;
}

async function request(url: string, method: string, body?: object): Promise<any> {
  const response = await fetch(url, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text || `The server responded with status ${response.status}.`);
  return text === '' ? undefined : JSON.parse(text);
}

function createStore(endpoint: string): ConnectionsStore {
  let state = initial;
  let isLoaded = false;
  const listeners = new Set<() => void>();
  const set = (next: ConnectionsState) => {
    state = next;
    for (const listener of listeners) listener();
  };
  const reload = async () => {
    isLoaded = true;
    try {
      set({ connections: await request(endpoint, 'GET'), isLoading: false, error: undefined });
    } catch (error) {
      set({ ...state, isLoading: false, error });
    }
  };
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    state: () => state,
    initial: () => initial,
    loadOnce() {
      if (!isLoaded) void reload();
    },
    reload,
    begin: (account) => request(endpoint, 'POST', account),
    async finish(address) {
      await request(endpoint, 'PUT', { address });
      await reload();
    },
    async disconnect(id) {
      await request(`${endpoint}?id=${encodeURIComponent(id)}`, 'DELETE');
      await reload();
    },
  };
}
