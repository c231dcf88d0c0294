import type { AnyConnector } from '../any-connector.js';
import type { ExecuteOptions } from '../call/execute-options.js';
import type { CommonOptions } from '../call/options.js';
import type { Pages } from '../call/paginate.js';
import { nearest } from '../errors/nearest.js';
import type { ConnectorDescription } from '../manifest/describe.js';
import type { Manifest } from '../manifest/manifest.js';
import {
  type ConnectorRegistry,
  checkDistinctTypes,
  loadConnector,
  plainTypeName,
  typeSpellings,
} from '../node/connectors.js';
import { isSafeToEcho } from './arguments/flags.js';
import type { CliEnvironment } from './environment.js';
import { usageError } from './failure.js';

/** A connector whose type is known only at run time. */
export interface RunningConnector extends AnyConnector {
  paginate(entity: string, action: string, params?: object, options?: ExecuteOptions): Pages<unknown, unknown>;
}

/** The class of a connector type. */
export interface AnyClass {
  readonly manifest: Manifest;
  describe(): ConnectorDescription;
  new (options: CommonOptions): RunningConnector;
}

/** Source of types in addition to the built-in ones. */
type TypeSource = Pick<CliEnvironment, 'connectors'>;

/** Names of all types and their class loaders; a module's names must differ from the built-in ones. */
async function registryOf({ connectors: own = {} }: TypeSource): Promise<ConnectorRegistry> {
  const builtIn = (await import('../../connectors/index.js')).connectors as unknown as ConnectorRegistry;
  const taken = Object.keys(own).find((name) => Object.hasOwn(builtIn, name));
  if (taken !== undefined) throw usageError(`--connectors defines '${taken}', which is a built-in type.`);
  const registry = { ...builtIn, ...own };
  if (Object.keys(own).length > 0) {
    checkDistinctTypes((await classesOf(registry)).map(({ manifest }) => manifest));
  }
  return registry;
}

const classesOf = async (registry: ConnectorRegistry): Promise<AnyClass[]> =>
  (await Promise.all(Object.keys(registry).map((name) => loadConnector(registry, name)))) as unknown as AnyClass[];

/** Loads a type's class by its canonical name, if this version has it. */
export async function classByName(type: string, types: TypeSource): Promise<AnyClass | undefined> {
  const registry = await registryOf(types);
  return Object.hasOwn(registry, type) ? ((await loadConnector(registry, type)) as unknown as AnyClass) : undefined;
}

/** The names of all types, sorted. */
export const typeNames = async (types: TypeSource): Promise<string[]> => Object.keys(await registryOf(types)).sort();

/** All types, sorted by name. */
export async function allClasses(types: TypeSource): Promise<AnyClass[]> {
  const classes = await classesOf(await registryOf(types));
  return classes.sort((a, b) => (a.manifest.name < b.manifest.name ? -1 : 1));
}

/** Resolves a type by its name, the vendor's name or its definition id, ignoring case and separators. */
export async function resolveClass(name: string, types: TypeSource): Promise<AnyClass> {
  const exact = await classByName(name, types);
  if (exact) return exact;
  const classes = await allClasses(types);
  const found = classes.find(
    ({ manifest }) =>
      typeSpellings(manifest).includes(plainTypeName(name)) || manifest.definitionId === name.toLowerCase(),
  );
  if (found) return found;
  const names = classes.map(({ manifest }) => manifest.name);
  const close = nearest(name, names);
  throw usageError(
    `Unknown connector type${isSafeToEcho(name) ? ` '${name}'` : ''}.${close ? ` Did you mean '${close}'?` : ''}`,
    {
      hint: `Valid: ${names.join(', ')}.`,
    },
  );
}

/** The declaration of an action; undefined if it does not exist. */
export function specOf({ manifest }: AnyClass, entity: string, action: string) {
  const known = Object.hasOwn(manifest.entities, entity) ? manifest.entities[entity] : undefined;
  return known && Object.hasOwn(known.actions, action) ? known.actions[action] : undefined;
}
