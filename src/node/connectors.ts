import { existsSync } from 'node:fs';
import { createRequire as requireFrom } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { cwd } from 'node:process';
import { pathToFileURL } from 'node:url';
import type { AnyConnector } from '../any-connector.js';
import { ConnectorError } from '../errors/connector-error.js';
import type { ConnectorDescription } from '../manifest/describe.js';
import type { Manifest } from '../manifest/manifest.js';

/** A connector class whose type is known only at run time. */
export interface AnyConnectorClass {
  /** The type's manifest. */
  readonly manifest: Manifest;
  /** Describes the type as plain JSON. */
  describe(): ConnectorDescription;
  new (options: any): AnyConnector;
}

/** Connector classes by type name, loaded on demand: `{ acme: async () => AcmeConnector }`. */
export type ConnectorRegistry = Readonly<Record<string, () => Promise<AnyConnectorClass>>>;

/** Creates a registry of connector classes; a registry is returned unchanged. */
export function connectorRegistry(given: ConnectorRegistry | readonly AnyConnectorClass[]): ConnectorRegistry {
  if (!Array.isArray(given)) {
    if (isRegistry(given, 0)) return given;
    throw problem('connectors must be connector classes, or a registry such as { acme: async () => AcmeConnector }.');
  }
  const registry: Record<string, ConnectorRegistry[string]> = {};
  for (const Connector of given as readonly AnyConnectorClass[]) {
    if (!isClass(Connector)) throw problem('connectors must contain only connector classes.');
    const { name } = Connector.manifest;
    if (Object.hasOwn(registry, name))
      throw problem(`connectors contains two classes named '${name}': rename one of them.`);
    registry[name] = async () => Connector;
  }
  return registry;
}

/** Loads a class from a registry; throws for any other value, or for a class with a different name. */
export async function loadConnector(registry: ConnectorRegistry, name: string): Promise<AnyConnectorClass> {
  const load: unknown = registry[name];
  if (isClass(load)) {
    throw problem(`connectors has '${name}', a class: make it a function, async () => ${load.name}.`);
  }
  const Connector: unknown = await (load as () => unknown)();
  if (!isClass(Connector)) throw problem(`The function for '${name}' in connectors does not return a connector class.`);
  if (Connector.manifest.name === name) return Connector;
  throw problem(`The class for '${name}' in connectors is named '${Connector.manifest.name}': use the same name.`);
}

/**
 * Rejects types that share a name, title, alias or definition id, or whose names differ only in case, spaces, dashes or
 * underscores: otherwise one type's credentials could be sent to the other's vendor.
 */
export function checkDistinctTypes(manifests: readonly Manifest[]): void {
  const owners = new Map<string, string>();
  for (const manifest of manifests) {
    for (const key of new Set([...typeSpellings(manifest), manifest.definitionId.toLowerCase()])) {
      const owner = owners.get(key);
      if (owner !== undefined) {
        throw problem(
          `Connectors '${owner}' and '${manifest.name}' share '${key}'. Names, titles, aliases and definitionIds must be unique: change it in one of them.`,
        );
      }
      owners.set(key, manifest.name);
    }
  }
}

/** All normalized spellings of a type's names. */
export const typeSpellings = ({ name, title, aliases = [] }: Manifest): string[] =>
  [name, title, ...aliases].map(plainTypeName);

/** Normalizes a name: lower case, without spaces, dashes or underscores. */
export const plainTypeName = (name: string): string => name.toLowerCase().replaceAll(/[-_\s]/g, '');

/**
 * Loads connectors from modules, each of which exports a registry named `connectors`, or connector classes.
 *
 * A module is a path relative to `folder`, or the name of a package installed there.
 */
export async function loadConnectors(modules: readonly string[], folder: string = cwd()): Promise<ConnectorRegistry> {
  const registries = await Promise.all(modules.map((module) => loadModule(module, folder)));
  const all: Record<string, ConnectorRegistry[string]> = {};
  for (const [index, registry] of registries.entries()) {
    for (const [name, load] of Object.entries(registry)) {
      if (Object.hasOwn(all, name)) {
        throw problem(`${modules[index]} exports connector '${name}', which another module also exports.`);
      }
      all[name] = load;
    }
  }
  return all;
}

async function loadModule(module: string, folder: string): Promise<ConnectorRegistry> {
  const address = addressOf(module, folder);
  let exported: Readonly<Record<string, unknown>>;
  try {
    exported = await import(/* @vite-ignore */ address);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ERR_MODULE_NOT_FOUND' && address === module) throw notFound(module, folder);
    throw problem(`Module '${module}' could not be loaded: ${message}`, undefined, cause);
  }
  const registry = registryIn(exported);
  if (registry) return registry;
  throw problem(
    `Module '${module}' exports no connector.`,
    'Export a registry called connectors, such as { acme: async () => AcmeConnector }, or connector classes.',
  );
}

/** The URL of a module resolved from a folder; otherwise its name, which Node resolves from this package. */
function addressOf(module: string, folder: string): string {
  const path = resolve(folder, module);
  const isPath = /^\.{0,2}[/\\]/.test(module) || isAbsolute(module) || existsSync(path);
  try {
    return pathToFileURL(requireFrom(join(folder, 'connectors.js')).resolve(isPath ? path : module)).href;
  } catch {
    // Some packages do not have a `require` entry.
    if (!isPath) return module;
    throw notFound(module, folder);
  }
}

function registryIn(exported: Readonly<Record<string, unknown>>): ConnectorRegistry | undefined {
  const { connectors } = exported;
  if (Array.isArray(connectors) && connectors.length > 0 && connectors.every(isClass)) {
    return connectorRegistry(connectors);
  }
  if (isRegistry(connectors)) return connectors;
  const classes = [...new Set(Object.values(exported).filter(isClass))];
  return classes.length > 0 ? connectorRegistry(classes) : undefined;
}

const isRegistry = (value: unknown, minimum = 1): value is ConnectorRegistry =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).length >= minimum &&
  Object.values(value).every((load) => typeof load === 'function');

/** Whether the value is a class with its own manifest; the base class of all connectors does not have one. */
const isClass = (value: unknown): value is AnyConnectorClass =>
  typeof value === 'function' && typeof (value as Partial<AnyConnectorClass>).manifest?.name === 'string';

const notFound = (module: string, folder: string) =>
  problem(
    `Module '${module}' could not be resolved from ${folder}.`,
    'Pass a path, such as ./connectors/index.js, or the name of an installed package.',
  );

const problem = (message: string, hint?: string, cause?: unknown) =>
  new ConnectorError('invalid_params', message, { hint, cause });
