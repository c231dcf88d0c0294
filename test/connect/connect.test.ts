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
beforeEach(() => {
  did = [];
  const note = (what: string) => (address: unknown) => void did.push(`${what} ${address}`);
  const popup = { location: { replace: note('popup') }, close: () => did.push('popup closed') };
  vi.stubGlobal('BroadcastChannel', Channel);
  vi.stubGlobal('matchMedia', () => ({ matches: false }));
  vi.stubGlobal('location', { origin, href: back, assign: note('tab') });
  vi.stubGlobal('history', { replaceState: (_: unknown, __: string, url: URL) => did.push(`address ${url}`) });
  vi.stubGlobal('window', { open: () => popup, close: () => did.push('closed') });
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
  vi.stubGlobal('window', { open: () => null });
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
