import { ConnectorError, type VendorAccount } from './errors.js';

type Clean = (text: string) => string;

/** The ways in which a secret may come back, the longest first: one may begin with another. */
const formsOf = (secrets: readonly string[]): string[] => {
  const forms = secrets.flatMap((secret) => {
    const percent = encodeURIComponent(secret);
    const base64 = btoa(secret);
    const json = JSON.stringify(secret).slice(1, -1);
    return [
      ...[secret, percent, new URLSearchParams({ '': secret }).toString().slice(1), base64, json],
      percent.replaceAll(/%../g, (code) => code.toLowerCase()),
      // Some escape slashes too.
      json.replaceAll('/', '\\/'),
      base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''),
      base64.replace(/=+$/, ''),
    ];
  });
  return [...new Set(forms)].filter(({ length }) => length > 3).sort((a, b) => b.length - a.length);
};

/** Replaces every secret in a text. */
export const redactText = (text: string, secrets: readonly string[]): string =>
  formsOf(secrets).reduce((clean, form) => clean.replaceAll(form, '[redacted]'), text);

/** The same error without secrets: vendors and proxies do echo what they were sent. */
export function redactError(error: ConnectorError, secrets: readonly string[]): ConnectorError {
  let found = false;
  const clean = (text: string) => {
    const redacted = redactText(text, secrets);
    found ||= redacted !== text;
    return redacted;
  };
  const copy = copyError(error, clean);
  return found ? copy : error;
}

function copyError(error: ConnectorError, clean: Clean): ConnectorError {
  const { code, message, status, retryable, retryAfterMs, vendor, issues, hint, docs, cause } = error;
  return new ConnectorError(code, clean(message), {
    status,
    retryable,
    retryAfterMs,
    docs,
    vendor: copyVendor(vendor, clean),
    issues: issues?.map(({ path, message }) => ({ path: clean(path), message: clean(message) })),
    hint: hint && clean(hint),
    cause: copyCause(cause, clean, 5),
  });
}

const copyVendor = (vendor: VendorAccount | undefined, clean: Clean): VendorAccount | undefined =>
  vendor && {
    code: vendor.code && clean(vendor.code),
    message: vendor.message && clean(vendor.message),
    requestId: vendor.requestId && clean(vendor.requestId),
  };

function copyCause(cause: unknown, clean: Clean, depth: number): unknown {
  if (typeof cause === 'string') return clean(cause);
  if (!(cause instanceof Error)) return cause;
  if (depth === 0) return undefined;
  if (ConnectorError.is(cause)) return copyError(cause, clean);
  clean(cause.stack ?? '');
  const { code } = cause as { code?: unknown };
  const inner = copyCause(cause.cause, clean, depth - 1);
  const copy = new Error(clean(cause.message), inner === undefined ? undefined : { cause: inner });
  return code === undefined ? copy : Object.assign(copy, { code });
}
