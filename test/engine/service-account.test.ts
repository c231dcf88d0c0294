import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { failure } from '../failure.js';
import { fakeClock } from './fake-clock.js';
import { fakeFetch, hangUntilAborted, json } from './fake-fetch.js';
import {
  analyticsConnector,
  assertionOf,
  bearer,
  fakeGoogle,
  isTokenRequest,
  keyFile,
  keyText,
  report,
  runReport,
  tokenUri,
  verifyAssertion,
} from './google-account.js';
import { advanceUntilSettled, skipBackoff, waitUntil, warmUpAndFreezeTime } from './time.js';
import { visibleText } from './visible.js';

const drive = (fetch: typeof globalThis.fetch, credentials: { credentials_json: string; subject?: string }) =>
  new GoogleDriveConnector({ credentials, fetch });
const about = () => json({ user: { displayName: 'A' } });

describe('an assertion', () => {
  it("is a JWT that Google can verify, exchanged for the call's token", async () => {
    const { fetch, sent, tokens, calls } = fakeGoogle();
    const { data } = await runReport(analyticsConnector(fetch));
    expect(data).toHaveLength(1);
    expect(sent.map(isTokenRequest)).toEqual([true, false]);
    const [request] = tokens();
    expect(request!.method).toBe('POST');
    expect(request!.url.href).toBe(tokenUri);
    expect(request!.headers.get('content-type')).toBe('application/x-www-form-urlencoded');
    expect(request!.headers.get('authorization')).toBeNull();
    expect([...new URLSearchParams(request!.body).keys()].sort()).toEqual(['assertion', 'grant_type']);
    expect(new URLSearchParams(request!.body).get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const { protectedHeader, payload } = await verifyAssertion(request!);
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: keyFile().private_key_id });
    expect(payload).toEqual({
      iss: keyFile().client_email,
      scope: 'https://www.googleapis.com/auth/analytics.readonly',
      aud: tokenUri,
      iat: expect.any(Number),
      exp: payload.iat! + 3_600,
    });
    expect(calls().map(bearer)).toEqual(['Bearer token-1']);
    expect(calls()[0]!.url.href).toBe(
      'https://analyticsdata.googleapis.com/v1beta/properties/123456789:runReport?prettyPrint=false',
    );
  });

  it('is slightly backdated, in whole seconds', async () => {
    const now = 1_790_000_000_900;
    fakeClock(now);
    const { fetch, tokens } = fakeGoogle();
    await runReport(analyticsConnector(fetch));
    const { payload } = await verifyAssertion(tokens()[0]!, new Date(now));
    expect(Number.isInteger(payload.iat)).toBe(true);
    const early = now / 1_000 - payload.iat!;
    expect(early).toBeGreaterThanOrEqual(10);
    expect(early).toBeLessThan(61);
  });

  it('has no key id if the file has none', async () => {
    const { fetch, tokens } = fakeGoogle();
    await runReport(analyticsConnector(fetch, keyText({ private_key_id: undefined })));
    expect((await verifyAssertion(tokens()[0]!)).protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT' });
  });

  it('for Drive requests the Drive scope, on behalf of the subject if there is one', async () => {
    for (const subject of [undefined, 'jane@company.example']) {
      const { fetch, tokens } = fakeGoogle({ api: about });
      await drive(fetch, { credentials_json: keyText(), ...(subject && { subject }) }).about.get();
      const { payload } = await verifyAssertion(tokens()[0]!);
      expect(payload.scope).toBe('https://www.googleapis.com/auth/drive');
      expect(payload.sub).toBe(subject);
      expect('sub' in payload).toBe(subject !== undefined);
    }
  });

  it('has no subject if the vendor does not support one', async () => {
    const credentials = { credentials_json: keyText(), subject: 'jane@company.example' };
    const error = await failure(() => void new GoogleAnalyticsConnector({ credentials }));
    expect(error.code).toBe('invalid_credentials');
    expect(error.message).not.toContain('jane');
  });

  it('cannot be combined with OAuth client credentials, even if both are complete', async () => {
    const credentials = { credentials_json: keyText(), client_id: 'c', client_secret: 's3cret', refresh_token: 'r3f' };
    const error = await failure(
      () => void new GoogleAnalyticsConnector({ credentials: credentials as { credentials_json: string } }),
    );
    expect(error.code).toBe('invalid_credentials');
    expect(error.message).toContain('mix fields of several modes');
  });
});

describe('a token_uri', () => {
  it.each([
    'https://evil.example/token',
    'https://oauth2.googleapis.com.evil.example/token',
    'https://evilgoogleapis.com/token',
    'https://oauth2.googleapis.com@evil.example/token',
    'https://evil.example/#.googleapis.com',
    'https://evil.example\\.googleapis.com/token',
    'http://oauth2.googleapis.com/token',
    'http://127.0.0.1:9/token',
    'file:///etc/passwd',
    'CANARY is no address',
  ])("that is not Google's is rejected before anything is sent (%s)", async (token_uri) => {
    const { fetch, sent } = fakeGoogle();
    const error = await failure(async () => runReport(analyticsConnector(fetch, keyText({ token_uri }))));
    expect(error.code).toBe('invalid_credentials');
    expect(error.message).toContain('token_uri');
    expect(error.message).toContain('endpoints.auth');
    expect(visibleText(error)).not.toMatch(/evil|CANARY|passwd/);
    expect(sent).toHaveLength(0);
  });

  it.each([tokenUri, 'https://accounts.google.com/o/oauth2/token', 'https://www.googleapis.com/oauth2/v4/token', ''])(
    "that was ever Google's is replaced with the current URL (%s)",
    async (token_uri) => {
      const { fetch, tokens } = fakeGoogle();
      await runReport(analyticsConnector(fetch, keyText({ token_uri })));
      expect(tokens()[0]!.url.href).toBe(tokenUri);
      await verifyAssertion(tokens()[0]!);
    },
  );

  it('is used only as the audience if the caller sets a URL, which receives the request', async () => {
    const token_uri = 'https://identity.company.example/sign-in';
    const { fetch, tokens } = fakeGoogle();
    await runReport(
      analyticsConnector(fetch, keyText({ token_uri }), {
        endpoints: { auth: 'https://proxy.company.example/google/' },
      }),
    );
    expect(tokens().map(({ url }) => url.href)).toEqual(['https://proxy.company.example/google/token']);
    expect(decodeJwt(assertionOf(tokens()[0]!)).aud).toBe(token_uri);
  });

  it("that is Google's stays the audience if the caller sets a server's URL", async () => {
    const { fetch, tokens, calls } = fakeGoogle();
    await runReport(analyticsConnector(fetch, keyText(), { endpoints: 'http://127.0.0.1:4010/google' }));
    expect(tokens()[0]!.url.href).toBe('http://127.0.0.1:4010/google/token');
    expect(calls()[0]!.url.origin).toBe('http://127.0.0.1:4010');
    await verifyAssertion(tokens()[0]!);
  });
});

describe('a token', () => {
  it('is requested once for 200 concurrent calls, and cached for later ones', async () => {
    const { fetch, tokens, calls } = fakeGoogle();
    const connector = analyticsConnector(fetch);
    await Promise.all(Array.from({ length: 200 }, () => runReport(connector)));
    await runReport(connector);
    expect(tokens()).toHaveLength(1);
    expect(calls()).toHaveLength(201);
    expect(new Set(calls().map(bearer))).toEqual(new Set(['Bearer token-1']));
  });

  it('is requested by each connector separately', async () => {
    const { fetch, tokens } = fakeGoogle();
    await Promise.all([runReport(analyticsConnector(fetch)), runReport(analyticsConnector(fetch))]);
    expect(tokens()).toHaveLength(2);
  });

  it('is replaced shortly before its expiry, with a new assertion', async () => {
    const time = fakeClock();
    const { fetch, tokens, calls } = fakeGoogle();
    const connector = analyticsConnector(fetch);
    await runReport(connector);
    time.advance(3_530_000);
    await runReport(connector);
    expect(tokens()).toHaveLength(1);
    time.advance(15_000);
    await Promise.all(Array.from({ length: 20 }, () => runReport(connector)));
    expect(tokens()).toHaveLength(2);
    const [first, second] = tokens().map((one) => decodeJwt(assertionOf(one)).iat!);
    expect(second! - first!).toBe(3_545);
    expect(calls().map(bearer).slice(0, 3)).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
  });

  it('with a short lifetime is used for most of that lifetime', async () => {
    const time = fakeClock();
    const { fetch, tokens } = fakeGoogle({
      token: (count) => json({ access_token: `token-${count}`, expires_in: '20' }),
    });
    const connector = analyticsConnector(fetch);
    await runReport(connector);
    time.advance(17_000);
    await runReport(connector);
    expect(tokens()).toHaveLength(1);
    time.advance(2_000);
    await runReport(connector);
    expect(tokens()).toHaveLength(2);
  });

  it.each([{}, { expires_in: null }, { expires_in: 'soon' }, { expires_in: -5 }])(
    'without an expiry is not requested again immediately (%j)',
    async (more) => {
      const { fetch, tokens } = fakeGoogle({ token: (count) => json({ access_token: `token-${count}`, ...more }) });
      const connector = analyticsConnector(fetch);
      for (let time = 0; time < 3; time++) await runReport(connector);
      expect(tokens()).toHaveLength(1);
    },
  );

  it('rejected by the API is renewed once for 100 calls, which are retried', async () => {
    const api = (one: Parameters<typeof bearer>[0]) => (bearer(one) === 'Bearer token-1' ? json({}, 401) : report());
    const { fetch, tokens, calls } = fakeGoogle({ api });
    const connector = analyticsConnector(fetch);
    await Promise.all(Array.from({ length: 100 }, () => runReport(connector)));
    expect(tokens()).toHaveLength(2);
    expect(calls().filter((one) => bearer(one) === 'Bearer token-2')).toHaveLength(100);
  });

  it('rejected by the API again fails instead of looping', async () => {
    const { fetch, sent } = fakeGoogle({ api: () => json({ error: { code: 401, message: 'no', status: 'X' } }, 401) });
    const error = await failure(runReport(analyticsConnector(fetch)));
    expect(error).toMatchObject({ code: 'unauthorized', status: 401 });
    expect(sent.map(isTokenRequest)).toEqual([true, false, true, false]);
  });

  it('is still fetched if the caller that requested it first aborts', async () => {
    const controller = new AbortController();
    const asked: Array<(reply: Response) => void> = [];
    const token = () => new Promise<Response>((answer) => asked.push(answer));
    const { fetch, tokens } = fakeGoogle({ token });
    const connector = analyticsConnector(fetch);
    const gone = failure(runReport(connector, { signal: controller.signal }));
    const waits = runReport(connector);
    await waitUntil(() => asked.length > 0);
    controller.abort();
    expect((await gone).code).toBe('aborted');
    asked[0]!(json({ access_token: 'token-1', expires_in: 3_599 }));
    await waits;
    expect(tokens()).toHaveLength(1);
  });

  it('that does not arrive in time fails the attempt, and is requested again', async () => {
    skipBackoff();
    await warmUpAndFreezeTime();
    let count = 0;
    const { fetch } = fakeFetch((one) => {
      if (!isTokenRequest(one)) return report();
      return ++count === 1 ? hangUntilAborted(one) : json({ access_token: 'token-1' });
    });
    await advanceUntilSettled(runReport(analyticsConnector(fetch, keyText(), { attemptTimeoutMs: 30 })));
    expect(count).toBe(2);
  });
});

describe('a connector', () => {
  it('does not send a token that expired while it was idle', async () => {
    const time = fakeClock();
    const { fetch, calls } = fakeGoogle();
    const connector = analyticsConnector(fetch);
    await runReport(connector);
    time.advance(7_200_000);
    await runReport(connector);
    expect(calls().map(bearer)).toEqual(['Bearer token-1', 'Bearer token-2']);
  });
});
