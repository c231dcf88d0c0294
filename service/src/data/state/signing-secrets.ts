import { randomBytes } from 'node:crypto';

/** A signing secret, and the previous one while it is valid. */
interface SigningSecrets {
  readonly current: string;
  readonly previous?: { readonly secret: string; readonly until: number } | undefined;
}

/** A new secret in the format of Standard Webhooks: a prefix and 32 random bytes in base64. */
const newSecret = (prefix: string): string => `${prefix}${randomBytes(32).toString('base64')}`;

/** The plaintext to seal for a first secret. */
export function firstSecret(prefix: string): { readonly secret: string; readonly text: string } {
  const secret = newSecret(prefix);
  return { secret, text: JSON.stringify({ current: secret } satisfies SigningSecrets) };
}

/** The plaintext to seal for a replacement secret; the previous one stays valid for the overlap. */
export function nextSecret(prefix: string, text: string, overlapMs: number, now: number) {
  const { current } = JSON.parse(text) as SigningSecrets;
  const secret = newSecret(prefix);
  const previousUntil = overlapMs > 0 ? now + overlapMs : null;
  const previous = previousUntil === null ? undefined : { secret: current, until: previousUntil };
  return { secret, previousUntil, text: JSON.stringify({ current: secret, previous } satisfies SigningSecrets) };
}

/** The secrets valid at a given time, newest first. */
export function validSecrets(text: string, now: number): string[] {
  const { current, previous } = JSON.parse(text) as SigningSecrets;
  return previous && previous.until > now ? [current, previous.secret] : [current];
}
