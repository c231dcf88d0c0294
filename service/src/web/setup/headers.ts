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
  // With no-referrer, browsers send `Origin: null` with forms, which looks like a request from another site.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
};

/** Content security policy of a page, which may show a logo. */
export const policyFor = (logo: string | undefined): string => {
  if (logo === undefined) return policy;
  const source = logo.startsWith('data:') ? 'data:' : new URL(logo).origin + new URL(logo).pathname;
  return `${policy}; img-src ${source}`;
};

/** Content security policy of a page with one inline script, by its digest. */
export const policyWithScript = (policy: string, digest: string): string => `${policy}; script-src '${digest}'`;

/**
 * Keeps the window's opener, to which a product's session posts its result. Redirects need it too, since one response
 * with another policy separates the windows for good.
 */
export function keepOpener(response: Response): Response {
  response.headers.set('cross-origin-opener-policy', 'unsafe-none');
  return response;
}

/** Creates a page response with security headers. */
export const pageResponse = (
  status: number,
  body: string | null,
  headers: Readonly<Record<string, string>> = {},
): Response => new Response(body, { status, headers: { ...securityHeaders, ...headers } });

/** Redirects to another page of the service. */
export const seeOther = (location: string, headers: Readonly<Record<string, string>> = {}): Response =>
  pageResponse(303, null, { location, ...headers });

/** Whether the browser confirms that a form came from this service. */
export function isSameOrigin({ headers }: Request, origin: string): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin') return false;
  const from = headers.get('origin');
  return from === null || from === origin;
}

const lifetimeSeconds = 600;

/** How long a consent response is accepted, in milliseconds. */
export const consentMs = lifetimeSeconds * 1000;

/** Lifetime of a session cookie: longer than any session and its result. */
export const sessionSeconds = 25 * 3600;

const isSecure = (publicUrl: string) => publicUrl.startsWith('https:');
// One per setup, so that two can run in one browser.
const cookieName = (id: string, publicUrl: string) => `${isSecure(publicUrl) ? '__Host-' : ''}${id}`;

/** Cookie that binds a consent request and a product's session to the browser; null deletes it. */
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

/** Reads a setup's cookie. */
export function readBrowserCookie({ headers }: Request, id: string, publicUrl: string): string | undefined {
  const prefix = `${cookieName(id, publicUrl)}=`;
  const pairs = (headers.get('cookie') ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length) || undefined;
}
