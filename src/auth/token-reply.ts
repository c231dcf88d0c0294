import { ConnectorError } from '../errors/connector-error.js';
import type { WireResponse } from '../http/exchange.js';
import { isHtml, retryAfter } from '../http/fault.js';
import { parseJson } from '../http/json.js';

/** The parsed response from a token endpoint. */
export interface TokenReply extends Pick<WireResponse, 'status' | 'headers'> {
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether it is a web page, which is not from a token endpoint: it says nothing about the credentials. */
  readonly isPage: boolean;
}

/** Parses the response from a token endpoint; anything but a JSON object is treated as empty. */
export function tokenReply({ status, headers, text }: WireResponse): TokenReply {
  let body: unknown;
  try {
    body = parseJson(text);
  } catch {
    // The status is enough.
  }
  const isPage = isHtml(headers, text);
  return { status, headers, body: typeof body === 'object' && body !== null ? { ...body } : {}, isPage };
}

const pageHint =
  'The response is a web page: a proxy or gateway may have responded. Check the network and the endpoints option, and retry later.';

const stringOrUndefined = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Converts an OAuth error (RFC 6749, 5.2); `hint` adds what to do about it. */
export function tokenError(
  message: string,
  { status, headers, body, isPage }: TokenReply,
  hint: (vendorError: string) => string | undefined,
): ConnectorError {
  const vendor = { code: stringOrUndefined(body.error), message: stringOrUndefined(body.error_description) };
  const vendorError = [vendor.code, vendor.message].filter(Boolean).join(': ') || `status ${status}`;
  const refused = !isPage && (status === 400 || status === 401 || status === 403);
  const limited = status === 429;
  return new ConnectorError(
    refused ? 'invalid_credentials' : limited ? 'rate_limited' : 'vendor_error',
    `${message} (${vendorError}).`,
    {
      status,
      retryable: limited || isPage || status >= 500,
      retryAfterMs: retryAfter(headers, Date.now()),
      vendor,
      hint: refused ? hint(vendorError) : isPage ? pageHint : undefined,
    },
  );
}
