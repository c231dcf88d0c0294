import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { skipBackoff } from '../../../sandbox/src/testing/time.js';
import { failure } from '../../failure.js';
import { property, reportOf } from './setup.js';

beforeEach(() => skipBackoff());
afterEach(() => void vi.restoreAllMocks());

const client = { client_id: 'c.apps.googleusercontent.com', client_secret: 'GOCSPX-s', refresh_token: '1//r+e=' };

/** A connector whose token responses are supplied by the test in turn; the last one repeats. */
function withTokens(...answers: Array<object | Response>) {
  const asked: Array<{ url: string; type: string | null; form: Record<string, string> }> = [];
  const bearers: Array<string | null> = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const headers = new Headers(init?.headers);
    if (!String(url).endsWith('/token')) {
      bearers.push(headers.get('authorization'));
      return Response.json(reportOf([]));
    }
    const form = Object.fromEntries(new URLSearchParams(String(init?.body)));
    asked.push({ url: String(url), type: headers.get('content-type'), form });
    const answer = answers[Math.min(asked.length, answers.length) - 1]!;
    return answer instanceof Response ? answer.clone() : Response.json(answer);
  };
  const told: object[] = [];
  const analytics = new GoogleAnalyticsConnector({
    credentials: client,
    fetch,
    hooks: { onTokenRefresh: (tokens) => void told.push(tokens) },
  });
  return { analytics, asked, bearers, told };
}

const granted = { access_token: 'ya29.a', expires_in: 3599, scope: 's', token_type: 'Bearer' };

describe('an OAuth client', () => {
  test('exchanges its refresh token, which does not change, for an access token', async () => {
    const { analytics, asked, bearers, told } = withTokens({ ...granted, id_token: 'e30.e30.e30' });
    await analytics.pages.list(property);
    await analytics.pages.list(property);
    expect(asked).toEqual([
      {
        url: 'https://oauth2.googleapis.com/token',
        type: 'application/x-www-form-urlencoded',
        form: { grant_type: 'refresh_token', ...client },
      },
    ]);
    expect(bearers).toEqual(['Bearer ya29.a', 'Bearer ya29.a']);
    expect(told).toEqual([
      { access_token: 'ya29.a', refresh_token: client.refresh_token, expires_at: expect.stringMatching(/Z$/) },
    ]);
  });

  test('adopts and reports a new refresh token if Google sends one', async () => {
    const { analytics, told } = withTokens({ ...granted, refresh_token: '1//new' });
    await analytics.pages.list(property);
    expect(told).toMatchObject([{ refresh_token: '1//new' }]);
  });

  test.each([
    [400, 'invalid_grant', 'Token has been expired or revoked.'],
    [400, 'invalid_grant', 'Bad Request'],
    [401, 'invalid_client', 'The OAuth client was not found.'],
    [401, 'deleted_client', 'The OAuth client was deleted.'],
    [401, 'disabled_client', 'The OAuth client was disabled.'],
    [403, 'unauthorized_client', 'Unauthorized'],
    [400, 'invalid_scope', 'Bad scope'],
  ])(
    "that is rejected fails with invalid_credentials after one attempt, in Google's words: %d %s, %s",
    async (status, error, words) => {
      const { analytics, asked, bearers } = withTokens(
        Response.json({ error, error_description: words, error_subtype: 'invalid_rapt' }, { status }),
      );
      const failed = await failure(analytics.pages.list(property));
      expect(failed).toMatchObject({ code: 'invalid_credentials', status, retryable: false, docs: 'auth' });
      expect(failed.message).toContain(error);
      expect([asked.length, bearers.length]).toEqual([1, 0]);
    },
  );

  test.each([500, 503, 429])('gets its token on a retry after a transient failure: %d', async (status) => {
    const { analytics, asked } = withTokens(Response.json({}, { status, headers: { 'retry-after': '0' } }), granted);
    expect((await analytics.pages.list(property)).data).toEqual([]);
    expect(asked).toHaveLength(2);
  });
});

test('two auth modes together are rejected before anything is sent', async () => {
  const credentials = { ...client, credentials_json: '{"type":"service_account"}' };
  const made = () => new GoogleAnalyticsConnector({ credentials: credentials as { credentials_json: string } });
  const error = await failure(Promise.resolve().then(made));
  expect(error.code).toBe('invalid_credentials');
  for (const secret of Object.values(client)) expect(error.message).not.toContain(secret);
});
