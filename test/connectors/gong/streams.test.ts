import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ConnectorOptions } from 'agent-connectors';
import { GongConnector } from 'agent-connectors/gong';
import { afterEach, describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { key, pageReply } from './setup.js';

const mebibyte = 2 ** 20;
const closers: Array<() => void> = [];
const asked = { filter: { callIds: ['77'] }, contentSelector: { exposedFields: { media: true as const } } };

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A Gong on loopback that returns the URL of a recording, which this handler serves. */
async function recordings(
  handler: (request: IncomingMessage, response: ServerResponse, count: number) => void,
  options: Pick<ConnectorOptions, 'hooks'> = {},
) {
  const seen = { addresses: 0, recordings: 0, closed: 0, authorized: 0 };
  const server = createServer((request, response) => {
    if (!request.url!.startsWith('/media/')) {
      seen.addresses++;
      const media = { videoUrl: `http://127.0.0.1:${port}/media/77.mp4?X-Amz-Signature=${seen.addresses}` };
      response.setHeader('content-type', 'application/json');
      request
        .resume()
        .on('end', () => response.end(JSON.stringify(pageReply('calls', [{ metaData: { id: '77' }, media }]))));
      return;
    }
    seen.recordings++;
    if (request.headers.authorization !== undefined) seen.authorized++;
    response.on('close', () => {
      if (!response.writableFinished) seen.closed++;
    });
    handler(request, response, seen.recordings);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const gong = new GongConnector({ credentials: key, endpoints: `http://127.0.0.1:${port}`, ...options });
  return { gong, seen };
}

/** Writes that many bytes as fast as they are read. */
function flow(response: ServerResponse, size: number, written: (bytes: number) => void = () => {}): void {
  const chunk = Buffer.alloc(65_536, 7);
  let sent = 0;
  const more = () => {
    while (sent < size) {
      const part = chunk.subarray(0, Math.min(chunk.length, size - sent));
      sent += part.length;
      written(sent);
      if (!response.write(part)) {
        response.once('drain', more);
        return;
      }
    }
    response.end();
  };
  more();
}

async function count(stream: ReadableStream<Uint8Array>, at: (bytes: number) => void = () => {}): Promise<number> {
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    at(bytes);
  }
  return bytes;
}

const whole = (size: number) => ({ 'content-type': 'video/mp4', 'content-length': size });

describe("a recording's stream", () => {
  test('of 64 MiB is not buffered: sending never gets far ahead of reading', async () => {
    const size = 64 * mebibyte;
    let written = 0;
    const { gong, seen } = await recordings((_, response) => {
      response.writeHead(200, whole(size));
      flow(response, size, (bytes) => {
        written = bytes;
      });
    });
    const { data, meta } = await gong.call_video.download(asked);
    expect(meta).toMatchObject({ content_type: 'video/mp4', content_length: size });
    let ahead = 0;
    const read = await count(data, (bytes) => {
      ahead = Math.max(ahead, written - bytes);
    });
    expect(read).toBe(size);
    // Sockets on both sides buffer a few megabytes.
    expect(ahead).toBeLessThan(32 * mebibyte);
    expect(seen).toMatchObject({ addresses: 1, recordings: 1, authorized: 0 });
  });

  test('waits for a slow reader instead of buffering', async () => {
    let written = 0;
    const { gong } = await recordings((_, response) => {
      response.writeHead(200, whole(64 * mebibyte));
      flow(response, 64 * mebibyte, (bytes) => {
        written = bytes;
      });
    });
    const { data } = await gong.call_video.download(asked);
    const reader = data.getReader();
    await reader.read();
    await new Promise((resolve) => setTimeout(resolve, 150));
    // Sockets on both sides buffer a few megabytes; the rest has not been sent.
    expect(written).toBeLessThan(32 * mebibyte);
    await reader.cancel();
  });

  test('interrupted before its first byte is restarted without a new URL', async () => {
    const { gong, seen } = await recordings((_, response, times) => {
      response.writeHead(200, whole(5));
      if (times === 1) {
        response.flushHeaders();
        setTimeout(() => response.destroy(), 20);
      } else response.end('hello');
    });
    expect(await new Response((await gong.call_video.download(asked)).data).text()).toBe('hello');
    expect(seen).toMatchObject({ addresses: 1, recordings: 2 });
  });

  test('interrupted midway causes an error that says how to resume', async () => {
    let breakOff = () => {};
    const { gong, seen } = await recordings((_, response) => {
      response.writeHead(200, whole(2 * mebibyte));
      response.write(Buffer.alloc(mebibyte));
      breakOff = () => response.destroy();
    });
    const { data } = await gong.call_video.download(asked);
    const error = await failure(
      count(data, (bytes) => {
        // Disconnecting earlier would also drop data that has arrived but has not been read.
        if (bytes === mebibyte) breakOff();
      }),
    );
    expect(error.code).toBe('network');
    expect(error.hint).toBe(`Request the rest with range_header: 'bytes=${mebibyte}-'.`);
    expect(seen.recordings).toBe(1);
  });

  test('can be resumed at the byte where it was interrupted', async () => {
    const content = 'abcdefghij';
    const { gong } = await recordings((request, response) => {
      const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
      const rest = content.slice(from);
      response.writeHead(206, {
        ...whole(rest.length),
        'content-range': `bytes ${from}-${content.length - 1}/${content.length}`,
      });
      response.end(rest);
    });
    const { data, meta } = await gong.call_video.download({ ...asked, range_header: 'bytes=4-' });
    expect([await new Response(data).text(), meta.content_range]).toEqual(['efghij', 'bytes 4-9/10']);
  });

  test('ends when its signal is aborted, on the server too', async () => {
    const { gong, seen } = await recordings((_, response) => {
      response.writeHead(200, whole(64 * mebibyte));
      flow(response, 64 * mebibyte);
    });
    const controller = new AbortController();
    const { data } = await gong.call_video.download(asked, { signal: controller.signal });
    const error = await failure(
      count(data, (bytes) => {
        if (bytes > mebibyte) controller.abort();
      }),
    );
    expect(error.code).toBe('aborted');
    await expect.poll(() => seen.closed).toBe(1);
  });

  test('is not started if its signal is aborted between the two steps', async () => {
    const controller = new AbortController();
    const hooks = { onResponse: () => controller.abort() };
    const { gong, seen } = await recordings((_, response) => void response.end(), { hooks });
    const error = await failure(gong.call_video.download(asked, { signal: controller.signal }));
    expect(error.code).toBe('aborted');
    expect(seen.recordings).toBe(0);
  });

  test('abandoned by its reader is cancelled on the server', async () => {
    const { gong, seen } = await recordings((_, response) => {
      response.writeHead(200, whole(64 * mebibyte));
      flow(response, 64 * mebibyte);
    });
    const { data } = await gong.call_video.download(asked);
    for await (const chunk of data) if (chunk.length > 0) break;
    await expect.poll(() => seen.closed).toBe(1);
  });
});
