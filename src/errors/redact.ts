import { ConnectorError, type VendorAccount } from './connector-error.js';

/** Redacts a text; one that may quote a vendor at any length is also truncated. */
type Clean = (text: string, mayBeLong?: boolean) => string;

/** Maximum length of a text in an error, in UTF-16 code units: vendors and proxies may send any amount. */
const maxTextLength = 2000;
/** Maximum number of issues in an error. */
const maxIssues = 50;

/** Text as it is encoded in URLs, forms and JSON strings. */
function spellingsOf(text: string): string[] {
  const percent = encodeURIComponent(text);
  const json = JSON.stringify(text).slice(1, -1);
  const unicode = (sign: string) => `\\u00${sign.charCodeAt(0).toString(16)}`;
  return [
    text,
    percent,
    new URLSearchParams({ '': text }).toString().slice(1),
    json,
    json.replaceAll('/', '\\/'),
    percent.replaceAll(/%../g, (code) => code.toLowerCase()),
    // The JSON encoders of Go and .NET escape more than necessary.
    json.replaceAll(/[<>&]/g, unicode),
    text.replaceAll(/["&'+<>\\`]/g, (sign) => unicode(sign).replace(/..$/, (code) => code.toUpperCase())),
  ];
}

/**
 * Base64 of a secret: on its own, and at each offset in a longer string, without the characters that depend on the
 * surrounding text.
 */
const base64Of = (secret: string): string[] =>
  [0, 1, 2].flatMap((before) => {
    const bytes = new TextEncoder().encode(' '.repeat(before) + secret);
    const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
    const inside = base64.slice(before && before + 1, Math.floor((bytes.length * 4) / 3));
    return before ? [inside] : [base64, base64.replace(/=+$/, ''), inside];
  });

/** All forms in which a secret may be echoed, longest first, since one may be a prefix of another. */
const formsOf = (secrets: readonly string[]): string[] => {
  const forms = secrets.flatMap((given) => {
    // A lone surrogate cannot be encoded.
    const secret = given.replaceAll(/\p{Cs}/gu, '\ufffd');
    const base64 = base64Of(secret);
    const urlSafe = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
    return [given, ...[secret, ...base64, ...urlSafe].flatMap(spellingsOf)];
  });
  return [...new Set(forms)].filter(({ length }) => length > 3).sort((a, b) => b.length - a.length);
};

/** Replaces every secret in the given text. */
export const redactText = (text: string, secrets: readonly string[]): string =>
  formsOf(secrets).reduce((clean, form) => clean.replaceAll(form, '[redacted]'), text);

/** The error with secrets redacted, because vendors and proxies may echo what was sent, and with long texts truncated. */
export function redactError(error: ConnectorError, secrets: readonly string[]): ConnectorError {
  let changed = (error.issues?.length ?? 0) > maxIssues;
  const clean: Clean = (text, mayBeLong) => {
    const redacted = redactText(text, secrets);
    // In this order: a part of a secret would not be recognized.
    const short = mayBeLong && redacted.length > maxTextLength ? `${redacted.slice(0, maxTextLength)}…` : redacted;
    changed ||= short !== text;
    return short;
  };
  const copy = copyError(error, clean);
  return changed ? copy : error;
}

function copyError(error: ConnectorError, clean: Clean, depth = 5): ConnectorError {
  const { code, message, status, retryable, retryAfterMs, vendor, issues, hint, docs, cause } = error;
  return new ConnectorError(code, clean(message, true), {
    status,
    retryable,
    retryAfterMs,
    docs,
    vendor: copyVendor(vendor, clean),
    issues: issues
      ?.slice(0, maxIssues)
      .map(({ path, message }) => ({ path: clean(path, true), message: clean(message, true) })),
    hint: hint && clean(hint, true),
    cause: copyCause(cause, clean, depth),
  });
}

const copyVendor = (vendor: VendorAccount | undefined, clean: Clean): VendorAccount | undefined =>
  vendor && {
    code: vendor.code && clean(vendor.code, true),
    message: vendor.message && clean(vendor.message, true),
    requestId: vendor.requestId && clean(vendor.requestId, true),
  };

/** A cause: unchanged if it contains no secret, otherwise a redacted copy or a placeholder. */
export function copyCause(cause: unknown, clean: Clean, depth = 5): unknown {
  if (depth === 0) return undefined;
  if (ConnectorError.is(cause)) return copyError(cause, clean, depth - 1);
  const text = visibleText(cause);
  const redacted = clean(text);
  if (redacted === text) return cause;
  if (!(cause instanceof Error)) return typeof cause === 'string' ? redacted : '[redacted]';
  const { code } = cause as { code?: unknown };
  const inner = copyCause(cause.cause, clean, depth - 1);
  const copy = new Error(clean(cause.message), inner === undefined ? undefined : { cause: inner });
  return code === undefined ? copy : Object.assign(copy, { code: copyCause(code, clean) });
}

/** Everything shown when a value is printed, outermost first, for up to ten thousand nested objects. */
function visibleText(value: unknown): string {
  const parts = new Set([value]);
  const texts: string[] = [];
  let left = 10_000;
  // The iteration includes parts that are added during it.
  for (const part of parts) {
    if (Object(part) !== part) texts.push(String(part));
    else if (left-- > 0) for (const inner of partsOf(part as object)) parts.add(inner);
  }
  return texts.join('\n');
}

function partsOf(value: object): unknown[] {
  const isOne = (...types: ReadonlyArray<new (...args: never[]) => object>) =>
    types.some((type) => value instanceof type);
  const own = Reflect.ownKeys(value).flatMap((key) => [key, Reflect.getOwnPropertyDescriptor(value, key)?.value]);
  const { href, url = href, headers } = (isOne(URL, Request, Response) ? value : {}) as Partial<Request & URL>;
  // A URL escapes only some of the characters that `encodeURIComponent` does.
  const decoded = url?.replaceAll(/%../g, (code) => String.fromCharCode(Number(`0x${code.slice(1)}`)));
  const entries = isOne(Map, Set, Headers, URLSearchParams, FormData) ? [...(value as Set<unknown>)].flat() : [];
  return [value instanceof Error && value.message, url, decoded, headers, ...entries, ...own];
}
