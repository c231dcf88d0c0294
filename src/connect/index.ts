/**
 * Runs on a product's web page and opens the page where the product's user connects an account.
 * @module agent-connectors/connect
 */

/** A connect session, as passed from the product's server. */
export interface ConnectPage {
  /** URL of the session. */
  readonly url: string;
  /** Nonce of the session. */
  readonly nonce: string;
}

/** How to open the page. */
export interface OpenConnectOptions {
  /** `popup`, or `tab` for the current tab; depends on the device by default. */
  readonly mode?: 'popup' | 'tab' | undefined;
  /** Stops waiting. Needed because browsers do not report when a user closes another site's window. */
  readonly signal?: AbortSignal | undefined;
}

/** The result the browser returned with. Only the product's server can verify it. */
export interface ConnectReturn {
  /** `connected`, `unconfirmed`, `cancelled`, `expired` or `failed`. */
  readonly status: string;
  /** The URL with the signed result: send it to the server, which passes it to `verifyConnectResult`. */
  readonly address: string;
}

/** A message between the two windows. */
type Message = { readonly nonce: string } & ({ readonly address: string } | { readonly received: true });

/** Milliseconds to wait for the product's window to acknowledge the result. */
const receiptMs = 1000;

// `BroadcastChannel` is same-origin by design and works even if a policy isolates the windows.
const channelOf = (nonce: string): BroadcastChannel => new BroadcastChannel(`agent-connectors-connect:${nonce}`);

const isMessage = ({ origin, data }: MessageEvent, nonce: string): boolean =>
  origin === location.origin && data?.nonce === nonce;

const outcomeOf = (address: string): ConnectReturn => ({
  status: new URL(address).searchParams.get('status') ?? '',
  address,
});

const isTelephone = (): boolean => matchMedia('(pointer: coarse) and (max-width: 800px)').matches;

/**
 * Opens the page of a connect session and resolves with the result.
 *
 * Call it in a click handler, or browsers will block the window. The session may still be loading from the server. In
 * the current tab, or if the window is blocked, the promise stays pending and the product's return page takes over.
 *
 * @throws the reason of `signal`, or a `TypeError` if the URL is not http or https.
 */
export async function openConnect(
  session: ConnectPage | Promise<ConnectPage>,
  { mode = isTelephone() ? 'tab' : 'popup', signal }: OpenConnectOptions = {},
): Promise<ConnectReturn> {
  const popup = mode === 'popup' ? window.open('', '_blank', 'popup,width=520,height=760') : null;
  try {
    const { url, nonce } = await session;
    if (!/^https?:$/.test(new URL(url).protocol)) throw new TypeError('The session URL does not use http or https.');
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
      // Ignore URLs of other origins, even if a page on this origin sent them.
      if (new URL(address).origin !== location.origin) return;
      channel.postMessage({ nonce, received: true } satisfies Message);
      resolve(outcomeOf(address));
    };
  }).finally(() => setTimeout(() => channel.close()));
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
