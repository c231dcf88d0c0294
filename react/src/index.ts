/**
 * Lets your product's users connect their accounts from React.
 * @module agent-connectors-react
 */
import { type ConnectEvent, finishConnect, type OpenConnectOptions, openConnect } from 'agent-connectors/connect';
import {
  type ButtonHTMLAttributes,
  createElement,
  type ReactElement,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { type ConnectionsState, type ConnectionsStore, storeOf } from './store.js';

export type { Account, Connection, ExistingAccount, NewAccount } from './store.js';

/** Where your server's connections are, unless `endpoint` says otherwise. */
const defaultEndpoint = '/api/connections';

/** The user's connections, and what can be done with them. */
export interface Connections
  extends ConnectionsState,
    Pick<ConnectionsStore, 'begin' | 'finish' | 'disconnect' | 'reload'> {}

/**
 * The signed-in user's connections, from your server. All components with the same endpoint share them.
 *
 * @param endpoint - a URL of your server: `GET` lists connections, `POST` starts a session, `PUT` verifies its result,
 * and `DELETE` with `?id=` disconnects. (`/api/connections`)
 */
export function useConnections(endpoint: string = defaultEndpoint): Connections {
  const store = storeOf(endpoint);
  const state = useSyncExternalStore(store.subscribe, store.state, store.initial);
  useEffect(() => store.loadOnce(), [store]);
  const { begin, finish, disconnect, reload } = store;
  return { ...state, begin, finish, disconnect, reload };
}

/** Properties of `ConnectButton`; others are passed to the button. */
export interface ConnectButtonProps
  extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'type' | 'onClick'>,
    Pick<OpenConnectOptions, 'mode' | 'texts'> {
  /** Connector type to connect, such as `google-drive`; omit it if `connectorId` is set. */
  readonly type?: string | undefined;
  /** The connection to connect again. */
  readonly connectorId?: string | undefined;
  /** URL of your server. (`/api/connections`) */
  readonly endpoint?: string | undefined;
  /** Called for each event: `opened`, `connected`, `closed` and `failed`. */
  readonly onEvent?: ((event: ConnectEvent) => void) | undefined;
}

/** A button that connects an account: by default in a window, with an overlay on the page. */
export function ConnectButton({
  type,
  connectorId,
  endpoint = defaultEndpoint,
  mode = 'modal',
  texts,
  onEvent,
  disabled,
  ...rest
}: ConnectButtonProps): ReactElement {
  const [isBusy, setBusy] = useState(false);
  const { begin, finish } = storeOf(endpoint);
  const onClick = () => {
    setBusy(true);
    const session = begin(connectorId === undefined ? { type: type! } : { connectorId });
    openConnect(session, { mode, texts, finish: ({ address }) => finish(address), onEvent })
      // Reported by `onEvent`.
      .catch(() => {})
      .finally(() => setBusy(false));
  };
  return createElement('button', { ...rest, type: 'button', disabled: disabled === true || isBusy, onClick });
}

/** Runs on the page that `returnUrl` names: passes the result to your server, unless another window waits for it. */
export function useConnectReturn(onFinish: (error: unknown) => void, endpoint: string = defaultEndpoint): void {
  const hasStarted = useRef(false);
  useEffect(() => {
    // The result is in the URL once; strict mode runs effects twice.
    if (hasStarted.current) return;
    hasStarted.current = true;
    finishConnect()
      .then((result) => result && storeOf(endpoint).finish(result.address))
      .then(() => onFinish(undefined), onFinish);
  }, [onFinish, endpoint]);
}
