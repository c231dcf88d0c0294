import { ConnectorError } from '../call/errors.js';
import type { ServiceRequest } from './service.js';
import { signatureMatches } from './signature.js';
import type { ConnectorType } from './wire.js';

/** What users see of a product. */
export interface ConnectBrand {
  /** Name of the product. */
  name: string;
  /** An https URL, or a data URL of an image of at most 48 KiB. */
  logo?: string | undefined;
  /** As `#rrggbb`; made darker or lighter where it could not be read. */
  color?: string | undefined;
  /** Address of the product's help. */
  supportUrl?: string | undefined;
}

/** What a connect session begins with. */
export interface ConnectSetup {
  /** Name of the type, such as `google-drive`; left out along with `connectorId`. */
  type?: ConnectorType | undefined;
  /** Workspace of the connector, such as one for each user; made where there is none. */
  workspace?: string | undefined;
  /** Name of a new connector; the type's title when left out. */
  name?: string | undefined;
  /** A connector that gets new credentials; its id, its records and its settings stay. */
  connectorId?: string | undefined;
  /** Lets the new credentials be another account's. (false) */
  anyAccount?: boolean | undefined;
  /** Where the browser comes back to; its origin is registered for the client. */
  returnUrl: string;
  /** Random and bound to the user's session; 8 to 512 printable ASCII characters. */
  state: string;
  /** Credential modes to offer, such as `['oauth']`; the easiest when left out. */
  methods?: readonly string[] | undefined;
  /** OAuth scopes to ask for, in place of the connector's. */
  scopes?: readonly string[] | undefined;
  /** What is replicated: everything (true), nothing (false), what the user chooses (`ask`), or a `replication_config`. (true) */
  replicate?: boolean | 'ask' | object | undefined;
  /** The connector's own settings. */
  settings?: Record<string, boolean> | undefined;
  /** What the user sees of the product. */
  brand: ConnectBrand;
  /** `en` or `de`; the browser's language when left out. */
  locale?: string | undefined;
  /** Whom it is for, as they know themselves in the product; shown on the page. */
  user?: string | undefined;
  /** Seconds that the address is good for, 60 to 86,400. (1800) */
  expiresIn?: number | undefined;
}

/** A connect session that has begun. */
export interface ConnectSession {
  /** The address to open in the user's browser; it can be used once. */
  url: string;
  /** Id of the session. */
  id: string;
  /** Comes back with the result; keep it in the user's session, beside `state`. */
  nonce: string;
  /** When the address expires; ISO 8601. */
  expires_at: string;
}

/** What became of a connect session. */
export interface ConnectSessionState {
  /** How far it is. */
  status: 'pending' | 'unconfirmed' | 'connected' | 'cancelled' | 'expired' | 'failed';
  /** The connector, once it is connected. */
  connector_id?: string;
  /** Why it has failed. */
  error?: string;
}

/** A result that the service has signed. */
export interface ConnectResult {
  /** How the session ended; `unconfirmed` until `connectors.confirmSetup` puts new credentials in place, within five minutes. */
  status: 'connected' | 'unconfirmed' | 'cancelled' | 'expired' | 'failed';
  /** The connector; null unless the status is `connected` or `unconfirmed`. */
  connectorId: string | null;
}

/** What a result is compared with. */
export interface ConnectExpectation {
  /** The client's connect key, or several. */
  key: string | readonly string[];
  /** The state that the session was begun with. */
  state: string;
  /** The nonce that the session came with. */
  nonce: string;
  /** Milliseconds since 1970; the clock when left out. */
  now?: number | undefined;
}

/** The session, as it goes over the wire. */
const connectSetupJson = (setup: ConnectSetup, workspace: string): object => {
  const { type, connectorId, anyAccount, returnUrl, brand, expiresIn, workspace: named, ...rest } = setup;
  const { supportUrl, ...look } = brand;
  return {
    ...{ ...rest, connector_type: type, connector_id: connectorId, any_account: anyAccount, return_url: returnUrl },
    ...{ workspace_name: named ?? workspace, expires_in: expiresIn, brand: { ...look, support_url: supportUrl } },
  };
};

type Request = <T>(request: Pick<ServiceRequest, 'method' | 'path'> & Partial<ServiceRequest>) => Promise<T>;

const sessionPath = (id: string, rest = '') => `/connect/sessions/${encodeURIComponent(id)}${rest}`;

/** The part of the client that is about connect sessions. */
export const sessionsOf = (request: Request, workspace: () => string) => ({
  /** Begins a connect session, in which a user of a product connects an account, or connects one again. */
  setup: (setup: ConnectSetup): Promise<ConnectSession> =>
    request({ method: 'POST', path: '/connect/sessions', json: connectSetupJson(setup, workspace()) }),
  /** What became of a connect session. */
  setupState: (id: string): Promise<ConnectSessionState> =>
    request({ method: 'GET', path: sessionPath(id), idempotent: true }),
  /**
   * Puts the new credentials of an `unconfirmed` session in place. `address` is the one that `verifyConnectResult` has
   * accepted in the session of the user that it was begun for.
   */
  confirmSetup: (id: string, address: string | URL | URLSearchParams): Promise<ConnectSessionState> =>
    request({
      method: 'POST',
      path: sessionPath(id, '/confirm'),
      json: { signature: queryOf(address).get('signature') ?? '' },
      idempotent: true,
    }),
});

/** The query of an address that the browser came back to. */
const queryOf = (address: string | URL | URLSearchParams): URLSearchParams =>
  address instanceof URLSearchParams ? address : new URL(address).searchParams;

const statuses: readonly string[] = ['connected', 'unconfirmed', 'cancelled', 'expired', 'failed'];

/**
 * The result in an address that the browser came back to, or in its query.
 *
 * Accept each nonce once, and only in the session of the user that it was made for: a copied address is then of no use.
 *
 * @throws `ConnectorError` `unauthorized` where it is not signed with the key, has expired, or belongs to another session.
 */
export async function verifyConnectResult(
  address: string | URL | URLSearchParams,
  { key, state, nonce, now = Date.now() }: ConnectExpectation,
): Promise<ConnectResult> {
  const query = queryOf(address);
  const read = (name: string) => query.get(name) ?? '';
  const fields = ['status', 'connector_id', 'nonce', 'expires', 'state'].map(read);
  const [status = '', connectorId = '', , expires = ''] = fields;
  const text = ['connect.v1', ...fields].join('\n');
  if (!(await signatureMatches([key].flat(), text, read('signature').split('.'))))
    refuse('is not signed with this key');
  if (read('nonce') !== nonce || read('state') !== state) refuse('belongs to another session');
  if (!(Number(expires) * 1000 > now)) refuse('has expired');
  if (!statuses.includes(status)) refuse('has an unknown status');
  return { status: status as ConnectResult['status'], connectorId: connectorId || null };
}

function refuse(what: string): never {
  throw new ConnectorError('unauthorized', `The connect result ${what}.`, { hint: 'Start a new connect session.' });
}
