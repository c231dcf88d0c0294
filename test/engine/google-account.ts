import { generateKeyPairSync } from 'node:crypto';
import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
import { type JWTVerifyResult, jwtVerify } from 'jose';
import { fakeFetch, json, type SentRequest } from './fake-fetch.js';

/** The audience of an assertion, as it appears in key files. */
export const tokenUri = 'https://oauth2.googleapis.com/token';

/** The account's keys, generated once per test file. */
export const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** The private key in the console's format. */
export const pem = String(keys.privateKey.export({ type: 'pkcs8', format: 'pem' }));

/** The contents of a key file in the console's format. */
export const keyFile = (more: object = {}) => ({
  type: 'service_account',
  project_id: 'reports',
  private_key_id: '0123456789abcdef',
  private_key: pem,
  client_email: 'reader@reports.iam.gserviceaccount.com',
  client_id: '100000000000000000001',
  token_uri: tokenUri,
  universe_domain: 'googleapis.com',
  ...more,
});

/** The text of such a file. */
export const keyText = (more: object = {}) => JSON.stringify(keyFile(more), null, 2);

/** The API's response to a report. */
export const report = () =>
  json({
    dimensionHeaders: [{ name: 'date' }],
    metricHeaders: [{ name: 'screenPageViews', type: 'TYPE_INTEGER' }],
    rows: [{ dimensionValues: [{ value: '20261001' }], metricValues: [{ value: '7' }] }],
    rowCount: 1,
  });

/** Whether a request is for a token. */
export const isTokenRequest = ({ url }: SentRequest) => url.pathname.endsWith('/token');

/** The token that a request carries. */
export const bearer = ({ headers }: SentRequest) => headers.get('authorization');

/** The assertion in a token request. */
export const assertionOf = ({ body }: SentRequest) => new URLSearchParams(body).get('assertion') ?? '';

/** The assertion, if Google would accept it at this time. */
export const verifyAssertion = (sent: SentRequest, now = new Date()): Promise<JWTVerifyResult> =>
  jwtVerify(assertionOf(sent), keys.publicKey, {
    algorithms: ['RS256'],
    audience: tokenUri,
    issuer: keyFile().client_email,
    typ: 'JWT',
    currentDate: now,
  });

/**
 * Google as a `fetch`: `token-1`, `token-2`, … valid for an hour each, and an API whose responses the test can choose.
 */
export function fakeGoogle({
  api = report,
  token = (count: number): Response | Promise<Response> =>
    json({ access_token: `token-${count}`, expires_in: 3_599, token_type: 'Bearer' }),
}: {
  api?: (sent: SentRequest) => Response;
  token?: (count: number) => Response | Promise<Response>;
} = {}) {
  let tokens = 0;
  const { fetch, sent } = fakeFetch((one) => (isTokenRequest(one) ? token(++tokens) : api(one)));
  return {
    fetch,
    sent,
    tokens: () => sent.filter(isTokenRequest),
    calls: () => sent.filter((one) => !isTokenRequest(one)),
  };
}

/** A connector with the account and a given `fetch`. */
export const analyticsConnector = (
  fetch: typeof globalThis.fetch,
  credentials_json = keyText(),
  options: object = {},
) => new GoogleAnalyticsConnector({ credentials: { credentials_json }, fetch, ...options });

/** One small report. */
export const runReport = (connector: GoogleAnalyticsConnector, options?: object) =>
  connector.execute('pages', 'list', { property_id: '123456789', limit: 1 }, options);
