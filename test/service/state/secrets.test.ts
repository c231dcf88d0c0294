import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { newSecret } from '../../../service/src/data/state/secret.js';

test.each(['acs', 'ort', 'oas'] as const)('an %s secret has a prefix, 256 random bits and their checksum', (prefix) => {
  const secrets = Array.from({ length: 500 }, () => newSecret(prefix));
  expect(new Set(secrets).size).toBe(500);
  for (const secret of secrets) {
    expect(secret).toMatch(new RegExp(`^${prefix}_[0-9A-Za-z]{49}$`));
    const digits = [...secret.slice(-6)].map((digit) => Number.parseInt(digit, 36) + (/[a-z]/.test(digit) ? 26 : 0));
    expect(digits.reduce((sum, digit) => sum * 62 + digit, 0)).toBe(crc32(secret.slice(0, -6)));
  }
});
