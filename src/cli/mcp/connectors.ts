import type { Inspection } from '../../any-connector.js';
import type { CommonOptions } from '../../call/options.js';
import type { Transport } from '../../call/transport.js';
import { connectorPath } from '../../hosted/service.js';
import { knownParameters } from '../../setup/known.js';
import type { SearchAll } from '../../tools/search-tool.js';
import type { ToolConnector } from '../../tools/toolset.js';
import type { ConnectorInspection, HostedConnector } from '../../wire/index.js';
import type { CommandCall } from '../arguments/specification.js';
import { type AnyClass, classByName, resolveClass } from '../definitions.js';
import { failure } from '../failure.js';
import { connectorsIn, effectiveSettings, type Session, sessionWith, transportTo } from '../hosted.js';
import { classesWithCredentials } from '../local/credentials.js';
import { guideOf, openLocal } from '../local/open.js';
import { inLine } from '../output/colour.js';
import { write } from '../output/printer.js';
import type { McpCommandLine } from './command-line.js';

type ConnectorsByName = Readonly<Record<string, ToolConnector>>;
type CliContext = Pick<CommandCall, 'environment' | 'secrets'>;

/** Metadata of a connector in the service. */
interface Named {
  readonly connector: { readonly id: string; readonly name: string };
}

/** The connectors to serve. */
interface ServedConnectors {
  /** Looks up connectors by name; they reject writes unless writes are allowed. */
  readonly connectors: () => Promise<ConnectorsByName>;
  /** Searches the connectors' replicas in the service. */
  readonly searchAll?: SearchAll;
}

/** Connectors from the environment or a service. */
export const connectorsFor = (line: McpCommandLine, call: CliContext): ServedConnectors =>
  line.local ? { connectors: localConnectors(line, call) } : hostedConnectors(line, call);

/** The environment does not change while the command runs. */
function localConnectors(line: McpCommandLine, call: CliContext): () => Promise<ConnectorsByName> {
  let opened: Promise<ConnectorsByName> | undefined;
  return () => {
    opened ??= openAll(line, call);
    return opened;
  };
}

async function openAll({ connectors, allowWrites }: McpCommandLine, call: CliContext): Promise<ConnectorsByName> {
  const classes = connectors
    ? await Promise.all(connectors.map((name) => resolveClass(name, call.environment)))
    : await classesWithCredentials(call.environment);
  const opened = await Promise.all(
    [...new Set(classes)].map((Class) => openLocal(allowWrites ? Class : readOnlyClass(Class), call)),
  );
  return Object.fromEntries(
    opened.map(({ Class, connector }) => [Class.manifest.name, withKnown(Class, connector, call.environment)]),
  );
}

/** Adds parameter values from the environment to the connector's inspection. */
function withKnown(Class: AnyClass, connector: ToolConnector, { env }: CliContext['environment']): ToolConnector {
  const inspect = connector.inspect!.bind(connector);
  return Object.assign(connector, {
    inspect: async () => ({ ...(await inspect()), known_parameters: knownParameters(await guideOf(Class), { env }) }),
  });
}

/** The same class with read-only instances. */
const readOnlyClass = (Class: AnyClass): AnyClass =>
  class extends Class {
    constructor(options: CommonOptions) {
      super({ ...options, readOnly: true });
    }
  };

/** Queries the service each time, but reuses the objects of unchanged connectors. */
function hostedConnectors(line: McpCommandLine, call: CliContext): ServedConnectors {
  /** Names used in calls, by connector id. */
  let names = new Map<string, string>();
  let cache = new Map<string, ToolConnector | undefined>();
  let session: Session | undefined;
  let settingsOfSession: string | undefined;
  let isFirst = true;
  const connectors = async () => {
    // `login` may have changed the service or client since; an unchanged session keeps its token.
    const { settings, source } = await effectiveSettings(call);
    if (!session || JSON.stringify(settings) !== settingsOfSession) {
      session = sessionWith(call, settings, source);
      settingsOfSession = JSON.stringify(settings);
      cache = new Map();
    }
    const workspace = line.workspace ?? session.workspace;
    const rows = await connectorsIn(session, workspace);
    if (isFirst) checkRows(rows, line, workspace);
    isFirst = false;
    const found: Record<string, ToolConnector> = Object.create(null);
    const foundNames = new Map<string, string>();
    const known = new Map<string, ToolConnector | undefined>();
    for (const row of rows) {
      if (line.connectors && !line.connectors.some((name) => matchesName(row, name))) continue;
      const key = `${row.id} ${row.updated_at}`;
      const connector = cache.has(key) ? cache.get(key) : await hostedConnector(row, session, line, call);
      known.set(key, connector);
      if (!connector) continue;
      const name = uniqueName(row.name, found);
      found[name] = connector;
      foundNames.set(row.id, name);
    }
    cache = known;
    names = foundNames;
    return found;
  };
  const searchAll: SearchAll = async ({ connectors: wanted, ...query }) => {
    const { client, workspace } = session!;
    const ids = [...names].flatMap(([id, name]) => ((wanted?.includes(name) ?? true) ? [id] : []));
    const { data, meta } = await client.search({ ...query, connector_ids: ids }, line.workspace ?? workspace);
    const named = <T extends Named>(hit: T): T => ({
      ...hit,
      connector: { ...hit.connector, name: names.get(hit.connector.id) ?? hit.connector.name },
    });
    return { data: data.map(named), meta: { ...meta, skipped: (meta.skipped as Named[]).map(named) } };
  };
  return { connectors, searchAll };
}

/** At startup, an unknown name or an empty list is an error. */
function checkRows(rows: readonly HostedConnector[], { connectors }: McpCommandLine, workspace: string): void {
  const hasUnknownName = connectors?.some((name) => !rows.some((row) => matchesName(row, name)));
  if (!hasUnknownName && rows.length > 0) return;
  const problem = rows.length === 0 ? 'has no connectors' : 'has no such connector: check --connectors';
  const names = rows.map(({ name }) => name).join(', ');
  throw failure('not_found', `The workspace '${workspace}' ${problem}.`, {
    hint: rows.length === 0 ? 'Create one with agent-connectors connectors create.' : `Available: ${names}.`,
  });
}

/** A connector that runs in the service; undefined if its type is unknown here and cannot be described. */
async function hostedConnector(
  row: HostedConnector,
  session: Session,
  { allowWrites }: McpCommandLine,
  { environment }: CliContext,
): Promise<ToolConnector | undefined> {
  const Class = await classByName(row.connector_type, environment);
  if (!Class) {
    await write(
      environment.stderr,
      `Skipped '${inLine(row.name)}': its type ${inLine(row.connector_type)} is not loaded. Load its module: agent-connectors --connectors <module> mcp\n`,
    );
    return undefined;
  }
  const transport = until(environment.signal, transportTo(session, row.id));
  const connector = new Class({ readOnly: !allowWrites, transport });
  return {
    execute: (entity, action, params, options) => connector.execute(entity, action, params, options),
    describe: () => connector.describe(),
    check: async (...call) => connector.check?.(...call),
    following: (...page) => connector.following?.(...page),
    guide: async () => (await connector.guide?.()) ?? '',
    inspect: () => inspection(session.get<ConnectorInspection>(`${connectorPath(row.id)}/inspect`)),
  };
}

/** Aborts calls when the command stops. */
const until =
  (stopSignal: AbortSignal, transport: Transport): Transport =>
  ({ options, ...operation }) => {
    const signal = options.signal ? AbortSignal.any([options.signal, stopSignal]) : stopSignal;
    return transport({ ...operation, options: { ...options, signal } });
  };

async function inspection(response: Promise<ConnectorInspection>): Promise<Inspection> {
  const { context_store_readiness, warnings, known_parameters } = await response;
  return { mode: 'hosted', context_store_readiness, warnings, known_parameters };
}

const slugify = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^\w]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 60) || 'connector';

const matchesName = ({ name, connector_type }: HostedConnector, requestedName: string): boolean =>
  [name, connector_type].some((known) => slugify(known) === slugify(requestedName));

/** A unique name to use in calls. */
function uniqueName(name: string, taken: ConnectorsByName): string {
  let found = slugify(name);
  for (let number = 2; Object.hasOwn(taken, found); number++) found = `${slugify(name)}-${number}`;
  return found;
}
