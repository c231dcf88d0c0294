import type { FaultRule } from 'agent-connectors-sandbox';
import { serve } from 'agent-connectors-sandbox/server';
import { describe, expect, it } from 'vitest';
import { allCalls, authorizationOf, createRequester, unlimitedSandbox } from './requester.js';

const onlyMedia = { exposedFields: { media: true } };
const setting = async (...faults: FaultRule[]) => {
  const sandbox = unlimitedSandbox(...faults);
  const calls = await allCalls(createRequester(sandbox), onlyMedia);
  const video = calls.find(({ media, metaData }) => media?.videoUrl && metaData.duration < 3_600);
  const get = (url: string, headers: Record<string, string> = {}) => sandbox.fetch(url, { headers });
  return { sandbox, calls, video, audioUrl: video.media.audioUrl as string, get };
};
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());
const codeOf = async (response: Response) => /<Code>(.+)<\/Code>/.exec(await response.text())?.[1];

describe('a recording', () => {
  it('is served from a different origin and gets a new signature each time, valid for eight hours', async () => {
    const { sandbox, audioUrl, video } = await setting();
    const url = new URL(audioUrl);
    expect(url.origin).toBe('https://media.gong-sandbox.example');
    expect(url.searchParams.get('X-Amz-Expires')).toBe('28799');
    const body = { filter: { callIds: [video.metaData.id] }, contentSelector: onlyMedia };
    const again = (await createRequester(sandbox)('/v2/calls/extensive', body)).body.calls[0].media.audioUrl;
    expect(new URL(again).pathname).toBe(url.pathname);
    expect(again).not.toBe(audioUrl);
  });

  it('contains valid audio frames, is identical each time, and matches its stated duration', async () => {
    const { audioUrl, get, video } = await setting();
    const response = await get(audioUrl);
    const bytes = await bytesOf(response);
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    expect(response.headers.get('content-length')).toBe(String(bytes.length));
    expect(Math.abs(bytes.length - video.metaData.duration * 1000)).toBeLessThan(25);
    for (let frame = 0; frame < bytes.length; frame += 24) {
      if (bytes[frame] !== 0xff || bytes[frame + 1] !== 0xf3) throw new Error(`no frame at ${frame}`);
    }
    expect((await bytesOf(await get(audioUrl))).equals(bytes)).toBe(true);
  });

  it('is also available as video in an MP4 container if the call had video', async () => {
    const { get, video } = await setting();
    const response = await get(video.media.videoUrl);
    const bytes = await bytesOf(response);
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const name = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
    expect(response.headers.get('content-type')).toBe('video/mp4');
    expect([name(4), view.getUint32(0), name(28)]).toEqual(['ftyp', 24, 'mdat']);
    expect(24 + view.getUint32(24)).toBe(bytes.length);
  });

  it.each([
    ['bytes=0-0', 0, 1],
    ['bytes=100-299', 100, 300],
    ['bytes=65530-131080', 65_530, 131_081],
    ['bytes=700000-', 700_000, undefined],
    ['bytes=-17', -17, undefined],
    ['bytes=500-9999999999', 500, undefined],
  ])('can be downloaded in parts: %s', async (range, from, to) => {
    const { get, video } = await setting();
    for (const url of [video.media.audioUrl, video.media.videoUrl]) {
      const whole = await bytesOf(await get(url));
      const response = await get(url, { range });
      const part = whole.subarray(from, to);
      expect(response.status).toBe(206);
      expect((await bytesOf(response)).equals(part)).toBe(true);
      const first = from < 0 ? whole.length + from : from;
      expect(response.headers.get('content-range')).toBe(`bytes ${first}-${first + part.length - 1}/${whole.length}`);
    }
  });

  it('rejects a range beyond its end and ignores an invalid one', async () => {
    const { audioUrl, get } = await setting();
    const behind = await get(audioUrl, { range: 'bytes=999999999-' });
    expect([behind.status, behind.headers.get('content-range')]).toEqual([416, expect.stringMatching(/^bytes \*\//)]);
    expect(await codeOf(behind)).toBe('InvalidRange');
    expect((await get(audioUrl, { range: 'lines=1-2' })).status).toBe(200);
    expect((await get(audioUrl, { range: 'bytes=9-3' })).status).toBe(200);
  });

  it('is audio-only for a phone call, and missing for a few calls', async () => {
    const { calls } = await setting();
    const audioOnly = calls.filter(({ media }) => media && !media.videoUrl);
    expect(audioOnly.length).toBeGreaterThan(10);
    expect(new Set(audioOnly.map(({ metaData }) => metaData.media))).toEqual(new Set(['Audio']));
    const without = calls.filter(({ media }) => media === undefined);
    expect(without.length).toBeGreaterThan(0);
    expect(without.length).toBeLessThan(5);
  });

  it('is several hundred megabytes for a training day and is generated while streaming', async () => {
    const { calls, get } = await setting();
    const long = calls.find(({ metaData }) => metaData.title?.endsWith('training day'));
    const end = await get(long.media.audioUrl, { range: 'bytes=-192' });
    expect(end.headers.get('content-range')).toBe('bytes 105599808-105599999/105600000');
    expect((await bytesOf(end)).toString('hex', 0, 4)).toBe('fff384c4');
    const reader = (await get(long.media.audioUrl)).body!.getReader();
    expect((await reader.read()).value!.length).toBeLessThan(100_000);
    await reader.cancel();
  });
});

describe("a recording's URL", () => {
  it('requires no credential besides its signature', async () => {
    const { sandbox, audioUrl, get } = await setting();
    const response = await get(audioUrl, { authorization: authorizationOf(sandbox, 'basic') });
    expect([response.status, response.headers.get('content-type')]).toEqual([400, 'application/xml']);
    expect(await response.text()).toContain('Only one auth mechanism allowed');
  });

  it('is valid for eight hours', async () => {
    const { sandbox, audioUrl, get } = await setting();
    sandbox.clock.advance(28_799_000);
    expect((await get(audioUrl, { range: 'bytes=0-0' })).status).toBe(206);
    sandbox.clock.advance(1);
    const response = await get(audioUrl);
    expect(response.status).toBe(403);
    expect(await response.text()).toContain('Request has expired');
  });

  it.each([
    ['media.mp3', 'media.mp4'],
    ['X-Amz-Expires=28799', 'X-Amz-Expires=999999'],
    ['X-Amz-Date=2026', 'X-Amz-Date=2027'],
    ['X-Amz-Signature=', 'X-Amz-Signature=0'],
  ])('is rejected when altered: %s', async (part, other) => {
    const { audioUrl, get } = await setting();
    const response = await get(audioUrl.replace(part, other));
    expect([response.status, await codeOf(response)]).toEqual([403, 'SignatureDoesNotMatch']);
  });

  it('is signed only for GET, and does not work without a signature', async () => {
    const { sandbox, audioUrl, get } = await setting();
    expect((await sandbox.fetch(audioUrl, { method: 'HEAD' })).status).toBe(403);
    const bare = await get(audioUrl.replace(/\?.*/, ''));
    expect([bare.status, await codeOf(bare)]).toEqual([403, 'AccessDenied']);
  });

  it('is not returned to a client without the scope', async () => {
    const { sandbox } = await setting();
    const body = { filter: {}, contentSelector: onlyMedia };
    expect((await createRequester(sandbox, 'oauth_with_token')('/v2/calls/extensive', body)).status).toBe(200);
    expect((await createRequester(sandbox, 'limited')('/v2/calls/extensive', body)).status).toBe(401);
  });

  it('uses the requested host when served over HTTP', async () => {
    const server = await serve({ sandbox: unlimitedSandbox() });
    try {
      const headers = { authorization: authorizationOf(server.sandbox, 'basic') };
      const body = JSON.stringify({ filter: {}, contentSelector: onlyMedia });
      const response = await fetch(`${server.url}/gong/v2/calls/extensive`, { method: 'POST', headers, body });
      const { calls } = (await response.json()) as any;
      const { audioUrl } = calls.find(({ media }: any) => media).media;
      expect(audioUrl).toMatch(`${server.url}/gong/media/`);
      const part = await fetch(audioUrl, { headers: { range: 'bytes=24-47' } });
      expect([part.status, (await bytesOf(part)).length]).toEqual([206, 24]);
      expect((await fetch(audioUrl, { headers })).status).toBe(400);
      expect((await fetch(audioUrl, { method: 'HEAD' })).status).toBe(403);
    } finally {
      await server.close();
    }
  });
});

describe('recording faults', () => {
  const path = '/media';

  it('reset_body cuts off the body partway through', async () => {
    const { audioUrl, get } = await setting({ kind: 'reset_body', path, after: 1000 });
    const reader = (await get(audioUrl)).body!.getReader();
    expect((await reader.read()).value).toHaveLength(1000);
    await expect(reader.read()).rejects.toThrow('terminated');
    expect((await get(audioUrl)).status).toBe(200);
  });

  it.each([
    ['500', 500, 'InternalError'],
    ['rate_limited', 503, 'SlowDown'],
    ['expired_token', 403, 'AccessDenied'],
  ] as const)('%s responds with %i as XML', async (kind, status, code) => {
    const { audioUrl, get } = await setting({ kind, path });
    const response = await get(audioUrl);
    expect([response.status, await codeOf(response)]).toEqual([status, code]);
    expect((await get(audioUrl)).status).toBe(200);
  });

  it('ignore_range returns all bytes', async () => {
    const { audioUrl, get } = await setting({ kind: 'ignore_range', path });
    const response = await get(audioUrl, { range: 'bytes=0-9' });
    expect([response.status, response.headers.has('content-range')]).toEqual([200, false]);
    expect((await get(audioUrl, { range: 'bytes=0-9' })).status).toBe(206);
  });
});
