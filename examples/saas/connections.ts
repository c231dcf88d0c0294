/** Users' accounts: one workspace per user, accessed with a token limited to that workspace. */
import { AgentConnectors, type HostedConnector, type TokenScope, verifyConnectResult } from 'agent-connectors/hosted';

/** A user of the product. */
export interface User {
  /** Never changes, since the user's workspace is named after it. */
  readonly id: string;
  readonly email: string;
}

/** Server-side state of a signed-in user. The browser only has the session id. */
export interface Session {
  readonly user: User;
  /** The account that is being connected. */
  pending?: { readonly id: string; readonly state: string; readonly nonce: string } | undefined;
  /** Shown once, on the next page. */
  notice?: string | undefined;
}

/** Options for connecting accounts. */
export interface ConnectionSettings {
  /** The product's own URL; registered with the service. */
  readonly origin: string;
  /** The product's client for the service. */
  readonly service: { readonly baseUrl: string; readonly clientId: string; readonly clientSecret: string };
  /** The key that connect results are signed with. */
  readonly connectKey: string;
  /** Ids of each user's connectors, by user id: a table in your database. */
  readonly connectorIds: Map<string, readonly string[]>;
  /** Connectors whose credentials the vendor has rejected; added by webhooks. */
  readonly refused: Set<string>;
}

/** Account types that users can connect, with the scopes that the agent needs; Granola uses keys without scopes. */
export const accountScopes: Readonly<Record<string, readonly string[] | undefined>> = {
  linear: ['read'],
  'google-drive': ['https://www.googleapis.com/auth/drive.readonly'],
  granola: undefined,
};

/** The product's branding on the connect page. */
const brand = { name: 'Lantern', color: '#1d4ed8', supportUrl: 'https://lantern.example/help' };

/** Connects the accounts of users. */
export function createConnections({ origin, service, connectKey, connectorIds, refused }: ConnectionSettings) {
  const product = new AgentConnectors(service);
  const idsOf = ({ id }: User) => connectorIds.get(id) ?? [];

  /** A client limited to one user: the service rejects any request outside the user's workspace. */
  async function clientOf(user: User, scopes: readonly TokenScope[]): Promise<AgentConnectors> {
    const workspace = `user-${user.id}`;
    const { token } = await product.scopedToken(workspace, { scopes });
    return new AgentConnectors({ baseUrl: service.baseUrl, token, workspace });
  }

  /**
   * The user's connectors, limited to those with a verified result: another person may have been tricked into
   * connecting the others.
   */
  async function list(user: User): Promise<HostedConnector[]> {
    const { data } = await (await clientOf(user, ['read'])).connectors.list();
    return data.filter(({ id }) => idsOf(user).includes(id));
  }

  /** Starts a connect session, for a new account or for a connector that needs new credentials. */
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

  /** Verifies the URL that the browser returned to; undefined if the result does not belong to this session. */
  async function finish(session: Session, address: string) {
    const { user, pending } = session;
    if (!pending) return undefined;
    const result = await verifyConnectResult(address, { key: connectKey, ...pending }).catch(() => undefined);
    // Single use: a concurrent request may have verified the same URL.
    if (!result || session.pending !== pending) return undefined;
    session.pending = undefined;
    const { connectorId } = result;
    let { status } = result;
    if (status === 'unconfirmed') {
      // The user who returned also started the session, so the new credentials are that user's.
      await (await clientOf(user, ['manage'])).connectors.confirmSetup(pending.id, address);
      status = 'connected';
    }
    if (connectorId !== null) {
      connectorIds.set(user.id, [...new Set([...idsOf(user), connectorId])]);
      refused.delete(connectorId);
    }
    return status;
  }

  /** Deletes the connector, its credentials and its records. */
  async function disconnect(user: User, connectorId: string) {
    await (await clientOf(user, ['manage'])).connectors.delete(connectorId);
    const others = idsOf(user).filter((id) => id !== connectorId);
    connectorIds.set(user.id, others);
  }

  return { clientOf, list, begin, finish, disconnect };
}

/** The return type of `createConnections`. */
export type Connections = ReturnType<typeof createConnections>;
