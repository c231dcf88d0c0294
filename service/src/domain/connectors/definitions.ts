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
import type { Replication } from 'agent-connectors/replication';
import type { SetupGuide } from 'agent-connectors/setup';
import { type SkillDocs, skillDocs } from 'agent-connectors/tools';
import type * as z from 'zod';
import type { ConnectorRow } from '../../data/state/rows.js';

/** What a connector of any type is made with. */
export interface AnyConnectorOptions {
  readonly credentials?: Readonly<Record<string, string>>;
  readonly endpoints?: EndpointOptions;
  readonly fetch?: typeof globalThis.fetch;
  readonly tokens?: TokenStore;
  readonly hooks?: Hooks;
}

/** One type of connector, as the service uses it. */
export interface Definition {
  readonly manifest: Manifest;
  /** All of it as plain JSON. */
  readonly description: ConnectorDescription;
  make(options: AnyConnectorOptions, settings?: Readonly<Record<string, boolean>>): AnyConnector;
  /** Its documentation for agents. */
  docs(): Promise<SkillDocs>;
  /** How its records are replicated; nothing where the type has no replication. */
  replication(): Promise<Replication | undefined>;
  /** Nothing where the type has no such action. */
  action(entity: string, action: string): ActionDescription | undefined;
  /** What the parameters of searches have to be, by entity. */
  readonly searchParams: Readonly<Record<string, z.core.$ZodType>>;
  /** How it is set up and checked; nothing where the type has no guide. */
  readonly setup: SetupGuide | undefined;
  /** Its own fields of `replication_config`, by name. */
  readonly configFields: Readonly<Record<string, z.core.$ZodType>>;
}

/** Classes of the types that a service has, beside or in place of names: see `definitionsOf`. */
export type ConnectorClasses = ConnectorRegistry | readonly AnyConnectorClass[];

/** The types of connectors that one service has. */
export interface Definitions {
  /** Names of all types. */
  readonly names: readonly string[];
  /** Loads a type by its own name. */
  of(type: string): Promise<Definition>;
  /** Loads all types. */
  all(): Promise<Definition[]>;
  /** Names of the types whose records can be replicated. */
  replicatedTypes(): Promise<string[]>;
  /** The type that a name of any spelling means. */
  resolveName(name: string): Promise<string | undefined>;
  /** The type that has this definition id. */
  resolveDefinitionId(definitionId: string): Promise<string | undefined>;
}

/** The action that the service answers by itself. */
export const searchAction = 'context_store_search';

/** What every service knows of a class is the same: descriptions take long to make. */
const definitionCache = new WeakMap<AnyConnectorClass, Promise<Definition>>();

function cachedDefinition(Connector: AnyConnectorClass): Promise<Definition> {
  let definition = definitionCache.get(Connector);
  if (!definition) {
    definition = define(Connector);
    definitionCache.set(Connector, definition);
  }
  return definition;
}

/** The types that the library has, and those of the service's own. */
export function definitionsOf(custom: ConnectorClasses = []): Definitions {
  const builtIn = connectors as unknown as ConnectorRegistry;
  const customLoaders = connectorRegistry(custom);
  const duplicate = Object.keys(customLoaders).find((name) => Object.hasOwn(builtIn, name));
  if (duplicate !== undefined)
    throw new Error(`connectors has '${duplicate}', which is a built-in type: use another name.`);
  const loaders: ConnectorRegistry = { ...builtIn, ...customLoaders };
  const names = Object.keys(loaders);
  const loaded = new Map<string, Definition>();
  const of = async (type: string): Promise<Definition> => loaded.get(type) ?? load(type);
  const load = async (type: string): Promise<Definition> => {
    if (!Object.hasOwn(loaders, type)) {
      throw new ConnectorError('conflict', `The service has not loaded the connector type '${type}'.`, {
        hint: 'Start it with --connectors <module> for this type.',
      });
    }
    const definition = await cachedDefinition(await loadConnector(loaders, type));
    loaded.set(type, definition);
    return definition;
  };
  let loading: Promise<Definition[]> | undefined;
  const all = () => {
    loading ??= Promise.all(names.map(of)).then((definitions) => {
      checkDistinctTypes(definitions.map(({ manifest }) => manifest));
      return definitions;
    });
    return loading;
  };
  return {
    ...{ names, of, all },
    async replicatedTypes() {
      return (await all()).flatMap(({ manifest }) => (manifest.replication ? [manifest.name] : []));
    },
    async resolveName(name) {
      return (await all()).find(({ manifest }) => typeSpellings(manifest).includes(plainTypeName(name)))?.manifest.name;
    },
    async resolveDefinitionId(definitionId) {
      const found = (await all()).find(({ manifest }) => manifest.definitionId === definitionId.toLowerCase());
      return found?.manifest.name;
    },
  };
}

async function define(Connector: AnyConnectorClass): Promise<Definition> {
  const { manifest } = Connector;
  const [setup, replication, searchParams] = await Promise.all([
    manifest.setup?.(),
    manifest.replication?.(),
    loadSearchParams(manifest),
  ]);
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
    replication: async () => replication?.replication,
    action: (entity, action) => actions.get(`${entity}\n${action}`),
    searchParams,
    setup: setup?.setup,
    configFields: replication?.replication.config?._zod.def.shape ?? {},
  };
}

async function loadSearchParams({ entities }: Manifest): Promise<Record<string, z.core.$ZodType>> {
  const loading = Object.entries(entities).map(async ([name, { actions }]) => {
    const schema = await actions[searchAction]?.loadParams?.();
    return schema ? [[name, schema] as const] : [];
  });
  return Object.fromEntries((await Promise.all(loading)).flat());
}

/** Searchable entities of a type that can be replicated, or those of them that the configuration names. */
export function replicatedEntities(
  { replicationConfig }: Pick<ConnectorRow, 'replicationConfig'>,
  { description }: Definition,
  { entities }: Replication,
): string[] {
  const chosen = replicationConfig?.entities as readonly string[] | undefined;
  return description.entities.flatMap(({ name, search }) =>
    search && Object.hasOwn(entities, name) && (chosen?.includes(name) ?? true) ? [name] : [],
  );
}

/** What the type says of a field that is searched by meaning. */
export function semanticOf({ description }: Definition, entity: string, field: string) {
  const passages = description.entities.find(({ name }) => name === entity)?.search?.semantic[field];
  if (passages) return passages;
  throw new ConnectorError('invalid_params', `${entity}.${field} is not searched by meaning.`);
}

/** The field that a search by meaning looks in where it names none. */
export const onlyField = ({ description }: Definition, entity: string): string =>
  Object.keys(description.entities.find(({ name }) => name === entity)?.search?.semantic ?? {})[0] ?? '';
