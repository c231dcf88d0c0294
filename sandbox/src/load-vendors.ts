import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { VendorRecord } from './vendor.js';

/** Imports modules that export `vendors`, each given as a path or a package, and merges their exports. */
export async function loadVendors(modules: readonly string[]): Promise<VendorRecord> {
  const sources = new Map<string, string>();
  const loaded: Record<string, VendorRecord[string]> = {};
  for (const name of modules) {
    for (const [vendor, implementation] of Object.entries(await vendorsIn(name))) {
      const other = sources.get(vendor);
      if (other !== undefined)
        throw new Error(`Both '${other}' and '${name}' export a vendor '${vendor}'. Load only one of them.`);
      sources.set(vendor, name);
      loaded[vendor] = implementation;
    }
  }
  return loaded;
}

async function vendorsIn(name: string): Promise<VendorRecord> {
  const { vendors } = (await load(name)) as { vendors?: VendorRecord };
  if (typeof vendors === 'object' && vendors !== null && !Array.isArray(vendors)) return vendors;
  throw new Error(
    `Module '${name}' does not export \`vendors\`. Export vendors by name: export const vendors = { example };`,
  );
}

async function load(name: string): Promise<object> {
  const isPath = /^(\.{0,2}[/\\]|[A-Za-z]:[/\\])/.test(name);
  const file = resolve(name);
  const isFile = statSync(file, { throwIfNoEntry: false })?.isFile();
  if (isPath && !isFile) throw new Error(`Cannot load vendors from '${name}': file ${file} does not exist.`);
  try {
    return await import(isFile ? pathToFileURL(file).href : packageAddress(name));
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string };
    const isMissing = !isFile && code === 'ERR_MODULE_NOT_FOUND' && message?.includes(`'${name}'`);
    const reason = isMissing
      ? 'no such file or package. Install the package or pass the path to a JavaScript file.'
      : (message ?? String(error));
    throw new Error(`Cannot load vendors from '${name}': ${reason}`, { cause: error });
  }
}

/** Location of a package in the current folder; otherwise its name, for a package installed next to the sandbox. */
function packageAddress(name: string): string {
  try {
    return pathToFileURL(createRequire(join(process.cwd(), 'package.json')).resolve(name)).href;
  } catch {
    return name;
  }
}
