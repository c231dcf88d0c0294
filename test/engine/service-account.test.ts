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
  it("is a JWT that Google's key verifies, traded for the token of the call", async () => {
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

  it('is backdated a little, in whole seconds', async () => {
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

  it('names no key where the file names none', async () => {
    const { fetch, tokens } = fakeGoogle();
    await runReport(analyticsConnector(fetch, keyText({ private_key_id: undefined })));
    expect((await verifyAssertion(tokens()[0]!)).protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT' });
  });

  it('of Drive asks for its scope, in the name of the subject where there is one', async () => {
    for (const subject of [undefined, 'jane@company.example']) {
      const { fetch, tokens } = fakeGoogle({ api: about });
      await drive(fetch, { credentials_json: keyText(), ...(subject && { subject }) }).about.get();
      const { payload } = await verifyAssertion(tokens()[0]!);
      expect(payload.scope).toBe('https://www.googleapis.com/auth/drive');
      expect(payload.sub).toBe(subject);
      expect('sub' in payload).toBe(subject !== undefined);
    }
  });

  it('has no subject where the vendor knows of none', async () => {
    const credentials = { credentials_json: keyText(), subject: 'jane@company.example' };
    const error = await failure(() => void new GoogleAnalyticsConnector({ credentials }));
    expect(error.code).toBe('invalid_credentials');
    expect(error.message).not.toContain('jane');
  });

  it('is not mixed with an OAuth client, whatever is complete', async () => {
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
  ])("that is not Google's is refused before anything is sent (%s)", async (token_uri) => {
    const { fetch, sent } = fakeGoogle();
    const error = await failure(async () => runReport(analyticsConnector(fetch, keyText({ token_uri }))));
    expect(error.code).toBe('invalid_credentials');
    expect(error.message).toContain('token_uri');
    expect(error.message).toContain('endpoints.auth');
    expect(visibleText(error)).not.toMatch(/evil|CANARY|passwd/);
    expect(sent).toHaveLength(0);
  });

  it.each([tokenUri, 'https://accounts.google.com/o/oauth2/token', 'https://www.googleapis.com/oauth2/v4/token', ''])(
    'of Google, however old, stands for the one address (%s)',
    async (token_uri) => {
      const { fetch, tokens } = fakeGoogle();
      await runReport(analyticsConnector(fetch, keyText({ token_uri })));
      expect(tokens()[0]!.url.href).toBe(tokenUri);
      await verifyAssertion(tokens()[0]!);
    },
  );

  it('is only whom the assertion is for where the caller names an address: that is where it goes', async () => {
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

  it("of Google stays the audience where the caller names an address of a server's", async () => {
    const { fetch, tokens, calls } = fakeGoogle();
    await runReport(analyticsConnector(fetch, keyText(), { endpoints: 'http://127.0.0.1:4010/google' }));
    expect(tokens()[0]!.url.href).toBe('http://127.0.0.1:4010/google/token');
    expect(calls()[0]!.url.origin).toBe('http://127.0.0.1:4010');
    await verifyAssertion(tokens()[0]!);
  });
});

describe('a token', () => {
  it('is asked for once for 200 calls at once, and kept for those that follow', async () => {
    const { fetch, tokens, calls } = fakeGoogle();
    const connector = analyticsConnector(fetch);
    await Promise.all(Array.from({ length: 200 }, () => runReport(connector)));
    await runReport(connector);
    expect(tokens()).toHaveLength(1);
    expect(calls()).toHaveLength(201);
    expect(new Set(calls().map(bearer))).toEqual(new Set(['Bearer token-1']));
  });

  it('is asked for by each connector for itself', async () => {
    const { fetch, tokens } = fakeGoogle();
    await Promise.all([runReport(analyticsConnector(fetch)), runReport(analyticsConnector(fetch))]);
    expect(tokens()).toHaveLength(2);
  });

  it('is replaced a little before its end, by a new assertion', async () => {
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

  it('of a short life is used for most of it', async () => {
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
    'whose end is not said is not asked for again at once (%j)',
    async (more) => {
      const { fetch, tokens } = fakeGoogle({ token: (count) => json({ access_token: `token-${count}`, ...more }) });
      const connector = analyticsConnector(fetch);
      for (let time = 0; time < 3; time++) await runReport(connector);
      expect(tokens()).toHaveLength(1);
    },
  );

  it('that the API refuses is renewed once for 100 calls, which are repeated', async () => {
    const api = (one: Parameters<typeof bearer>[0]) => (bearer(one) === 'Bearer token-1' ? json({}, 401) : report());
    const { fetch, tokens, calls } = fakeGoogle({ api });
    const connector = analyticsConnector(fetch);
    await Promise.all(Array.from({ length: 100 }, () => runReport(connector)));
    expect(tokens()).toHaveLength(2);
    expect(calls().filter((one) => bearer(one) === 'Bearer token-2')).toHaveLength(100);
  });

  it('that the API refuses again is the end: no loop', async () => {
    const { fetch, sent } = fakeGoogle({ api: () => json({ error: { code: 401, message: 'no', status: 'X' } }, 401) });
    const error = await failure(runReport(analyticsConnector(fetch)));
    expect(error).toMatchObject({ code: 'unauthorized', status: 401 });
    expect(sent.map(isTokenRequest)).toEqual([true, false, true, false]);
  });

  it('goes on being had when the caller who asked for it first has gone', async () => {
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

  it('that does not come in time fails the attempt, and is asked for again', async () => {
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
  it('that was idle for longer than its token lived does not send it', async () => {
    const time = fakeClock();
    const { fetch, calls } = fakeGoogle();
    const connector = analyticsConnector(fetch);
    await runReport(connector);
    time.advance(7_200_000);
    await runReport(connector);
    expect(calls().map(bearer)).toEqual(['Bearer token-1', 'Bearer token-2']);
  });
});
