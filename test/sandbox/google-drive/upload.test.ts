import { createHash } from 'node:crypto';
import { createSandbox } from 'agent-connectors-sandbox';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { noon } from '../requester.js';
import { createFinder, createRequester, list, multipart, type Reply } from './requester.js';

const sandbox = createSandbox({ now: () => noon });
const ask = createRequester(sandbox);
const find = createFinder(ask);
beforeEach(() => sandbox.reset());

const granule = 256 * 1024;
const every = Uint8Array.from({ length: 256 }, (_, index) => index);
const bytesOf = (length: number) => Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8)) & 255);
const upload = (init: RequestInit, query = '') => ask(`/upload/drive/v3/files?uploadType=multipart${query}`, init);
const content = async (id: string) => (await ask(`/drive/v3/files/${id}?alt=media`)).bytes;

describe('a multipart upload', () => {
  it('preserves every byte', async () => {
    const tricky = new Uint8Array([13, 10, 45, 45, 98, 13, 10, ...every, 13, 10, 45, 45, 98, 45, 50, 13, 10, 13]);
    for (const bytes of [every, tricky, new Uint8Array(0), bytesOf(300_000)]) {
      const { json, status } = await upload(
        multipart({ name: 'x.bin' }, 'application/x-test', bytes),
        '&fields=id,size,mimeType',
      );
      expect(status).toBe(200);
      expect(json).toMatchObject({ size: String(bytes.length), mimeType: 'application/x-test' });
      expect(Buffer.compare(await content(json.id), bytes)).toBe(0);
    }
  });

  // Lengths at which the padding of a hash needs an extra block.
  it.each([0, 1, 55, 56, 63, 64, 119, 120, 1000])(
    'produces the same checksums in a browser, for %i bytes',
    async (length) => {
      const builtin = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
      const bytes = bytesOf(length);
      const { json } = await upload(
        multipart({ name: 'x.bin' }, 'application/x-test', bytes),
        '&fields=md5Checksum,sha1Checksum,sha256Checksum',
      );
      builtin.mockRestore();
      const sum = (algorithm: string) => createHash(algorithm).update(bytes).digest('hex');
      expect(json).toEqual({ md5Checksum: sum('md5'), sha1Checksum: sum('sha1'), sha256Checksum: sum('sha256') });
    },
  );

  it('takes the MIME type from the metadata, the part or the file name', async () => {
    const typeOf = async (metadata: object, type: string) =>
      (await upload(multipart(metadata, type, 'x'), '&fields=mimeType')).json.mimeType;
    expect(await typeOf({ name: 'a', mimeType: 'text/x-own' }, 'text/plain')).toBe('text/x-own');
    expect(await typeOf({ name: 'a' }, 'text/plain')).toBe('text/plain');
    expect(await typeOf({ name: 'a.pdf' }, 'application/octet-stream')).toBe('application/pdf');
  });

  it.each([
    ['application/vnd.google-apps.document', 'text/plain', 'One\r\nTwo', 'text/markdown', 'One\nTwo'],
    [
      'application/vnd.google-apps.document',
      'text/html; charset=utf-8',
      '<h1>One</h1><p>Two &amp; three</p>',
      'text/markdown',
      '# One\nTwo & three',
    ],
    ['application/vnd.google-apps.spreadsheet', 'text/csv', '\uFEFFa,"b,c"\r\n1,2\r\n', 'text/csv', 'a,"b,c"\r\n1,2'],
    ['application/vnd.google-apps.spreadsheet', 'text/tab-separated-values', 'a\tb,c\n', 'text/csv', 'a,"b,c"'],
  ])('creates a %s from %s', async (mimeType, from, text, to, expected) => {
    const { json } = await upload(multipart({ name: 'x', mimeType }, from, text), '&fields=id,mimeType,md5Checksum');
    expect(json).toEqual({ id: expect.any(String), mimeType });
    expect((await ask(`/drive/v3/files/${json.id}/export?mimeType=${encodeURIComponent(to)}`)).text).toBe(expected);
  });

  it('rejects an impossible conversion', async () => {
    const mimeType = 'application/vnd.google-apps.document';
    expect(await upload(multipart({ mimeType }, 'image/png', 'x'))).toMatchObject({
      status: 400,
      reason: 'badRequest',
    });
    expect(
      await upload(multipart({ mimeType: 'application/vnd.google-apps.folder' }, 'text/plain', 'x')),
    ).toMatchObject({ status: 400 });
  });

  it('accepts a quoted boundary, base64 and trailing line breaks', async () => {
    const body =
      '--a b\r\ncontent-type: application/json\r\n\r\n{"name":"x"}\r\n--a b\r\ncontent-type: text/plain\r\ncontent-transfer-encoding: base64\r\n\r\naGVs\r\nbG8=\r\n--a b--\r\n';
    const headers = { 'content-type': 'multipart/related; boundary="a b"' };
    const { json } = await upload({ method: 'POST', headers, body });
    expect(new TextDecoder().decode(await content(json.id))).toBe('hello');
  });

  const good =
    '--b\r\nContent-Type: application/json\r\n\r\n{"name":"x"}\r\n--b\r\nContent-Type: text/plain\r\n\r\nhello\r\n--b--';
  it.each([
    ['no boundary', 'multipart/related', good],
    ['form-data', 'multipart/form-data; boundary=b', good],
    ['another boundary', 'multipart/related; boundary=c', good],
    ['bare line feeds', 'multipart/related; boundary=b', good.replaceAll('\r\n', '\n')],
    ['no end', 'multipart/related; boundary=b', good.slice(0, -2)],
    ['something after the end', 'multipart/related; boundary=b', `${good}more`],
    ['something before the start', 'multipart/related; boundary=b', `\r\n${good}`],
    ['content first', 'multipart/related; boundary=b', good.replace('application/json', 'text/plain')],
    ['one part', 'multipart/related; boundary=b', '--b\r\nContent-Type: application/json\r\n\r\n{}\r\n--b--'],
  ])('with %s is rejected', async (_, contentType, body) => {
    const refused = await upload({ method: 'POST', headers: { 'content-type': contentType }, body });
    expect(refused.json.error).toMatchObject({ code: 400, message: 'Malformed multipart body.' });
    expect((await ask(list({ q: "name = 'x'" }))).json.files).toEqual([]);
  });

  it("changes a file's content and adds a revision", async () => {
    const id = await find('rates.json');
    const init = { ...multipart({ description: 'new' }, 'application/json', '{"base":"CHF"}'), method: 'PATCH' };
    const answer = await ask(`/upload/drive/v3/files/${id}?uploadType=multipart&fields=description,size`, init);
    expect(answer.json).toEqual({ description: 'new', size: '14' });
    expect(new TextDecoder().decode(await content(id))).toBe('{"base":"CHF"}');
    expect((await ask(`/drive/v3/files/${id}/revisions`)).json.revisions).toHaveLength(2);
  });

  it('creates two files if repeated after a lost response', async () => {
    sandbox.faults.add({ kind: 'reset_after' });
    const init = multipart({ name: 'twice' }, 'text/plain', 'x');
    await expect(upload(init)).rejects.toMatchObject({ message: 'fetch failed' });
    await upload(init);
    expect((await ask(list({ q: "name = 'twice'" }))).json.files).toHaveLength(2);
  });
});

describe('other uploads', () => {
  it('of type media create an untitled file', async () => {
    const init = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'hello' };
    const { json } = await ask('/upload/drive/v3/files?uploadType=media&fields=name,size,mimeType', init);
    expect(json).toEqual({ name: 'Untitled', size: '5', mimeType: 'text/plain' });
  });

  it('reject unknown upload types', async () => {
    expect(await ask('/upload/drive/v3/files', { method: 'POST', body: 'x' })).toMatchObject({
      status: 400,
      reason: 'badRequest',
    });
  });
});

describe('a resumable upload', () => {
  const start = async (length: number | undefined, metadata: object = { name: 'big.bin' }): Promise<string> => {
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      'x-upload-content-type': 'application/x-big',
    };
    if (length !== undefined) headers['x-upload-content-length'] = String(length);
    const init = { method: 'POST', headers, body: JSON.stringify(metadata) };
    const answer = await ask('/upload/drive/v3/files?uploadType=resumable&fields=id,name,size,mimeType', init);
    expect([answer.status, answer.bytes.length]).toEqual([200, 0]);
    return answer.headers.get('location')!;
  };
  const put = (location: string, bytes: Uint8Array<ArrayBuffer> | undefined, range?: string): Promise<Reply> =>
    ask(location, {
      method: 'PUT',
      headers: range === undefined ? {} : { 'content-range': range },
      ...(bytes && { body: bytes }),
    });

  it('is sent in chunks, reports the received range, and returns the file', async () => {
    const bytes = bytesOf(granule * 2 + 100);
    const location = await start(bytes.length);
    expect(location).toMatch(/^https:\/\/www\.googleapis\.com\/upload\/drive\/v3\/files\?.*upload_id=/);
    const asked = await put(location, undefined, `bytes */${bytes.length}`);
    expect([asked.status, asked.headers.get('range')]).toEqual([308, null]);
    const first = await put(location, bytes.slice(0, granule), `bytes 0-${granule - 1}/${bytes.length}`);
    expect([first.status, first.headers.get('range')]).toEqual([308, `bytes=0-${granule - 1}`]);
    expect((await put(location, undefined, 'bytes */*')).headers.get('range')).toBe(`bytes=0-${granule - 1}`);
    await put(location, bytes.slice(granule, granule * 2), `bytes ${granule}-${granule * 2 - 1}/${bytes.length}`);
    const last = await put(
      location,
      bytes.slice(granule * 2),
      `bytes ${granule * 2}-${bytes.length - 1}/${bytes.length}`,
    );
    expect(last.status).toBe(200);
    expect(last.json).toEqual({
      id: expect.any(String),
      name: 'big.bin',
      size: String(bytes.length),
      mimeType: 'application/x-big',
    });
    expect(Buffer.compare(await content(last.json.id), bytes)).toBe(0);
    expect((await put(location, undefined, `bytes */${bytes.length}`)).json).toEqual(last.json);
  });

  it('can be one chunk of any length, even empty', async () => {
    for (const bytes of [bytesOf(1000), new Uint8Array(0)]) {
      const { json } = await put(await start(undefined), bytes);
      expect(json.size).toBe(String(bytes.length));
    }
  });

  it('can provide its length with the last chunk', async () => {
    const bytes = bytesOf(granule + 5);
    const location = await start(undefined);
    expect((await put(location, bytes.slice(0, granule), `bytes 0-${granule - 1}/*`)).status).toBe(308);
    const last = await put(location, bytes.slice(granule), `bytes ${granule}-${granule + 4}/${granule + 5}`);
    expect([last.status, last.json.size]).toEqual([200, String(bytes.length)]);
  });

  it.each([
    ['a chunk that is too small', `bytes 0-99/${granule * 2}`, 100],
    ['a gap', `bytes ${granule}-${granule * 2 - 1}/${granule * 2}`, granule],
    ['a wrong count', `bytes 0-${granule}/${granule * 2}`, granule],
    ['another total', `bytes 0-${granule - 1}/${granule * 3}`, granule],
    ['nonsense', 'bytes a-b/c', granule],
  ])('rejects %s', async (_, range, length) => {
    const location = await start(granule * 2);
    expect(await put(location, bytesOf(length), range)).toMatchObject({ status: 400, reason: 'badRequest' });
  });

  it('keeps only whole blocks and accepts data it already has', async () => {
    const bytes = bytesOf(granule * 3);
    const location = await start(bytes.length);
    const some = await put(location, bytes.slice(0, granule + 1000), `bytes 0-${granule + 999}/${bytes.length}`);
    expect(some.headers.get('range')).toBe(`bytes=0-${granule - 1}`);
    const overlapping = await put(location, bytes.slice(100), `bytes 100-${bytes.length - 1}/${bytes.length}`);
    expect(Buffer.compare(await content(overlapping.json.id), bytes)).toBe(0);
  });

  it('can be resumed after an interrupted chunk', async () => {
    const bytes = bytesOf(granule * 4);
    const location = await start(bytes.length);
    sandbox.faults.add({ kind: 'broken_chunk', path: '/upload/' });
    const whole = `bytes 0-${bytes.length - 1}/${bytes.length}`;
    await expect(put(location, bytes, whole)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    const asked = await put(location, undefined, `bytes */${bytes.length}`);
    expect([asked.status, asked.headers.get('range')]).toEqual([308, `bytes=0-${granule * 2 - 1}`]);
    const rest = await put(
      location,
      bytes.slice(granule * 2),
      `bytes ${granule * 2}-${bytes.length - 1}/${bytes.length}`,
    );
    expect(Buffer.compare(await content(rest.json.id), bytes)).toBe(0);
  });

  it('returns 404 after a lost_session fault, after a week, or at a wrong URL', async () => {
    const location = await start(100);
    sandbox.faults.add({ kind: 'lost_session' });
    expect(await put(location, bytesOf(100))).toMatchObject({ status: 404 });
    expect(await put(location, bytesOf(100))).toMatchObject({ status: 404 });
    const old = await start(100);
    sandbox.clock.advance(8 * 86_400_000);
    expect(await put(old, bytesOf(100))).toMatchObject({ status: 404 });
    expect(await put(`${old}x`, bytesOf(100))).toMatchObject({ status: 404 });
  });

  it('updates an existing file', async () => {
    const id = await find('rates.json');
    const begun = await ask(`/upload/drive/v3/files/${id}?uploadType=resumable&fields=id,size`, {
      method: 'PATCH',
      body: '{}',
    });
    const location = begun.headers.get('location')!;
    expect(location).toContain(`/files/${id}?`);
    expect((await put(location, bytesOf(70))).json).toEqual({ id, size: '70' });
  });

  it('is rejected at the start if it would be rejected at the end', async () => {
    const refused = async (metadata: object, headers = {}) =>
      ask('/upload/drive/v3/files?uploadType=resumable', { method: 'POST', headers, body: JSON.stringify(metadata) });
    expect(await refused({ parents: ['nowhere'] })).toMatchObject({ status: 404, reason: 'notFound' });
    sandbox.vendors['google-drive'].limits = { storage: 10 };
    expect((await refused({}, { 'x-upload-content-length': '99' })).reason).toBe('storageQuotaExceeded');
  });
});
