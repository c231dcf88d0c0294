import { codeOfStatus, type Fault, findVendorError, type HttpReply, type VendorError } from '../../src/authoring.js';

/** Hints by status, regardless of the body. */
export const hints: Readonly<Record<number, string>> = {
  401: "Create a new key in Granola's desktop app under Settings > Connectors > API keys.",
  403: 'The plan may have lapsed, or the key is missing the scope for this note (personal or public notes).',
  404: 'The note does not exist, is not visible to this key, or is still being summarized. Retry in a few minutes.',
};

/** Every error that is identified by more than its HTTP status. */
export const vendorErrors: readonly VendorError[] = [
  [
    /\bcursor\b/i,
    'invalid_params',
    'A cursor (`meta.cursor` from the previous page) is valid only for the list and parameters it was issued for. To start over, omit cursor.',
  ],
];

const nonEmptyString = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/**
 * Parses Granola's error response.
 *
 * The reference documents only statuses; the body's format is taken from one client's recordings, so every field is
 * optional.
 */
export function fault({ status, body }: HttpReply): Fault | undefined {
  if (status < 400 || typeof body !== 'object' || body === null) return undefined;
  const { code, message, error, requestId } = body as Record<string, unknown>;
  // The only recorded shape in which Granola says that a note is missing. Any other 404 may come from a gateway.
  if ((status === 404 || status === 410) && !(nonEmptyString(code) && nonEmptyString(message))) return undefined;
  const nested = typeof error === 'object' && error !== null ? (error as Record<string, unknown>).message : error;
  const vendorMessage = nonEmptyString(message) ?? nonEmptyString(nested) ?? `status ${status}`;
  const cursorError = status === 400 ? findVendorError(vendorErrors, vendorMessage) : undefined;
  return {
    code: codeOfStatus(status),
    message: `Granola: ${vendorMessage.replace(/\.$/, '')}.`,
    hint: cursorError?.[2],
    issues: cursorError ? [{ path: 'cursor', message: vendorMessage }] : undefined,
    vendor: { code: nonEmptyString(code), message: vendorMessage, requestId: nonEmptyString(requestId) },
  };
}
