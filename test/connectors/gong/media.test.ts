import type { ErrorCode, RequestEvent } from 'agent-connectors';
import { describe, expect, test } from 'vitest';
import { skipBackoff } from '../../../sandbox/src/testing/time.js';
import { json } from '../../engine/fake-fetch.js';
import { failure } from '../../failure.js';
import type { SentRequest } from '../../play-vendor.js';
import {
  application,
  basic,
  connectorWithOptions,
  connectorWithReplies,
  emptyListReply,
  errorReply,
  pageReply,
} from './setup.js';

const id = '7693221800038890052';
const bucket = 'https://bucket.s3.eu-west-1.amazonaws.com';
const signed = (file: string, n = 1) => `${bucket}/${file}?X-Amz-Expires=28799&X-Amz-Signature=s3cr3t-${n}%2F`;
const asked = { filter: { callIds: [id] }, contentSelector: { exposedFields: { media: true as const } } };

/** Gong's metadata for the test's only call. */
const found = (media?: object, metaData: object = {}) =>
  pageReply('calls', [{ metaData: { id, isPrivate: false, ...metaData }, context: [], ...(media && { media }) }]);
const both = (n = 1) => found({ audioUrl: signed('media.mp3', n), videoUrl: signed('media.mp4', n) });

const bytes = (content = 'sound', headers: Record<string, string> = {}, status = 200) =>
  new Response(content, { status, headers: { 'content-type': 'audio/mpeg', ...headers } });
/** Error responses from the host of the recordings. */
const denied = (status: number, code: string) =>
  new Response(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code></Error>`, {
    status,
    headers: { 'content-type': 'application/xml' },
  });
const textOf = ({ data }: { data: ReadableStream<Uint8Array> }) => new Response(data).text();
const addressOf = ({ method, url }: SentRequest) => `${method} ${url.host}${url.pathname}`;

describe('a recording', () => {
  test.each([
    ['call_audio', 'media.mp3'],
    ['call_video', 'media.mp4'],
  ] as const)('of %s is fetched in two steps: a URL from Gong, then the bytes', async (entity, file) => {
    const { gong, sent } = connectorWithReplies(both(), bytes('sound', { 'content-length': '5' }));
    const result = await gong[entity].download(asked);
    expect(await textOf(result)).toBe('sound');
    expect(result.meta).toMatchObject({
      content_type: 'audio/mpeg',
      content_length: 5,
      content_range: null,
      notice: null,
    });
    expect(sent.map(addressOf)).toEqual(['POST api.gong.io/v2/calls/extensive', `GET ${new URL(bucket).host}/${file}`]);
    expect(sent[0]!.json).toEqual(asked);
    expect(sent[1]!.url.href).toBe(signed(file));
  });

  test.each([
    ['a key', undefined, `${basic}`],
    ['a token', { ...application, access_token: 'access-0' }, 'Bearer access-0'],
  ])(
    'is fetched without credentials, since the media host rejects them and must not receive them (%s)',
    async (_, credentials, own) => {
      const { gong, sent } = connectorWithOptions(credentials ? { credentials } : {}, both(), bytes());
      await textOf(await gong.call_audio.download(asked));
      expect(sent.map(({ headers }) => headers.get('authorization'))).toEqual([own, null]);
      expect(sent[1]!.headers.get('accept')).toBe('*/*');
      expect(sent[1]!.headers.get('accept-encoding')).toBe('identity');
    },
  );

  test('is fetched without credentials even from Gong itself', async () => {
    const { gong, sent } = connectorWithReplies(found({ audioUrl: 'https://api.gong.io/media/x.mp3?sig=1' }), bytes());
    await textOf(await gong.call_audio.download(asked));
    expect(sent[1]!.headers.get('authorization')).toBeNull();
  });

  test('is requested again each time: URLs are not cached', async () => {
    const { gong, sent } = connectorWithReplies(both(1), bytes(), both(2), bytes());
    await textOf(await gong.call_audio.download(asked));
    await textOf(await gong.call_audio.download(asked));
    expect(sent.filter(({ method }) => method === 'POST')).toHaveLength(2);
    expect([sent[1]!.url.href, sent[3]!.url.href]).toEqual([signed('media.mp3', 1), signed('media.mp3', 2)]);
  });

  test('of a private call is available', async () => {
    const { gong } = connectorWithReplies(found({ audioUrl: signed('a.mp3') }, { isPrivate: true }), bytes());
    expect(await textOf(await gong.call_audio.download(asked))).toBe('sound');
  });
});

describe('part of a recording', () => {
  test('is requested from the media host and the result says which part was returned', async () => {
    const part = bytes('un', { 'content-range': 'bytes 2-3/5', 'content-length': '2' }, 206);
    const { gong, sent } = connectorWithReplies(both(), part);
    const result = await gong.call_audio.download({ ...asked, range_header: 'bytes=2-3' });
    expect(await textOf(result)).toBe('un');
    expect(result.meta).toMatchObject({ content_range: 'bytes 2-3/5', content_length: 2, notice: null });
    expect(sent.map(({ headers }) => headers.get('range'))).toEqual([null, 'bytes=2-3']);
    expect(sent[0]!.json).toEqual(asked);
  });

  test('may come back as the whole recording, and the result says so', async () => {
    const { gong } = connectorWithReplies(both(), bytes());
    const result = await gong.call_audio.download({ ...asked, range_header: 'bytes=2-3' });
    expect(result.meta.notice).toContain('ignored range bytes=2-3');
    expect(await textOf(result)).toBe('sound');
  });

  test('beyond the end is a parameter error and is not retried', async () => {
    const { gong, sent } = connectorWithOptions({ retries: 2 }, both(), denied(416, 'InvalidRange'));
    const error = await failure(gong.call_audio.download({ ...asked, range_header: 'bytes=99-' }));
    expect(error).toMatchObject({ code: 'invalid_params', status: 416, retryable: false });
    expect(error.issues).toEqual([{ path: 'range_header', message: 'is past the end' }]);
    expect(sent).toHaveLength(2);
  });

  test('stays the same after the URL is renewed', async () => {
    const { gong, sent } = connectorWithReplies(
      both(1),
      denied(403, 'AccessDenied'),
      both(2),
      denied(416, 'InvalidRange'),
    );
    const error = await failure(gong.call_video.download({ ...asked, range_header: 'bytes=99-' }));
    expect(error.status).toBe(416);
    expect(sent.map(({ headers }) => headers.get('range'))).toEqual([null, 'bytes=99-', null, 'bytes=99-']);
  });
});

describe('an expired URL', () => {
  test('is renewed once', async () => {
    const { gong, sent } = connectorWithReplies(both(1), denied(403, 'AccessDenied'), both(2), bytes());
    expect(await textOf(await gong.call_audio.download(asked))).toBe('sound');
    expect(sent.map(({ url }) => url.searchParams.get('X-Amz-Signature'))).toEqual([
      null,
      's3cr3t-1/',
      null,
      's3cr3t-2/',
    ]);
  });

  test('is an error if the new one is rejected too', async () => {
    const { gong, sent } = connectorWithReplies(
      both(1),
      denied(403, 'AccessDenied'),
      both(2),
      denied(403, 'AccessDenied'),
    );
    expect(await failure(gong.call_audio.download(asked))).toMatchObject({ code: 'forbidden', status: 403 });
    expect(sent).toHaveLength(4);
  });

  test("is distinguished from Gong's own 403", async () => {
    const { gong, sent } = connectorWithReplies(errorReply(403, ['Access denied']));
    expect((await failure(gong.call_audio.download(asked))).code).toBe('forbidden');
    expect(sent).toHaveLength(1);
  });
});

describe('a missing recording', () => {
  const cases: Array<[string, object, 'call_audio' | 'call_video', ErrorCode, RegExp]> = [
    ['a call without video', found({ audioUrl: signed('a') }), 'call_video', 'not_downloadable', /only audio/],
    [
      'a call with null for the video',
      found({ audioUrl: signed('a'), videoUrl: null }),
      'call_video',
      'not_downloadable',
      /only audio/,
    ],
    ['a call without audio', found({ videoUrl: signed('v') }), 'call_audio', 'not_downloadable', /only video/],
    ['a call without a recording', found(), 'call_audio', 'not_downloadable', /no recording at all/],
    ['a call with an empty media', found({}), 'call_video', 'not_downloadable', /no recording at all/],
    ['an empty page', pageReply('calls', []), 'call_audio', 'not_found', new RegExp(id)],
    ['the 404 for an empty list', emptyListReply(), 'call_video', 'not_found', new RegExp(id)],
  ];
  test.each(cases)('is an error that says so: %s', async (_, reply, entity, code, message) => {
    const { gong, sent } = connectorWithOptions({ retries: 2 }, reply);
    const error = await failure(gong[entity].download(asked));
    expect(error).toMatchObject({ code, retryable: false });
    expect(error.message).toMatch(message);
    if (/only/.test(error.message)) expect(error.hint).toContain(entity === 'call_audio' ? 'call_video' : 'call_audio');
    expect(sent).toHaveLength(1);
  });

  test('that is not yet available has a hint that processing takes a while', async () => {
    const { gong } = connectorWithReplies(emptyListReply());
    expect((await failure(gong.call_audio.download(asked))).hint).toContain('still be processing');
  });

  test('caused by a missing scope names the scope', async () => {
    const { gong } = connectorWithReplies(
      errorReply(401, ["You don't have permission to use 'api:calls:read:media-url' in your app."]),
    );
    const error = await failure(gong.call_audio.download(asked));
    expect(error.code).toBe('scope_missing');
    expect(error.message).toContain('api:calls:read:media-url');
  });
});

describe('download parameters', () => {
  test.each([
    [{ ...asked, filter: { callIds: [] } }, 'filter.callIds'],
    [{ ...asked, filter: { callIds: [id, id] } }, 'filter.callIds'],
    [{ ...asked, filter: { callIds: [''] } }, 'filter.callIds.0'],
    [{ ...asked, filter: {} }, 'filter.callIds'],
    [{ filter: asked.filter }, 'contentSelector'],
    [{ ...asked, contentSelector: {} }, 'contentSelector.exposedFields'],
    [{ ...asked, contentSelector: { exposedFields: {} } }, 'contentSelector.exposedFields.media'],
    [{ ...asked, contentSelector: { exposedFields: { media: false } } }, 'contentSelector.exposedFields.media'],
    [{ ...asked, range_header: '0-99' }, 'range_header'],
    [{ ...asked, range_header: 'bytes=0-1,5-9' }, 'range_header'],
    [{ ...asked, range_header: 'bytes=0-9\r\nx: y' }, 'range_header'],
  ])('must name a single call and set media to true: %j', async (params, path) => {
    for (const entity of ['call_audio', 'call_video'] as const) {
      const { gong, sent } = connectorWithReplies(both());
      const error = await failure(gong.execute(entity, 'download', params as any));
      expect(error.code).toBe('invalid_params');
      expect(error.issues!.map((issue) => issue.path)).toContain(path);
      expect(sent).toHaveLength(0);
    }
  });
});

describe('the media host', () => {
  test('is retried at the same URL after a transient failure', async () => {
    skipBackoff();
    const { gong, sent } = connectorWithOptions({ retries: 2 }, both(1), denied(503, 'SlowDown'), bytes());
    expect(await textOf(await gong.call_audio.download(asked))).toBe('sound');
    expect(sent).toHaveLength(3);
  });

  test.each([
    [401, 'unauthorized'],
    [404, 'not_found'],
    [400, 'invalid_params'],
  ])('can reject a request with %d without causing a token refresh', async (status, code) => {
    const credentials = { ...application, access_token: 'access-0' };
    const { gong, sent } = connectorWithOptions({ credentials, retries: 2 }, both(), denied(status, 'NoSuchKey'));
    expect(await failure(gong.call_audio.download(asked))).toMatchObject({ code, status });
    expect(sent).toHaveLength(2);
  });

  test.each([
    'http://bucket.example/a',
    'https://10.0.0.8/a',
    'https://169.254.169.254/a',
    'https://user:password@host.example/a',
    'https://localhost/a',
  ])('is not contacted at an unsafe URL: %s', async (audioUrl) => {
    const { gong, sent } = connectorWithReplies(found({ audioUrl }), bytes());
    const error = await failure(gong.call_audio.download(asked));
    expect(error.code).toBe('denied_by_policy');
    expect(sent).toHaveLength(1);
  });

  test.each(['ftp://x/a', 'a.mp3', '/a.mp3', '//host.example/a.mp3'])(
    'is not contacted at an invalid URL: %s',
    async (audioUrl) => {
      const { gong, sent } = connectorWithReplies(found({ audioUrl }), bytes());
      expect((await failure(gong.call_audio.download(asked))).code).toBe('invalid_response');
      expect(sent).toHaveLength(1);
    },
  );

  test.each(['text/html; charset=utf-8', 'application/json', 'application/xml'])(
    'returning a page or a message (%s) causes a retryable error',
    async (type) => {
      const page = new Response('<html>We will be right back</html>', { headers: { 'content-type': type } });
      const { gong } = connectorWithReplies(found({ audioUrl: 'https://media.example/a.mp3' }), page);
      const error = await failure(gong.call_audio.download(asked));
      expect([error.code, error.retryable]).toEqual(['invalid_response', true]);
    },
  );

  test('does not expose its signature, which grants access, in any error or event', async () => {
    const events: RequestEvent[] = [];
    const see = (event: RequestEvent) => void events.push(event);
    const hooks = { onRequest: see, onResponse: see, onRetry: see };
    skipBackoff();
    for (const reply of [denied(403, 'AccessDenied'), denied(503, 'SlowDown'), denied(404, 'NoSuchKey')]) {
      const answer = ({ method }: SentRequest) => (method === 'POST' ? json(both()) : reply.clone());
      const { gong } = connectorWithOptions({ hooks, retries: 1 }, answer);
      const error = await failure(gong.call_audio.download(asked));
      expect(JSON.stringify([error, String(error.stack), error.message])).not.toContain('s3cr3t');
    }
    expect(events.map(({ url }) => url)).toContain(`${bucket}/media.mp3`);
    expect(JSON.stringify(events)).not.toContain('s3cr3t');
  });
});
