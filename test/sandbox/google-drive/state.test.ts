import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, it } from 'vitest';
import { noon } from '../requester.js';
import { createFinder, createRequester, list, multipart } from './requester.js';

const everything = list({ fields: '*', pageSize: '1000' });

describe('the state', () => {
  it('grows with the scale', async () => {
    const count = async (scale: number) => {
      const ask = createRequester(createSandbox({ scale, now: () => noon }));
      let found = 0;
      let token: string | undefined;
      do {
        const { json } = await ask(
          list({ fields: 'files(id),nextPageToken', pageSize: '1000', ...(token && { pageToken: token }) }),
        );
        found += json.files.length;
        token = json.nextPageToken;
      } while (token);
      return found;
    };
    expect(await count(1)).toBeGreaterThan(140);
    expect(await count(40)).toBeGreaterThan(1200);
  });

  it('round-trips as plain JSON with files, uploads in progress and tokens', async () => {
    const sandbox = createSandbox({ now: () => noon });
    const ask = createRequester(sandbox);
    await ask('/upload/drive/v3/files?uploadType=multipart', multipart({ name: 'kept' }, 'text/plain', 'kept bytes'));
    const begun = await ask('/upload/drive/v3/files?uploadType=resumable', {
      method: 'POST',
      body: '{"name":"later"}',
    });
    const location = begun.headers.get('location')!;
    const half = new Uint8Array(262_144).fill(7);
    await ask(location, { method: 'PUT', headers: { 'content-range': 'bytes 0-262143/262145' }, body: half });
    sandbox.vendors['google-drive'].limits = { exported: 5 };

    const other = createSandbox({ seed: 9, now: () => noon });
    other.load(JSON.parse(JSON.stringify(sandbox.dump())));
    const again = createRequester(other);
    expect((await again(everything)).text).toBe((await ask(everything)).text);
    expect((await again(`/drive/v3/files/${await createFinder(again)('kept')}?alt=media`)).text).toBe('kept bytes');
    const init = { method: 'PUT', headers: { 'content-range': 'bytes 262144-262144/262145' }, body: Uint8Array.of(8) };
    expect((await again(location, init)).json.name).toBe('later');
    expect(other.vendors['google-drive'].limits).toEqual({ exported: 5 });
    const virtual = await again(`/drive/v3/files/${await createFinder(again)('virtual-1gib.bin')}?alt=media`, {
      headers: { range: 'bytes=0-9' },
    });
    expect(virtual.headers.get('content-range')).toBe('bytes 0-9/1073741824');
    other.reset();
    expect((await again(list({ q: "name = 'kept'" }))).json.files).toEqual([]);
  });

  it('records requests, but only the length of their content', async () => {
    const sandbox = createSandbox({ now: () => noon });
    const ask = createRequester(sandbox);
    await ask('/upload/drive/v3/files?uploadType=multipart', multipart({ name: 'x' }, 'text/plain', 'secret bytes'));
    await ask('/drive/v3/files', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"y"}',
    });
    expect(sandbox.requests).toMatchObject([
      { path: '/upload/drive/v3/files', body: { metadata: { name: 'x' }, bytes: 126 }, credential: 'access_token' },
      { path: '/drive/v3/files', body: { name: 'y' }, status: 200 },
    ]);
    expect(JSON.stringify(sandbox.requests)).not.toContain('secret bytes');
  });
});
