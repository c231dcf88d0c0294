import { ConnectorError } from 'agent-connectors';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import fc from 'fast-check';
import { expect } from 'vitest';
import { chunkRange, readChunk } from '../../../service/src/domain/calls/download.js';
import { check, type Fuzz } from './run.js';
import { headerTexts, texts } from './values.js';

const numbers = fc.oneof(
  fc.nat(120).map(String),
  fc.constantFrom('', '-', '0', '00', '65535', '65536', '9007199254740993', '9'.repeat(30), '+1', '1e3', ' 1', '٣'),
);

const ranges = fc.oneof(
  { arbitrary: fc.tuple(numbers, numbers).map(([from, to]) => `bytes=${from}-${to}`), weight: 5 },
  { arbitrary: fc.tuple(numbers, numbers, numbers).map(([a, b, c]) => `bytes=${a}-${b},${c}-`), weight: 1 },
  { arbitrary: texts, weight: 1 },
  { arbitrary: texts.map((text) => `bytes=0-${text}`), weight: 1 },
);

/** Numbers that can be byte positions in a file. */

/** The vendor's claims about its response, which can be anything. */
const claims = fc.record(
  {
    'content-range': fc.oneof(
      fc.tuple(numbers, numbers, numbers).map(([from, to, all]) => `bytes ${from}-${to}/${all}`),
      headerTexts,
    ),
    'content-length': fc.oneof(numbers, headerTexts),
    'content-type': fc.oneof(fc.constantFrom('text/plain', 'text/plain; charset=utf-8', 'image/png'), headerTexts),
    'content-disposition': headerTexts,
  },
  { requiredKeys: [] },
);

const cases = fc.record({
  range: ranges,
  /** Whether the vendor does what was requested. */
  honest: fc.boolean(),
  status: fc.constantFrom(200, 206),
  claims,
  size: fc.nat(100),
});

const content = Buffer.from(Array.from({ length: 100 }, (_, index) => 32 + (index % 90)));

/** A correct response to a range request. */
function honestReply(header: string, size: number): Response {
  const whole = content.subarray(0, size);
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header) ?? [];
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (start > end) return Response.json({ error: { errors: [{ reason: 'range' }] } }, { status: 416 });
  const headers = { 'content-range': `bytes ${start}-${end}/${size}`, 'content-type': 'image/png' };
  return new Response(new Uint8Array(whole.subarray(start, end + 1)), { status: 206, headers });
}

const oneRange = /^bytes=(\d+-\d*|-\d+)$/;

async function outcomeOf<T>(work: () => T | Promise<T>): Promise<T | ConnectorError> {
  try {
    return await work();
  } catch (error) {
    if (ConnectorError.is(error)) return error;
    throw new Error('no ConnectorError', { cause: error });
  }
}

/** Whatever range is requested and whatever the vendor claims: one range is sent, and the chunk's size is limited. */
export const rangeHeaders: Fuzz = async (count) => {
  await check(count, cases, async ({ range, honest, status, claims: said, size }) => {
    const requestedRanges: string[] = [];
    const fetch: typeof globalThis.fetch = async (_input, init) => {
      const header = new Headers(init?.headers).get('range') ?? '';
      requestedRanges.push(header);
      if (honest) return honestReply(header, size);
      const headers = Object.entries(said).map(([name, value]) => [name, value.trim()] as [string, string]);
      return new Response(new Uint8Array(content.subarray(0, size)), { status, headers });
    };
    const drive = new GoogleDriveConnector({ credentials: { access_token: 'token' }, fetch, retries: 0 });
    const whole = await outcomeOf(() => drive.files.download({ fileId: 'x', range_header: range }));
    if ('data' in whole) {
      expect(requestedRanges[0]).toMatch(oneRange);
      await outcomeOf(async () => void (await new Response(whole.data).arrayBuffer()));
    } else if (requestedRanges.length === 0) expect(whole.code).toBe('invalid_params');

    const chunk = await outcomeOf(async () => {
      const wanted = chunkRange(range);
      expect(wanted.header).toMatch(oneRange);
      expect(wanted.length).toBeLessThanOrEqual(65_536);
      return readChunk(await drive.files.download({ fileId: 'x', range_header: wanted.header }), wanted);
    });
    if (chunk instanceof Error) return;
    expect(chunk.bytes_returned).toBeLessThanOrEqual(65_536);
    const bytes = Buffer.from(chunk.content, chunk.encoding === 'base64' ? 'base64' : 'utf8');
    expect(bytes.length).toBe(chunk.bytes_returned);
    if (chunk.next_range_header !== null) expect(chunk.next_range_header).toMatch(oneRange);
    if (honest) expect(content.subarray(0, size).includes(bytes)).toBe(true);
  });
};
