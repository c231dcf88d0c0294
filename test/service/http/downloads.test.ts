import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { serveFile } from './drive-file.js';
import { connectorPath, readResponse, requestTo, startTestService } from './setup.js';

const random = randomBytes(200_000);

describe('a download', () => {
  test('is returned as bytes, with descriptive headers', async () => {
    const { open } = await serveFile({ bytes: random, type: 'image/png', name: 'attachment; filename="a.png"' });
    const response = await open();
    expect([response.status, Object.fromEntries(response.headers)]).toEqual([
      200,
      {
        'content-type': 'image/png',
        'content-length': '200000',
        'content-disposition': `attachment; filename="a.png"; filename*=UTF-8''a.png`,
        'content-security-policy': 'sandbox',
        'cache-control': 'no-store',
        'ratelimit-limit': '1000',
        'ratelimit-remaining': expect.stringMatching(/^99\d$/),
        'ratelimit-reset': '1',
        'x-content-type-options': 'nosniff',
        'x-request-id': expect.any(String),
      },
    ]);
    expect(Buffer.compare(Buffer.from(await response.arrayBuffer()), random)).toBe(0);
  });

  test('of a range returns status 206 and indicates the range', async () => {
    const { open, requestedRanges } = await serveFile({ bytes: random });
    const response = await open({ range_header: 'bytes=10-19' });
    expect([response.status, response.headers.get('content-range'), response.headers.get('content-length')]).toEqual([
      206,
      'bytes 10-19/200000',
      '10',
    ]);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(random.subarray(10, 20));
    expect(requestedRanges).toEqual(['bytes=10-19']);
    const beyond = await readResponse(await open({ range_header: 'bytes=200000-' }));
    expect([beyond.status, beyond.body.code]).toEqual([422, 'invalid_params']);
  });

  test.each([
    ['attachment; filename="../../etc/passwd"', `filename="passwd"; filename*=UTF-8''passwd`],
    [
      `attachment; filename*=UTF-8''%E2%82%AC%20rates.csv`,
      `filename="_ rates.csv"; filename*=UTF-8''%E2%82%AC%20rates.csv`,
    ],
    [`attachment; filename*=UTF-8''a%0D%0Ab%22.html`, `filename="a__b_.html"; filename*=UTF-8''a__b%22.html`],
    [`attachment; filename*=UTF-8''evil%E2%80%AEfdp.exe`, `filename="evil_fdp.exe"; filename*=UTF-8''evil_fdp.exe`],
    [`attachment; filename*=UTF-8''it's%2A(1)`, `filename="it's*(1)"; filename*=UTF-8''it%27s%2A%281%29`],
    ['inline', undefined],
  ])('has a safe file name: %s', async (name, wanted) => {
    const { open } = await serveFile({ bytes: random, name });
    const response = await open();
    expect(response.headers.get('content-disposition')).toBe(wanted ? `attachment; ${wanted}` : 'attachment');
    await response.body?.cancel();
  });

  test('is not read ahead of the client and is cancelled when the client disconnects', async () => {
    const { open, transferred } = await serveFile({ bytes: random });
    const response = await open();
    const reader = response.body!.getReader();
    await reader.read();
    expect(transferred.bytes).toBeLessThanOrEqual(30_000);
    await reader.cancel();
    expect(transferred.cancelled).toBe(true);
  });

  test('is cancelled when its request is aborted', async () => {
    const { open, transferred } = await serveFile({ bytes: random });
    const gone = new AbortController();
    const response = await open({}, '*/*', gone.signal);
    const reader = response.body!.getReader();
    await reader.read();
    gone.abort();
    await expect(
      (async () => {
        while (!(await reader.read()).done);
      })(),
    ).rejects.toThrow(/aborted/);
    expect(transferred.cancelled).toBe(true);
  });

  test.each([
    ['breaks off midway', { breaksAt: 50_000 }],
    ['ends before its declared length', { endsAt: 50_000 }],
  ])('that %s does not end successfully', async (_, how) => {
    const { open } = await serveFile({ bytes: random, ...how });
    const response = await open();
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow(/interrupted after 50000 bytes/);
  });

  test("is empty only if the vendor's file is empty", async () => {
    const empty = await (await serveFile({ bytes: new Uint8Array(0) })).open();
    expect([empty.status, empty.headers.get('content-length'), await empty.text()]).toEqual([200, '0', '']);
    const lost = await readResponse(await (await serveFile({ bytes: random, endsAt: 0 })).open());
    expect([lost.status, lost.body.code]).toEqual([502, 'network']);
  });

  test('ignores shaping options for records', async () => {
    const { tenant, id } = await serveFile({ bytes: new TextEncoder().encode('plain') });
    const json = { entity: 'files', action: 'download', params: { fileId: 'f1' }, skip_truncation: false };
    expect((await tenant.ask('POST', connectorPath(id, '/execute'), { json })).text).toBe('plain');
  });

  test("also works for the sandbox's files and exports", async () => {
    const { tenant, sandbox, service } = await startTestService();
    const acme = await tenant();
    const id = await acme.connect('google-drive', sandbox.vendors['google-drive'].credentials.oauth);
    const ask = (json: object) =>
      service.fetch(
        requestTo(connectorPath(id, '/execute'), 'POST', { json, headers: { authorization: `Bearer ${acme.token}` } }),
      );
    const content = Buffer.from('Hello, file.').toString('base64');
    const made = await ask({
      entity: 'files_upload',
      action: 'create',
      params: { name: 'hello.txt', file_content: content, file_mime_type: 'text/plain' },
    });
    const { result } = (await readResponse(made)).body;
    const got = await ask({ entity: 'files', action: 'download', params: { fileId: result.id } });
    expect([got.headers.get('content-type'), await got.text()]).toEqual(['text/plain', 'Hello, file.']);
    const refused = await readResponse(
      await ask({ entity: 'files_export', action: 'download', params: { fileId: result.id, mimeType: 'text/plain' } }),
    );
    expect([refused.status, refused.body.code]).toEqual([403, 'not_exportable']);
    const missing = await readResponse(await ask({ entity: 'files', action: 'download', params: { fileId: 'nope' } }));
    expect([missing.status, missing.body.code]).toEqual([404, 'not_found']);
  });
});
