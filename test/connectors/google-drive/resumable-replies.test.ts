import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { skipBackoff } from '../../../sandbox/src/testing/time.js';
import { failure } from '../../failure.js';
import { bytesOf } from './setup.js';

const MiB = 2 ** 20;
const session = 'https://www.googleapis.com/upload/drive/v3/files?uploadType=resumable&upload_id=S';
const total = 20 * MiB;

/** A request for the session: how many bytes Google has, and what it would respond. */
interface Put {
  readonly range: string;
  /** Whether the request asks for the status. */
  readonly asks: boolean;
  readonly received: number;
}

const incomplete = (received: number | undefined) =>
  new Response(null, { status: 308, headers: received ? { range: `bytes=0-${received - 1}` } : {} });
const gone = (status: number) =>
  Response.json({ error: { code: status, message: 'Gone', errors: [{ reason: 'notFound' }] } }, { status });

/** Google, which stores what arrives; `reply` can replace the response to the nth request. */
function google(reply: (nth: number, put: Put) => Response | number | undefined) {
  const puts: string[] = [];
  let received = 0;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    if (request.method === 'GET' && new URL(request.url).pathname.endsWith('/generateIds')) {
      return Response.json({ kind: 'drive#generatedIds', ids: ['F'] });
    }
    if (request.method === 'GET') return gone(404);
    if (request.method === 'POST') return new Response('{}', { headers: { location: session } });
    const range = request.headers.get('content-range')!;
    puts.push(range);
    const [, start, end] = /^bytes (\d+)-(\d+)\//.exec(range) ?? [];
    const bytes = (await request.arrayBuffer()).byteLength;
    if (start !== undefined && Number(start) <= received) {
      expect(Number(end) - Number(start) + 1).toBe(bytes);
      received = Math.max(received, Number(start) + bytes);
    }
    const replaced = reply(puts.length, { range, asks: start === undefined, received });
    // A number is how many bytes Google has now.
    if (typeof replaced === 'number') received = replaced;
    else if (replaced) return replaced;
    if (received >= total) return Response.json({ kind: 'drive#file', id: 'F', name: 'x', size: String(total) });
    return incomplete(received);
  };
  const drive = new GoogleDriveConnector({ credentials: { access_token: 't' }, fetch });
  const content = new Blob([bytesOf(total)]);
  return {
    puts,
    upload: () => drive.files_upload.create({ name: 'x', file_content: content }),
    stream: () => drive.files_upload.create({ name: 'x', file_content: content.stream() }),
    received: () => received,
  };
}

beforeEach(() => skipBackoff());
afterEach(() => void vi.restoreAllMocks());

describe('an upload goes on after', () => {
  test.each<[string, (nth: number, put: Put) => Response | number | undefined]>([
    ['308 without Range for a later chunk', (nth) => (nth === 2 ? incomplete(undefined) : undefined)],
    [
      '308 with an unreadable Range',
      (nth) => (nth === 2 ? new Response(null, { status: 308, headers: { range: '?' } }) : undefined),
    ],
    [
      '308 without Range for every chunk',
      (_, { asks, received }) => (asks || received === total ? undefined : incomplete(undefined)),
    ],
    ['308 without Range for the last chunk', (nth) => (nth === 3 ? incomplete(undefined) : undefined)],
    ['308 with all bytes, but no file', (nth) => (nth === 3 || nth === 4 ? incomplete(total) : undefined)],
    ['308 without Range for a question, once', (nth) => (nth === 2 || nth === 3 ? incomplete(undefined) : undefined)],
    ['410 for a chunk', (nth) => (nth === 2 ? gone(410) : undefined)],
    ['410 for the last chunk, which arrived', (nth) => (nth === 3 ? gone(410) : undefined)],
    [
      'a 404 page of a proxy',
      (nth) =>
        nth === 2
          ? new Response('<html></html>', { status: 404, headers: { 'content-type': 'text/html' } })
          : undefined,
    ],
    ['200 with a body that is not the file', (nth) => (nth === 2 ? Response.json({}) : undefined)],
    ['200 with a page, for the last chunk', (nth) => (nth === 3 ? new Response('<html></html>') : undefined)],
    ['part of a chunk was lost', (nth) => (nth === 2 ? 9 * MiB : undefined)],
    ['a chunk from before was lost', (nth) => (nth === 2 ? 4 * MiB : undefined)],
    ['everything was lost once', (nth) => (nth === 3 ? 0 : undefined)],
  ])('%s', async (_, reply) => {
    const { upload, received, puts } = google(reply);
    expect((await upload()).data.id).toBe('F');
    expect(received()).toBe(total);
    expect(puts.length).toBeLessThan(20);
  });
});

describe('a stream', () => {
  test('goes on from within the chunk at hand', async () => {
    const { stream, received } = google((nth) => (nth === 2 ? 9 * MiB : undefined));
    expect((await stream()).data.id).toBe('F');
    expect(received()).toBe(total);
  });

  test('cannot be sent again from an earlier chunk, and the error says that no file was created', async () => {
    const { stream } = google((nth) => (nth === 2 ? 4 * MiB : undefined));
    const error = await failure(stream());
    expect(error).toMatchObject({ code: 'invalid_response', retryable: true });
    expect(error.message).toContain('no file was created');
  });
});

describe('an upload ends', () => {
  test('if Google loses the content again and again', async () => {
    const { upload, puts } = google((_, { asks }) => (asks ? undefined : 1));
    const error = await failure(upload());
    expect(error.retryable).toBe(true);
    expect(puts.length).toBeLessThan(50);
  });

  test.each([404, 410])('without a file if the session has ended (%d)', async (status) => {
    const { upload } = google((nth) => (nth >= 2 ? gone(status) : undefined));
    expect(await failure(upload())).toMatchObject({ code: 'vendor_error', retryable: true });
  });

  test('with an unknown outcome if the session has ended after the last chunk was lost on the way', async () => {
    const { upload } = google((nth) =>
      nth === 3 ? new Response('', { status: 502 }) : nth > 3 ? gone(404) : undefined,
    );
    expect(await failure(upload())).toMatchObject({ code: 'unknown_outcome', retryable: false });
  });

  test('with an unknown outcome if a file exists before all content was sent', async () => {
    const early = Response.json({ kind: 'drive#file', id: 'F', size: '1' });
    const { upload } = google((nth) => (nth === 1 ? early : undefined));
    expect((await failure(upload())).code).toBe('unknown_outcome');
  });
});
