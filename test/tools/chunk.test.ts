import { ConnectorError } from 'agent-connectors';
import type { Chunk } from 'agent-connectors/tools';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { caseCount } from '../cases.js';
import { connectorsOn, handleIn, outsideOf, tokensIn, toolsOf } from './setup.js';
import { type Sent, shelf } from './shelf.js';

const bytesOf = (text: string) => new TextEncoder().encode(text);

interface Vendor {
  /** Whether it supports ranges, and reports the total length. */
  readonly ranges?: boolean;
  readonly sized?: boolean;
  readonly type?: string | null;
  readonly piece?: number;
  readonly maxOutputTokens?: number;
}

/** A vendor that sends these bytes, and the number of bytes read from it. */
function vendorOf(
  content: Uint8Array,
  { ranges = true, sized = true, type = 'text/plain', piece = 1_000, maxOutputTokens = 20_000 }: Vendor = {},
) {
  const taken = { bytes: 0, cancelled: 0 };
  const answer = ({ params }: Sent) => {
    const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(params.range_header ?? '') ?? [];
    const asked = ranges && params.range_header !== undefined;
    if (asked && Number(from) >= content.length)
      throw new ConnectorError('invalid_params', 'Beyond the end.', { status: 416 });
    const start = !asked ? 0 : from === '' ? Math.max(0, content.length - Number(to)) : Number(from);
    const end = !asked || from === '' ? content.length : Math.min(content.length, Number(to) + 1);
    let at = start;
    const data = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (at >= end) return controller.close();
          const next = content.subarray(at, Math.min(end, at + piece));
          at += next.length;
          taken.bytes += next.length;
          controller.enqueue(next);
        },
        cancel: () => void taken.cancelled++,
      },
      { highWaterMark: 0 },
    );
    const meta = {
      content_type: type,
      content_length: sized ? end - start : null,
      content_range: asked ? `bytes ${start}-${end - 1}/${sized ? content.length : '*'}` : null,
      file_name: 'a.txt',
      notice: params.range_header !== undefined && !ranges ? 'This is the whole content.' : null,
    };
    return { data, meta };
  };
  const { connector, sent } = shelf(answer);
  const { execute } = toolsOf(connector, { maxOutputTokens });
  const chunk = async (params: object = {}, action = 'download'): Promise<Chunk> => {
    const result = await execute.run({ entity: 'things', action, params: { id: '1', ...params } });
    if (result.isError) throw new Error(result.text);
    return (result.data as { data: Chunk }).data;
  };
  return { execute, chunk, taken, sent };
}

/** All chunks of a download from its start, joined again. */
async function joined(chunk: (params: object) => Promise<Chunk>, first?: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (let range = first; ; ) {
    const { content, encoding, bytes_returned, next_range_header, has_more } = await chunk(
      range ? { range_header: range } : {},
    );
    expect(encoding).toBe('utf-8');
    const bytes = bytesOf(content);
    expect(bytes.length).toBe(bytes_returned);
    expect(has_more).toBe(next_range_header !== null);
    parts.push(bytes);
    if (next_range_header === null) break;
    range = next_range_header;
  }
  return new Uint8Array(await new Blob(parts as Uint8Array<ArrayBuffer>[]).arrayBuffer());
}

test('a download starts with 16 KiB, and says how to continue', async () => {
  const { chunk, sent, taken } = vendorOf(bytesOf('a'.repeat(100_000)));
  expect(await chunk()).toEqual({
    content: 'a'.repeat(16_384),
    encoding: 'utf-8',
    bytes_returned: 16_384,
    next_range_header: 'bytes=16384-32767',
    has_more: true,
    content_type: 'text/plain',
  });
  expect(sent[0]!.params.range_header).toBe('bytes=0-16383');
  expect(taken.bytes).toBe(16_384);
});

test('no chunk exceeds 64 KiB, regardless of the requested size', async () => {
  const { chunk } = vendorOf(bytesOf('a'.repeat(200_000)), { maxOutputTokens: 50_000 });
  expect((await chunk({ range_header: 'bytes=10-199999' })).bytes_returned).toBe(65_536);
  expect((await chunk({ range_header: 'bytes=-199999' })).bytes_returned).toBe(65_536);
  expect(await chunk({ range_header: 'bytes=199990-' })).toMatchObject({ bytes_returned: 10, has_more: false });
  expect(await chunk({ range_header: 'bytes=-3' })).toMatchObject({ content: 'aaa', next_range_header: null });
});

describe('a chunk fits completely, with the range of the next one,', () => {
  const kinds = [
    ['text of quotes', 'text/plain', bytesOf('"'.repeat(200_000))],
    ['hidden characters', 'text/plain', bytesOf('\u200b\u0001'.repeat(50_000))],
    ['emoji', 'application/json', bytesOf('🎉'.repeat(50_000))],
  ] as const;
  test.each(
    kinds.flatMap(([kind, type, content]) =>
      [500, 1_000, 20_000].map((tokens) => [kind, tokens, type, content] as const),
    ),
  )('of %s in %i tokens', async (_, maxOutputTokens, type, content) => {
    const { execute } = vendorOf(content, { type, maxOutputTokens });
    for (const range of [{}, { range_header: 'bytes=0-65535' }, { range_header: 'bytes=4-' }]) {
      const result = await execute.run({ entity: 'things', action: 'download', params: { id: '1', ...range } });
      const { text } = result;
      const { data } = result.data as { data: Chunk };
      expect(tokensIn(text)).toBeLessThanOrEqual(maxOutputTokens);
      expect(handleIn(text)).toBeUndefined();
      expect(outsideOf(text)).toContain(`pass range_header: "${data.next_range_header}"`);
      const start = 'range_header' in range && range.range_header === 'bytes=4-' ? 4 : 0;
      expect(data.bytes_returned).toBeGreaterThan(0);
      expect(data.next_range_header).toMatch(new RegExp(`^bytes=${start + data.bytes_returned}-`));
    }
  });

  test('and smaller chunks add up to the file', async () => {
    const content = bytesOf('"\u200b🎉'.repeat(2_000));
    const { chunk } = vendorOf(content, { maxOutputTokens: 500 });
    expect([...(await joined(chunk))]).toEqual([...content]);
  });
});

test('without range support, a download is read only as far as needed, then cancelled', async () => {
  const content = bytesOf(Array.from({ length: 50_000 }, (_, at) => at % 10).join(''));
  for (const [vendor, action] of [
    [vendorOf(content, { ranges: false }), 'download'],
    [vendorOf(content, { ranges: false, sized: false }), 'download'],
  ] as const) {
    const chunk = await vendor.chunk({ range_header: 'bytes=20003-20007' }, action);
    expect(chunk).toMatchObject({ content: '34567', has_more: true, next_range_header: 'bytes=20008-20012' });
    expect(vendor.taken).toEqual({ bytes: 21_000, cancelled: 1 });
  }
});

test('an action without range support is read from the beginning', async () => {
  const { chunk, sent } = vendorOf(bytesOf('0123456789'));
  expect(await chunk({}, 'peek')).toMatchObject({ content: '0123456789', has_more: false });
  expect(sent[0]!.params).toEqual({ id: '1' });
});

test('an empty file is returned as an empty chunk, even though ranges of it are rejected', async () => {
  expect(await vendorOf(new Uint8Array()).chunk()).toMatchObject({ content: '', bytes_returned: 0, has_more: false });
});

test('if the length is unknown, ranges from the end are rejected', async () => {
  const { execute } = vendorOf(bytesOf('abc'), { ranges: false, sized: false });
  const params = { id: '1', range_header: 'bytes=-2' };
  const { text } = await execute.run({ entity: 'things', action: 'download', params });
  expect(text).toContain('range_header cannot count from the end here');
});

test.each(['bytes=5-2', 'bytes=-', 'bytes=-0', 'bytes=0-1,3-4', '0-5', 'bytes=99999999999999999-'])(
  '%s is rejected before anything is requested',
  async (range_header) => {
    const { execute, sent } = vendorOf(bytesOf('abc'));
    const result = await execute.run({ entity: 'things', action: 'download', params: { id: '1', range_header } });
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining('range_header') });
    expect(sent).toEqual([]);
  },
);

describe('the encoding', () => {
  test.each([
    ['text/csv', bytesOf('a,b\n'), 'utf-8'],
    ['application/json; charset=utf-8', bytesOf('{}'), 'utf-8'],
    ['image/svg+xml', bytesOf('<svg/>'), 'utf-8'],
    [null, bytesOf('# plain'), 'utf-8'],
    ['application/octet-stream', bytesOf('plain'), 'utf-8'],
    ['text/plain', Uint8Array.of(0xe9, 0x20), 'windows-1252'],
    ['text/plain; charset=ISO-8859-15', Uint8Array.of(0xa4), 'iso-8859-15'],
  ] as const)('of %s is detected', async (type, content, encoding) => {
    const chunk = await vendorOf(content, { type }).chunk();
    expect(chunk).toMatchObject({ encoding, bytes_returned: content.length });
  });

  test('of text ends with a complete character', async () => {
    const { chunk } = vendorOf(bytesOf('ab🎉cd'));
    expect(await chunk({ range_header: 'bytes=0-3' })).toMatchObject({
      content: 'ab',
      bytes_returned: 2,
      next_range_header: 'bytes=2-5',
    });
    expect(await chunk({ range_header: 'bytes=2-5' })).toMatchObject({ content: '🎉' });
    expect(await chunk({ range_header: 'bytes=3-20' })).toMatchObject({ content: 'cd', bytes_returned: 5 });
    expect(await chunk({ range_header: 'bytes=2-2' })).toMatchObject({ content: '🎉', bytes_returned: 4 });
  });
});

test('chunks add up to the file, regardless of what the vendor supports', async () => {
  const vendor = fc.record({
    ranges: fc.boolean(),
    sized: fc.boolean(),
    type: fc.constantFrom('text/plain', 'application/json', null),
    piece: fc.integer({ min: 1, max: 50 }),
  });
  const content = fc.string({ unit: 'grapheme', maxLength: 100 }).map(bytesOf);
  await fc.assert(
    fc.asyncProperty(content, vendor, fc.integer({ min: 1, max: 80 }), async (bytes, abilities, size) => {
      const { chunk } = vendorOf(bytes, abilities);
      const whole = await joined(chunk, `bytes=0-${size - 1}`);
      expect([...whole]).toEqual([...bytes]);
    }),
    { numRuns: caseCount(200) },
  );
});

test('an interrupted download is an error, and its stream is cancelled', async () => {
  const { connector } = shelf(() => ({
    data: new ReadableStream({
      pull: (controller) => controller.error(new ConnectorError('network', 'It broke off.')),
    }),
    meta: { content_type: null, content_length: null, content_range: null, file_name: null, notice: null },
  }));
  const { text } = await toolsOf(connector).execute.run({ entity: 'things', action: 'download', params: { id: '1' } });
  expect(text).toMatch(/^Failed: network[\s\S]+It broke off/);
});

test('a native Google Drive document is read through an export, as the error says', async () => {
  const { drive } = connectorsOn();
  const { execute } = toolsOf(drive);
  const q = "mimeType = 'application/vnd.google-apps.document' and trashed=false";
  const { id } = (await drive.files.list({ q, pageSize: 1 })).data[0]!;
  const wrong = await execute.run({ entity: 'files', action: 'download', params: { fileId: id } });
  expect(wrong.text).toMatch(/^Failed: not_downloadable/);
  const params = { fileId: id, mimeType: 'text/plain' };
  const right = await execute.run({ entity: 'files_export', action: 'download', params });
  expect(right.data).toMatchObject({ data: { encoding: 'utf-8' } });
});
