import { createHash } from 'node:crypto';
import { createSandbox } from 'agent-connectors-sandbox';
import { type SandboxServer, serve } from 'agent-connectors-sandbox/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noon } from '../requester.js';
import { createFinder, createRequester } from './requester.js';

const sandbox = createSandbox({ now: () => noon });
const ask = createRequester(sandbox);
const find = createFinder(ask);
const media = async (name: string, init: RequestInit = {}, more = '') =>
  ask(`/drive/v3/files/${await find(name)}?alt=media${more}`, init);
const range = (value: string) => ({ headers: { range: value } });

describe('a download', () => {
  it('returns the bytes, their type and their length', async () => {
    const answer = await media('latin1.txt');
    expect(answer.status).toBe(200);
    expect([...answer.bytes].slice(0, 3)).toEqual([0x5a, 0xfc, 0x72]);
    expect(answer.headers.get('content-type')).toBe('text/plain');
    expect(answer.headers.get('content-length')).toBe('15');
    expect(answer.headers.get('content-disposition')).toBe('attachment');
  });

  it('matches the checksums in the metadata', async () => {
    const names = ['Contract Calder & Sons.pdf', 'Offer.docx', 'logo.png', 'empty.txt', 'virtual-64mib.bin'];
    for (const name of names) {
      const id = await find(name);
      const { bytes } = await ask(`/drive/v3/files/${id}?alt=media`);
      const { json } = await ask(`/drive/v3/files/${id}?fields=md5Checksum,sha1Checksum,sha256Checksum,size`);
      const sum = (kind: string) => createHash(kind).update(bytes).digest('hex');
      expect(json, name).toEqual({
        md5Checksum: sum('md5'),
        sha1Checksum: sum('sha1'),
        sha256Checksum: sum('sha256'),
        size: String(bytes.length),
      });
    }
  });

  it.each([
    ['bytes=0-4', 0, 5],
    ['bytes=5-', 5, 942],
    ['bytes=-10', 932, 942],
    ['bytes=-99999', 0, 942],
    ['bytes=940-99999', 940, 942],
  ])('%s returns part of the file', async (value, from, to) => {
    const whole = await media('Contract Prairie Credit Union.pdf');
    const part = await media('Contract Prairie Credit Union.pdf', range(value));
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes ${from}-${to - 1}/942`);
    expect(part.headers.get('content-length')).toBe(String(to - from));
    expect(part.bytes).toEqual(whole.bytes.slice(from, to));
  });

  it.each(['bytes=942-', 'bytes=5000-6000', 'bytes=-0'])('%s cannot be satisfied', async (value) => {
    const refused = await media('Contract Prairie Credit Union.pdf', range(value));
    expect(refused).toMatchObject({ status: 416, reason: 'requestedRangeNotSatisfiable' });
    expect(refused.headers.get('content-range')).toBe('bytes */942');
  });

  it.each(['lines=1-2', 'bytes=9-3', 'bytes=0-1,4-5', 'bytes=-'])('%s is ignored', async (value) => {
    expect(await media('rates.json', range(value))).toMatchObject({ status: 200 });
  });

  it('assembles any part of a virtual file', async () => {
    const one = (await media('virtual-1gib.bin', range('bytes=65530-131080'))).bytes;
    const two = (await media('virtual-1gib.bin', range('bytes=65536-65539'))).bytes;
    expect(one.length).toBe(65_551);
    expect([...two]).toEqual([0, 0, 0, 1]);
    expect(one.slice(6, 10)).toEqual(two);
    const last = await media('virtual-1gib.bin', range('bytes=-65536'));
    expect([...last.bytes.slice(0, 4)]).toEqual([0, 0, 0x3f, 0xff]);
    expect(last.headers.get('content-range')).toBe('bytes 1073676288-1073741823/1073741824');
  });

  it('is rejected if the file has no binary content', async () => {
    const refused = await media('Budget');
    expect(refused.json.error.errors[0]).toEqual({
      message: 'Only files with binary content can be downloaded. Use Export with Docs Editors files.',
      domain: 'global',
      reason: 'fileNotDownloadable',
      location: 'alt',
      locationType: 'parameter',
    });
    expect((await media('Customers')).reason).toBe('fileNotDownloadable');
  });

  it("of an abusive file requires its owner's acknowledgement", async () => {
    expect(await media('suspicious.pdf')).toMatchObject({ status: 403, reason: 'cannotDownloadAbusiveFile' });
    expect((await media('suspicious.pdf', {}, '&acknowledgeAbuse=true')).text).toMatch(/^%PDF/);
    const notMine = await media('invoice_overdue.pdf', {}, '&acknowledgeAbuse=true');
    expect(notMine.reason).toBe('cannotDownloadAbusiveFile');
    const needless = await ask(`/drive/v3/files/${await find('suspicious.pdf')}?acknowledgeAbuse=true`);
    expect(needless).toMatchObject({ status: 403, reason: 'invalidAbuseAcknowledgment' });
  });

  it('is denied to readers if the owner disabled it', async () => {
    expect(await media('Board minutes.pdf')).toMatchObject({ status: 403, reason: 'cannotDownloadFile' });
    const { json } = await ask(`/drive/v3/files/${await find('Board minutes.pdf')}?fields=capabilities(canDownload)`);
    expect(json.capabilities.canDownload).toBe(false);
  });
});

describe('an export', () => {
  const exported = async (name: string, mimeType: string) =>
    ask(`/drive/v3/files/${await find(name)}/export?${new URLSearchParams({ mimeType })}`);

  it('contains the same text in every format', async () => {
    const plain = await exported('Public handbook', 'text/plain');
    expect([...plain.bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect(plain.text).toBe('Handbook\r\n\r\nHow we work, for everyone to read.');
    expect(plain.headers.get('content-type')).toBe('text/plain');
    expect((await exported('Public handbook', 'text/markdown')).text).toBe(
      '# Handbook\n\nHow we work, for everyone to read.',
    );
    expect((await exported('Public handbook', 'text/html')).text).toContain('<h1>Handbook</h1>');
    expect((await exported('Public handbook', 'application/rtf')).text).toContain('How we work');
    const pdf = await exported('Public handbook', 'application/pdf');
    expect(pdf.text).toMatch(/^%PDF-1\.4[\s\S]*\(Handbook\) Tj[\s\S]*%%EOF\n$/);
    const docx = await exported(
      'Public handbook',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    );
    expect(docx.text).toMatch(/^PK[\s\S]*<w:t xml:space="preserve">Handbook<\/w:t>/);
  });

  it('quotes sheet values as needed', async () => {
    const csv = await exported('Budget', 'text/csv');
    expect(csv.text).toBe('Team,Planned,Spent\r\nProduct,12000,8450.25\r\nDesign,8000,9120\r\n"Travel, all",5000,310');
    expect((await exported('Budget', 'text/tab-separated-values')).text).toContain('Travel, all\t5000\t310');
    const xlsx = await exported('Budget', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet');
    expect(xlsx.text).toContain('<c><v>8450.25</v></c>');
  });

  it('works for slides, drawings and scripts', async () => {
    const slides = await exported('All-hands: product', 'text/plain');
    expect(slides.text).toContain('Where we stand');
    const pptx = await exported(
      'All-hands: product',
      'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    );
    expect(pptx.text).toContain('ppt/slides/slide4.xml');
    expect((await exported('Ledger architecture', 'image/svg+xml')).text).toContain('>Matching</text>');
    expect((await exported('Ledger architecture', 'image/png')).text).toContain('IHDR');
    const script = await exported('Roadmap reminders', 'application/vnd.google-apps.script+json');
    expect(JSON.parse(script.text).files[0].source).toContain('MailApp');
  });

  it('ignores a range', async () => {
    const answer = await ask(`/drive/v3/files/${await find('Budget')}/export?mimeType=text/csv`, range('bytes=0-3'));
    expect([answer.status, answer.bytes.length > 4]).toEqual([200, true]);
  });

  it.each([
    ['logo.png', 'application/pdf', 403, 'fileNotExportable'],
    ['Customers', 'application/pdf', 403, 'fileNotExportable'],
    ['Budget', 'text/plain', 400, 'badRequest'],
    ['Customer survey', 'text/plain', 400, 'badRequest'],
    ['Salary bands', 'text/csv', 403, 'cannotExportFile'],
    ['Ledger export, all years', 'text/csv', 403, 'exportSizeLimitExceeded'],
  ])('from %s to %s is rejected with %i %s', async (name, mimeType, status, reason) => {
    expect(await exported(name, mimeType)).toMatchObject({ status, reason });
  });

  it('requires a MIME type', async () => {
    const refused = await ask(`/drive/v3/files/${await find('Budget')}/export`);
    expect(refused.json.error).toMatchObject({
      code: 400,
      message: 'Required parameter: mimeType',
      errors: [{ reason: 'required', location: 'mimeType' }],
    });
  });

  it('has a configurable size limit', async () => {
    const own = createSandbox({ now: () => noon });
    own.vendors['google-drive'].limits = { exported: 20 };
    const id = await createFinder(createRequester(own))('Public handbook');
    expect((await createRequester(own)(`/drive/v3/files/${id}/export?mimeType=text/plain`)).reason).toBe(
      'exportSizeLimitExceeded',
    );
  });
});

describe('downloads over a socket', () => {
  let server: SandboxServer;
  beforeAll(async () => {
    server = await serve({ sandbox });
  });
  afterAll(() => server.close());
  const address = async (name: string) => `${server.url}/google-drive/drive/v3/files/${await find(name)}?alt=media`;
  const authorization = 'Bearer ya29.sandbox-drive-access-token';

  it('start sending a gibibyte immediately and stop when the client disconnects', async () => {
    const before = process.memoryUsage().rss;
    const aborting = new AbortController();
    const response = await fetch(await address('virtual-1gib.bin'), {
      headers: { authorization },
      signal: aborting.signal,
    });
    expect(response.headers.get('content-length')).toBe(String(2 ** 30));
    const reader = response.body!.getReader();
    let read = 0;
    while (read < 2 ** 24) read += (await reader.read()).value!.length;
    aborting.abort();
    await reader.closed.catch(() => undefined);
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
  });

  it.each(['truncated_body', 'reset_body'] as const)(
    '%s cuts off a body after a given number of bytes',
    async (kind) => {
      server.sandbox.faults.add({ kind, after: 100_000, path: '/drive/v3/files/' });
      const response = await fetch(await address('virtual-64mib.bin'), { headers: { authorization } });
      expect(response.headers.get('content-length')).toBe(String(2 ** 26));
      let read = 0;
      const failure = await (async () => {
        for await (const chunk of response.body!) read += chunk.length;
      })().catch((error) => error);
      // Whether fetch sees the reset or only the end depends on which it reads first.
      const code = expect.stringMatching(kind === 'reset_body' ? /^(ECONNRESET|UND_ERR_SOCKET)$/ : /^UND_ERR_SOCKET$/);
      expect(failure).toMatchObject({ message: 'terminated', cause: { code } });
      expect(read).toBeLessThanOrEqual(100_000);
    },
  );
});

describe('download faults', () => {
  it('ignore_range returns the whole file with 200', async () => {
    const own = createSandbox({ now: () => noon, faults: [{ kind: 'ignore_range', path: '/drive/v3/files/' }] });
    const id = await createFinder(createRequester(own))('rates.json');
    const whole = await createRequester(own)(`/drive/v3/files/${id}?alt=media`, range('bytes=0-3'));
    expect([whole.status, whole.headers.get('content-range')]).toEqual([200, null]);
    expect((await createRequester(own)(`/drive/v3/files/${id}?alt=media`, range('bytes=0-3'))).status).toBe(206);
  });

  it('slow_body sends some bytes immediately, then trickles the rest', async () => {
    const own = createSandbox({
      now: () => noon,
      faults: [{ kind: 'slow_body', path: '/drive/v3/files/', after: 500, ms: 4 }],
    });
    const id = await createFinder(createRequester(own))('Contract Prairie Credit Union.pdf');
    const response = await own.fetch(`https://www.googleapis.com/drive/v3/files/${id}?alt=media`, {
      headers: { authorization: 'Bearer ya29.sandbox-drive-access-token' },
    });
    const sizes: number[] = [];
    for await (const chunk of response.body!) sizes.push(chunk.length);
    expect(sizes[0]).toBe(500);
    expect(sizes.length).toBeGreaterThan(10);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(942);
  });

  it('truncated_body and reset_body break a streamed body at the configured offset', async () => {
    for (const kind of ['truncated_body', 'reset_body'] as const) {
      const own = createSandbox({ now: () => noon, faults: [{ kind, path: '/drive/v3/files/', after: 70_000 }] });
      const id = await createFinder(createRequester(own))('virtual-64mib.bin');
      const response = await own.fetch(`https://www.googleapis.com/drive/v3/files/${id}?alt=media`, {
        headers: { authorization: 'Bearer ya29.sandbox-drive-access-token' },
      });
      let length = 0;
      const failure = await (async () => {
        for await (const chunk of response.body!) length += chunk.length;
      })().catch((error) => error);
      expect(failure.message, kind).toBe('terminated');
      expect(failure.cause.code, kind).toBe(kind === 'reset_body' ? 'ECONNRESET' : undefined);
      expect(length).toBe(70_000);
    }
  });

  it.each([
    [{ kind: 'rate_limited' }, 403, 'userRateLimitExceeded'],
    [{ kind: 'rate_limited', reason: 'rateLimitExceeded' }, 403, 'rateLimitExceeded'],
    [{ kind: 'rate_limited', status: 429, retryAfter: 3 }, 429, 'rateLimitExceeded'],
    [{ kind: 'refused', reason: 'dailyLimitExceeded' }, 403, 'dailyLimitExceeded'],
    [{ kind: 'refused', reason: 'downloadQuotaExceeded' }, 403, 'downloadQuotaExceeded'],
    [{ kind: '500' }, 500, 'internalError'],
    [{ kind: '500', reason: 'backendError' }, 500, 'backendError'],
    [{ kind: 'internal_error' }, 500, 'internalError'],
  ] as const)("%j is returned in Google's format", async (fault, status, reason) => {
    const own = createSandbox({ now: () => noon, faults: [fault] });
    const answer = await createRequester(own)('/drive/v3/files');
    expect(answer).toMatchObject({ status, reason });
    expect(answer.headers.get('retry-after')).toBe('retryAfter' in fault ? '3' : null);
    expect((await createRequester(own)('/drive/v3/files')).status).toBe(200);
  });
});
