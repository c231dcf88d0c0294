import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxServer } from './server.js';

type Credentials = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Addresses and credentials of a server, as the command prints them. */
export interface Listing {
  readonly url: string;
  readonly control: string;
  readonly vendors: Readonly<Record<string, ListedVendor>>;
}

interface ListedVendor {
  readonly url: string;
  readonly credentials: Credentials;
  /** Ids that every call needs, of what the credentials reach. */
  readonly properties?: Readonly<Record<string, string>>;
}

/** Credentials for clients that sign each request themselves, which no connector is made with. */
const forOtherClients: ReadonlySet<string> = new Set(['google-analytics.access_token']);

/** What a server is reached with. */
export function listingOf({ url, sandbox }: SandboxServer): Listing {
  const vendors = Object.entries(sandbox.vendors).map(([name, vendor]) => {
    const address = `${url}/${name}`;
    const credentials = Object.entries(vendor.credentials as unknown as Credentials)
      .filter(([label]) => !forOtherClients.has(`${name}.${label}`))
      .map(([label, values]) => [label, withLocalBaseUrl(values, address)]);
    const properties = 'properties' in vendor && { properties: vendor.properties };
    return [name, { url: address, credentials: Object.fromEntries(credentials), ...properties }];
  });
  return { url, control: `${url}/_sandbox`, vendors: Object.fromEntries(vendors) };
}

/** A customer's own address, as the part of this server that stands for it: the real one is on the internet. */
function withLocalBaseUrl({ base_url, ...values }: Readonly<Record<string, string>>, address: string) {
  if (base_url === undefined) return values;
  return { ...values, base_url: `${address}/${new URL(base_url).hostname.split('.')[0]}` };
}

/** Writes every key file into a folder, for nobody else to read, and gives back their paths by vendor and label. */
export function writeKeys({ vendors }: Listing, folder: string): ReadonlyMap<string, string> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const paths = new Map<string, string>();
  for (const [name, { credentials }] of Object.entries(vendors)) {
    for (const [label, { credentials_json: key }] of Object.entries(credentials)) {
      if (key === undefined) continue;
      const path = join(folder, `${name}.${label}.json`);
      writeFileSync(path, key, { mode: 0o600 });
      // The mode above is for a new file alone.
      chmodSync(path, 0o600);
      paths.set(`${name}.${label}`, path);
    }
  }
  return paths;
}

/** The listing for people; a key file is named by its path, and never printed. */
export function formatListing({ url, control, vendors }: Listing, keys: ReadonlyMap<string, string>): string {
  const lines = [`Sandbox listening on ${url} (control endpoints below ${control})`];
  for (const [name, { url: address, credentials, properties }] of Object.entries(vendors)) {
    lines.push('', `${name}: ${address}`);
    for (const [label, values] of Object.entries(credentials)) {
      lines.push(`  ${label}`);
      for (const [field, value] of Object.entries(values)) {
        const path = keys.get(`${name}.${label}`);
        const shown = field === 'credentials_json' ? (path ?? '(a key file: --keys <folder> writes it there)') : value;
        lines.push(`    ${field.padEnd(17)} ${shown}`);
      }
    }
    if (properties) lines.push('  property_id');
    for (const [label, id] of Object.entries(properties ?? {})) lines.push(`    ${label.padEnd(17)} ${id}`);
  }
  return `${lines.join('\n')}\n\nCtrl+C ends it.\n`;
}
