/** The accounts of users: one workspace each, reached by a token that is good for no other. */
import { AgentConnectors, type HostedConnector, type TokenScope, verifyConnectResult } from 'agent-connectors/hosted';

/** A user of the product. */
export interface User {
  /** Never changes, since the user's workspace is named by it. */
  readonly id: string;
  readonly email: string;
}

/** What the server keeps while a user is signed in. The browser has the session's id alone. */
export interface Session {
  readonly user: User;
  /** The account that is being connected. */
  pending?: { readonly id: string; readonly state: string; readonly nonce: string } | undefined;
  /** Shown once, on the next page. */
  notice?: string | undefined;
}

/** What connecting needs. */
export interface ConnectionSettings {
  /** Where users reach the product; registered with the service. */
  readonly origin: string;
  /** The product's client of the service. */
  readonly service: { readonly baseUrl: string; readonly clientId: string; readonly clientSecret: string };
  /** The key that results are signed with. */
  readonly connectKey: string;
  /** Ids of each user's connectors, by the user's id. */
  readonly connectorIds: Map<string, readonly string[]>;
}

/** What users can connect, with what the agent needs of each; Granola has keys, and no scopes. */
export const accountScopes: Readonly<Record<string, readonly string[] | undefined>> = {
  linear: ['read'],
  'google-drive': ['https://www.googleapis.com/auth/drive.readonly'],
  granola: undefined,
};

/** What the connect page shows of the product. */
const brand = { name: 'Lantern', color: '#1d4ed8', supportUrl: 'https://lantern.example/help' };

/** Connects the accounts of users. */
export function createConnections({ origin, service, connectKey, connectorIds }: ConnectionSettings) {
  const product = new AgentConnectors(service);
  const idsOf = ({ id }: User) => connectorIds.get(id) ?? [];

  /** A client for one user: the service refuses it everything outside of the user's workspace. */
  async function clientOf(user: User, scopes: readonly TokenScope[]): Promise<AgentConnectors> {
    const workspace = `user-${user.id}`;
    const { token } = await product.scopedToken(workspace, { scopes });
    return new AgentConnectors({ baseUrl: service.baseUrl, token, workspace });
  }

  /** The user's connectors: only those whose result was verified, since another person may have been tricked into the others. */
  async function list(user: User): Promise<HostedConnector[]> {
    const { data } = await (await clientOf(user, ['read'])).connectors.list();
    return data.filter(({ id }) => idsOf(user).includes(id));
  }

  /** Begins a connect session, for a new account or for a connector that needs new credentials. */
  async function begin(session: Session, account: { type: string } | { connectorId: string }) {
    const client = await clientOf(session.user, ['read', 'manage']);
    const type = 'type' in account ? account.type : (await client.connectors.get(account.connectorId)).connector_type;
    const state = crypto.randomUUID();
    const { id, url, nonce } = await client.connectors.setup({
      ...account,
      scopes: accountScopes[type],
      returnUrl: `${origin}/connected`,
      state,
      user: session.user.email,
      brand,
    });
    session.pending = { id, state, nonce };
    return { url, nonce };
  }

  /** Verifies the address that the browser came back to; undefined where the result is not this session's. */
  async function finish(session: Session, address: string) {
    const { user, pending } = session;
    if (!pending) return undefined;
    const result = await verifyConnectResult(address, { key: connectKey, ...pending }).catch(() => undefined);
    // Once: another request may have brought the same address meanwhile.
    if (!result || session.pending !== pending) return undefined;
    session.pending = undefined;
    const { connectorId } = result;
    let { status } = result;
    if (status === 'unconfirmed') {
      // It came back to the user who began it, so the new credentials are that user's.
      await (await clientOf(user, ['manage'])).connectors.confirmSetup(pending.id, address);
      status = 'connected';
    }
    if (connectorId !== null) connectorIds.set(user.id, [...new Set([...idsOf(user), connectorId])]);
    return status;
  }

  /** Deletes the connector, its credentials and its records. */
  async function disconnect(user: User, connectorId: string) {
    await (await clientOf(user, ['manage'])).connectors.delete(connectorId);
    connectorIds.set(
      user.id,
      idsOf(user).filter((id) => id !== connectorId),
    );
  }

  return { clientOf, list, begin, finish, disconnect };
}

/** What `createConnections` makes. */
export type Connections = ReturnType<typeof createConnections>;
