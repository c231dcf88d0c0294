import { randomBytes } from 'node:crypto';

/** A new key of a service, as its operator makes one: `openssl rand -base64 32`. */
export const newKey = (): string => randomBytes(32).toString('base64');
