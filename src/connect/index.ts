/**
 * Opens the page on which a user of a product connects an account, from a page of the product.
 * @module agent-connectors/connect
 */

/** What the product's server has of a connect session. */
export interface ConnectPage {
  /** The address of the session. */
  readonly url: string;
  /** The nonce of the session. */
  readonly nonce: string;
}

/** How the page is opened. */
export interface OpenConnectOptions {
  /** `popup`, or `tab` for the page's own tab; by the device when left out. */
  readonly mode?: 'popup' | 'tab' | undefined;
  /** Ends the waiting: no browser tells when somebody closes a window of another site. */
  readonly signal?: AbortSignal | undefined;
}

/** What the browser came back with. Only the product's server can tell whether it is true. */
export interface ConnectReturn {
  /** `connected`, `unconfirmed`, `cancelled`, `expired` or `failed`. */
  readonly status: string;
  /** The address with the signed result: send it to the server, which passes it to `verifyConnectResult`. */
  readonly address: string;
}

/** What goes over the channel between the two windows. */
type Message = { readonly nonce: string } & ({ readonly address: string } | { readonly received: true });

/** How long the window of the product is given to say that it has the result, in milliseconds. */
const receiptMs = 1000;

// Of the same origin by its nature, and not cut by policies that separate windows.
const channelOf = (nonce: string): BroadcastChannel => new BroadcastChannel(`agent-connectors-connect:${nonce}`);

const isMessage = ({ origin, data }: MessageEvent, nonce: string): boolean =>
  origin === location.origin && data?.nonce === nonce;

const outcomeOf = (address: string): ConnectReturn => ({
  status: new URL(address).searchParams.get('status') ?? '',
  address,
});

const isTelephone = (): boolean => matchMedia('(pointer: coarse) and (max-width: 800px)').matches;

/**
 * Opens the page of a connect session, and resolves with what the browser came back with.
 *
 * Call it in the handler of a click, else browsers block the window. The session may still be on its way from the server.
 * In the page's own tab, and where the window is blocked, the promise stays open: the product's return page goes on.
 *
 * @throws the reason of `signal`, or a `TypeError` where the address is not http or https.
 */
export async function openConnect(
  session: ConnectPage | Promise<ConnectPage>,
  { mode = isTelephone() ? 'tab' : 'popup', signal }: OpenConnectOptions = {},
): Promise<ConnectReturn> {
  const popup = mode === 'popup' ? window.open('', '_blank', 'popup,width=520,height=760') : null;
  try {
    const { url, nonce } = await session;
    if (!/^https?:$/.test(new URL(url).protocol)) throw new TypeError('The session URL is not http or https.');
    const result = waitForResult(nonce, signal);
    if (popup) popup.location.replace(url);
    else location.assign(url);
    return await result;
  } catch (error) {
    popup?.close();
    throw error;
  }
}

function waitForResult(nonce: string, signal: AbortSignal | undefined): Promise<ConnectReturn> {
  const channel = channelOf(nonce);
  return new Promise<ConnectReturn>((resolve, reject) => {
    const abort = () => reject(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
    channel.onmessage = (event) => {
      const { address } = event.data ?? {};
      if (!isMessage(event, nonce) || typeof address !== 'string') return;
      // A page of this origin that was led to elsewhere cannot hand over an address of another.
      if (new URL(address).origin !== location.origin) return;
      channel.postMessage({ nonce, received: true } satisfies Message);
      resolve(outcomeOf(address));
    };
  }).finally(() => setTimeout(() => channel.close()));
}

/**
 * Takes the result on the product's return page: hands it to the window that waits for it, and closes this one.
 *
 * Resolves with the result where none waits, as in the same tab, and with undefined where the address has none. The
 * result is taken out of the address bar, so that nothing on the page sends it elsewhere.
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
    channel.onmessage = (event) => {
      if (isMessage(event, nonce) && event.data.received === true) resolve(true);
    };
    setTimeout(() => resolve(false), receiptMs);
    channel.postMessage({ nonce, address } satisfies Message);
  });
  channel.close();
  if (!isReceived) return outcomeOf(address);
  window.close();
  return new Promise(() => {});
}
