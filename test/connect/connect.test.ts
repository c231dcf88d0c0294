import { finishConnect, openConnect } from 'agent-connectors/connect';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const nonce = 'nonce-1234567890';
const origin = 'https://app.example.com';
const back = `${origin}/connected?tab=2&status=connected&connector_id=con_1&nonce=${nonce}&expires=9&state=s&signature=x`;
const session = { url: 'https://connect.example.com/setup/token', nonce };

/** Channels in one browser; each message has the origin that a browser would set. */
class Channel {
  static open = new Set<Channel>();
  static origin = origin;
  onmessage?: (event: { origin: string; data: unknown }) => void;
  readonly name: string;
  constructor(name: string) {
    this.name = name;
    Channel.open.add(this);
  }
  postMessage(data: unknown) {
    const from = Channel.origin;
    for (const other of Channel.open) {
      if (other !== this && other.name === this.name) queueMicrotask(() => other.onmessage?.({ origin: from, data }));
    }
  }
  close() {
    Channel.open.delete(this);
  }
}

/** What the pages do in their browser. */
let did: string[];
/** Listeners of the product's page, and the window that it has opened. */
let listeners: Set<(event: object) => void>;
const popup = {
  closed: false,
  location: { replace: (address: unknown) => void did.push(`popup ${address}`) },
  close: () => did.push('popup closed'),
  postMessage: (message: object, to: string) => void did.push(`posts ${JSON.stringify(message)} to ${to}`),
};
const windowWith = (open: () => unknown) => ({
  open,
  close: () => did.push('closed'),
  addEventListener: (_: string, listener: (event: object) => void) => listeners.add(listener),
  removeEventListener: (_: string, listener: (event: object) => void) => listeners.delete(listener),
});
/** Delivers a message to the product's page. */
const deliver = (event: object) => {
  for (const listener of listeners) listener(event);
};
beforeEach(() => {
  did = [];
  listeners = new Set();
  const note = (what: string) => (address: unknown) => void did.push(`${what} ${address}`);
  vi.stubGlobal('BroadcastChannel', Channel);
  vi.stubGlobal('matchMedia', () => ({ matches: false }));
  vi.stubGlobal('location', { origin, href: back, assign: note('tab') });
  vi.stubGlobal('history', { replaceState: (_: unknown, __: string, url: URL) => did.push(`address ${url}`) });
  vi.stubGlobal(
    'window',
    windowWith(() => popup),
  );
});
afterEach(() => {
  vi.unstubAllGlobals();
  Channel.open.clear();
  Channel.origin = origin;
});

test('passes the result from the window to its opener, then closes the window', async () => {
  const opened = openConnect(Promise.resolve(session));
  await vi.waitFor(() => expect(did).toEqual([`popup ${session.url}`]));
  void finishConnect();
  expect(await opened).toEqual({ status: 'connected', address: back });
  await vi.waitFor(() => expect(did.slice(1)).toEqual([`address ${origin}/connected?tab=2`, 'closed']));
});

test.each([
  ['from another origin', () => ({ nonce, address: back }), 'https://evil.example'],
  ['with another nonce', () => ({ nonce: 'other', address: back }), origin],
  ["with another site's URL", () => ({ nonce, address: back.replace('app', 'evil') }), origin],
  ['without a URL', () => ({ nonce, received: true }), origin],
])('ignores a message %s', async (_, message, from) => {
  const stop = new AbortController();
  const opened = openConnect(session, { mode: 'popup', signal: stop.signal }).catch((error) => error);
  await vi.waitFor(() => expect(did).toHaveLength(1));
  Channel.origin = from;
  new Channel(`agent-connectors-connect:${nonce}`).postMessage(message());
  await new Promise((resolve) => setImmediate(resolve));
  stop.abort(new Error('closed by the user'));
  expect(await opened).toMatchObject({ message: 'closed by the user' });
});

const serviceOrigin = new URL(session.url).origin;

test('takes the result that the service posts from its window, and tells the product about each step', async () => {
  const events: string[] = [];
  const finished: string[] = [];
  const opened = openConnect(session, {
    mode: 'popup',
    finish: async ({ address }) => void finished.push(address),
    onEvent: ({ type }) => void events.push(type),
  });
  await vi.waitFor(() => expect(events).toEqual(['opened']));
  deliver({ source: popup, origin: serviceOrigin, data: { nonce, address: back } });
  expect(await opened).toEqual({ status: 'connected', address: back });
  expect([events, finished]).toEqual([['opened', 'connected'], [back]]);
  // Acknowledged, at the service's origin only, so that the window closes.
  expect(did.slice(1)).toEqual([`posts {"nonce":"${nonce}","received":true} to ${serviceOrigin}`]);
});

test.each([
  ['another window', { source: {}, origin: serviceOrigin }],
  ['no window', { source: null, origin: serviceOrigin }],
  ["a vendor's page in the window", { source: popup, origin: 'https://vendor.example' }],
  ['a page with an opaque origin', { source: popup, origin: 'null' }],
  ["a page of the product's own origin", { source: popup, origin }],
])('ignores a result that %s posts', async (_, from) => {
  const stop = new AbortController();
  const opened = openConnect(session, { mode: 'popup', signal: stop.signal }).catch((error) => error);
  await vi.waitFor(() => expect(did).toHaveLength(1));
  deliver({ ...from, data: { nonce, address: back } });
  stop.abort(new Error('stopped'));
  expect(await opened).toMatchObject({ message: 'stopped' });
  expect([did.slice(1), listeners.size]).toEqual([['popup closed'], 0]);
});

test.each([
  ['another nonce', { nonce: 'other', address: back }],
  ["another site's URL", { nonce, address: back.replace('app', 'evil') }],
  ['no URL', { nonce, address: 'x' }],
  ['nothing', undefined],
])('ignores a message of the service with %s', async (_, data) => {
  const stop = new AbortController();
  const opened = openConnect(session, { mode: 'popup', signal: stop.signal }).catch((error) => error);
  await vi.waitFor(() => expect(did).toHaveLength(1));
  deliver({ source: popup, origin: serviceOrigin, data });
  stop.abort(new Error('stopped'));
  expect(await opened).toMatchObject({ message: 'stopped' });
});

test.each([
  ['cancelled', 'closed'],
  ['expired', 'failed'],
  ['failed', 'failed'],
  ['unconfirmed', 'connected'],
])('reports a session that ended as %s as %s', async (status, type) => {
  const events: unknown[] = [];
  const opened = openConnect(session, { mode: 'popup', onEvent: (event) => void events.push(event) });
  await vi.waitFor(() => expect(events).toHaveLength(1));
  const address = back.replace('connected&', `${status}&`);
  deliver({ source: popup, origin: serviceOrigin, data: { nonce, address } });
  expect((await opened).status).toBe(status);
  expect(events[1]).toMatchObject({ type });
});

test('reports a session that cannot be started, and a result that the product rejects, as failed', async () => {
  const events: object[] = [];
  const onEvent = (event: object) => void events.push(event);
  const refused = new Error('signed out');
  expect(await openConnect(Promise.reject(refused), { mode: 'popup', onEvent }).catch((error) => error)).toBe(refused);
  const opened = openConnect(session, { mode: 'popup', onEvent, finish: () => Promise.reject(refused) });
  await vi.waitFor(() => expect(events).toHaveLength(2));
  deliver({ source: popup, origin: serviceOrigin, data: { nonce, address: back } });
  expect(await opened.catch((error) => error)).toBe(refused);
  const failed = { type: 'failed', error: refused };
  expect(events).toEqual([failed, { type: 'opened' }, failed]);
});

test('continues in the same tab on a phone, where the return page gets the result', async () => {
  vi.stubGlobal('matchMedia', () => ({ matches: true }));
  void openConnect(session);
  await vi.waitFor(() => expect(did).toEqual([`tab ${session.url}`]));
  Channel.open.clear();
  vi.useFakeTimers();
  const finished = finishConnect();
  await vi.runAllTimersAsync();
  vi.useRealTimers();
  expect(await finished).toEqual({ status: 'connected', address: back });
});

test('falls back to the same tab if the window is blocked', async () => {
  vi.stubGlobal(
    'window',
    windowWith(() => null),
  );
  void openConnect(session);
  await vi.waitFor(() => expect(did).toEqual([`tab ${session.url}`]));
});

test('does not open a javascript: URL', async () => {
  const refused = await openConnect({ url: 'javascript:alert(1)', nonce }).catch((error) => error);
  expect([refused, did]).toEqual([expect.any(TypeError), ['popup closed']]);
});

test('returns no result on a page that was opened directly', async () => {
  vi.stubGlobal('location', { origin, href: `${origin}/connected` });
  expect(await finishConnect()).toBeUndefined();
});
