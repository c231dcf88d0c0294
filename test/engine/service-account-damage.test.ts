import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { failure } from '../failure.js';
import { json } from './fake-fetch.js';
import {
  analyticsConnector,
  fakeGoogle,
  keyFile,
  keys,
  keyText,
  pem,
  runReport,
  verifyAssertion,
} from './google-account.js';
import { skipBackoff } from './time.js';

const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' });

describe('a damaged key', () => {
  it('that can be parsed but not used fails with invalid_credentials before anything is sent', async () => {
    const der = keys.privateKey.export({ type: 'pkcs8', format: 'der' });
    const modulus = Buffer.from(keys.privateKey.export({ format: 'jwk' }).n!, 'base64url');
    const damaged = Buffer.from(der);
    damaged[der.indexOf(modulus) + modulus.length - 1]! ^= 1;
    const private_key = `-----BEGIN PRIVATE KEY-----\n${damaged.toString('base64')}\n-----END PRIVATE KEY-----\n`;
    const { fetch, sent } = fakeGoogle();
    const error = await failure(runReport(analyticsConnector(fetch, keyText({ private_key }))));
    expect(error.code).toBe('invalid_credentials');
    expect(error.message).toContain('private_key');
    expect(sent).toHaveLength(0);
  });
});

describe('a 200 without a token', () => {
  it.each([
    ['a page from a proxy', () => new Response('<html>Sign in</html>', { headers: { 'content-type': 'text/html' } })],
    ['an empty body', () => new Response('')],
    ['a list', () => json([])],
    ['another object', () => json({ ok: true })],
    ['a token that is a number', () => json({ access_token: 5 })],
  ])('(%s) is not mistaken for a missing scope', async (_, token) => {
    skipBackoff();
    const { fetch } = fakeGoogle({ token });
    const error = await failure(runReport(analyticsConnector(fetch)));
    expect(error.code).not.toBe('scope_missing');
  });
});

describe('a delay requested by the token endpoint', () => {
  it('is treated as a rate limit and is respected', async () => {
    skipBackoff();
    const { fetch, sent } = fakeGoogle({
      token: (count) =>
        count === 1
          ? new Response('', { status: 429, headers: { 'retry-after': '0.2' } })
          : json({ access_token: 't' }),
    });
    await runReport(analyticsConnector(fetch));
    expect(sent[1]!.at - sent[0]!.at).toBeGreaterThan(190);
  });

  it('is reported as a rate limit when there are no retries left', async () => {
    const { fetch } = fakeGoogle({ token: () => new Response('', { status: 429, headers: { 'retry-after': '7' } }) });
    const error = await failure(runReport(analyticsConnector(fetch, keyText(), { retries: 0 })));
    expect(error).toMatchObject({ code: 'rate_limited', retryAfterMs: 7_000 });
  });

  it('does not apply if the URL is wrong: the request is not retried', async () => {
    skipBackoff();
    for (const status of [404, 405, 301]) {
      const { fetch, sent } = fakeGoogle({ token: () => new Response('', { status }) });
      await failure(runReport(analyticsConnector(fetch)));
      expect(sent, String(status)).toHaveLength(1);
    }
  });
});

describe('other formats of a key file', () => {
  const small = JSON.stringify(keyFile());
  it.each([
    ['in single quotes, as Docker keeps them', `'${small}'`],
    ['in double quotes without escaping', `"${small}"`],
    ['with escaped quotes', JSON.stringify(small).slice(1, -1)],
    ['without any line breaks in the key', keyText({ private_key: pem.replaceAll('\n', '') })],
    ['with null for missing fields', keyText({ private_key_id: null, token_uri: null })],
  ])('%s', async (_, credentials_json) => {
    const { fetch, tokens } = fakeGoogle();
    await runReport(analyticsConnector(fetch, credentials_json));
    await verifyAssertion(tokens()[0]!);
  });
});

describe('a message', () => {
  it.each<[string, object, RegExp]>([
    ['no client_email', { client_email: null }, /has no client_email/],
    ['no private_key', { private_key: null }, /has no private_key/],
    ['a number as the key', { private_key: 5 }, /private_key/],
    ['an EC key', { private_key: elliptic.privateKey.export({ type: 'sec1', format: 'pem' }) }, /not an RSA key/],
    [
      'an OpenSSH key',
      { private_key: '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----' },
      /not an RSA key|OpenSSH/,
    ],
  ])('says what is wrong: %s', async (_, more, words) => {
    const { fetch } = fakeGoogle();
    expect((await failure(() => void analyticsConnector(fetch, keyText(more)))).message).toMatch(words);
  });
});
