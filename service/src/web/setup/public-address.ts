/** The URL at which users reach the service; never derived from a request. */
export interface PublicAddress {
  /** Without a trailing slash. */
  readonly url: string;
  /** Sets the listening URL, used as a fallback if the operator has not configured a URL. */
  setListenUrl(url: string): void;
}

/** Where the service will listen. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** The URL configured by the operator, otherwise the listening URL. */
export function publicAddress(configured: string | undefined, { host, port }: ListenAddress): PublicAddress {
  const configuredUrl = configured === undefined ? undefined : publicUrlOf(configured, 'publicUrl');
  let current = configuredUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return {
    get url() {
      return browsableUrl(current);
    },
    setListenUrl(url) {
      current = configuredUrl ?? url;
    },
  };
}

/** Validates a public URL; errors name the source. */
export function publicUrlOf(text: string, source: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash;
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw new Error(`${source} must be a URL such as https://connectors.example.com, without a query or fragment.`);
  }
  return url.href.replace(/\/+$/, '');
}

/** A wildcard address is not a URL a browser can open. */
const browsableUrl = (url: string): string =>
  url.replace(/^http:\/\/(0\.0\.0\.0|\[::\])(?=[:/]|$)/, 'http://127.0.0.1');
