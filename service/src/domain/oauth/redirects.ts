/** Schemes that browsers handle themselves or whose URLs contain data, so they cannot open an app. */
const refusedSchemes = new Set(
  ['javascript', 'data', 'vbscript', 'file', 'blob', 'about', 'filesystem', 'ftp', 'ws', 'wss', 'mailto', 'tel'].concat(
    ['sms', 'view-source', 'chrome', 'chrome-extension', 'moz-extension', 'resource', 'jar', 'intent', 'urn'],
  ),
);

const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?((?:[/?].*)?)$/i;

/** Kind of a redirect URI. */
export type RedirectKind = 'web' | 'loopback' | 'app';

/** The kind of a redirect URI; undefined if it is not acceptable. */
export function redirectKind(uri: string): RedirectKind | undefined {
  // Rejects URIs that a browser would parse differently.
  if (uri.length > 2_000 || !/^[\x21-\x7e]+$/.test(uri) || /[\\#"<>]/.test(uri) || !URL.canParse(uri)) return undefined;
  const { protocol, hostname, username, password } = new URL(uri);
  if (username !== '' || password !== '') return undefined;
  if (protocol === 'https:') return hostname === '' ? undefined : 'web';
  if (protocol === 'http:') return loopback.test(uri) ? 'loopback' : undefined;
  return refusedSchemes.has(protocol.slice(0, -1)) ? undefined : 'app';
}

/** Whether a redirect URI is registered: an exact match, except for the port of loopback addresses (RFC 8252, 7.3). */
export const isRegisteredRedirect = (registered: readonly string[], uri: string): boolean =>
  redirectKind(uri) !== undefined &&
  registered.some((one) => {
    if (one === uri) return true;
    const [a, b] = [loopback.exec(one), loopback.exec(uri)];
    return a !== null && b !== null && a[1] === b[1] && a[2] === b[2];
  });

/** A redirect URI with authorization response parameters. */
export const withParameters = (uri: string, parameters: Readonly<Record<string, string | undefined>>): string => {
  const given = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`;
};
