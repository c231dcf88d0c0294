/** Schemes that a browser handles itself or that carry content, and so lead to no app. */
const refusedSchemes = new Set(
  ['javascript', 'data', 'vbscript', 'file', 'blob', 'about', 'filesystem', 'ftp', 'ws', 'wss', 'mailto', 'tel'].concat(
    ['sms', 'view-source', 'chrome', 'chrome-extension', 'moz-extension', 'resource', 'jar', 'intent', 'urn'],
  ),
);

const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?((?:[/?].*)?)$/i;

/** Where a redirect address leads. */
export type RedirectKind = 'web' | 'loopback' | 'app';

/** Where a redirect address leads; undefined for one that is not accepted. */
export function redirectKind(uri: string): RedirectKind | undefined {
  // What a browser would read otherwise than it stands there is not accepted.
  if (uri.length > 2_000 || !/^[\x21-\x7e]+$/.test(uri) || /[\\#"<>]/.test(uri) || !URL.canParse(uri)) return undefined;
  const { protocol, hostname, username, password } = new URL(uri);
  if (username !== '' || password !== '') return undefined;
  if (protocol === 'https:') return hostname === '' ? undefined : 'web';
  if (protocol === 'http:') return loopback.test(uri) ? 'loopback' : undefined;
  return refusedSchemes.has(protocol.slice(0, -1)) ? undefined : 'app';
}

/** Whether an address is one of those registered: letter by letter, but for the port on this machine (RFC 8252, 7.3). */
export const isRegisteredRedirect = (registered: readonly string[], uri: string): boolean =>
  redirectKind(uri) !== undefined &&
  registered.some((one) => {
    if (one === uri) return true;
    const [a, b] = [loopback.exec(one), loopback.exec(uri)];
    return a !== null && b !== null && a[1] === b[1] && a[2] === b[2];
  });

/** An address with the parameters of an authorization response. */
export const withParameters = (uri: string, parameters: Readonly<Record<string, string | undefined>>): string => {
  const given = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`;
};
