/** Sources by directive of a content security policy. */
export type PolicySources = Readonly<Record<string, readonly string[]>>;

const baseSources: PolicySources = {
  'default-src': ["'none'"],
  'style-src': ["'self'"],
  'form-action': ["'self'"],
  'frame-ancestors': ["'none'"],
  'base-uri': ["'none'"],
};

/** The content security policy of a page with more sources than usual. */
export const policyOf = (...additions: readonly PolicySources[]): string => {
  const names = new Set([baseSources, ...additions].flatMap((sources) => Object.keys(sources)));
  return [...names]
    .map((name) => [name, ...[baseSources, ...additions].flatMap((sources) => sources[name] ?? [])].join(' '))
    .join('; ');
};

const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': policyOf(),
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  // With no-referrer, browsers send `Origin: null` with forms, which looks like a request from another site.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
};

/** The source of a page's logo. */
export const logoSources = (logo: string | undefined): PolicySources => {
  if (logo === undefined) return {};
  return { 'img-src': [logo.startsWith('data:') ? 'data:' : new URL(logo).origin + new URL(logo).pathname] };
};

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
