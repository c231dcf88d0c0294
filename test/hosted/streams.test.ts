import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConnectorError } from 'agent-connectors';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { describe, expect, onTestFinished, test } from 'vitest';
import { skipBackoff } from '../../sandbox/src/testing/time.js';
import { fakeClock } from '../engine/fake-clock.js';
import { connectionError } from '../engine/fake-fetch.js';
import { advanceUntilSettled, warmUpAndFreezeTime } from '../engine/time.js';
import { failure } from '../failure.js';
import { errorReply, type ReplyHandlers, serviceDouble, successReply, target } from './double.js';

const file = { fileId: 'F' };

function hostedDrive(answers: ReplyHandlers, options: object = {}) {
  const double = serviceDouble(answers);
  return { ...double, drive: new GoogleDriveConnector({ hosted: target, fetch: double.fetch, ...options }) };
}

const content = (text: string, status = 200, headers: Record<string, string> = {}) =>
  new Response(text, {
    status,
    headers: { 'content-type': 'text/plain', 'content-disposition': 'attachment', ...headers },
  });

/** A stream of these chunks, which then ends, fails or stalls as requested. */
const streamOf = (pieces: readonly string[], then: (controller: ReadableStreamDefaultController) => void) => {
  const left = pieces.map((piece) => new TextEncoder().encode(piece));
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = left.shift();
      if (next) controller.enqueue(next);
      else then(controller);
    },
  });
};

async function readAll(stream: ReadableStream<Uint8Array>): Promise<{ text: string; error?: unknown }> {
  let text = '';
  try {
    for await (const chunk of stream) text += new TextDecoder().decode(chunk);
    return { text };
  } catch (error) {
    return { text, error };
  }
}

describe('a download', () => {
  test('is requested as bytes and returns the metadata from its headers', async () => {
    const { drive, executed } = hostedDrive({
      execute: () =>
        content('Hello', 200, {
          'content-length': '5',
          'content-disposition': `attachment; filename="a_b.txt"; filename*=UTF-8''a%C3%A4b.txt`,
        }),
    });
    const { data, meta } = await drive.files.download(file);
    expect(meta).toEqual({
      content_type: 'text/plain',
      content_length: 5,
      content_range: null,
      file_name: 'aäb.txt',
      notice: null,
    });
    expect(await readAll(data)).toEqual({ text: 'Hello' });
    expect(executed[0]!.headers.get('accept')).toContain('application/octet-stream');
    expect(executed[0]!.headers.get('accept-encoding')).toBe('identity');
  });

  test('of a byte range reports the range, or that the whole file was returned instead', async () => {
    const { drive, executed } = hostedDrive({
      execute: (_, count) =>
        count === 1 ? content('He', 206, { 'content-range': 'bytes 0-1/5' }) : content('Hello', 200),
    });
    const part = { ...file, range_header: 'bytes=0-1' };
    expect((await drive.files.download(part)).meta).toMatchObject({ content_range: 'bytes 0-1/5', notice: null });
    expect((await drive.files.download(part)).meta.notice).toBe(
      'The vendor ignored range bytes=0-1 and returned the whole content.',
    );
    expect(executed[0]!.json.params).toMatchObject(part);
  });

  test('of an empty file is empty', async () => {
    const { drive } = hostedDrive({ execute: () => content('') });
    expect(await readAll((await drive.files.download(file)).data)).toEqual({ text: '' });
    const bodiless = hostedDrive({ execute: () => new Response(null) });
    expect(await readAll((await bodiless.drive.files.download(file)).data)).toEqual({ text: '' });
  });

  test('that is interrupted is a network failure with the bytes received so far', async () => {
    const execute = () =>
      new Response(streamOf(['Hel', 'lo'], (controller) => controller.error(connectionError('ECONNRESET'))));
    const { drive } = hostedDrive({ execute });
    const { text, error } = await readAll((await drive.files.download(file)).data);
    expect(text).toBe('Hello');
    expect(error).toMatchObject({ code: 'network', hint: "Request the rest with range_header: 'bytes=5-'." });
    expect((error as Error).message).toContain('interrupted after 5 bytes');
  });

  test('that is interrupted before its first byte is requested again', async () => {
    skipBackoff();
    const { drive } = hostedDrive({
      execute: (_, count) =>
        count === 1
          ? new Response(streamOf([], (controller) => controller.error(connectionError('ECONNRESET'))))
          : content('Hi'),
    });
    expect(await readAll((await drive.files.download(file)).data)).toEqual({ text: 'Hi' });
  });

  test('ends when its signal is aborted while streaming', async () => {
    let given = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (to) => to.enqueue(new Uint8Array(10)),
      cancel() {
        given = true;
      },
    });
    const { drive } = hostedDrive({ execute: () => new Response(body) });
    const controller = new AbortController();
    const { data } = await drive.execute('files', 'download', file, { signal: controller.signal });
    const reader = data.getReader();
    await reader.read();
    controller.abort();
    expect((await failure(() => reader.read())).code).toBe('aborted');
    expect(given).toBe(true);
  });

  test('that stalls is aborted', async () => {
    await warmUpAndFreezeTime();
    const { drive } = hostedDrive(
      { execute: () => new Response(streamOf(['Hello'], () => {})) },
      { attemptTimeoutMs: 30 },
    );
    const { data } = await advanceUntilSettled(drive.files.download(file));
    const { text, error } = await advanceUntilSettled(readAll(data));
    expect([text, ConnectorError.is(error) && error.code]).toEqual(['Hello', 'timeout']);
  });

  test("that is rejected fails with the vendor's error", async () => {
    const { drive } = hostedDrive({
      execute: () => errorReply(403, 'not_downloadable', { vendor: { code: 'fileNotDownloadable', status: 403 } }),
    });
    expect(await failure(drive.files.download(file))).toMatchObject({ code: 'not_downloadable', status: 403 });
  });

  test('of any size uses only as much memory as the data in transit', async () => {
    const chunk = Buffer.alloc(65_536, 1);
    const total = 96 * 2 ** 20;
    let sent = 0;
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': total });
      const more = () => {
        while (sent < total) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const drive = new GoogleDriveConnector({ hosted: { baseUrl, token: 'token', connectorId: 'con_1' } });
    const reader = (await drive.files.download(file)).data.getReader();
    let taken = 0;
    for (let at = 0; at < 20; at++) taken += (await reader.read()).value!.byteLength;
    await new Promise((resolve) => setTimeout(resolve, 100));
    // Data sent but not yet read is buffered in sockets and streams.
    expect(sent - taken).toBeLessThan(total / 4);
    for (let result = await reader.read(); !result.done; result = await reader.read()) taken += result.value.byteLength;
    expect(taken).toBe(total);
  });
});

describe('an upload', () => {
  const upload = { name: 'a.bin', file_mime_type: 'application/octet-stream' };
  const bytes = Uint8Array.from({ length: 100_001 }, (_, at) => at * 7);
  const wanted = Buffer.from(bytes).toString('base64');
  const accept = { execute: () => successReply({ id: 'F' }) };

  test.each([
    ['base64', () => wanted],
    ['bytes', () => bytes],
    ['part of a larger buffer', () => Buffer.concat([Buffer.alloc(7), bytes]).subarray(7)],
    ['a Blob', () => new Blob([bytes])],
    ['a stream', () => new Blob([bytes]).stream()],
  ])('of %s is sent as base64', async (_, file_content) => {
    const { drive, executed } = hostedDrive(accept);
    await drive.files_upload.create({ ...upload, file_content: file_content() });
    expect(executed[0]!.json.params).toMatchObject({ ...upload, file_content: wanted });
  });

  test('of a stream can be sent again, since the stream is read first', async () => {
    skipBackoff();
    const { drive, executed } = hostedDrive({
      execute: (_, count) => {
        if (count === 1) throw connectionError('ECONNRESET');
        return successReply({ id: 'F' });
      },
    });
    await drive.files_upload.create({ ...upload, file_content: new Blob([bytes]).stream() });
    expect(executed.map(({ json }) => json.params.file_content === wanted)).toEqual([true, true]);
  });

  test('of a failing stream sends nothing', async () => {
    const { drive, executed } = hostedDrive(accept);
    const file_content = streamOf(['Hello'], (controller) => controller.error(new Error('disk')));
    const error = await failure(drive.files_upload.create({ ...upload, file_content }));
    expect(error).toMatchObject({ code: 'aborted', message: 'Reading the upload stream failed, so nothing was sent.' });
    expect(executed).toEqual([]);
  });

  test('of a stream already being read is rejected', async () => {
    const { drive, executed } = hostedDrive(accept);
    const file_content = new Blob([bytes]).stream();
    file_content.getReader();
    const error = await failure(drive.files_upload.create({ ...upload, file_content }));
    expect(error.code).toBe('invalid_params');
    expect(executed).toEqual([]);
  });

  test('of an endless stream ends with the call, and cancels the stream', async () => {
    await warmUpAndFreezeTime();
    let given = false;
    const file_content = new ReadableStream<Uint8Array>({
      cancel() {
        given = true;
      },
    });
    const { drive, executed } = hostedDrive(accept);
    const error = await failure(
      advanceUntilSettled(drive.execute('files_upload', 'create', { ...upload, file_content }, { timeoutMs: 30 })),
    );
    expect(error.code).toBe('timeout');
    expect(given).toBe(true);
    expect(executed).toEqual([]);
  });

  test('too large for a string is rejected', async () => {
    const chunk = new Uint8Array(2 ** 25);
    const file_content = new ReadableStream<Uint8Array>({ pull: (to) => to.enqueue(chunk) });
    const { drive, executed } = hostedDrive(accept);
    const error = await failure(drive.files_upload.create({ ...upload, file_content }));
    expect(error).toMatchObject({ code: 'too_large' });
    expect(error.hint).toContain('has its own credentials');
    expect(executed).toEqual([]);
  });

  test('too large for the service fails with too_large', async () => {
    const { drive } = hostedDrive({ execute: () => errorReply(413, 'too_large') });
    const error = await failure(drive.files_upload.create({ ...upload, file_content: wanted }));
    expect(error.code).toBe('too_large');
  });
});

test('a download is not blocked by a frozen clock', async () => {
  fakeClock();
  const { drive } = hostedDrive({ execute: () => content('Hello') });
  expect(await readAll((await drive.files.download(file)).data)).toEqual({ text: 'Hello' });
});
