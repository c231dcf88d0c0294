import { describe, expect, it } from 'vitest';
import { failure } from '../failure.js';
import { fakeClock } from './fake-clock.js';
import { connectionError, fakeFetch, json } from './fake-fetch.js';
import {
  analyticsConnector,
  assertionOf,
  fakeGoogle,
  isTokenRequest,
  keyText,
  report,
  runReport,
} from './google-account.js';
import { skipBackoff } from './time.js';
import { visibleText } from './visible.js';

const refusal = (error: string, error_description: string, status = 400, headers = {}) =>
  json({ error, error_description }, status, headers);

const shortLived =
  'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.';

describe('a token error', () => {
  it.each<[string, string, number, RegExp]>([
    ['invalid_grant', 'Invalid JWT Signature.', 400, /key may have been deleted/],
    ['invalid_grant', 'Invalid grant: account not found', 400, /account has been deleted/],
    ['invalid_grant', shortLived, 400, /clock is wrong/],
    [
      'unauthorized_client',
      'Client is unauthorized to retrieve access tokens using this method, or client not authorized for any of the scopes requested.',
      401,
      /domain-wide delegation/,
    ],
  ])("(%s: %s) shows Google's message, and what to do", async (code, message, status, hint) => {
    const { fetch, sent } = fakeGoogle({ token: () => refusal(code, message, status) });
    const error = await failure(runReport(analyticsConnector(fetch)));
    expect(error).toMatchObject({ code: 'invalid_credentials', status, retryable: false, docs: 'auth' });
    expect(error.vendor).toMatchObject({ code, message });
    expect(error.message).toContain(`${code}: ${message}`);
    expect(error.hint).toMatch(hint);
    expect(error.hint).not.toContain("Google's clock");
    expect(sent).toHaveLength(1);
  });

  it('with an unknown message has no hint', async () => {
    const { fetch } = fakeGoogle({ token: () => refusal('invalid_scope', 'Empty or missing scope not allowed.') });
    expect((await failure(runReport(analyticsConnector(fetch)))).hint).toBeUndefined();
  });

  it.each([
    [600_000, '600 s ahead'],
    [-3_600_000, '3600 s behind'],
  ])('caused by a clock that is off by %i ms reports the difference', async (ms, words) => {
    fakeClock();
    const date = new Date(Math.round(Date.now() / 1_000) * 1_000 + ms).toUTCString();
    const { fetch } = fakeGoogle({ token: () => refusal('invalid_grant', shortLived, 400, { date }) });
    const { hint } = await failure(runReport(analyticsConnector(fetch)));
    expect(hint).toMatch(new RegExp(words.replace(/\d+ s/, '\\d+ s')));
    expect(Math.abs(Number(/(\d+) s/.exec(hint!)![1]) - Math.abs(ms) / 1_000)).toBeLessThan(5);
  });

  it('does not blame a correct clock', async () => {
    fakeClock();
    const date = new Date(Date.now()).toUTCString();
    const { fetch } = fakeGoogle({ token: () => refusal('invalid_grant', shortLived, 400, { date }) });
    expect((await failure(runReport(analyticsConnector(fetch)))).hint).not.toMatch(/ahead|behind/);
  });

  it('fails all calls waiting for it, and the next one requests a new token', async () => {
    let refused = true;
    const { fetch, tokens } = fakeGoogle({
      token: () => (refused ? refusal('invalid_grant', 'Invalid JWT Signature.') : json({ access_token: 'token-2' })),
    });
    const connector = analyticsConnector(fetch);
    const errors = await Promise.all(Array.from({ length: 20 }, () => failure(runReport(connector))));
    expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['invalid_credentials']));
    expect(tokens()).toHaveLength(1);
    refused = false;
    expect((await runReport(connector)).data).toHaveLength(1);
  });

  it.each([
    { id_token: 'CANARY.CANARY.CANARY' },
    { id_token: 'CANARY.CANARY.CANARY', access_token: '' },
    { id_token: 'CANARY.CANARY.CANARY', access_token: null },
  ])('is scope_missing and names the scope if the response has only an id_token (%#)', async (body) => {
    const { fetch, sent } = fakeGoogle({ token: () => json(body) });
    const error = await failure(runReport(analyticsConnector(fetch)));
    expect(error).toMatchObject({ code: 'scope_missing', retryable: false, docs: 'auth' });
    expect(error.message).toContain('analytics.readonly');
    expect(visibleText(error)).not.toContain('CANARY');
    expect(sent).toHaveLength(1);
  });

  it('shows neither the assertion nor the token if a vendor echoes them', async () => {
    skipBackoff();
    for (const status of [400, 500]) {
      const { fetch, sent } = fakeFetch((one) =>
        json({ error: 'invalid_grant', error_description: `${one.body} ${assertionOf(one)}` }, status),
      );
      const seen = visibleText(await failure(runReport(analyticsConnector(fetch))));
      for (const one of sent.map(assertionOf)) for (const part of one.split('.')) expect(seen).not.toContain(part);
    }
    const { fetch } = fakeGoogle({
      token: () => json({ access_token: 'CANARY-token-1' }),
      api: ({ headers }) => new Response(`bad ${headers.get('authorization')}`, { status: 400 }),
    });
    expect(visibleText(await failure(runReport(analyticsConnector(fetch))))).not.toContain('CANARY');
  });

  it.each(['CANARY\nline', 'CANARY…', 'CANARY\0'])(
    'is reported for a token that is not a valid header value (%j)',
    async (access_token) => {
      const { fetch, sent } = fakeGoogle({ token: () => json({ access_token }) });
      const error = await failure(runReport(analyticsConnector(fetch)));
      expect(error.code).toBe('invalid_response');
      expect(visibleText(error)).not.toContain('CANARY');
      expect(sent.every(isTokenRequest)).toBe(true);
    },
  );
});

describe('a transient token endpoint failure', () => {
  it.each<[string, () => Response]>([
    ['500', () => new Response('upstream', { status: 500 })],
    ['503', () => json({ error: 'temporarily_unavailable' }, 503)],
    ['502 with a page', () => new Response('<html>CANARY</html>', { status: 502 })],
    [
      'a broken connection',
      () => {
        throw connectionError('ECONNRESET');
      },
    ],
    [
      'a refused connection',
      () => {
        throw connectionError('ECONNREFUSED');
      },
    ],
  ])('(%s) is retried', async (_, fail) => {
    skipBackoff();
    const { fetch, tokens, calls } = fakeGoogle({
      token: (count) => (count < 3 ? fail() : json({ access_token: 'token-3' })),
    });
    await runReport(analyticsConnector(fetch));
    expect(tokens()).toHaveLength(3);
    expect(calls()).toHaveLength(1);
  });

  it('that persists is reported unchanged', async () => {
    skipBackoff();
    const { fetch, sent } = fakeGoogle({ token: () => json({ error: 'backend_error' }, 503) });
    const error = await failure(runReport(analyticsConnector(fetch)));
    expect(error).toMatchObject({ code: 'vendor_error', status: 503, retryable: true });
    expect(error.message).toContain('backend_error');
    expect(sent).toHaveLength(3);
  });

  it('costs no more attempts for 50 calls than for one', async () => {
    skipBackoff();
    const { fetch, tokens } = fakeGoogle({
      token: (count) => (count === 1 ? new Response('', { status: 500 }) : json({ access_token: 'token-2' })),
      api: report,
    });
    const connector = analyticsConnector(fetch, keyText());
    await Promise.all(Array.from({ length: 50 }, () => runReport(connector)));
    expect(tokens()).toHaveLength(2);
  });
});
