import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from './types.js';

type Credentials = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** URLs and credentials of a server. */
export interface Listing {
  readonly url: string;
  readonly control: string;
  readonly vendors: Readonly<Record<string, ListedVendor>>;
}

interface ListedVendor {
  readonly url: string;
  readonly credentials: Credentials;
  /** Ids that every call needs, limited to those the credentials can access. */
  readonly properties?: Readonly<Record<string, string>>;
}

/** Credentials for clients that sign each request themselves; not used by connectors. */
const forOtherClients: ReadonlySet<string> = new Set(['google-analytics.access_token']);

/** Everything needed to reach a server. */
export function listingOf({ url, sandbox }: { readonly url: string; readonly sandbox: Sandbox }): Listing {
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

/** Replaces a customer's own URL with this server's: the real one is on the internet. */
function withLocalBaseUrl({ base_url, ...values }: Readonly<Record<string, string>>, address: string) {
  if (base_url === undefined) return values;
  return { ...values, base_url: `${address}/${new URL(base_url).hostname.split('.')[0]}` };
}

/** Writes every key file to a folder, private to the user. */
export function writeKeys({ vendors }: Listing, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [name, { credentials }] of Object.entries(vendors)) {
    for (const [label, { credentials_json: key }] of Object.entries(credentials)) {
      if (key === undefined) continue;
      const path = join(folder, `${name}.${label}.json`);
      writeFileSync(path, key, { mode: 0o600 });
      // The mode above only applies to new files.
      chmodSync(path, 0o600);
    }
  }
}

/** What a browser shows at the server's URL; key files are never shown. */
export function formatListing({ vendors }: Listing): string {
  const lines = ['Credentials that the sandbox accepts'];
  for (const [name, { url: address, credentials, properties }] of Object.entries(vendors)) {
    lines.push('', `${name}: ${address}`);
    for (const [label, values] of Object.entries(credentials)) {
      lines.push(`  ${label}`);
      for (const [field, value] of Object.entries(values)) {
        const shown = field === 'credentials_json' ? `(${name}.${label}.json, written by --keys <folder>)` : value;
        lines.push(`    ${field.padEnd(17)} ${shown}`);
      }
    }
    if (properties) lines.push('  property_id');
    for (const [label, id] of Object.entries(properties ?? {})) lines.push(`    ${label.padEnd(17)} ${id}`);
  }
  return `${lines.join('\n')}\n`;
}

/** What the command prints once the server listens. */
export function startNotice({ url, vendors }: Listing, keys: string | undefined): string {
  const endpoints = Object.fromEntries(Object.entries(vendors).map(([name, vendor]) => [name, vendor.url]));
  return `Sandbox listening on ${url}, which lists its credentials. Press Ctrl+C to stop.
${keys === undefined ? '' : `Key files are in ${keys}.\n`}To send calls from the command line and the service to it:
export AGENT_CONNECTORS_ENDPOINTS='${JSON.stringify(endpoints)}'
`;
}
