import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { failure } from '../failure.js';
import { fakeFetch } from './fake-fetch.js';
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
import { visibleText } from './visible.js';

const text = keyText();
const small = JSON.stringify(keyFile());
const base64 = Buffer.from(text).toString('base64');
const pkcs1 = String(keys.privateKey.export({ type: 'pkcs1', format: 'pem' }));
const encrypted = { format: 'pem', cipher: 'aes-256-cbc', passphrase: 'p' } as const;
const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** The first and the last line between BEGIN and END. */
const lines = pem.trim().split('\n').slice(1, -1);
const half = lines.slice(0, lines.length / 2).join('\n');

describe('a key file can be parsed', () => {
  it.each<[string, string]>([
    ["in the console's format", text],
    ['on one line', small],
    ['with its key in PKCS#1', keyText({ private_key: pkcs1 })],
    ['without the key id and the token_uri', keyText({ private_key_id: undefined, token_uri: undefined })],
    ['surrounded by whitespace', `\n\t ${text} \r\n`],
    ['with a byte order mark', `\uFEFF${text}`],
    ['with Windows line breaks', text.replaceAll('\n', '\r\n')],
    ['with Windows line breaks in the key', keyText({ private_key: pem.replaceAll('\n', '\r\n') })],
    ['with a literal \\n in the key', keyText({ private_key: pem.replaceAll('\n', '\\n') })],
    ['with a literal \\r\\n in the key', keyText({ private_key: pem.replaceAll('\n', '\\r\\n') })],
    ['with a literal \\n in a key in PKCS#1', keyText({ private_key: pkcs1.replaceAll('\n', '\\n') })],
    ['with spaces instead of line breaks in the key', keyText({ private_key: pem.replaceAll('\n', ' ').trim() })],
    ["without the key's final line break", keyText({ private_key: pem.trim() })],
    ['with line breaks expanded by a shell', small.replaceAll('\\n', '\n')],
    ['with line breaks expanded by a shell, on several lines', text.replaceAll('\\n', '\n')],
    ['with line breaks expanded by a Windows shell', text.replaceAll('\\n', '\r\n')],
    ['as a JSON string', JSON.stringify(text)],
    ['as a JSON string on one line', JSON.stringify(small)],
    ['in base64', base64],
    ['in Base64 with lines of 76 characters', base64.replace(/.{76}/g, '$&\n')],
    ['in Base64url', Buffer.from(text).toString('base64url')],
  ])('%s', async (_, credentials_json) => {
    const { fetch, sent, tokens, calls } = fakeGoogle();
    await runReport(analyticsConnector(fetch, credentials_json));
    expect(sent).toHaveLength(2);
    expect((await verifyAssertion(tokens()[0]!)).payload.iss).toBe(keyFile().client_email);
    expect(calls()[0]!.headers.get('authorization')).toBe('Bearer token-1');
  });

  it('with any RSA key size', async () => {
    for (const modulusLength of [1024, 1536]) {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength });
      for (const type of ['pkcs1', 'pkcs8'] as const) {
        const { fetch, sent } = fakeGoogle();
        await runReport(
          analyticsConnector(fetch, keyText({ private_key: String(privateKey.export({ type, format: 'pem' })) })),
        );
        expect(sent).toHaveLength(2);
      }
    }
  });
});

const canary = 'CANARYcanary42';
const client = { client_id: canary, client_secret: canary, redirect_uris: [canary] };
const marked = (more: object) => keyText({ project_id: canary, client_id: canary, ...more });
const between = (label: string, body: string) => `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`;

describe('an unusable key file', () => {
  it.each<[string, string, string]>([
    ["an OAuth client's file", JSON.stringify({ installed: client }), "is an OAuth client's file"],
    ["a web client's file", JSON.stringify({ web: client }), "is an OAuth client's file"],
    [
      'a gcloud user credentials file',
      JSON.stringify({ type: 'authorized_user', ...client, refresh_token: canary }),
      'is a gcloud user credentials file',
    ],
    [
      'another kind of account',
      JSON.stringify({ type: 'external_account', audience: canary }),
      'is not a service account key file',
    ],
    ['a type that is a secret', JSON.stringify({ type: canary }), 'is not a service account key file'],
    [
      'no type',
      JSON.stringify({ ...keyFile({ project_id: canary }), type: undefined }),
      'is not a service account key file',
    ],
    ['no client_email', marked({ client_email: undefined }), 'has no client_email'],
    ['an invalid client_email', marked({ client_email: canary }), 'has no client_email'],
    ['no private_key', marked({ private_key: undefined }), 'has no private_key'],
    ['an empty private_key', marked({ private_key: '' }), 'has no private_key'],
    ['a key without its end', marked({ private_key: pem.slice(0, 800) }), 'has a private_key that is not PEM'],
    ['a key without its start', marked({ private_key: pem.slice(40) }), 'has a private_key that is not PEM'],
    ['half a key', marked({ private_key: between('PRIVATE KEY', half) }), 'is truncated'],
    ['half a key in PKCS#1', marked({ private_key: between('RSA PRIVATE KEY', half) }), 'is truncated'],
    ['an empty key', marked({ private_key: between('PRIVATE KEY', '') }), 'has a private_key that'],
    ['a key that is not Base64', marked({ private_key: between('PRIVATE KEY', `${canary}!`) }), 'is not base64'],
    ['a key that is only Base64', marked({ private_key: lines.join('') }), 'is not PEM'],
    ['a placeholder instead of a key', marked({ private_key: `<${canary}>` }), 'is not PEM'],
    [
      'an encrypted key',
      marked({ private_key: keys.privateKey.export({ type: 'pkcs8', ...encrypted }) }),
      'has a private_key that is encrypted',
    ],
    [
      'an encrypted key in PKCS#1',
      marked({ private_key: keys.privateKey.export({ type: 'pkcs1', ...encrypted }) }),
      'has a private_key that is encrypted',
    ],
    [
      'a public key',
      marked({ private_key: keys.publicKey.export({ type: 'spki', format: 'pem' }) }),
      'has a private_key that is no',
    ],
    [
      'an elliptic curve key in its own format',
      marked({ private_key: elliptic.privateKey.export({ type: 'sec1', format: 'pem' }) }),
      'has a private_key that is no',
    ],
    ['a truncated file', marked({}).slice(0, -80), 'is not key file JSON'],
    ['the path of a file', `/home/me/${canary}.json`, 'is not key file JSON'],
    ['only a key', pem, 'is not key file JSON'],
    ['a list', JSON.stringify([keyFile({ client_id: canary })]), 'is not key file JSON'],
    ['a number', '42', 'is not key file JSON'],
    ['null', 'null', 'is not key file JSON'],
    ['nothing', '', 'is not key file JSON'],
    ['JSON quoted twice', JSON.stringify(JSON.stringify(canary)), 'is not key file JSON'],
  ])(
    '(%s) is rejected immediately, with the reason and without quoting its contents',
    async (_, credentials_json, message) => {
      const { fetch, sent } = fakeFetch(() => new Response());
      const error = await failure(() => void analyticsConnector(fetch, credentials_json));
      expect(error).toMatchObject({ code: 'invalid_credentials', docs: 'auth', retryable: false });
      expect(error.message).toContain(message);
      expect(error.issues).toMatchObject([{ path: 'credentials.credentials_json' }]);
      const seen = visibleText(error);
      expect(seen).not.toContain('CANARY');
      expect(seen).not.toContain('BEGIN PRIVATE');
      for (const line of [...lines, keyFile().client_email]) expect(seen).not.toContain(line);
      expect(sent).toHaveLength(0);
    },
  );

  it.each<[string, unknown]>([
    ['parsed already', keyFile({ project_id: canary })],
    ['as bytes', Buffer.from(text)],
    ['as a number', 42],
    ['as null', null],
  ])('(%s) is not text, and the error says so', async (_, credentials_json) => {
    const { fetch } = fakeFetch(() => new Response());
    const error = await failure(() => void analyticsConnector(fetch, credentials_json as string));
    expect(error.code).toBe('invalid_credentials');
    expect(error.message).toContain('credentials_json is not a string: pass the contents of the key file');
    expect(visibleText(error)).not.toContain('CANARY');
    expect(visibleText(error)).not.toContain(lines[3]);
  });

  it('with another type of key is rejected on the first call, before anything is sent', async () => {
    const pss = generateKeyPairSync('rsa-pss', { modulusLength: 1024 });
    for (const { privateKey } of [elliptic, pss]) {
      const { fetch, sent } = fakeGoogle();
      const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' });
      const connector = analyticsConnector(fetch, marked({ private_key }));
      for (let time = 0; time < 2; time++) {
        const error = await failure(runReport(connector));
        expect(error).toMatchObject({ code: 'invalid_credentials', retryable: false });
        expect(error.message).toContain('private_key in credentials_json is damaged or not an RSA key');
        expect(visibleText(error)).not.toContain('CANARY');
        expect(visibleText(error)).not.toContain(String(private_key).split('\n')[1]);
      }
      expect(sent).toHaveLength(0);
    }
  });
});

describe('a key', () => {
  it('with one corrupted byte is rejected by the library or by Google, and never shown', async () => {
    const der = keys.privateKey.export({ type: 'pkcs8', format: 'der' });
    const token = () =>
      new Response('{"error":"invalid_grant","error_description":"Invalid JWT Signature."}', { status: 400 });
    for (let at = 0; at < der.length; at += 61) {
      const damaged = Buffer.from(der);
      damaged[at]! ^= 0x11;
      const body = damaged.toString('base64').replace(/.{64}/g, '$&\n');
      const { fetch, calls } = fakeGoogle({ token });
      const make = () =>
        runReport(analyticsConnector(fetch, keyText({ private_key: between('PRIVATE KEY', body) }), { retries: 0 }));
      const error = await failure(make);
      expect(error.code, `byte ${at}`).toBe('invalid_credentials');
      for (const line of body.split('\n')) expect(visibleText(error)).not.toContain(line);
      expect(calls()).toHaveLength(0);
    }
  });

  it('is hidden, along with the rest of its key file, when a connector is inspected', async () => {
    const { fetch } = fakeGoogle();
    const connector = analyticsConnector(fetch);
    await runReport(connector);
    const seen = visibleText(connector);
    expect(seen).not.toContain('BEGIN PRIVATE KEY');
    expect(seen).not.toContain(keyFile().client_email);
    expect(seen).not.toContain('token-1');
  });
});
