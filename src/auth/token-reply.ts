import { ConnectorError } from '../call/errors.js';
import type { Received } from '../http/exchange.js';
import { retryAfter } from '../http/fault.js';
import { parseJson } from '../http/json.js';

/** The reply of a token endpoint, read. */
export interface TokenReply extends Pick<Received, 'status' | 'headers'> {
  readonly body: Readonly<Record<string, unknown>>;
}

/** Reads what a token endpoint answers; what is no JSON object counts as empty. */
export function tokenReply({ status, headers, text }: Received): TokenReply {
  let body: unknown;
  try {
    body = parseJson(text);
  } catch {
    // The status says enough.
  }
  return { status, headers, body: typeof body === 'object' && body !== null ? { ...body } : {} };
}

const words = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The error that a refusal stands for (RFC 6749, 5.2); `hint` is asked what to do about what was said. */
export function tokenRefusal(
  message: string,
  { status, headers, body }: TokenReply,
  hint: (said: string) => string | undefined,
): ConnectorError {
  const vendor = { code: words(body.error), message: words(body.error_description) };
  const said = [vendor.code, vendor.message].filter(Boolean).join(': ') || `status ${status}`;
  const refused = status === 400 || status === 401 || status === 403;
  const limited = status === 429;
  return new ConnectorError(
    refused ? 'invalid_credentials' : limited ? 'rate_limited' : 'vendor_error',
    `${message} (${said}).`,
    {
      status,
      retryable: limited || status >= 500,
      retryAfterMs: retryAfter(headers, Date.now()),
      vendor,
      hint: refused ? hint(said) : undefined,
    },
  );
}
