/**
 * Runs on a product's web page and lets the product's user connect an account: in a window, with or without an overlay
 * on the product's page, in the current tab, or with a form of the product's own.
 * @module agent-connectors/connect
 */
import type { ConnectPage, ConnectReturn } from './headless.js';
import { type ModalTexts, showModal } from './modal.js';

export {
  type ConnectField,
  type ConnectForm,
  type ConnectFormError,
  type ConnectMethod,
  type ConnectPage,
  type ConnectReturn,
  connectForm,
  type InvalidConnectForm,
  type SubmitResult,
} from './headless.js';
export type { ModalTexts } from './modal.js';

/** What happens while an account is being connected. */
export type ConnectEvent = ConnectOpened | ConnectConnected | ConnectClosed | ConnectFailed;

/** The page was opened. */
export interface ConnectOpened {
  /** The kind of event. */
  readonly type: 'opened';
}

/** The account is connected; `finish` has accepted the result. */
export interface ConnectConnected {
  /** The kind of event. */
  readonly type: 'connected';
  /** What `finish` has accepted. */
  readonly result: ConnectReturn;
}

/** The user cancelled, or `signal` was aborted. */
export interface ConnectClosed {
  /** The kind of event. */
  readonly type: 'closed';
}

/** The session could not be started, failed or expired, or `finish` rejected its result. */
export interface ConnectFailed {
  /** The kind of event. */
  readonly type: 'failed';
  /** Why it failed. */
  readonly error: unknown;
}

/** How to open the page. */
export interface OpenConnectOptions {
  /**
   * `popup`, `modal` for a popup with an overlay on the product's page, or `tab` for the current tab. Depends on the
   * device by default, and telephones use the current tab instead of an overlay.
   */
  readonly mode?: 'popup' | 'modal' | 'tab' | undefined;
  /** Stops waiting. Needed without an overlay, because browsers do not report when a user closes another site's window. */
  readonly signal?: AbortSignal | undefined;
  /** Passes the result to the product's server, which verifies it. The promise and `connected` wait for it. */
  readonly finish?: ((result: ConnectReturn) => unknown) | undefined;
  /** Called for each event. */
  readonly onEvent?: ((event: ConnectEvent) => void) | undefined;
  /** Texts of the overlay; English by default. */
  readonly texts?: Partial<ModalTexts> | undefined;
}

/** A message between the two windows. */
type Message = { readonly nonce: string } & ({ readonly address: string } | { readonly received: true });

/** Milliseconds to wait for the product's window to acknowledge the result. */
const receiptMs = 1000;

// `BroadcastChannel` is same-origin by design and works even if a policy isolates the windows.
const channelOf = (nonce: string): BroadcastChannel => new BroadcastChannel(`agent-connectors-connect:${nonce}`);

const outcomeOf = (address: string): ConnectReturn => ({
  status: new URL(address).searchParams.get('status') ?? '',
  address,
});

const isTelephone = (): boolean => matchMedia('(pointer: coarse) and (max-width: 800px)').matches;

const openWindow = (): Window | null => window.open('', '_blank', 'popup,width=520,height=760');

/**
 * Opens the page of a connect session and resolves with the result.
 *
 * Call it in a click handler, or browsers will block the window. The session may still be loading from the server. In
 * the current tab, or if the window is blocked, the promise stays pending and the product's return page takes over.
 *
 * @throws the reason of `signal`, an `AbortError` if the user cancels in the overlay, the reason of a session or of
 * `finish` that fails, or a `TypeError` if the URL is not http or https.
 */
export async function openConnect(
  session: ConnectPage | Promise<ConnectPage>,
  { mode = isTelephone() ? 'tab' : 'popup', signal, finish, onEvent, texts }: OpenConnectOptions = {},
): Promise<ConnectReturn> {
  let popup = mode === 'tab' || (mode === 'modal' && isTelephone()) ? null : openWindow();
  const stop = new AbortController();
  const abort = () => stop.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  const loading = Promise.resolve(session);
  const modal =
    mode === 'modal' && popup
      ? showModal(texts, {
          isClosed: () => popup?.closed !== false,
          show() {
            if (popup?.closed === false) popup.focus();
            else {
              popup = openWindow();
              void loading.then(({ url }) => popup?.location.replace(url));
            }
          },
          cancel: () => stop.abort(new DOMException('The user cancelled.', 'AbortError')),
        })
      : undefined;
  try {
    const { url, nonce } = await loading;
    const { protocol, origin } = new URL(url);
    if (!/^https?:$/.test(protocol)) throw new TypeError('The session URL does not use http or https.');
    const waiting = waitForResult(nonce, { origin, window: () => popup, signal: stop.signal });
    if (popup) popup.location.replace(url);
    else location.assign(url);
    onEvent?.({ type: 'opened' });
    const result = await waiting;
    await finish?.(result);
    onEvent?.(eventOf(result));
    return result;
  } catch (error) {
    popup?.close();
    onEvent?.(stop.signal.aborted ? { type: 'closed' } : { type: 'failed', error });
    throw error;
  } finally {
    modal?.remove();
    signal?.removeEventListener('abort', abort);
  }
}

function eventOf(result: ConnectReturn): ConnectEvent {
  const { status } = result;
  if (status === 'connected' || status === 'unconfirmed') return { type: 'connected', result };
  if (status === 'cancelled') return { type: 'closed' };
  return { type: 'failed', error: new Error(`The connect session ended with the status '${status}'.`) };
}

/** The service's window, which may post the result. */
interface Sender {
  readonly origin: string;
  readonly window: () => Window | null;
  readonly signal: AbortSignal;
}

/** Waits for the result from the service's window, or from the product's return page in it. */
function waitForResult(nonce: string, sender: Sender): Promise<ConnectReturn> {
  const channel = channelOf(nonce);
  const { signal } = sender;
  return new Promise<ConnectReturn>((resolve, reject) => {
    const give = ({ data }: MessageEvent, acknowledge: (message: Message) => void) => {
      const { address } = data ?? {};
      if (data?.nonce !== nonce || typeof address !== 'string') return;
      // Ignore URLs of other origins, whoever sent them.
      if (!URL.canParse(address) || new URL(address).origin !== location.origin) return;
      acknowledge({ nonce, received: true });
      resolve(outcomeOf(address));
    };
    const receive = (event: MessageEvent) => {
      const from = sender.window();
      if (from === null || event.source !== from || event.origin !== sender.origin) return;
      give(event, (message) => from.postMessage(message, sender.origin));
    };
    // Both stay open: a result that arrives by both ways is acknowledged twice, so that its window closes.
    window.addEventListener('message', receive);
    channel.onmessage = (event) => {
      if (event.origin === location.origin) give(event, (message) => channel.postMessage(message));
    };
    const abort = () => {
      window.removeEventListener('message', receive);
      channel.close();
      reject(signal.reason);
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

/**
 * Processes the result on the product's return page: passes it to the waiting window and closes this one.
 *
 * Resolves with the result if no window is waiting, for example in the same tab, and with undefined if the URL contains
 * no result. The result is removed from the address bar so that nothing on the page can leak it.
 */
export async function finishConnect(): Promise<ConnectReturn | undefined> {
  const address = location.href;
  const url = new URL(address);
  const nonce = url.searchParams.get('nonce');
  if (!nonce || !url.searchParams.has('signature')) return undefined;
  for (const name of ['status', 'connector_id', 'nonce', 'expires', 'state', 'signature'])
    url.searchParams.delete(name);
  history.replaceState(null, '', url);
  const channel = channelOf(nonce);
  const isReceived = await new Promise<boolean>((resolve) => {
    channel.onmessage = ({ origin, data }) => {
      if (origin === location.origin && data?.nonce === nonce && data.received === true) resolve(true);
    };
    setTimeout(() => resolve(false), receiptMs);
    channel.postMessage({ nonce, address } satisfies Message);
  });
  channel.close();
  if (!isReceived) return outcomeOf(address);
  window.close();
  return new Promise(() => {});
}
