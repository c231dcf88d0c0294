import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLogger } from '../../service/src/common/log.js';
import { caseCount } from '../cases.js';

/** A logger and the lines it has written. */
function written(readable = false) {
  const lines: string[] = [];
  return { lines, logger: createLogger({ readable, destination: { write: (line: string) => lines.push(line) } }) };
}

const canaries = {
  client_secret: 'canary-1',
  password: 'canary-2',
  api_key: 'canary-3',
  Authorization: 'Bearer canary-4-and-more',
  'set-cookie': ['canary-5'],
  credentials: { any: 'canary-6' },
  deep: { er: [{ refresh_token: 'canary-7' }] },
  access_key: 'canary-8',
};

describe.each([false, true])('the log (readable: %s)', (readable) => {
  it('omits the values of secret fields at any depth', () => {
    const { lines, logger } = written(readable);
    logger.info({ ...canaries, status: 200 }, 'request');
    expect(lines.join('')).not.toContain('canary');
    expect(lines.join('')).toContain('200');
  });

  it('omits anything that looks like a secret, wherever it occurs', () => {
    const { lines, logger } = written(readable);
    const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJl';
    const long = 'canary'.repeat(7);
    const secret = `acs_${long}x ort_${long}.${long} whsec_${long}/+= acck_/${long}=`;
    const pem = '-----BEGIN PRIVATE KEY-----\ncanary\n-----END PRIVATE KEY-----';
    const error = new Error(`refused ${jwt}`, { cause: new Error(`for ${secret}`) });
    Object.assign(error, { request: { headers: { authorization: 'Bearer canary-1-and-more' } } });
    logger.error({ err: error, note: pem, other: `Basic Y2FuYXJ5OmNhbmFyeQ==` }, `asked with Bearer canary-2-and-more`);
    const text = lines.join('');
    for (const form of ['canary', 'eyJ', 'Y2FuYXJ5']) expect(text).not.toContain(form);
    expect(text).toContain('refused [redacted]');
    expect(text).toContain('log.test.ts');
  });

  it('includes the cause of a SQLite failure', () => {
    const { lines, logger } = written();
    const error = Object.assign(new Error('failed'), { code: 'ERR_SQLITE_ERROR', errcode: 13, errstr: 'disk is full' });
    logger.error({ err: error }, 'failed');
    expect(JSON.parse(lines[0]!).err).toMatchObject({ errcode: 13, errstr: 'disk is full' });
  });

  it('handles circular objects', () => {
    const { lines, logger } = written(readable);
    const self: Record<string, unknown> = { status: 1 };
    self.self = self;
    logger.warn(self, 'round');
    expect(lines).toHaveLength(1);
  });
});

describe('log levels', () => {
  it('are respected', () => {
    const lines: string[] = [];
    const logger = createLogger({ level: 'warn', destination: { write: (line) => lines.push(line) } });
    logger.debug({}, 'a');
    logger.info({}, 'b');
    logger.warn({}, 'c');
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['c']);
  });
});

/** The line that one call logs. */
function logged(fields: object, message = 'm', readable = false): string {
  const { lines, logger } = written(readable);
  logger.info(fields, message);
  return lines.join('');
}

const names = [
  'authorization',
  'Authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'api_key',
  'apiKey',
  'client_secret',
  'clientSecret',
  'refresh_token',
  'refreshToken',
  'access_key',
  'access_key_secret',
  'password',
  'private_key',
  'privateKey',
  'credentials',
  'credentials_json',
  'token',
  'id_token',
  'passwd',
  'key',
];

const word = fc.string({ unit: fc.constantFrom(...'abcdefgh0123'), minLength: 12, maxLength: 20 }).map((w) => `zq${w}`);

/** A value with secrets below the names of secret fields, at any depth. */
const nested = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.constantFrom(null, 1, true, 'plain', 'two words'),
    fc.tuple(fc.constantFrom(...names), word).map(([name, secret]) => ({ [name]: secret, other: 'plain' })),
    fc.tuple(fc.constantFrom(...names), tie('value'), word).map(([name, value, secret]) => ({
      [name]: [{ a: secret }, value],
    })),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('status', 'route', 'connector', 'err', 'inner'), tie('value'), { maxKeys: 3 }),
  ),
})).value;

describe('the log', () => {
  it.each([false, true])('omits all values below a secret field, at any depth (readable: %s)', (readable) => {
    fc.assert(
      fc.property(nested, (value) => {
        const line = logged({ value, list: [value] }, 'm', readable);
        expect(line).not.toMatch(/zq[a-h0-3]{12}/);
        if (!readable) JSON.parse(line);
      }),
      { numRuns: caseCount(500) },
    );
  });

  it('omits tokens in known formats from any string', () => {
    const unit = fc.constantFrom(...'ABCDEFabcdef0123456789_-');
    const part = fc.string({ unit, minLength: 20, maxLength: 60 });
    const forms = fc.oneof(
      part.map((text) => [`Bearer ${text}`, text] as const),
      part.map((text) => [`basic ${text}`, text] as const),
      part.map((text) => [`acs_${text}`, text] as const),
      part.map((text) => [`eyJ${text}.${text}.${text}`, text] as const),
      part.map((text) => [`-----BEGIN RSA PRIVATE KEY-----\n${text}\n-----END RSA PRIVATE KEY-----`, text] as const),
    );
    const around = fc.constantFrom('', ' ', '\n', 'said: ', '(', "'", '=');
    fc.assert(
      fc.property(forms, around, around, ([form, secret], before, after) => {
        const text = `${before}${form}${after}`;
        for (const line of [logged({ note: text }), logged({}, text), logged({ err: new Error(text) })]) {
          expect(line.includes(secret)).toBe(false);
          JSON.parse(line);
        }
      }),
      { numRuns: caseCount(300) },
    );
  });

  it.each(
    Object.entries({
      'the user info of a URL': 'failed at https://user:zqSecret1234@db.example/x',
      'a query': 'GET https://api.example/v1?access_token=zqSecret1234&page=2',
      'JSON within a string': JSON.stringify({ client_secret: 'zqSecret1234' }),
      'a header without a scheme': 'x-api-key: zqSecret1234',
    }),
  )('contains no secret in %s', (_, text) => {
    expect(logged({ note: text })).not.toContain('zqSecret1234');
  });

  it.each(['Bearer zqSecret1234', `acs_${'zqSecret1234'.repeat(3)}`, 'eyJabcdefg.zqSecret1234.zqSecret1234'])(
    'omits a token at the start of a line (%s)',
    (token) => {
      expect(logged({ note: `sent:\n${token}` })).not.toContain('zqSecret1234');
    },
  );

  it('omits the values of camel-case key fields', () => {
    expect(logged({ accessKey: 'zqSecret1234' })).not.toContain('zqSecret1234');
  });

  it('is valid JSON even if a key file was logged as text', () => {
    const file = JSON.stringify({ private_key: '-----BEGIN PRIVATE KEY-----\nAB\n-----END PRIVATE KEY-----\n', a: 1 });
    JSON.parse(logged({ note: file }));
  });
});
