/** The address at which people reach the service; never taken from what a request says. */
export interface PublicAddress {
  /** Without a slash at its end. */
  readonly url: string;
  /** Tells where the service listens, which is the address where the operator has named none. */
  setListenUrl(url: string): void;
}

/** Where the service is before it listens. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Makes the address from what the operator has named or, without that, from where the service listens. */
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

/** Reads an address that people are sent to; an error names where it came from. */
export function publicUrlOf(text: string, source: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash;
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw new Error(`${source} must be an address such as https://connectors.example.com, without query and fragment.`);
  }
  return url.href.replace(/\/+$/, '');
}

/** All addresses of a machine are none that a browser can go to. */
const browsableUrl = (url: string): string =>
  url.replace(/^http:\/\/(0\.0\.0\.0|\[::\])(?=[:/]|$)/, 'http://127.0.0.1');
