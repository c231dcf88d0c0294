import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { afterEach, describe, expect, test } from 'vitest';
import { advanceUntilSettled, warmUpAndFreezeTime } from '../../engine/time.js';
import { failure } from '../../failure.js';

const mebibyte = 2 ** 20;
const closers: Array<() => void> = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A Drive on loopback whose responses come from this handler, and the requests it received. */
async function drive(
  handler: (request: IncomingMessage, response: ServerResponse, count: number) => void,
  options = {},
) {
  const seen = { requests: 0, closed: 0 };
  const server = createServer((request, response) => {
    seen.requests++;
    response.on('close', () => {
      if (!response.writableFinished) seen.closed++;
    });
    handler(request, response, seen.requests);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const connector = new GoogleDriveConnector({
    credentials: { access_token: 'ya29.streams' },
    endpoints: `http://127.0.0.1:${port}`,
    ...options,
  });
  return { connector, seen };
}

/** A connector to a Drive whose content the test supplies, without a socket. */
function onStream(start: (stream: ReadableStreamDefaultController<string>) => void, options = {}) {
  const fetch = async () => new Response(new ReadableStream<string>({ start }).pipeThrough(new TextEncoderStream()));
  return new GoogleDriveConnector({ credentials: { access_token: 'ya29.streams' }, fetch, ...options });
}

/** Writes `size` bytes as fast as the reader takes them; each byte is the lowest byte of its offset. */
function flow(response: ServerResponse, size: number, from = 0): void {
  const chunk = Buffer.from(Array.from({ length: 65_536 }, (_, at) => at & 255));
  let sent = from;
  const more = () => {
    while (sent < size) {
      sent += chunk.length;
      if (!response.write(chunk.subarray(0, Math.min(chunk.length, chunk.length - (sent - size))))) {
        response.once('drain', more);
        return;
      }
    }
    response.end();
  };
  more();
}

async function count(stream: ReadableStream<Uint8Array>, pause?: (bytes: number) => Promise<void>): Promise<number> {
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    await pause?.(bytes);
  }
  return bytes;
}

const whole = (size: number) => ({ 'content-type': 'video/mp4', 'content-length': size });

describe('a download', () => {
  test('returns its headers first and its bytes on demand', async () => {
    const size = 64 * mebibyte;
    const { connector } = await drive((_request, response) => {
      response.writeHead(200, {
        ...whole(size),
        'content-disposition': `attachment; filename="a.mp4"; filename*=UTF-8''%C3%BC.mp4`,
      });
      flow(response, size);
    });
    const { data, meta } = await connector.files.download({ fileId: 'F' });
    expect(meta).toEqual({
      content_type: 'video/mp4',
      content_length: size,
      content_range: null,
      file_name: 'ü.mp4',
      notice: null,
    });
    expect(await count(data)).toBe(size);
  });

  test('of a range reports which part was returned, or that the whole file was returned instead', async () => {
    const { connector } = await drive((request, response, count) => {
      if (count === 1) {
        expect(request.headers.range).toBe('bytes=2-4');
        response.writeHead(206, { 'content-range': 'bytes 2-4/10', 'content-length': 3 }).end('cde');
      } else response.writeHead(200, { 'content-length': 10 }).end('abcdefghij');
    });
    const part = await connector.files.download({ fileId: 'F', range_header: 'bytes=2-4' });
    expect(part.meta).toMatchObject({ content_range: 'bytes 2-4/10', content_length: 3, notice: null });
    expect(await new Response(part.data).text()).toBe('cde');
    const all = await connector.files.download({ fileId: 'F', range_header: 'bytes=2-4' });
    expect(all.meta.notice).toContain('ignored range bytes=2-4');
    expect(all.meta.content_range).toBeNull();
    await all.data.cancel();
  });

  test('that is rejected fails before a stream is created', async () => {
    const { connector, seen } = await drive((_request, response) => {
      const error = {
        code: 403,
        message: 'Only files with binary content can be downloaded.',
        errors: [{ reason: 'fileNotDownloadable', location: 'alt' }],
      };
      response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
    });
    const error = await failure(connector.files.download({ fileId: 'F' }));
    expect(error).toMatchObject({ code: 'not_downloadable', status: 403, retryable: false });
    expect(error.hint).toContain('files_export.download');
    // The second request looks the file up for the hint.
    expect(seen.requests).toBe(2);
  });

  test('interrupted before its first byte is restarted', async () => {
    const { connector, seen } = await drive((_request, response, count) => {
      response.writeHead(200, whole(5));
      if (count === 1) {
        response.flushHeaders();
        setTimeout(() => response.destroy(), 20);
      } else response.end('hello');
    });
    expect(await new Response((await connector.files.download({ fileId: 'F' })).data).text()).toBe('hello');
    expect(seen.requests).toBe(2);
  });

  test('interrupted midway causes an error that says how to resume, and is not restarted', async () => {
    let breakOff = () => {};
    const { connector, seen } = await drive((_request, response) => {
      response.writeHead(200, whole(2 * mebibyte));
      response.write(Buffer.alloc(mebibyte));
      breakOff = () => response.destroy();
    });
    const { data } = await connector.files.download({ fileId: 'F' });
    const error = await failure(
      count(data, async (bytes) => {
        // Disconnecting earlier would also drop data that has arrived but has not been read.
        if (bytes === mebibyte) breakOff();
      }),
    );
    expect(error.code).toBe('network');
    expect(error.hint).toBe(`Request the rest with range_header: 'bytes=${mebibyte}-'.`);
    expect(seen.requests).toBe(1);
  });

  test.each([
    ['bytes 1000-1999/5000', "Request the rest with range_header: 'bytes=1009-1999'."],
    [undefined, undefined],
  ])('of a range interrupted midway, with Content-Range %s, suggests the rest of the range', async (range, hint) => {
    let breakOff = () => {};
    const { connector } = await drive((_request, response) => {
      response.writeHead(206, { 'content-length': 1000, ...(range && { 'content-range': range }) });
      response.write('nine byte');
      breakOff = () => response.destroy();
    });
    const { data } = await connector.files.download({ fileId: 'F', range_header: 'bytes=1000-1999' });
    const error = await failure(count(data, async () => breakOff()));
    expect([error.code, error.hint]).toEqual(['network', hint]);
  });

  test('share one listener on their signal', async () => {
    const warnings: string[] = [];
    const warn = ({ name }: Error) => warnings.push(name);
    process.on('warning', warn);
    closers.push(() => process.off('warning', warn));
    const { signal } = new AbortController();
    const { connector } = await drive((_request, response) => {
      response.writeHead(200, whole(2 * mebibyte));
      response.write(Buffer.alloc(1000));
    });
    const downloads = await Promise.all(
      Array.from({ length: 12 }, () => connector.files.download({ fileId: 'F' }, { signal })),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual([]);
    await Promise.all(downloads.map(({ data }) => data.cancel()));
  });

  test('with encoded content have no known length', async () => {
    const { connector } = await drive((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(gzipSync('hello'));
    });
    const { data, meta } = await connector.files.download({ fileId: 'F' });
    expect([meta.content_length, await new Response(data).text()]).toEqual([null, 'hello']);
  });

  test('ends when its signal is aborted, including at the vendor', async () => {
    const { connector, seen } = await drive((_request, response) => {
      response.writeHead(200, whole(64 * mebibyte));
      flow(response, 64 * mebibyte);
    });
    const controller = new AbortController();
    const { data } = await connector.files.download({ fileId: 'F' }, { signal: controller.signal });
    const error = await failure(
      count(data, async (bytes) => {
        if (bytes > mebibyte) controller.abort();
      }),
    );
    expect(error.code).toBe('aborted');
    await expect.poll(() => seen.closed).toBe(1);
  });

  test('abandoned by its reader is cancelled at the vendor', async () => {
    const { connector, seen } = await drive((_request, response) => {
      response.writeHead(200, whole(64 * mebibyte));
      flow(response, 64 * mebibyte);
    });
    const { data } = await connector.files.download({ fileId: 'F' });
    for await (const chunk of data) if (chunk.length > 0) break;
    await expect.poll(() => seen.closed).toBe(1);
  });

  test('waits for a slow reader instead of buffering', async () => {
    let written = 0;
    const { connector } = await drive((_request, response) => {
      response.writeHead(200, whole(64 * mebibyte));
      const chunk = Buffer.alloc(65_536);
      const more = () => {
        while (written < 64 * mebibyte) {
          written += chunk.length;
          if (!response.write(chunk)) {
            response.once('drain', more);
            return;
          }
        }
        response.end();
      };
      more();
    });
    const { data } = await connector.files.download({ fileId: 'F' });
    const reader = data.getReader();
    await reader.read();
    await new Promise((resolve) => setTimeout(resolve, 200));
    // Sockets on both sides buffer a few megabytes; the rest has not been sent.
    expect(written).toBeLessThan(32 * mebibyte);
    await reader.cancel();
  });

  test('that stalls is aborted', async () => {
    await warmUpAndFreezeTime();
    const connector = onStream((stream) => stream.enqueue('some'), { attemptTimeoutMs: 150 });
    const { data } = await advanceUntilSettled(connector.files.download({ fileId: 'F' }));
    expect((await failure(advanceUntilSettled(count(data)))).code).toBe('timeout');
  });

  test('can take longer than the call that started it', async () => {
    await warmUpAndFreezeTime();
    const connector = onStream((stream) => {
      stream.enqueue('ab');
      setTimeout(() => {
        stream.enqueue('cd');
        stream.close();
      }, 300);
    });
    const { data } = await advanceUntilSettled(connector.files.download({ fileId: 'F' }, { timeoutMs: 150 }));
    expect(await advanceUntilSettled(new Response(data).text())).toBe('abcd');
  });

  test('ignores options that affect records', async () => {
    const { connector } = await drive((_request, response) => void response.writeHead(200, whole(5)).end('hello'));
    const { data } = await connector.files.download({ fileId: 'F' }, { maxStringLength: 2 });
    expect(await count(data)).toBe(5);
  });

  test('of an empty file is an empty stream', async () => {
    const { connector } = await drive((_request, response) => void response.writeHead(200, whole(0)).end());
    const { data, meta } = await connector.files.download({ fileId: 'F' });
    expect(meta.content_length).toBe(0);
    expect(await count(data)).toBe(0);
  });
});
