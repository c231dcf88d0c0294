import { randomInt } from 'node:crypto';

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A random text of letters and digits, from the system's source of randomness. */
export const randomText = (length: number): string =>
  Array.from({ length }, () => letters[randomInt(letters.length)]).join('');

/** An id that says what it names and cannot be guessed. */
export const newId = (prefix: 'org' | 'ws' | 'cli' | 'con' | 'exe' | 'job'): string => `${prefix}_${randomText(22)}`;
