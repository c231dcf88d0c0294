import { randomBytes } from 'node:crypto';

/** A new service key, as an operator creates it: `openssl rand -base64 32`. */
export const newKey = (): string => randomBytes(32).toString('base64');
