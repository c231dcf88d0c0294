import { ConnectorError, type VendorAccount } from './errors.js';

/** Replaces every secret in a text. */
export function redactText(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    for (const form of new Set([secret, encodeURIComponent(secret), btoa(secret)])) {
      if (form.length > 3) clean = clean.replaceAll(form, '[redacted]');
    }
  }
  return clean;
}

const mapVendor = (vendor: VendorAccount | undefined, clean: (text: string) => string): VendorAccount | undefined =>
  vendor && {
    code: vendor.code && clean(vendor.code),
    message: vendor.message && clean(vendor.message),
    requestId: vendor.requestId && clean(vendor.requestId),
  };

/** The same error without secrets: vendors and proxies do echo what they were sent. */
export function redactError(error: ConnectorError, secrets: readonly string[]): ConnectorError {
  const clean = (text: string) => redactText(text, secrets);
  const { cause } = error;
  const causeText = cause instanceof Error ? `${cause.message} ${cause.stack}` : '';
  const shown = JSON.stringify(error) + causeText;
  if (clean(shown) === shown) return error;
  const { code, status, retryable, retryAfterMs, vendor, issues, hint, docs } = error;
  return new ConnectorError(code, clean(error.message), {
    status,
    retryable,
    retryAfterMs,
    docs,
    vendor: mapVendor(vendor, clean),
    issues: issues?.map(({ path, message }) => ({ path: clean(path), message: clean(message) })),
    hint: hint && clean(hint),
    ...(cause instanceof Error && { cause: new Error(clean(cause.message)) }),
  });
}
