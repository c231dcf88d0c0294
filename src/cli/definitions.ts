import type { AnyConnector } from '../call/any-connector.js';
import type { ExecuteOptions } from '../call/execute-options.js';
import { nearest } from '../call/nearest.js';
import type { CommonOptions } from '../call/options.js';
import type { Pages } from '../call/paginate.js';
import type { ConnectorDescription } from '../manifest/describe.js';
import type { Manifest } from '../manifest/manifest.js';
import type { CliEnvironment } from './environment.js';
import { usageError } from './failure.js';

/** A connector whose type is known at run time only. */
export interface RunningConnector extends AnyConnector {
  paginate(entity: string, action: string, params?: object, options?: ExecuteOptions): Pages<unknown, unknown>;
}

/** The class of a type of connector. */
export interface AnyClass {
  readonly manifest: Manifest;
  describe(): ConnectorDescription;
  new (options: CommonOptions): RunningConnector;
}

/** Where types may come from beside the built-in ones. */
type TypeSource = Pick<CliEnvironment, 'connectors'>;

/** Loads every type's class, by type name. */
async function loaders({
  connectors: own = {},
}: TypeSource): Promise<Readonly<Record<string, () => Promise<AnyClass>>>> {
  const { connectors } = await import('../../connectors/index.js');
  const taken = Object.keys(own).find((name) => Object.hasOwn(connectors, name));
  if (taken !== undefined) throw usageError(`--connectors has '${taken}', which is a built-in type.`);
  const checked = Object.entries(own).map(([name, load]) => [name, () => loadNamed(name, load)] as const);
  return { ...connectors, ...Object.fromEntries(checked) } as unknown as Readonly<
    Record<string, () => Promise<AnyClass>>
  >;
}

async function loadNamed(name: string, load: () => Promise<{ readonly manifest: Manifest }>) {
  const Class = await load();
  if (Class.manifest.name === name) return Class;
  throw usageError(`--connectors has '${name}', but the manifest of its class is named '${Class.manifest.name}'.`);
}

/** The class of a type by its own name, if this version knows it. */
export async function classByName(type: string, types: TypeSource): Promise<AnyClass | undefined> {
  const all = await loaders(types);
  return Object.hasOwn(all, type) ? all[type]!() : undefined;
}

/** The names of all types, in their order. */
export const typeNames = async (types: TypeSource): Promise<string[]> => Object.keys(await loaders(types)).sort();

/** All types, in the order of their names. */
export async function allClasses(types: TypeSource): Promise<AnyClass[]> {
  const classes = await Promise.all(Object.values(await loaders(types)).map((load) => load()));
  return classes.sort((a, b) => (a.manifest.name < b.manifest.name ? -1 : 1));
}

const normalizeName = (name: string): string => name.toLowerCase().replaceAll(/[-_\s]/g, '');

/** The type that a name means in any spelling, be it its own, the vendor's, or its definition id. */
export async function resolveClass(name: string, types: TypeSource): Promise<AnyClass> {
  const exact = await classByName(name, types);
  if (exact) return exact;
  const classes = await allClasses(types);
  const found = classes.find(
    ({ manifest }) =>
      [manifest.name, manifest.title, ...(manifest.aliases ?? [])].some(
        (spelling) => normalizeName(spelling) === normalizeName(name),
      ) || manifest.definitionId === name.toLowerCase(),
  );
  if (found) return found;
  const names = classes.map(({ manifest }) => manifest.name);
  const close = nearest(name, names);
  throw usageError(`There is no connector type of this name.${close ? ` Did you mean '${close}'?` : ''}`, {
    hint: `Valid: ${names.join(', ')}.`,
  });
}

/** What an entity's action is declared as; nothing where there is none. */
export function specOf({ manifest }: AnyClass, entity: string, action: string) {
  const known = Object.hasOwn(manifest.entities, entity) ? manifest.entities[entity] : undefined;
  return known && Object.hasOwn(known.actions, action) ? known.actions[action] : undefined;
}
