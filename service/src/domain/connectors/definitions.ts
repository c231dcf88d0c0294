import {
  type ActionDescription,
  type AnyConnector,
  type ConnectorDescription,
  ConnectorError,
  connectors,
  type EndpointOptions,
  type Hooks,
  type Manifest,
  type TokenStore,
} from 'agent-connectors';
import {
  type AnyConnectorClass,
  type ConnectorRegistry,
  checkDistinctTypes,
  connectorRegistry,
  loadConnector,
  plainTypeName,
  typeSpellings,
} from 'agent-connectors/node';
import { type Replication, searchableOf } from 'agent-connectors/replication';
import type { Searchable } from 'agent-connectors/search';
import type { SetupGuide } from 'agent-connectors/setup';
import { type SkillDocs, skillDocs } from 'agent-connectors/tools';
import type * as z from 'zod';
import type { ConnectorRow } from '../../data/state/rows.js';

/** Options for a connector of any type. */
export interface AnyConnectorOptions {
  readonly credentials?: Readonly<Record<string, string>>;
  readonly endpoints?: EndpointOptions;
  readonly fetch?: typeof globalThis.fetch;
  readonly tokens?: TokenStore;
  readonly hooks?: Hooks;
}

/** A connector type as used by the service. */
export interface Definition {
  readonly manifest: Manifest;
  /** The complete description as JSON. */
  readonly description: ConnectorDescription;
  make(options: AnyConnectorOptions, settings?: Readonly<Record<string, boolean>>): AnyConnector;
  /** Its documentation for agents. */
  docs(): Promise<SkillDocs>;
  /** How its records are replicated; undefined if the type does not support replication. */
  readonly replication: Replication | undefined;
  /** Undefined if the type has no such action. */
  action(entity: string, action: string): ActionDescription | undefined;
  /** What can be searched, by entity. */
  readonly searchable: Readonly<Record<string, Searchable>>;
  /** How to set it up and check it, if the type has a guide. */
  readonly setup: SetupGuide | undefined;
  /** Its type-specific `replication_config` fields, keyed by name. */
  readonly configFields: Readonly<Record<string, z.core.$ZodType>>;
}

/** Connector classes that a service uses in addition to, or instead of, names; see `loadDefinitions`. */
export type ConnectorClasses = ConnectorRegistry | readonly AnyConnectorClass[];

/** A service's connector types. */
export interface Definitions {
  readonly names: readonly string[];
  readonly all: readonly Definition[];
  /** Names of the types that support replication. */
  readonly replicatedTypes: readonly string[];
  /** A type by its canonical name; throws `conflict` for a type that is not loaded. */
  of(type: string): Definition;
  /** Resolves a type name, ignoring case and separators. */
  resolveName(name: string): string | undefined;
  /** Resolves a definition id to a type name. */
  resolveDefinitionId(definitionId: string): string | undefined;
}

/** The action that the service handles itself. */
export const searchAction = 'context_store_search';

/** Shared by all services, since descriptions are slow to build. */
const definitionCache = new WeakMap<AnyConnectorClass, Promise<Definition>>();

function cachedDefinition(Connector: AnyConnectorClass): Promise<Definition> {
  let definition = definitionCache.get(Connector);
  if (!definition) {
    definition = define(Connector);
    definitionCache.set(Connector, definition);
  }
  return definition;
}

/** The library's connector types and the service's own, not yet loaded. */
export function connectorTypes(custom: ConnectorClasses = []): ConnectorRegistry {
  const builtIn = connectors as unknown as ConnectorRegistry;
  const customLoaders = connectorRegistry(custom);
  const duplicate = Object.keys(customLoaders).find((name) => Object.hasOwn(builtIn, name));
  if (duplicate !== undefined)
    throw new Error(`connectors contains '${duplicate}', which is a built-in type: use another name.`);
  return { ...builtIn, ...customLoaders };
}

/** Loads all connector types, with their replication and setup modules. */
export async function loadDefinitions(custom: ConnectorClasses = []): Promise<Definitions> {
  const loaders = connectorTypes(custom);
  const names = Object.keys(loaders);
  const load = async (name: string) => cachedDefinition(await loadConnector(loaders, name));
  const all = await Promise.all(names.map(load));
  const manifests = all.map(({ manifest }) => manifest);
  checkDistinctTypes(manifests);
  const byName = new Map(names.map((name, index) => [name, all[index]!]));
  return {
    names,
    all,
    replicatedTypes: manifests.flatMap(({ name, replication }) => (replication ? [name] : [])),
    of(type) {
      const definition = byName.get(type);
      if (definition) return definition;
      throw new ConnectorError('conflict', `The service has not loaded the connector type '${type}'.`, {
        hint: 'Start it with --connectors <module> for this type.',
      });
    },
    resolveName: (name) => manifests.find((manifest) => typeSpellings(manifest).includes(plainTypeName(name)))?.name,
    resolveDefinitionId: (id) => manifests.find(({ definitionId }) => definitionId === id.toLowerCase())?.name,
  };
}

async function define(Connector: AnyConnectorClass): Promise<Definition> {
  const { manifest } = Connector;
  const [setup, replication] = await Promise.all([manifest.setup?.(), manifest.replication?.()]);
  const description = Connector.describe();
  const actions = new Map(
    description.entities.flatMap(({ name, actions }) => actions.map((action) => [`${name}\n${action.name}`, action])),
  );
  let docs: Promise<SkillDocs> | undefined;
  return {
    manifest,
    description,
    make: (options, settings = {}) => new Connector({ ...options, ...settings }),
    docs() {
      docs ??= skillDocs(new Connector({}));
      return docs;
    },
    replication: replication?.replication,
    action: (entity, action) => actions.get(`${entity}\n${action}`),
    searchable: searchableIn(manifest),
    setup: setup?.setup,
    configFields: replication?.replication.config?._zod.def.shape ?? {},
  };
}

const searchableIn = ({ entities }: Manifest): Record<string, Searchable> =>
  Object.fromEntries(
    Object.entries(entities).flatMap(([name, entity]) => {
      const fields = searchableOf(entity);
      return fields ? [[name, fields]] : [];
    }),
  );

/** Entities of a connector that are replicated: those in its configuration, or all searchable ones. */
export function replicatedEntities(
  { replicationConfig }: Pick<ConnectorRow, 'replicationConfig'>,
  { description, replication }: Definition,
): string[] {
  const chosen = replicationConfig?.entities as readonly string[] | undefined;
  return description.entities.flatMap(({ name, search }) =>
    search && Object.hasOwn(replication?.entities ?? {}, name) && (chosen?.includes(name) ?? true) ? [name] : [],
  );
}

/** The declaration of a semantic field. */
export function semanticOf({ description }: Definition, entity: string, field: string) {
  const passages = description.entities.find(({ name }) => name === entity)?.search?.semantic[field];
  if (passages) return passages;
  throw new ConnectorError('invalid_params', `${entity}.${field} does not support semantic search.`);
}
