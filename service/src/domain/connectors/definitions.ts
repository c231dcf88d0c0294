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
import type { SetupGuide } from 'agent-connectors/setup';
import { type SkillDocs, skillDocs } from 'agent-connectors/tools';
import type * as z from 'zod';

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
  /** How it is set up and checked; nothing where the type has no guide. */
  readonly setup: SetupGuide | undefined;
  /** Its own fields of `replication_config`, by name. */
  readonly configFields: Readonly<Record<string, z.core.$ZodType>>;
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

async function define(Connector: AnyClass): Promise<Definition> {
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
    replication: async () => replication?.replication,
    action: (entity, action) => actions.get(`${entity}\n${action}`),
    setup: setup?.setup,
    configFields: replication?.replication.config?._zod.def.shape ?? {},
  };
}

/** Names of the types whose records can be replicated. */
export async function replicatedTypes(): Promise<string[]> {
  const definitions = await Promise.all(typeNames.map(definitionOf));
  return definitions.flatMap(({ manifest }) => (manifest.replication ? [manifest.name] : []));
}

const plain = (name: string) => name.toLowerCase().replaceAll(/[-_\s]/g, '');

/** The type that a name of any spelling means. */
export async function typeNamed(name: string): Promise<string | undefined> {
  const definitions = await Promise.all(typeNames.map(definitionOf));
  const known = new Map(
    definitions.flatMap(({ manifest: { name: type, title, aliases = [] } }) =>
      [...aliases, type, title].map((spelling) => [plain(spelling), type] as const),
    ),
  );
  return known.get(plain(name));
}

/** The type that has this definition id. */
export async function typeWithId(definitionId: string): Promise<string | undefined> {
  const definitions = await Promise.all(typeNames.map(definitionOf));
  return definitions.find(({ manifest }) => manifest.definitionId === definitionId.toLowerCase())?.manifest.name;
}
