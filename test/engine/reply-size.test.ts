import { ConnectorError } from 'agent-connectors';
import { describe, expect, it } from 'vitest';
import { fakeFetch, json } from './fake-fetch.js';
import { book, shelf } from './shelf.js';

const mebibyte = new Uint8Array(1024 * 1024).fill(32);

describe('a response', () => {
  it('that never ends is aborted, and its stream is cancelled', async () => {
    let sent = 0;
    let cancelled = false;
    const { fetch } = fakeFetch(
      () =>
        new Response(
          new ReadableStream({
            pull(controller) {
              sent += 1;
              controller.enqueue(mebibyte);
            },
            cancel() {
              cancelled = true;
            },
          }),
          { headers: { 'content-type': 'application/json' } },
        ),
    );
    await expect(shelf(fetch).execute('books', 'list')).rejects.toMatchObject({ code: 'too_large', retryable: false });
    expect(cancelled).toBe(true);
    expect(sent).toBeLessThan(140);
  });

  it('that arrives in pieces, split within a character, is joined', async () => {
    const bytes = new TextEncoder().encode(JSON.stringify({ books: [book('b1', { title: 'Grüße 世界 🎉' })] }));
    const { fetch } = fakeFetch(() => {
      const pieces = Array.from({ length: Math.ceil(bytes.length / 3) }, (_, n) => bytes.slice(n * 3, n * 3 + 3));
      const body = new ReadableStream({
        pull(controller) {
          const piece = pieces.shift();
          if (piece) controller.enqueue(piece);
          else controller.close();
        },
      });
      return new Response(body, { headers: { 'content-type': 'application/json' } });
    });
    const { data } = await shelf(fetch).execute('books', 'list');
    expect(data[0]?.title).toBe('Grüße 世界 🎉');
  });

  it('is announced before it is read into memory, and abandoned if the hook rejects it', async () => {
    const parts: number[] = [];
    const full = new ConnectorError('rate_limited', 'No memory left.', { retryable: false });
    const answer = (body: object) =>
      new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } });
    const { fetch } = fakeFetch(({ method }) => answer(method === 'GET' ? { books: [] } : book('b1')));
    const hooks = { onReceive: (bytes: number) => void parts.push(bytes) };
    await shelf(fetch, { hooks }).execute('books', 'list');
    expect(parts).toEqual([JSON.stringify({ books: [] }).length]);
    const reject = { onReceive: () => Promise.reject(full) };
    const list = shelf(fetch, { hooks: reject }).execute('books', 'list');
    await expect(list).rejects.toMatchObject({ code: 'rate_limited', message: 'No memory left.' });
    // The vendor has executed the write.
    const write = shelf(fetch, { hooks: reject }).execute('books', 'create', { title: 'A' });
    await expect(write).rejects.toMatchObject({ code: 'unknown_outcome' });
  });

  it('with a wrong content length is read as it arrives', async () => {
    const { fetch } = fakeFetch(() => json({ books: [book('b1')] }, 200, { 'content-length': 'many' }));
    await expect(shelf(fetch).execute('books', 'list')).resolves.toMatchObject({ data: [{ id: 'b1' }] });
  });
});
