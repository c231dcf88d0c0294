import { crc32 } from 'node:zlib';
import { randomText } from './database.js';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 43 letters and digits contain 256 random bits. */
const randomLength = 43;
const checksumLength = 6;

/**
 * A random secret that secret scanners recognize: a prefix, 43 letters and digits, and six more that are the CRC-32 of
 * what precedes them, in base 62.
 */
export function newSecret(prefix: 'acs' | 'ort' | 'oas'): string {
  const text = `${prefix}_${randomText(randomLength)}`;
  return text + checksumOf(text);
}

function checksumOf(text: string): string {
  let rest = crc32(text);
  let checksum = '';
  while (checksum.length < checksumLength) {
    checksum = digits.charAt(rest % digits.length) + checksum;
    rest = Math.floor(rest / digits.length);
  }
  return checksum;
}
