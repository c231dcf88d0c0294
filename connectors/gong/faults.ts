import { ConnectorError, codeOfStatus, type Fault, type HttpReply, type VendorError } from '../../src/authoring.js';

/** Hints by status, regardless of the body: a wrong host may send an HTML page, a message or nothing at all. */
export const hints: Readonly<Record<number, string>> = {
  401: 'The key is invalid, expired or revoked, or the host is wrong. Pass base_url as shown on the API page of your Gong settings.',
  403: 'The key may not have access, or its trusted IPs do not include this machine.',
  404: "The record does not exist, is still being processed, or is not visible to the key's owner.",
};

const cursorHint =
  'A cursor (`meta.cursor` from the previous page) is valid only for the list and parameters it was issued for. To start over, omit cursor.';

const missingScope = /permission to use '([^']+)'/;
const emptyResult = /^No .+ found\b/i;

/** Every error that is identified by more than its HTTP status. */
export const vendorErrors: readonly VendorError[] = [
  [missingScope, 'scope_missing'],
  [emptyResult, 'not_found'],
];

const toText = (item: unknown): string => (typeof item === 'string' ? item : JSON.stringify(item));

/**
 * Parses Gong's error body: `{ requestId, errors: [text, …] }`, without codes.
 *
 * A missing scope is a 401 and is recognized only by its message (help.gong.io, and responses recorded by other clients).
 */
export function fault({ status, body, headers }: HttpReply): Fault | undefined {
  // S3, which stores the recordings, says so in XML: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
  if (status === 404 && typeof body === 'string' && /<Code>NoSuch(?:Key|Bucket)<\/Code>/.test(body)) {
    return { code: 'not_found', message: 'Gong: the recording no longer exists.' };
  }
  if (status < 400 || typeof body !== 'object' || body === null) return undefined;
  const { errors, message: otherMessage, requestId } = body as Record<string, unknown>;
  const items: readonly unknown[] = Array.isArray(errors) ? errors.filter((item) => item != null) : [];
  const errorTexts = items.map(toText);
  const vendorMessage = errorTexts.join('; ').replace(/\.$/, '') || undefined;
  // Gong says that a record is missing by texts in `errors`: any other 404 may come from a gateway.
  if ((status === 404 || status === 410) && !items.some((item) => typeof item === 'string')) return undefined;
  const scope = status === 401 ? missingScope.exec(vendorMessage ?? '')?.[1] : undefined;
  const vendor = {
    message: vendorMessage,
    requestId: typeof requestId === 'string' ? requestId : (headers.get('x-traceid') ?? undefined),
  };
  if (scope !== undefined) {
    return {
      code: 'scope_missing',
      message: `Gong: the application is missing the ${scope} scope.`,
      hint: 'Add the scope to the application in Gong, then authorize the application again.',
      vendor,
    };
  }
  // A body without errors is not from Gong: its message is shown but not interpreted.
  const message = vendorMessage ?? (typeof otherMessage === 'string' ? otherMessage : `status ${status}`);
  const issues = status === 400 ? errorTexts.map(issueOf) : undefined;
  const hint = issues?.some(({ path }) => path === 'cursor') ? cursorHint : undefined;
  return { code: codeOfStatus(status), message: `Gong: ${message}.`, hint, vendor, issues };
}

/** Gong prefixes the message with the field name and a colon. */
function issueOf(text: string): { path: string; message: string } {
  const [, path = '', message = text] = /^([\w.-]+): (.+)$/s.exec(text) ?? [];
  return { path, message };
}

/** Whether the error only means that nothing matched: Gong returns 404 instead of an empty list. */
export const isEmptyResultError = (error: unknown): error is ConnectorError =>
  ConnectorError.is(error) && error.code === 'not_found' && emptyResult.test(error.vendor?.message ?? '');
