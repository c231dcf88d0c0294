const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': policy,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  // With no-referrer browsers send `Origin: null` along with forms, which could not be told from a foreign page's.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
};

/** The policy of a page that shows a logo, and nothing else from there. */
export const policyWithLogo = (logo: string): string => {
  const source = logo.startsWith('data:') ? 'data:' : new URL(logo).origin + new URL(logo).pathname;
  return `${policy}; img-src ${source}`;
};

/** Makes an answer with the headers that keep other sites away from these pages. */
export const pageResponse = (
  status: number,
  body: string | null,
  headers: Readonly<Record<string, string>> = {},
): Response => new Response(body, { status, headers: { ...securityHeaders, ...headers } });

/** Sends the browser to another page of the service. */
export const seeOther = (location: string, headers: Readonly<Record<string, string>> = {}): Response =>
  pageResponse(303, null, { location, ...headers });

/** Whether a form was sent by a page of this service, as far as the browser tells. */
export function isSameOrigin({ headers }: Request, origin: string): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin') return false;
  const from = headers.get('origin');
  return from === null || from === origin;
}

const lifetimeSeconds = 600;

/** How long an answer from a vendor's consent page is waited for, in milliseconds. */
export const consentMs = lifetimeSeconds * 1000;

/** How long the cookie of a product's session lasts: longer than any session and its result. */
export const sessionSeconds = 25 * 3600;

const isSecure = (publicUrl: string) => publicUrl.startsWith('https:');
// One for each setup, so that two can be under way in one browser.
const cookieName = (id: string, publicUrl: string) => `${isSecure(publicUrl) ? '__Host-' : ''}${id}`;

/** The cookie that binds a consent, and a session of a product, to the browser in which it goes on; null takes it away. */
export const browserCookie = (
  id: string,
  value: string | null,
  publicUrl: string,
  maxAgeSeconds = lifetimeSeconds,
): string =>
  [
    `${cookieName(id, publicUrl)}=${value ?? ''}`,
    'Path=/',
    `Max-Age=${value === null ? 0 : maxAgeSeconds}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure(publicUrl) ? ['Secure'] : []),
  ].join('; ');

/** What the cookie of a setup holds. */
export function readBrowserCookie({ headers }: Request, id: string, publicUrl: string): string | undefined {
  const prefix = `${cookieName(id, publicUrl)}=`;
  const pairs = (headers.get('cookie') ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length) || undefined;
}
