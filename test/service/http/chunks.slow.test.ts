import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type FileService, serveFile } from './drive-file.js';

const random = randomBytes(200_000);
const words = 'Grüße, 世界! 👋🏽 '.repeat(10_000);
const text = new TextEncoder().encode(words);

/** Reads a whole file, chunk by chunk. */
async function whole({ chunk }: FileService, first?: string): Promise<{ pieces: any[]; bytes: Buffer }> {
  const pieces: any[] = [];
  let range: string | null | undefined = first;
  do {
    const { status, body } = await chunk(range ?? undefined);
    expect(status).toBe(200);
    pieces.push(body);
    range = body.next_range_header;
  } while (range !== null && pieces.length < 100);
  return {
    pieces,
    bytes: Buffer.concat(
      pieces.map(({ content, encoding }) => Buffer.from(content, encoding === 'utf-8' ? 'utf8' : 'base64')),
    ),
  };
}

describe('a chunk of a download', () => {
  test('is JSON with at most 65,536 bytes of content and indicates how to continue', async () => {
    const served = await serveFile({ bytes: random, type: 'audio/mpeg' });
    const { body } = await served.chunk();
    expect(body).toEqual({
      content: random.subarray(0, 65_536).toString('base64'),
      encoding: 'base64',
      bytes_returned: 65_536,
      range_requested: 'bytes=0-65535',
      next_range_header: 'bytes=65536-131071',
      has_more: true,
      content_type: 'audio/mpeg',
    });
    const { pieces, bytes } = await whole(served);
    expect(Buffer.compare(bytes, random)).toBe(0);
    expect(pieces.map(({ has_more }) => has_more)).toEqual([true, true, true, false]);
  });

  test.each([
    ['supports ranges', {}],
    ['ignores ranges', { ranges: false }],
    ['reports no length', { length: false }],
    ['ignores ranges and reports no length', { ranges: false, length: false }],
  ])('and the chunks after it add up to the file if the vendor %s', async (_, how) => {
    for (const bytes of [random, random.subarray(0, 65_537), random.subarray(0, 3)]) {
      const read = await whole(await serveFile({ bytes, ...how }));
      expect(Buffer.compare(read.bytes, bytes)).toBe(0);
    }
  });

  test('of text is returned as text and ends at a character boundary', async () => {
    for (const first of [undefined, 'bytes=0-9999', 'bytes=0-12', 'bytes=0-3']) {
      const bytes = first === undefined || first === 'bytes=0-9999' ? text : text.subarray(0, 52);
      const read = await whole(await serveFile({ bytes, type: 'text/plain; charset=utf-8' }), first);
      expect(Buffer.compare(read.bytes, bytes)).toBe(0);
      expect(new Set(read.pieces.map(({ encoding }) => encoding))).toEqual(new Set(['utf-8']));
      for (const { content } of read.pieces) expect(content).not.toContain('\ufffd');
    }
  });

  test.each([
    ['bytes that are not UTF-8', { bytes: new Uint8Array([0x61, 0xff, 0x62]), type: 'text/plain' }],
    ['a different charset', { bytes: new Uint8Array([0x61]), type: 'text/plain; charset=iso-8859-1' }],
    ['a type that is not text', { bytes: new Uint8Array([0x61]), type: 'application/pdf' }],
    ['a truncated character at the end of the file', { bytes: text.subarray(0, 3), type: 'text/plain' }],
  ])('is base64 for %s', async (_, shelf) => {
    const { body } = await (await serveFile(shelf)).chunk();
    expect([body.encoding, body.has_more]).toEqual(['base64', false]);
    expect(Buffer.from(body.content, 'base64')).toEqual(Buffer.from(shelf.bytes));
  });

  test('is base64 if it starts within a character', async () => {
    const { body } = await (await serveFile({ bytes: text, type: 'text/plain' })).chunk('bytes=3-20');
    expect(body.encoding).toBe('base64');
  });

  test.each(['application/json', 'text/csv', 'application/vnd.api+json', 'application/xml'])(
    'treats %s as text',
    async (type) => {
      const { body } = await (await serveFile({ bytes: new TextEncoder().encode('{}'), type })).chunk();
      expect([body.encoding, body.content]).toEqual(['utf-8', '{}']);
    },
  );

  test('of a range starts and ends as requested', async () => {
    for (const ranges of [true, false]) {
      const served = await serveFile({ bytes: random, ranges });
      const { body } = await served.chunk('bytes=100-199');
      expect(body).toMatchObject({ bytes_returned: 100, has_more: true, next_range_header: 'bytes=200-299' });
      expect(Buffer.from(body.content, 'base64')).toEqual(random.subarray(100, 200));
      const open = await served.chunk('bytes=199990-');
      expect(open.body).toMatchObject({ bytes_returned: 10, has_more: false, next_range_header: null });
      const end = await served.chunk('bytes=-5');
      expect(Buffer.from(end.body.content, 'base64')).toEqual(random.subarray(199_995));
      const large = await served.chunk('bytes=0-199999');
      expect(large.body).toMatchObject({ bytes_returned: 65_536, range_requested: 'bytes=0-65535' });
    }
  });

  test('is rejected if it starts beyond the end or has an invalid range', async () => {
    for (const ranges of [true, false]) {
      const { chunk } = await serveFile({ bytes: random, ranges });
      for (const range of [
        'bytes=200000-',
        'bytes=300000-300001',
        'bytes=5-4',
        'bytes=a-b',
        'items=0-1',
        'bytes=0-1,4-5',
      ]) {
        const refused = await chunk(range);
        expect([ranges, range, refused.status, refused.body.code]).toEqual([ranges, range, 422, 'invalid_params']);
      }
    }
  });

  test('is not affected by an excessive file size claimed by the vendor', async () => {
    const contentRange = `bytes ${'9'.repeat(30)}-65536/0`;
    const { chunk } = await serveFile({ bytes: new TextEncoder().encode('ab'), ranges: false, contentRange });
    const { status, body } = await chunk('bytes=0-0');
    expect([status, body.content]).toEqual([200, 'YQ==']);
    expect(body.next_range_header ?? 'bytes=0-0').toMatch(/^bytes=\d+-\d+$/);
  });

  test('of an empty file is empty', async () => {
    const { body } = await (await serveFile({ bytes: new Uint8Array(0) })).chunk();
    expect(body).toMatchObject({ content: '', bytes_returned: 0, has_more: false, next_range_header: null });
  });

  test('is an error if the download breaks off', async () => {
    for (const how of [{ breaksAt: 30_000 }, { endsAt: 30_000 }]) {
      const broken = await (await serveFile({ bytes: random, ...how })).chunk();
      expect([broken.status, broken.body.code]).toEqual([502, 'network']);
    }
  });

  test('reads only as much of the file as necessary', async () => {
    const served = await serveFile({ bytes: random, ranges: false });
    await served.chunk('bytes=0-9');
    expect(served.transferred).toEqual({ bytes: 10_000, cancelled: true });
  });

  test('is returned only as JSON, and not to a client that accepts any content type', async () => {
    const { open } = await serveFile({ bytes: random });
    const kind = async (accept: string) => {
      const response = await open({}, accept);
      await response.body?.cancel();
      return response.headers.get('content-type');
    };
    for (const accept of ['application/json', 'APPLICATION/JSON', 'application/json; charset=utf-8']) {
      expect(await kind(accept)).toBe('application/json');
    }
    for (const accept of ['*/*', 'application/json, text/plain, */*', 'application/octet-stream', '']) {
      expect(await kind(accept)).toBe('application/octet-stream');
    }
  });
});
