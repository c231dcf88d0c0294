import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { playVendor } from '../../play-vendor.js';
import { bytesOf, connectorOnSandbox, contentOf } from './setup.js';

const mebibyte = 2 ** 20;
const uploads = '/upload/drive/v3/files';

describe('an upload', () => {
  test.each([0, 1, 2, 3, 1000, 65_537])('of %d bytes round-trips byte for byte', async (length) => {
    const { drive, sandbox } = connectorOnSandbox();
    const content = bytesOf(length);
    const { data } = await drive.files_upload.create({
      name: 'ü.bin',
      file_content: Buffer.from(content).toString('base64'),
      description: 'with "quotes"\r\nand lines',
    });
    expect(data).toMatchObject({ name: 'ü.bin', size: String(length), mimeType: 'application/octet-stream' });
    expect(data.description).toBe('with "quotes"\r\nand lines');
    expect(await contentOf(await drive.files.download({ fileId: data.id }))).toEqual(content);
    expect(sandbox.requests.filter(({ path }) => path.startsWith(uploads))).toHaveLength(1);
  });

  test.each([
    ['bytes', (content: Uint8Array<ArrayBuffer>) => content],
    ['a Blob', (content: Uint8Array<ArrayBuffer>) => new Blob([content])],
    ['a stream', (content: Uint8Array<ArrayBuffer>) => new Blob([content]).stream()],
  ])('above 5 MB uses the resumable protocol, from %s', async (_form, formed) => {
    const { drive, sandbox } = connectorOnSandbox();
    const content = bytesOf(9 * mebibyte + 5);
    const file_content = formed(content);
    const { data } = await drive.files_upload.create({ name: 'big.bin', file_content, file_mime_type: 'video/mp4' });
    expect(data).toMatchObject({ size: String(content.length), mimeType: 'video/mp4' });
    const same = Buffer.compare(await contentOf(await drive.files.download({ fileId: data.id })), content);
    expect(same).toBe(0);
    const methods = sandbox.requests.filter(({ path }) => path.startsWith(uploads)).map(({ method }) => method);
    expect(methods).toEqual(['POST', 'PUT', 'PUT']);
  });

  test.each(['reset_before', 'reset_after', '503', 'broken_chunk'] as const)(
    'continues after an interrupted chunk (%s)',
    async (kind) => {
      const { drive } = connectorOnSandbox({ faults: [{ kind, path: uploads, nth: 3 }] });
      const content = bytesOf(9 * mebibyte);
      const { data } = await drive.files_upload.create({ name: 'big.bin', file_content: new Blob([content]).stream() });
      const same = Buffer.compare(await contentOf(await drive.files.download({ fileId: data.id })), content);
      expect(same).toBe(0);
    },
  );

  test('with a lost session reports that no file was created', async () => {
    const { drive } = connectorOnSandbox({ faults: [{ kind: 'lost_session', path: uploads, nth: 3 }] });
    const error = await failure(drive.files_upload.create({ name: 'lost.bin', file_content: bytesOf(9 * mebibyte) }));
    expect(error).toMatchObject({ code: 'vendor_error', retryable: true });
    expect((await drive.files.list({ q: "name = 'lost.bin'" })).data).toEqual([]);
  });

  test('follows neither a redirect nor a session URL to a foreign origin', async () => {
    const elsewhere: string[] = [];
    for (const [status, location] of [
      [302, 'https://elsewhere.example/take'],
      [308, 'https://elsewhere.example/take'],
      [200, 'https://elsewhere.example/take'],
    ] as const) {
      const sent = playVendor(() => new Response(null, { status, headers: { location } }));
      const drive = new GoogleDriveConnector({ credentials: { access_token: 'ya29.test' } });
      const error = await failure(drive.files_upload.create({ name: 'x', file_content: bytesOf(6 * mebibyte) }));
      expect(['invalid_response', 'denied_by_policy']).toContain(error.code);
      elsewhere.push(...sent.map(({ url }) => url.hostname).filter((hostname) => hostname !== 'www.googleapis.com'));
    }
    expect(elsewhere).toEqual([]);
  });

  test('whose stream fails is not completed', async () => {
    const { drive } = connectorOnSandbox();
    const failing = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('disk gone')),
    });
    const error = await failure(drive.files_upload.create({ name: 'x', file_content: failing }));
    expect(error.code).toBe('aborted');
    expect((await drive.files.list({ q: "name = 'x'" })).data).toEqual([]);
  });

  test.each([
    ['an ArrayBuffer', new TextEncoder().encode('important').buffer],
    ['a string', 'important'],
    ['a number', 7],
  ])('whose stream contains %s is rejected', async (_, chunk) => {
    const { drive } = connectorOnSandbox();
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(chunk);
        controller.close();
      },
    });
    const error = await failure(drive.files_upload.create({ name: 'x', file_content: stream }));
    expect([error.code, error.message]).toEqual(['invalid_params', expect.stringContaining('Uint8Array')]);
    expect((await drive.files.list({ q: "name = 'x'" })).data).toEqual([]);
  });

  test('whose stream is being read is rejected without a request', async () => {
    const { drive, sandbox } = connectorOnSandbox();
    const stream = new Blob(['x']).stream();
    stream.getReader();
    const error = await failure(drive.files_upload.create({ name: 'x', file_content: stream }));
    expect([error.code, sandbox.requests.length]).toEqual(['invalid_params', 0]);
  });

  test.each([
    ['read', async (stream: ReadableStream) => void (await new Response(stream).arrayBuffer())],
    [
      'read and released',
      async (stream: ReadableStream) => {
        const reader = stream.getReader();
        await reader.read();
        reader.releaseLock();
      },
    ],
    ['cancelled', (stream: ReadableStream) => stream.cancel()],
  ])('whose stream has already been %s is rejected without a request', async (_, use) => {
    const { drive, sandbox } = connectorOnSandbox();
    const stream = new Blob(['x']).stream();
    await use(stream);
    const error = await failure(drive.files_upload.create({ name: 'x', file_content: stream }));
    expect([error.code, sandbox.requests.length]).toEqual(['invalid_params', 0]);
    expect(error.message).toContain('unread stream');
  });

  test('that may have arrived has an unknown outcome and is sent only once', async () => {
    const { drive, sandbox } = connectorOnSandbox({ faults: [{ kind: 'reset_after', path: uploads }] });
    const error = await failure(drive.files_upload.create({ name: 'once.txt', file_content: 'SGVsbG8=' }));
    expect(error.code).toBe('unknown_outcome');
    expect(sandbox.requests.filter(({ path }) => path.startsWith(uploads))).toHaveLength(1);
    expect((await drive.files.list({ q: "name = 'once.txt'" })).data).toHaveLength(1);
  });

  test('can be plain text, with a text type by default', async () => {
    const { drive } = connectorOnSandbox();
    const text = 'Grüße, 李 美玲\n';
    const { data } = await drive.files_upload.create({ name: 'hello.txt', text });
    expect(data.mimeType).toBe('text/plain');
    const download = await drive.files.download({ fileId: data.id });
    expect(await new Response(download.data).text()).toBe(text);
    const page = await drive.files_upload.create({ name: 'a.html', text: '<p>', file_mime_type: 'text/html' });
    expect(page.data.mimeType).toBe('text/html');
    for (const wrong of [{}, { text, file_content: 'SGVsbG8=' }]) {
      const error = await failure(drive.files_upload.create({ name: 'x', ...wrong }));
      expect(error.message).toContain('file_content is required unless text is set; pass only one of them');
    }
  });

  test.each(['SGVsbG8', 'SGVs bG8=', 'SGVsbG8=\n', 'data:text/plain;base64,SGVsbG8=', 'SGVs-G8='])(
    'of %j is rejected: base64 is parsed strictly',
    async (file_content) => {
      const { drive, sandbox } = connectorOnSandbox();
      const error = await failure(drive.files_upload.create({ name: 'x', file_content }));
      expect(error).toMatchObject({ code: 'invalid_params', issues: [{ path: 'file_content' }] });
      expect(sandbox.requests).toHaveLength(0);
    },
  );
});

describe('an export', () => {
  const native = async (type: string) => {
    const { drive } = connectorOnSandbox();
    const q = `mimeType='application/vnd.google-apps.${type}' and trashed=false`;
    return { drive, fileId: (await drive.files.list({ q, pageSize: 1 })).data[0]!.id };
  };
  const office = 'application/vnd.openxmlformats-officedocument';

  test.each([
    ['document', 'application/pdf', '%PDF'],
    ['document', 'text/plain', ''],
    ['document', `${office}.wordprocessingml.document`, 'PK'],
    ['spreadsheet', 'application/pdf', '%PDF'],
    ['spreadsheet', 'text/csv', ''],
    ['spreadsheet', `${office}.spreadsheetml.sheet`, 'PK'],
    ['presentation', 'application/pdf', '%PDF'],
    ['presentation', `${office}.presentationml.presentation`, 'PK'],
  ])('of a %s as %s returns content of that type', async (type, mimeType, beginning) => {
    const { drive, fileId } = await native(type);
    const download = await drive.files_export.download({ fileId, mimeType });
    expect(download.meta.content_type).toContain(mimeType);
    const content = await contentOf(download);
    expect(content.length).toBeGreaterThan(10);
    expect(new TextDecoder('latin1').decode(content.slice(0, beginning.length))).toBe(beginning);
  });

  test('reports when the requested range was ignored', async () => {
    const { drive, fileId } = await native('document');
    const { data, meta } = await drive.files_export.download({
      fileId,
      mimeType: 'text/plain',
      range_header: 'bytes=0-9',
    });
    expect(meta.notice === null).toBe(meta.content_range !== null);
    await data.cancel();
  });
});

test('64 MiB arrives intact, and an interruption or abort midway ends with an error', async () => {
  const { drive, sandbox } = connectorOnSandbox();
  const [file] = (await drive.files.list({ q: "name = 'virtual-64mib.bin'" })).data;
  const fileId = file!.id;
  let length = 0;
  for await (const chunk of (await drive.files.download({ fileId })).data) length += chunk.length;
  expect(String(length)).toBe(file!.size);

  sandbox.faults.add({ kind: 'reset_body', path: `/drive/v3/files/${fileId}`, after: 32 * mebibyte });
  const broken = await failure(contentOf(await drive.files.download({ fileId })));
  expect(broken.code).toBe('network');
  const resumeAt = Number(/bytes=(\d+)-/.exec(broken.hint!)![1]);
  const rest = await drive.files.download({ fileId, range_header: `bytes=${resumeAt}-` });
  expect(rest.meta.content_range).toBe(`bytes ${resumeAt}-${64 * mebibyte - 1}/${64 * mebibyte}`);
  expect((await contentOf(rest)).length).toBe(64 * mebibyte - resumeAt);

  const controller = new AbortController();
  const aborted = await drive.files.download({ fileId }, { signal: controller.signal });
  const reading = (async () => {
    for await (const chunk of aborted.data) if (chunk.length > 0) controller.abort();
  })();
  expect((await failure(reading)).code).toBe('aborted');
});
