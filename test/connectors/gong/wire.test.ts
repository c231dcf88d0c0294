import type { TokenRefresh } from 'agent-connectors';
import { GongConnector } from 'agent-connectors/gong';
import { createSandbox } from 'agent-connectors-sandbox';
import { serve } from 'agent-connectors-sandbox/server';
import { describe, expect, test } from 'vitest';
import { skipBackoff } from '../../../sandbox/src/testing/time.js';
import { failure } from '../../failure.js';
import { collect, connectorOnSandbox } from './setup.js';

const mebibyte = 2 ** 20;
const day = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * day).toISOString();
const quick = { requestsPerSecond: 1_000 };
const nothing = { cursor: null, total_records: 0, current_page_number: 0 };

describe('a key', () => {
  test("valid only at the company's own URL is rejected elsewhere with a hint", async () => {
    const { sandbox, gong, fetch } = connectorOnSandbox({ mode: 'regional' });
    expect((await gong.users.list()).data.length).toBeGreaterThan(0);
    const { base_url, ...bare } = sandbox.vendors.gong.credentials.regional;
    const error = await failure(new GongConnector({ credentials: bare, fetch }).users.list());
    expect(error.code).toBe('unauthorized');
    expect(error.hint).toContain('base_url');
    // Gong returns no message of its own in that case.
    expect(error.vendor?.message).toBeUndefined();
    const written = new GongConnector({ credentials: { ...bare, base_url: `${base_url}/v2/` }, fetch });
    expect((await written.users.list()).data.length).toBeGreaterThan(0);
  });

  test('whose owner cannot see any calls gets empty lists without an error', async () => {
    const { gong } = connectorOnSandbox({ mode: 'sees_nothing' });
    expect(await gong.calls.list()).toEqual({ data: [], meta: { ...nothing, private_dropped: 0 } });
    expect((await gong.calls_extensive.list({ filter: {} })).data).toEqual([]);
    expect((await gong.call_transcripts.list({ filter: {} })).data).toEqual([]);
    const filter = { fromDate: daysAgo(30).slice(0, 10), toDate: daysAgo(0).slice(0, 10) };
    expect(await gong.stats_interaction.list({ filter })).toEqual({ data: [], meta: nothing });
    const period = { fromDateTime: daysAgo(30), toDateTime: daysAgo(0) };
    expect(await gong.stats_activity_scorecards.list({ filter: period })).toEqual({ data: [], meta: nothing });
  });

  test('that was revoked is rejected after one attempt', async () => {
    const { sandbox, gong } = connectorOnSandbox();
    sandbox.revoke(sandbox.vendors.gong.credentials.basic.access_key_secret);
    expect((await failure(gong.users.list())).code).toBe('unauthorized');
    expect(sandbox.requests).toHaveLength(1);
  });
});

describe('an OAuth application', () => {
  test("switches to the company's own URL with its first token", async () => {
    const told: TokenRefresh[] = [];
    const hooks = { onTokenRefresh: (tokens: TokenRefresh) => void told.push(tokens) };
    const asked: string[] = [];
    const { gong } = connectorOnSandbox({
      mode: 'oauth',
      hooks: { ...hooks, onRequest: ({ url }) => void asked.push(url) },
    });
    await gong.users.list();
    expect(asked).toEqual(['https://us-55616.api.gong.io/v2/users']);
    expect(told).toHaveLength(1);
    expect(told[0]!.base_url).toBe('https://us-55616.api.gong.io');
  });

  test('renews an expired token once for concurrent calls, then uses the new refresh token', async () => {
    const { sandbox, gong } = connectorOnSandbox({ mode: 'oauth_with_token', limits: quick });
    const refreshes = () => sandbox.requests.filter(({ path }) => path.startsWith('/oauth2/'));
    for (const count of [1, 2, 3]) {
      sandbox.expireTokens();
      await Promise.all(Array.from({ length: 3 }, () => gong.users.list()));
      expect(refreshes()).toHaveLength(count);
    }
    expect(refreshes().map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(refreshes().every(({ body, query }) => body === null && query.grant_type === 'refresh_token')).toBe(true);
  });

  test('cannot reuse a refresh token and is asked to reauthorize', async () => {
    const { sandbox, gong, fetch } = connectorOnSandbox({ mode: 'oauth' });
    await gong.users.list();
    const again = new GongConnector({ credentials: sandbox.vendors.gong.credentials.oauth, fetch });
    const error = await failure(again.users.list());
    expect(error).toMatchObject({ code: 'invalid_credentials', retryable: false, vendor: { code: 'invalid_grant' } });
    expect(error.hint).toContain('Authorize the application again');
  });

  test('without a required scope keeps its refresh token and gets an error that names the missing scope', async () => {
    const { sandbox, gong } = connectorOnSandbox({ mode: 'limited', limits: quick });
    expect((await gong.calls.list()).data.length).toBeGreaterThan(0);
    const needs: Array<[() => Promise<unknown>, string]> = [
      [() => gong.workspaces.list(), 'api:workspaces:read'],
      [() => gong.calls_extensive.list({ filter: {} }), 'api:calls:read:extensive'],
      [() => gong.call_transcripts.list({ filter: {} }), 'api:calls:read:transcript'],
      [() => gong.settings_trackers.list(), 'api:settings:trackers:read'],
    ];
    for (const [call, scope] of needs) {
      const error = await failure(call());
      expect(error.code).toBe('scope_missing');
      expect(error.message).toContain(scope);
    }
    expect(sandbox.requests.filter(({ path }) => path.startsWith('/oauth2/'))).toEqual([]);
  });
});

describe("the company's limits", () => {
  test('are respected by making calls wait their turn', async () => {
    const { sandbox, gong } = connectorOnSandbox({ limits: { pageSize: 4 } });
    expect((await collect(gong.paginate('users', 'list'))).length).toBeGreaterThan(8);
    expect(sandbox.requests.some(({ status }) => status === 429)).toBe(false);
  });

  test('per day make calls fail immediately and report the remaining time', async () => {
    const { sandbox, gong } = connectorOnSandbox({ limits: { requestsPerDay: 1 } });
    await gong.users.list();
    const error = await failure(gong.users.list());
    expect(error).toMatchObject({ code: 'rate_limited', status: 429, retryable: true });
    expect(error.retryAfterMs! % 1000).toBe(0);
    expect(sandbox.requests).toHaveLength(2);
    expect((await failure(gong.calls.list())).code).toBe('rate_limited');
    expect(sandbox.requests).toHaveLength(2);
  });
});

describe('a recording', () => {
  const asked = (id: string) => ({
    filter: { callIds: [id] },
    contentSelector: { exposedFields: { media: true as const } },
  });
  const calls = async (gong: GongConnector) => {
    const contentSelector = { exposedFields: { media: true } };
    return (await gong.calls_extensive.list({ filter: {}, contentSelector })).data;
  };
  const bytesOf = async ({ data }: { data: ReadableStream<Uint8Array> }) =>
    new Uint8Array(await new Response(data).arrayBuffer());

  test('is delivered byte for byte, whole and in parts, without credentials for its host', async () => {
    const { sandbox, gong } = connectorOnSandbox({ limits: quick });
    const { metaData } = (await calls(gong)).find(({ media }) => media?.videoUrl)!;
    sandbox.requests.clear();
    for (const [entity, type] of [
      ['call_audio', 'audio/mpeg'],
      ['call_video', 'video/mp4'],
    ] as const) {
      const whole = await gong[entity].download(asked(metaData!.id!));
      const content = await bytesOf(whole);
      expect(whole.meta).toMatchObject({ content_type: type, content_length: content.length, notice: null });
      const part = await gong[entity].download({ ...asked(metaData!.id!), range_header: 'bytes=100-299' });
      expect(part.meta.content_range).toBe(`bytes 100-299/${content.length}`);
      expect(Buffer.compare(await bytesOf(part), content.slice(100, 300))).toBe(0);
      const end = await gong[entity].download({ ...asked(metaData!.id!), range_header: 'bytes=-50' });
      expect(Buffer.compare(await bytesOf(end), content.slice(-50))).toBe(0);
      const beyond = { ...asked(metaData!.id!), range_header: `bytes=${content.length}-` };
      expect(await failure(gong[entity].download(beyond))).toMatchObject({ code: 'invalid_params', status: 416 });
    }
    const media = sandbox.requests.filter(({ path }) => path.startsWith('/media/'));
    expect(media).toHaveLength(8);
    expect(media.every(({ headers }) => headers.authorization === undefined)).toBe(true);
  });

  test.each([
    ['endpoints', (url: string) => ({ endpoints: `${url}/gong` })],
    ['only the API endpoint', (url: string) => ({ endpoints: { api: `${url}/gong/` } })],
    ['endpoints named localhost', (url: string) => ({ endpoints: `${url}/gong`.replace('127.0.0.1', 'localhost') })],
    ['base_url', (url: string) => ({ base_url: `${url}/gong` })],
  ])('is delivered over HTTP from a local server, with %s', async (_, where) => {
    const sandbox = createSandbox({ seed: 7 });
    sandbox.vendors.gong.limits = quick;
    const server = await serve({ sandbox });
    try {
      const { endpoints, base_url } = where(server.url) as { endpoints?: string; base_url?: string };
      const credentials = { ...sandbox.vendors.gong.credentials.basic, ...(base_url && { base_url }) };
      const gong = new GongConnector({ credentials, ...(endpoints && { endpoints }) });
      const { metaData } = (await calls(gong)).find(({ media }) => media?.audioUrl)!;
      const { data, meta } = await gong.call_audio.download({ ...asked(metaData!.id!), range_header: 'bytes=0-99' });
      expect((await bytesOf({ data })).length).toBe(100);
      expect(meta.content_type).toBe('audio/mpeg');
      const [last] = sandbox.requests.slice(-1);
      expect([last!.path.includes('/media/'), last!.credential]).toEqual([true, 'none']);
    } finally {
      await server.close();
    }
  });

  test('of a phone call is audio only, and some calls have no recording', async () => {
    const { gong } = connectorOnSandbox({ limits: quick });
    const found = await calls(gong);
    const spoken = found.find(({ media }) => media?.audioUrl && !media.videoUrl)!;
    const error = await failure(gong.call_video.download(asked(spoken.metaData!.id!)));
    expect(error.code).toBe('not_downloadable');
    expect(error.hint).toContain('call_audio');
    const silent = found.find(({ media }) => media === null);
    if (silent) {
      const none = await failure(gong.call_audio.download(asked(silent.metaData!.id!)));
      expect(none.message).toContain('no recording at all');
    }
    expect(await failure(gong.call_audio.download(asked('1')))).toMatchObject({ code: 'not_found', status: 404 });
  });

  test.each(['expired_token', 'refused'] as const)('is fetched with a new URL if the first one is %s', async (kind) => {
    const { sandbox, gong } = connectorOnSandbox({ limits: quick, faults: [{ kind, path: '/media/' }] });
    const { metaData } = (await calls(gong)).find(({ media }) => media?.audioUrl)!;
    sandbox.requests.clear();
    const part = await gong.call_audio.download({ ...asked(metaData!.id!), range_header: 'bytes=0-9' });
    expect(await bytesOf(part)).toHaveLength(10);
    expect(sandbox.requests.map(({ status }) => status)).toEqual([200, 403, 200, 206]);
  });

  test('is retried at its host after a transient failure', async () => {
    skipBackoff();
    for (const kind of ['500', 'lock_timeout', 'reset_before'] as const) {
      const { sandbox, gong } = connectorOnSandbox({ limits: quick, faults: [{ kind, path: '/media/' }] });
      const { metaData } = (await calls(gong)).find(({ media }) => media?.audioUrl)!;
      sandbox.requests.clear();
      const part = await gong.call_audio.download({ ...asked(metaData!.id!), range_header: 'bytes=0-9' });
      expect(await bytesOf(part)).toHaveLength(10);
      expect(sandbox.requests.map(({ path }) => path.slice(0, 7))).toEqual(['/v2/cal', '/media/', '/media/']);
    }
  });

  test('reports the byte at which it was interrupted and can be resumed', async () => {
    const { gong } = connectorOnSandbox({
      limits: quick,
      faults: [{ kind: 'reset_body', path: '/media/', after: mebibyte }],
    });
    const found = await calls(gong);
    const longest = found
      .filter(({ media }) => media?.audioUrl)
      .sort((one, other) => other.metaData!.duration! - one.metaData!.duration!)[0]!;
    const { data } = await gong.call_audio.download(asked(longest.metaData!.id!));
    let read = 0;
    const reading = (async () => {
      for await (const chunk of data) read += chunk.length;
    })();
    const error = await failure(reading);
    expect(error.code).toBe('network');
    expect(error.hint).toContain(`bytes=${read}-`);
    const rest = await gong.call_audio.download({ ...asked(longest.metaData!.id!), range_header: `bytes=${read}-` });
    const total = Number(rest.meta.content_range!.split('/')[1]);
    expect(await bytesOf(rest)).toHaveLength(total - read);
  });
});
