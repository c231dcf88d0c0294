import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { OverviewChange } from 'agent-connectors/wire';
import { expect, test } from 'vitest';
import { openEventStreams } from '../../../service/src/web/console/events.js';
import { openFeed } from '../../../service/src/web/console/feed.js';
import { consoleHeaders, startConsoleService } from './setup.js';

interface Event {
  readonly id: string;
  readonly change: OverviewChange;
}

/** A stream on its own connection, which closes together with it. */
async function stream(url: string, headers: Readonly<Record<string, string>>) {
  const asked = request(url, { headers, agent: false }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const chunks = answer.setEncoding('utf8').iterator({ destroyOnReturn: false });
  let text = '';
  return {
    status: answer.statusCode,
    headers: answer.headers,
    /** The next event; undefined at the end of the stream. */
    async next(): Promise<Event | undefined> {
      for (;;) {
        const end = text.indexOf('\n\n');
        if (end < 0) {
          const { done, value } = await chunks.next();
          if (done) return undefined;
          text += value;
          continue;
        }
        const part = text.slice(0, end);
        text = text.slice(end + 2);
        const data = /^data: (.*)$/m.exec(part)?.[1];
        const id = /^id: (.*)$/m.exec(part)?.[1];
        if (data !== undefined && id !== undefined) return { id, change: JSON.parse(data) };
      }
    },
    cancel: () => void asked.destroy(),
  };
}

async function following(place?: string) {
  const running = await startConsoleService();
  const cookie = await running.signIn();
  const open = async (from = place) => {
    const headers = { ...consoleHeaders, cookie, ...(from !== undefined && { 'last-event-id': from }) };
    return stream(`${running.service.url}/console/events`, headers);
  };
  return { ...running, cookie, open };
}

test('a tab receives all connectors first, then the changes', async () => {
  const { open, cookie, connect, ask } = await following();
  const events = await open();
  expect(events.headers['content-type']).toBe('text/event-stream');
  expect(events.headers['cache-control']).toBe('no-store');
  expect((await events.next())?.change).toEqual({ whole: true, changed: [], removed: [] });
  const id = await connect(cookie, 'Tickets');
  const made = await events.next();
  expect(made?.change).toMatchObject({ whole: false, changed: [{ id, name: 'Tickets', title: 'Linear' }] });
  await ask('DELETE', `/api/v1/integrations/connectors/${id}`, { cookie });
  expect((await events.next())?.change).toEqual({ whole: false, changed: [], removed: [id] });
  events.cancel();
});

test('a broken stream resumes where it stopped; an unknown position starts over', async () => {
  const { open, cookie, connect } = await following();
  const first = await connect(cookie, 'First');
  const events = await open();
  const begun = await events.next();
  expect(begun?.change.changed.map(({ id }) => id)).toEqual([first]);
  events.cancel();
  const second = await connect(cookie, 'Second');
  const resumed = await open(begun?.id);
  const missed = await resumed.next();
  expect(missed?.change.whole).toBe(false);
  expect(missed?.change.changed.map(({ id }) => id)).toEqual([second]);
  resumed.cancel();
  const anew = await open('other.7');
  const all = await anew.next();
  expect(all?.change.whole).toBe(true);
  expect(all?.change.changed.map(({ id }) => id).sort()).toEqual([first, second].sort());
  anew.cancel();
});

test('streaming requires a session, and signing out ends the streams', async () => {
  const { open, ask, cookie } = await following();
  expect((await ask('GET', '/console/events')).status).toBe(401);
  const events = await open();
  await events.next();
  await ask('DELETE', '/console/session', { cookie });
  expect(await events.next()).toBeUndefined();
  expect((await open()).status).toBe(401);
});

test('a client that loses read access receives no more changes', async () => {
  const { open, cookie, connect, service, clientId } = await following();
  const events = await open();
  await events.next();
  await service.state.clients.setScopes(clientId, ['manage']);
  const id = await connect(cookie, 'Tickets');
  expect(id).toMatch(/^con_/);
  expect(await events.next()).toBeUndefined();
  expect((await open()).status).toBe(403);
});

test('a client has a limited number of streams, and closed ones no longer count', async () => {
  const { open } = await following();
  const streams = await Promise.all(Array.from({ length: 12 }, () => open()));
  await Promise.all(streams.map(({ next }) => next()));
  const refused = await open();
  expect(refused.status).toBe(429);
  refused.cancel();
  streams[0]!.cancel();
  await expect
    .poll(async () => {
      const again = await open();
      again.cancel();
      return again.status;
    })
    .toBe(200);
  for (const { cancel } of streams) cancel();
});

test('stopping the service ends the streams immediately', async () => {
  const { open, service } = await following();
  const events = await open();
  await events.next();
  const started = performance.now();
  await Promise.all([service.close(), events.next()]);
  // Waiting for open streams would take this long.
  expect(performance.now() - started).toBeLessThan(10_000);
});

const unwatched = { start: () => () => {} };

test('a session that ends in another process ends its streams at their next heartbeat', async () => {
  let isValid = true;
  const feed = openFeed({ read: async () => [], intervalMs: 10, report: () => {} });
  const streams = openEventStreams({ maxPerClient: 1, heartbeatMs: 20, accessWatch: unwatched, report: () => {} });
  const ask = { clientId: 'cli_1', session: 's', feed, lastEventId: undefined, isSessionValid: async () => isValid };
  const text = streams.open(ask).text();
  await pause(50);
  isValid = false;
  expect((await text).split('\n\n').slice(-2)).toEqual(['event: end\ndata: {}', '']);
  expect(() => streams.open({ ...ask, isSessionValid: async () => true })).not.toThrow();
  streams.close();
});
