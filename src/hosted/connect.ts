import { ConnectorError } from '../errors/connector-error.js';
import type {
  ConnectorType,
  ConnectSession,
  ConnectSessionRequest,
  ConnectSessionState,
  RequestOf,
} from '../wire/index.js';
import type { ServiceRequest } from './service.js';
import { signatureMatches } from './signature.js';

/** Branding shown to users. */
export interface ConnectBrand {
  /** Name of the product. */
  name: string;
  /** URL of the product's logo (https), or an image data URL. */
  logo?: string | undefined;
  /** Accent color as `#rrggbb`; adjusted if it would be unreadable. */
  color?: string | undefined;
  /** URL of the product's help pages. */
  supportUrl?: string | undefined;
}

/** Options for a connect session. */
export interface ConnectSetup {
  /** Connector type, such as `google-drive`; omit if `connectorId` is given. */
  type?: ConnectorType | undefined;
  /** Workspace of the connector, for example one per user; created if missing. */
  workspace?: string | undefined;
  /** Name of a new connector; the type's title by default. */
  name?: string | undefined;
  /** The connector to reconnect; its id, records and settings are kept. */
  connectorId?: string | undefined;
  /** Allows credentials for a different account. (false) */
  anyAccount?: boolean | undefined;
  /** Where the browser returns to; its origin must be registered for the client. */
  returnUrl: string;
  /** Random and bound to the user's session; 8 to 512 printable ASCII characters. */
  state: string;
  /** Auth modes to offer, such as `['oauth']`; the simplest one by default. */
  methods?: readonly string[] | undefined;
  /** OAuth scopes to request instead of the connector's. */
  scopes?: readonly string[] | undefined;
  /**
   * What to replicate: everything (true), nothing (false), what the user chooses (`ask`), or a `replication_config`.
   * (true)
   */
  replicate?: boolean | 'ask' | object | undefined;
  /** Connector-specific settings. */
  settings?: Record<string, boolean> | undefined;
  /** Name, logo, color and support URL of the product, shown on the page. */
  brand: ConnectBrand;
  /** `en` or `de`; the browser's language by default. */
  locale?: string | undefined;
  /** The user's name in the product, shown on the page. */
  user?: string | undefined;
  /** Validity of the URL in seconds, 60 to 86,400. (1800) */
  expiresIn?: number | undefined;
}

/** A result signed by the service. */
export interface ConnectResult {
  /**
   * How the session ended; `unconfirmed` until `connectors.confirmSetup` activates new credentials, within five
   * minutes.
   */
  status: 'connected' | 'unconfirmed' | 'cancelled' | 'expired' | 'failed';
  /** The connector; null unless the status is `connected` or `unconfirmed`. */
  connectorId: string | null;
}

/** Expected values of a result. */
export interface ConnectExpectation {
  /** The client's connect key or keys. */
  key: string | readonly string[];
  /** The state passed when the session was started. */
  state: string;
  /** The nonce returned when the session was started. */
  nonce: string;
  /** Milliseconds since 1970; the current time by default. */
  now?: number | undefined;
}

/** The session in wire format. */
const connectSetupJson = (setup: ConnectSetup, workspace: string): RequestOf<typeof ConnectSessionRequest> => {
  const { type, connectorId, anyAccount, returnUrl, brand, expiresIn, workspace: named, ...rest } = setup;
  const { supportUrl, ...look } = brand;
  return {
    ...rest,
    connector_type: type,
    connector_id: connectorId,
    any_account: anyAccount,
    return_url: returnUrl,
    workspace_name: named ?? workspace,
    expires_in: expiresIn,
    brand: { ...look, support_url: supportUrl },
  };
};

type Request = <T>(request: Pick<ServiceRequest, 'method' | 'path'> & Partial<ServiceRequest>) => Promise<T>;

const sessionPath = (id: string, rest = '') => `/connect/sessions/${encodeURIComponent(id)}${rest}`;

/** The client's methods for connect sessions. */
export const sessionsOf = (request: Request, workspace: () => string) => ({
  /** Starts a connect session, in which a product's user connects or reconnects an account. */
  setup: (setup: ConnectSetup): Promise<ConnectSession> =>
    request({ method: 'POST', path: '/connect/sessions', json: connectSetupJson(setup, workspace()) }),
  /** The status of a connect session. */
  setupState: (id: string): Promise<ConnectSessionState> =>
    request({ method: 'GET', path: sessionPath(id), idempotent: true }),
  /**
   * Activates the new credentials of an `unconfirmed` session. `address` must have been accepted by
   * `verifyConnectResult` in the session of the user for whom the connect session was started.
   */
  confirmSetup: (id: string, address: string | URL | URLSearchParams): Promise<ConnectSessionState> =>
    request({
      method: 'POST',
      path: sessionPath(id, '/confirm'),
      json: { signature: queryOf(address).get('signature') ?? '' },
      idempotent: true,
    }),
});

/** Query parameters of a return URL. */
const queryOf = (address: string | URL | URLSearchParams): URLSearchParams =>
  address instanceof URLSearchParams ? address : new URL(address).searchParams;

const statuses: readonly string[] = ['connected', 'unconfirmed', 'cancelled', 'expired', 'failed'];

/**
 * Verifies the result in a return URL or its query.
 *
 * Accept each nonce once, and only in the session of the user it was created for, so a copied URL is useless.
 *
 * @throws `ConnectorError` `unauthorized` if it is not signed with the key, has expired, or belongs to another session.
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
