import type { VendorRecord } from './vendor.js';

/** The vendor for a request, and the two parts of its URL. */
export interface Destination {
  vendor: string;
  base: string;
  path: string;
}

/** Finds the vendor for a URL. */
export interface Router {
  /** By a vendor's real URL, or by `/<vendor>/…` on any other origin. */
  find(url: URL): Destination | undefined;
  /** By a vendor's real URL only. */
  findByOrigin(url: URL): Destination | undefined;
  /** By `/<vendor>/…` only. */
  findByPath(url: URL): Destination | undefined;
}

/** Creates the router for a sandbox's vendors; if two serve the same URL, the first one wins. */
export function createRouter(vendors: VendorRecord): Router {
  const names = Object.keys(vendors);
  const findByPath = ({ origin, pathname }: URL): Destination | undefined => {
    const vendor = names.find((name) => pathname.startsWith(`/${name}/`));
    return vendor === undefined
      ? undefined
      : { vendor, base: `${origin}/${vendor}`, path: pathname.slice(vendor.length + 1) };
  };
  const findByOrigin = ({ origin, pathname }: URL): Destination | undefined => {
    const vendor = names.find((name) => vendors[name]!.origins.some((start) => isBelow(origin + pathname, start)));
    return vendor === undefined ? undefined : { vendor, base: origin, path: pathname };
  };
  return { find: (url) => findByOrigin(url) ?? findByPath(url), findByOrigin, findByPath };
}

/** Whether a URL starts with another, in which `*` matches one label of a host name. */
function isBelow(address: string, start: string): boolean {
  if (!start.includes('*')) return address === start || address.startsWith(`${start}/`);
  const [before, after] = start.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${before}[^/.]+${after}(/|$)`).test(address);
}

const namePattern = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** Throws if these vendors conflict with the existing ones. */
export function checkVendors(added: VendorRecord, existing: VendorRecord): void {
  if (typeof added !== 'object' || added === null || Array.isArray(added)) {
    throw new TypeError('`vendors` must be an object that maps vendor names to vendors.');
  }
  const served = Object.entries(existing).flatMap(([name, { origins }]) => origins.map((start) => ({ name, start })));
  for (const [name, vendor] of Object.entries(added)) {
    if (Object.hasOwn(existing, name)) {
      throw new TypeError(`Vendor name '${name}' is taken by a built-in vendor. Use another name.`);
    }
    if (!namePattern.test(name)) {
      throw new TypeError(
        `Invalid vendor name '${name}'. Use lower-case letters, digits and hyphens, such as 'my-crm'.`,
      );
    }
    const { origins, create } = (vendor ?? {}) as Partial<(typeof added)[string]>;
    if (!Array.isArray(origins) || typeof create !== 'function') {
      throw new TypeError(
        `Vendor '${name}' must be an object with \`origins\` (an array) and \`create\` (a function).`,
      );
    }
    for (const origin of origins as readonly unknown[]) {
      const start = checkedOrigin(name, origin);
      const conflict = served.find((other) => isBelow(start, other.start));
      if (conflict)
        throw new TypeError(`Address ${start} of vendor '${name}' is already served by vendor '${conflict.name}'.`);
    }
    served.push(...origins.map((start) => ({ name, start })));
  }
}

function checkedOrigin(vendor: string, origin: unknown): string {
  const sample = typeof origin === 'string' ? origin.replace('*', 'x') : '';
  if (/^https?:\/\/[^/]/.test(sample) && !sample.includes('*') && URL.canParse(sample)) {
    const { origin: start, pathname } = new URL(sample);
    // Normalized as in requests: lower case, without the scheme's default port.
    if (start + pathname.replace(/^\/$/, '') === sample) return origin as string;
  }
  throw new TypeError(
    `Invalid origin ${JSON.stringify(origin)} of vendor '${vendor}'. Use an address such as 'https://api.example.com' or 'https://example.com/api', without a slash at the end.`,
  );
}
