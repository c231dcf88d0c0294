import { createHash } from 'node:crypto';
import type { ConnectorError, Once, Sent } from 'agent-connectors';
import type { FaultKind } from 'agent-connectors-sandbox';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { skipBackoff } from '../../../sandbox/src/testing/time.js';
import { advanceUntilSettled, freezeTime } from '../../engine/time.js';
import { failure } from '../../failure.js';
import { bytesOf, connectorOnSandbox, contentOf } from './setup.js';

const path = '/upload/drive/v3/files';
const kinds = [
  'rate_limited',
  'http_429',
  '500',
  '502',
  '503',
  '504',
  'reset_before',
  'reset_after',
  'truncated_body',
  'truncated_json',
  'wrong_content_type',
  'empty_body',
  'broken_chunk',
  'lost_session',
] as const;

/** One chunk and a little of the next. */
const large = bytesOf(8 * 2 ** 20 + 5);

/** Faults at every step of a single-chunk upload, and, between two chunks, faults that make a response unreadable. */
const cases: Array<[kind: FaultKind, nth: number, content: Uint8Array<ArrayBuffer>]> = [
  ...kinds.flatMap((kind) => [1, 2].map((nth): (typeof cases)[number] => [kind, nth, bytesOf(5)])),
  ...(['truncated_json', 'empty_body'] as const).flatMap((kind) =>
    [2, 3].map((nth): (typeof cases)[number] => [kind, nth, large]),
  ),
];

describe('a resumable upload', () => {
  // The backoff is random; these tests use the minimum, since its length has its own tests.
  beforeEach(() => skipBackoff());
  afterEach(() => void vi.restoreAllMocks());

  test.each(cases)(
    'creates at most one file and reports whether it did, with %s at request %d',
    async (kind, nth, content) => {
      for (const applied of kind === '504' ? [false, true] : [false]) {
        const { drive } = connectorOnSandbox({ faults: [{ kind, path, nth, applied, retryAfter: 0 }] });
        const call = drive.files_upload.create({ name: 'once.bin', file_content: new Blob([content]).stream() });
        const code = await call.then(
          () => 'success',
          (error: ConnectorError) => error.code,
        );
        const q = "name = 'once.bin'";
        const made = (await drive.files.list({ q, fields: 'files(md5Checksum)' })).data;
        const md5Checksum = createHash('md5').update(content).digest('hex');
        if (code === 'success') expect(made).toEqual([{ md5Checksum }]);
        else expect(made.length, code).toBeLessThanOrEqual(code === 'unknown_outcome' ? 1 : 0);
      }
    },
  );

  test('whose responses are all unreadable has an unknown outcome', async () => {
    const count = Number.POSITIVE_INFINITY;
    const { drive, sandbox } = connectorOnSandbox({ faults: [{ kind: 'truncated_json', path, nth: 2, count }] });
    const call = drive.files_upload.create({ name: 'once.bin', file_content: new Blob(['Hello']).stream() });
    expect(await failure(call)).toMatchObject({ code: 'unknown_outcome', retryable: false });
    // The first chunk, and the query for how much has arrived, twenty times with growing delays.
    expect(sandbox.requests).toHaveLength(22);
  });

  test('has an unknown outcome if its last chunk may have arrived before the connection was lost', async () => {
    const count = Number.POSITIVE_INFINITY;
    const { drive, sandbox } = connectorOnSandbox({ faults: [{ kind: 'reset_after', path, nth: 2, count }] });
    const call = drive.files_upload.create({ name: 'once.bin', file_content: new Blob(['Hello']).stream() });
    expect(await failure(call)).toMatchObject({ code: 'unknown_outcome', retryable: false });
    sandbox.faults.clear();
    expect((await drive.files.list({ q: "name = 'once.bin'" })).data).toHaveLength(1);
  });

  test('is looked up by id if the caller stored the id', async () => {
    const count = Number.POSITIVE_INFINITY;
    const { drive, sandbox } = connectorOnSandbox({ faults: [{ kind: 'reset_after', path, nth: 2, count }] });
    const upload = (once: Once) =>
      drive.files_upload.create({ name: 'once.bin', file_content: new Blob(['Hello']).stream() }, { once });
    let sent: Sent | undefined;
    const sending = (now: Sent) => {
      sent = now;
    };
    const first = await upload({ sending });
    expect(sent).toEqual({ id: first.data.id, by: 'id' });
    sandbox.requests.clear();
    expect((await upload({ sent, sending })).data.id).toBe(first.data.id);
    expect(sandbox.requests.map(({ method }) => method)).toEqual(['GET']);
  });

  test('is abandoned when aborted between chunks', async () => {
    const { drive, sandbox } = connectorOnSandbox();
    const controller = new AbortController();
    const source = new ReadableStream<Uint8Array>({
      pull: (stream) => {
        if (sandbox.requests.length > 1) controller.abort();
        stream.enqueue(new Uint8Array(2 ** 20));
      },
    });
    const { signal } = controller;
    const error = await failure(drive.files_upload.create({ name: 'never.bin', file_content: source }, { signal }));
    expect(error.code).toBe('aborted');
    expect((await drive.files.list({ q: "name = 'never.bin'" })).data).toEqual([]);
  });

  test('of an empty stream creates an empty file', async () => {
    const { drive } = connectorOnSandbox();
    const { data } = await drive.files_upload.create({ name: 'none', file_content: new Blob([]).stream() });
    expect(data).toMatchObject({ name: 'none', size: '0' });
  });

  test('converts the content if a native type is requested', async () => {
    const { drive } = connectorOnSandbox();
    const mimeType = 'application/vnd.google-apps.document';
    const { data } = await drive.files_upload.create({
      name: 'Minutes',
      mimeType,
      file_content: new Blob(['Hello']).stream(),
      file_mime_type: 'text/plain',
    });
    expect(data.mimeType).toBe(mimeType);
    const text = await contentOf(await drive.files_export.download({ fileId: data.id, mimeType: 'text/plain' }));
    expect(new TextDecoder().decode(text)).toContain('Hello');
  });

  test.each([
    ['timeout', 'its timeout expires', false],
    ['aborted', 'it is aborted', true],
  ])('of a stream without data ends with %s when %s, and cancels the stream', async (code, _, aborts) => {
    freezeTime();
    const cancelled: unknown[] = [];
    const controller = new AbortController();
    const file_content = new ReadableStream<Uint8Array>(
      {
        pull() {
          if (aborts) controller.abort();
          return new Promise(() => {});
        },
        cancel: (reason) => void cancelled.push(reason),
      },
      { highWaterMark: 0 },
    );
    const { drive, sandbox } = connectorOnSandbox();
    const options = aborts ? { signal: controller.signal } : { timeoutMs: 1_000 };
    const call = drive.execute('files_upload', 'create', { name: 'x', file_content }, options);
    expect((await failure(advanceUntilSettled(call))).code).toBe(code);
    expect(cancelled).toHaveLength(1);
    expect(sandbox.requests.filter(({ method }) => method === 'PUT')).toEqual([]);
  });
});
