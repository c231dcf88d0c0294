import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, test, vi } from 'vitest';
import { skipBackoff } from '../../../sandbox/src/testing/time.js';
import { advanceUntilSettled, warmUpAndFreezeTime } from '../../engine/time.js';
import { failure } from '../../failure.js';
import { bytesOf, connectorOnSandbox, contentOf } from './setup.js';

const MiB = 2 ** 20;

interface Network {
  /** Requests that reached Google or failed on the way. */
  puts: number;
  /** When the network is down, in milliseconds since the start of the upload. */
  isDown: (elapsedMs: number, put: number) => boolean;
}

/** A connector whose network can be down, on a sandbox that stays up. */
function onNetwork(isDown: Network['isDown']) {
  const sandbox = createSandbox({ seed: 7 });
  const network: Network = { puts: 0, isDown };
  const began = Date.now();
  const fetch: typeof globalThis.fetch = async (url, init) => {
    if (init?.method === 'PUT' && network.isDown(Date.now() - began, ++network.puts)) {
      throw new TypeError('fetch failed', {
        cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
      });
    }
    return sandbox.fetch(url, init);
  };
  const credentials = sandbox.vendors['google-drive'].credentials.access_token;
  return { sandbox, network, drive: new GoogleDriveConnector({ credentials, fetch }) };
}

describe('an upload during a network outage', () => {
  test('of one minute backs off and continues', async () => {
    await warmUpAndFreezeTime();
    const { drive, network } = onNetwork((elapsedMs, put) => put > 1 && elapsedMs < 60_000);
    const content = bytesOf(17 * MiB);
    const call = drive.files_upload.create({ name: 'x', file_content: content });
    const { data } = await advanceUntilSettled(call, 1_000);
    expect(data.size).toBe(String(content.length));
    expect(network.puts).toBeLessThan(20);
  });

  test('that recurs resets the backoff whenever bytes arrive', async () => {
    skipBackoff();
    // One in 16 requests succeeds: never twenty failures in a row, but many more in total.
    const { drive, network } = onNetwork((_, put) => put % 16 > 1);
    const { data } = await drive.files_upload.create({ name: 'x', file_content: bytesOf(33 * MiB) });
    expect(data.size).toBe(String(33 * MiB));
    expect(network.puts).toBeGreaterThan(60);
  });

  test('that persists ends with an error that says what may have happened', async () => {
    skipBackoff();
    const { drive, network } = onNetwork((_, put) => put > 1);
    const error = await failure(drive.files_upload.create({ name: 'x', file_content: bytesOf(17 * MiB) }));
    expect(error).toMatchObject({ code: 'network', retryable: true });
    expect(network.puts).toBe(22);
  });

  test("longer than the call's timeout ends when the call times out", async () => {
    await warmUpAndFreezeTime();
    const { drive } = onNetwork((_, put) => put > 1);
    const params = { name: 'x', file_content: bytesOf(17 * MiB) };
    const call = drive.files_upload.create(params, { timeoutMs: 20_000 });
    expect((await failure(advanceUntilSettled(call, 500))).code).toBe('timeout');
  });
});

describe('an upload timeout', () => {
  /** How long a call lasts if it never gets a response. */
  async function limitOf(file_content: Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array>) {
    await warmUpAndFreezeTime();
    const drive = new GoogleDriveConnector({
      credentials: { access_token: 'ya29.slow' },
      attemptTimeoutMs: 2 ** 30,
      fetch: () => new Promise(() => {}),
    });
    const error = await failure(advanceUntilSettled(drive.files_upload.create({ name: 'x', file_content }), 60_000));
    return Number(/within (\d+) ms/.exec(error.message)?.[1]) / 60_000;
  }

  test('is the usual call timeout if the upload is small', async () => {
    expect(await limitOf(new Uint8Array())).toBe(2);
  });

  test('grows with its size', async () => {
    expect(await limitOf(new Blob([new Uint8Array(75 * MiB)]))).toBe(12);
  });

  test('is six hours if its size is unknown', async () => {
    expect(await limitOf(new ReadableStream())).toBe(360);
  });
});

describe('an upload resumed by a later call', () => {
  const content = bytesOf(17 * MiB);
  const params = { name: 'later.bin', file_content: content };

  /** The URL of an upload whose process ended after one chunk had arrived. */
  async function interrupted() {
    const { drive, sandbox, network } = onNetwork(() => false);
    let resume = '';
    network.isDown = (_, put) => {
      expect(resume).not.toBe('');
      return put > 1;
    };
    vi.spyOn(Math, 'random').mockReturnValue(-1);
    const onUploadBegun = (upload: { resume: string }) => {
      resume = upload.resume;
    };
    await failure(drive.files_upload.create(params, { onUploadBegun }));
    vi.restoreAllMocks();
    const credentials = sandbox.vendors['google-drive'].credentials.access_token;
    sandbox.requests.clear();
    return { resume, sandbox, drive: new GoogleDriveConnector({ credentials, fetch: sandbox.fetch }) };
  }

  test.each([
    ['bytes', () => content],
    ['a stream', () => new Blob([content]).stream()],
  ])('sends what Google has not received: %s', async (_, file_content) => {
    const { resume, sandbox, drive } = await interrupted();
    const { data } = await drive.files_upload.create({ ...params, file_content: file_content(), resume });
    const ranges = sandbox.requests.map(({ headers }) => headers['content-range']);
    expect(ranges[0]).toMatch(/^bytes \*\//);
    expect(ranges[1]).toMatch(/^bytes 8388608-16777215\//);
    expect(ranges[2]).toBe(`bytes 16777216-${17 * MiB - 1}/${17 * MiB}`);
    expect(data).toMatchObject({ name: 'later.bin', size: String(content.length) });
    const stored = await contentOf(await drive.files.download({ fileId: data.id }));
    expect(Buffer.compare(stored, content)).toBe(0);
    expect((await drive.files.list({ q: "name = 'later.bin'" })).data).toHaveLength(1);
  });

  test('returns the file if it was already finished', async () => {
    const { resume, sandbox, drive } = await interrupted();
    const first = await drive.files_upload.create({ ...params, resume });
    sandbox.requests.clear();
    const again = await drive.files_upload.create({ ...params, resume });
    expect(again.data.id).toBe(first.data.id);
    expect(sandbox.requests).toHaveLength(1);
  });

  test('fails as not found if Google does not know it', async () => {
    const { resume, drive } = await interrupted();
    const error = await failure(
      drive.files_upload.create({ ...params, resume: resume.replace(/upload_id=[^&]+/, 'upload_id=x') }),
    );
    expect(error).toMatchObject({ code: 'not_found', status: 404 });
    expect(error.hint).toContain('without resume');
  });

  test('is rejected if its URL is not an upload URL, or is on another host', async () => {
    const { drive, sandbox } = connectorOnSandbox();
    const session = 'https://www.googleapis.com/upload/drive/v3/files?uploadType=resumable&upload_id=S';
    for (const resume of [
      'S',
      'https://www.googleapis.com/drive/v3/files?upload_id=S',
      session.replace('&upload_id=S', ''),
    ])
      expect((await failure(drive.files_upload.create({ ...params, resume }))).code).toBe('invalid_params');
    const elsewhere = session.replace('www.googleapis.com', 'uploads.example.com');
    expect((await failure(drive.files_upload.create({ ...params, resume: elsewhere }))).code).toBe('denied_by_policy');
    expect(sandbox.requests).toHaveLength(0);
  });

  test('cannot be planned, as a plan would not show which file is being uploaded', async () => {
    const { resume, sandbox, drive } = await interrupted();
    const renamed = { ...params, name: 'other.bin', resume };
    const error = await failure(drive.plan('files_upload', 'create', renamed));
    expect(error).toMatchObject({ code: 'invalid_params', issues: [{ path: 'resume', message: 'cannot be planned' }] });
    const plan = await drive.plan('files_upload', 'create', params);
    const held = await failure(drive.execute('files_upload', 'create', renamed, { plan }));
    expect(held).toMatchObject({ code: 'invalid_params', issues: [{ path: 'resume' }] });
    expect(sandbox.requests.filter(({ method }) => method === 'PUT')).toHaveLength(0);
  });

  test('with less content than already received is rejected', async () => {
    const { resume, drive } = await interrupted();
    const stream = new Blob([content.slice(0, 100)]).stream();
    const error = await failure(drive.files_upload.create({ ...params, file_content: stream, resume }));
    expect(error).toMatchObject({ code: 'invalid_params', issues: [{ path: 'file_content' }] });
  });

  test('is not started if its URL could not be stored', async () => {
    const { drive, sandbox } = connectorOnSandbox();
    const onUploadBegun = () => Promise.reject(new Error('disk full'));
    expect((await failure(drive.files_upload.create(params, { onUploadBegun }))).code).toBe('aborted');
    expect(sandbox.requests.map(({ method }) => method)).toEqual(['POST']);
  });
});
