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

  it('with a wrong content length is read as it arrives', async () => {
    const { fetch } = fakeFetch(() => json({ books: [book('b1')] }, 200, { 'content-length': 'many' }));
    await expect(shelf(fetch).execute('books', 'list')).resolves.toMatchObject({ data: [{ id: 'b1' }] });
  });
});
