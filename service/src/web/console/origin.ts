import { httpError } from '../../domain/http-error.js';

/** A cookie that scripts cannot read. */
export interface BrowserCookie {
  read(headers: Headers): string | undefined;
  /** A Set-Cookie header valid for this many seconds; 0 deletes the cookie. */
  serialize(value: string, seconds: number): string;
}

/** Chooses a cookie's form. Behind HTTPS, it is one that no other host or unencrypted connection can set. */
export function browserCookie(
  publicUrl: string | undefined,
  { suffix = '', path = '/', sameSite }: { suffix?: string; path?: string; sameSite: 'Strict' | 'Lax' },
): BrowserCookie {
  const secure = publicUrl?.startsWith('https:') === true;
  const name = `${secure ? '__Host-' : ''}agent-connectors${suffix}`;
  const attributes = `Path=${secure ? '/' : path}; HttpOnly; SameSite=${sameSite}`;
  return {
    read: (headers) =>
      (headers.get('cookie') ?? '')
        .split(';')
        .map((pair) => pair.trim())
        .find((pair) => pair.startsWith(`${name}=`))
        ?.slice(name.length + 1),
    serialize: (value, seconds) => `${name}=${value}; ${attributes}; Max-Age=${seconds}${secure ? '; Secure' : ''}`,
  };
}

/** The session cookie. */
export const sessionCookie = (publicUrl: string | undefined): BrowserCookie =>
  browserCookie(publicUrl, { sameSite: 'Strict' });

/** CSRF check: the browser reports the origin, and only our own code can set the header. */
export function checkOrigin(request: Request, publicUrl: string | undefined): void {
  const { headers, method } = request;
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin') throw crossOriginError();
  const origin = headers.get('origin');
  if (origin !== null && origin !== new URL(publicUrl ?? request.url).origin) throw crossOriginError();
  if (method === 'GET' || method === 'HEAD') return;
  if (headers.get('x-console') !== '1' || (site === null && origin === null)) throw crossOriginError();
}

const crossOriginError = () =>
  httpError(403, 'forbidden', 'Console sessions are valid only for requests from the console.', {
    hint: 'Programs must use a token: POST /api/v1/account/applications/token. Behind a proxy, set --public-url.',
  });
