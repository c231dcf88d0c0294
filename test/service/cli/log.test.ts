import { describe, expect, it } from 'vitest';
import { createLogger } from '../../../service/src/common/log.js';

/** A logger and the lines that it wrote. */
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

describe.each([false, true])('the log (for people: %s)', (readable) => {
  it('has no value of a field that is named like a secret, at any depth', () => {
    const { lines, logger } = written(readable);
    logger.info({ ...canaries, status: 200 }, 'request');
    expect(lines.join('')).not.toContain('canary');
    expect(lines.join('')).toContain('200');
  });

  it('has nothing that looks like a secret, wherever it stands', () => {
    const { lines, logger } = written(readable);
    const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJl';
    const secret = `acs_${'canary'.repeat(7)}x`;
    const pem = '-----BEGIN PRIVATE KEY-----\ncanary\n-----END PRIVATE KEY-----';
    const error = new Error(`refused ${jwt}`, { cause: new Error(`for ${secret}`) });
    Object.assign(error, { request: { headers: { authorization: 'Bearer canary-1-and-more' } } });
    logger.error({ err: error, note: pem, other: `Basic Y2FuYXJ5OmNhbmFyeQ==` }, `asked with Bearer canary-2-and-more`);
    const text = lines.join('');
    for (const form of ['canary', 'eyJ', 'Y2FuYXJ5']) expect(text).not.toContain(form);
    expect(text).toContain('refused [redacted]');
    expect(text).toContain('log.test.ts');
  });

  it('says of a failure of SQLite which it was', () => {
    const { lines, logger } = written();
    const error = Object.assign(new Error('failed'), { code: 'ERR_SQLITE_ERROR', errcode: 13, errstr: 'disk is full' });
    logger.error({ err: error }, 'failed');
    expect(JSON.parse(lines[0]!).err).toMatchObject({ errcode: 13, errstr: 'disk is full' });
  });

  it('ends for objects that hold themselves', () => {
    const { lines, logger } = written(readable);
    const self: Record<string, unknown> = { status: 1 };
    self.self = self;
    logger.warn(self, 'round');
    expect(lines).toHaveLength(1);
  });
});

describe('the levels of the log', () => {
  it('are kept to', () => {
    const lines: string[] = [];
    const logger = createLogger({ level: 'warn', destination: { write: (line) => lines.push(line) } });
    logger.debug({}, 'a');
    logger.info({}, 'b');
    logger.warn({}, 'c');
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['c']);
  });
});
