/** How a product lets its users connect accounts: the parts of a server that speak with the service. */
import { type AgentConnectors, verifyConnectResult, verifyWebhook } from 'agent-connectors/hosted';

/** What the product keeps of a user who is signed in. */
export interface UserSession {
  readonly userId: string;
  readonly email: string;
  pending?: { readonly state: string; readonly nonce: string } | undefined;
}

/** The server's side of connecting, for one service. */
export function connectServer(client: AgentConnectors, connectKey: string, webhookSecret: string, origin: string) {
  // #region begin
  /** POST /connect: the browser opens what this answers. */
  async function begin(session: UserSession, type: string, connectorId?: string) {
    const state = crypto.randomUUID();
    const { url, nonce } = await client.connectors.setup({
      ...(connectorId === undefined ? { type } : { connectorId }),
      workspace: `user-${session.userId}`,
      returnUrl: `${origin}/connected`,
      state,
      user: session.email,
      brand: { name: 'Lantern', color: '#1d4ed8', supportUrl: 'https://lantern.example/help' },
    });
    session.pending = { state, nonce };
    return { url, nonce };
  }
  // #endregion

  // #region returned
  /** POST /connected: the return page sends the address that the browser came back to. */
  async function returned(session: UserSession, address: string) {
    const { pending } = session;
    if (!pending) throw new Error('This user is connecting nothing.');
    const result = await verifyConnectResult(address, { key: connectKey, ...pending });
    // Once: the same address is of no use to anybody now.
    session.pending = undefined;
    return result;
  }
  // #endregion

  // #region webhook
  const seen = new Set<string>();
  /** POST /webhooks: what becomes of connectors, at least once. */
  async function webhook(request: Request, notify: (userWorkspace: string, text: string) => void): Promise<Response> {
    const body = await request.text();
    const event = await verifyWebhook(request.headers, body, { secret: webhookSecret }).catch(() => undefined);
    if (!event) return new Response(null, { status: 401 });
    const id = request.headers.get('webhook-id')!;
    if (!seen.has(id) && event.type === 'connector.needs_reauthorization') {
      notify(String(event.data.workspace_name), `Connect ${event.data.connector_name} again.`);
    }
    seen.add(id);
    return new Response(null, { status: 204 });
  }
  // #endregion

  return { begin, returned, webhook };
}
