import {
  type ActionDescription,
  type AnyConnector,
  type ConnectorDescription,
  connectors,
  type EndpointOptions,
  type Hooks,
  type Manifest,
  type TokenStore,
  type Transport,
} from 'agent-connectors';
import type { Replication } from 'agent-connectors/replication';
import { type SkillDocs, skillDocs } from 'agent-connectors/tools';

/** What a connector of any type is made with. */
export interface AnyConnectorOptions {
  readonly credentials?: Readonly<Record<string, string>>;
  readonly endpoints?: EndpointOptions;
  readonly fetch?: typeof globalThis.fetch;
  readonly tokens?: TokenStore;
  readonly transport?: Transport;
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
}

type AnyClass = {
  readonly manifest: Manifest;
  describe(): ConnectorDescription;
  new (options: object): AnyConnector;
};

const loaders = connectors as unknown as Readonly<Record<string, () => Promise<AnyClass>>>;
const loaded = new Map<string, Promise<Definition>>();

/** Names of all types. */
export const typeNames: readonly string[] = Object.keys(loaders);

/** Loads a type by its own name. */
export function definitionOf(type: string): Promise<Definition> {
  let definition = loaded.get(type);
  if (!definition) {
    const load = loaders[type];
    if (!load) return Promise.reject(new Error(`There is no connector type ${type}.`));
    definition = load().then(define);
    loaded.set(type, definition);
  }
  return definition;
}

function define(Connector: AnyClass): Definition {
  const description = Connector.describe();
  const actions = new Map(
    description.entities.flatMap(({ name, actions }) => actions.map((action) => [`${name}\n${action.name}`, action])),
  );
  let docs: Promise<SkillDocs> | undefined;
  return {
    manifest: Connector.manifest,
    description,
    make: (options, settings = {}) => new Connector({ ...options, ...settings }),
    docs() {
      docs ??= skillDocs(new Connector({}));
      return docs;
    },
    replication: async () => (await Connector.manifest.replication?.())?.replication,
    action: (entity, action) => actions.get(`${entity}\n${action}`),
  };
}

/** Names of the types whose records can be replicated. */
export async function replicatedTypes(): Promise<string[]> {
  const definitions = await Promise.all(typeNames.map(definitionOf));
  return definitions.flatMap(({ manifest }) => (manifest.replication ? [manifest.name] : []));
}

const plain = (name: string) => name.toLowerCase().replaceAll(/[-_\s]/g, '');

/** Names that clients know types by, beside their own and the vendors’. */
const aliases: Readonly<Record<string, string>> = { 'google-analytics-data-api': 'google-analytics' };

/** The type that a name of any spelling means. */
export async function typeNamed(name: string): Promise<string | undefined> {
  const definitions = await Promise.all(typeNames.map(definitionOf));
  const known = new Map(
    [
      ...Object.entries(aliases),
      ...definitions.flatMap(({ manifest }) => [
        [manifest.name, manifest.name] as const,
        [manifest.title, manifest.name] as const,
      ]),
    ].map(([spelling, type]) => [plain(spelling), type]),
  );
  return known.get(plain(name));
}

/** The type that has this definition id. */
export async function typeWithId(definitionId: string): Promise<string | undefined> {
  const definitions = await Promise.all(typeNames.map(definitionOf));
  return definitions.find(({ manifest }) => manifest.definitionId === definitionId.toLowerCase())?.manifest.name;
}
