import type { CommonOptions } from '../../call/options.js';
import type { Transport } from '../../call/transport.js';
import { connectorPath } from '../../hosted/service.js';
import type { ConnectorInspection, HostedConnector } from '../../hosted/wire.js';
import type { Inspection } from '../../manifest/inspection.js';
import type { ToolConnector } from '../../tools/toolset.js';
import type { CommandCall } from '../arguments/specification.js';
import { type AnyClass, allClasses, classByName, resolveClass } from '../definitions.js';
import { failure } from '../failure.js';
import { connectorsIn, openSession, transportTo } from '../hosted.js';
import { hasCredentials } from '../local/credentials.js';
import { openLocal } from '../local/open.js';
import { inLine } from '../output/colour.js';
import { write } from '../output/printer.js';
import type { McpCommandLine } from './command-line.js';

type ConnectorsByName = Readonly<Record<string, ToolConnector>>;
type CliContext = Pick<CommandCall, 'environment' | 'secrets'>;

/** The connectors that the command line means, by name; unless writes are allowed they refuse those themselves. */
export const connectorsFor = (line: McpCommandLine, call: CliContext): Promise<ConnectorsByName> =>
  line.local ? localConnectors(line, call) : hostedConnectors(line, call);

async function localConnectors(
  { connectors, allowWrites }: McpCommandLine,
  call: CliContext,
): Promise<ConnectorsByName> {
  const classes = connectors
    ? await Promise.all(connectors.map((name) => resolveClass(name, call.environment)))
    : (await allClasses(call.environment)).filter((Class) => hasCredentials(Class, call.environment.env));
  if (classes.length === 0) {
    throw failure('invalid_credentials', 'The environment holds no credentials of any connector.', {
      hint: 'agent-connectors connectors describe --local lists the variables.',
    });
  }
  const opened = await Promise.all(
    [...new Set(classes)].map((Class) => openLocal(allowWrites ? Class : readOnlyClass(Class), call)),
  );
  return Object.fromEntries(opened.map(({ Class, connector }) => [Class.manifest.name, connector]));
}

/** The same class, whose connectors refuse whatever changes data. */
const readOnlyClass = (Class: AnyClass): AnyClass =>
  class extends Class {
    constructor(options: CommonOptions) {
      super({ ...options, readOnly: true });
    }
  };

async function hostedConnectors(line: McpCommandLine, call: CliContext): Promise<ConnectorsByName> {
  const session = await openSession(call as CommandCall);
  const workspace = line.workspace ?? session.workspace;
  const rows = await connectorsIn(session, workspace);
  const hasUnknownName = line.connectors?.some((name) => !rows.some((row) => matchesName(row, name)));
  if (hasUnknownName || rows.length === 0) {
    const problem = rows.length === 0 ? 'holds no connector yet' : 'lacks a connector that --connectors names';
    const names = rows.map(({ name }) => name).join(', ');
    throw failure('not_found', `The workspace '${workspace}' ${problem}.`, {
      hint: rows.length === 0 ? 'agent-connectors connectors create makes one.' : `There are: ${names}.`,
    });
  }
  const connectors: Record<string, ToolConnector> = Object.create(null);
  for (const row of rows) {
    if (line.connectors && !line.connectors.some((name) => matchesName(row, name))) continue;
    const Class = await classByName(row.connector_type, call.environment);
    // A type that is unknown here cannot be described, and so not offered.
    if (!Class) {
      await write(
        call.environment.stderr,
        `Skipped '${inLine(row.name)}': its type ${inLine(row.connector_type)} is unknown here. Load its module: agent-connectors --connectors <module> mcp\n`,
      );
      continue;
    }
    const transport = until(call.environment.signal, transportTo(session, row.id));
    const connector = new Class({ readOnly: !line.allowWrites, transport });
    connectors[uniqueName(row.name, connectors)] = {
      execute: (entity, action, params, options) => connector.execute(entity, action, params, options),
      describe: () => connector.describe(),
      check: async (...call) => connector.check?.(...call),
      following: (...page) => connector.following?.(...page),
      guide: async () => (await connector.guide?.()) ?? '',
      inspect: () => inspection(session.get<ConnectorInspection>(`${connectorPath(row.id)}/inspect`)),
    };
  }
  return connectors;
}

/** Each call ends with the command, too. */
const until =
  (stopSignal: AbortSignal, transport: Transport): Transport =>
  ({ options, ...operation }) => {
    const signal = options.signal ? AbortSignal.any([options.signal, stopSignal]) : stopSignal;
    return transport({ ...operation, options: { ...options, signal } });
  };

async function inspection(response: Promise<ConnectorInspection>): Promise<Inspection> {
  const { context_store_readiness, warnings } = await response;
  return { mode: 'hosted', context_store_readiness, warnings };
}

const slugify = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^\w]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 60) || 'connector';

const matchesName = ({ name, connector_type }: HostedConnector, requestedName: string): boolean =>
  [name, connector_type].some((known) => slugify(known) === slugify(requestedName));

/** A name for calls that no other connector has. */
function uniqueName(name: string, taken: ConnectorsByName): string {
  let found = slugify(name);
  for (let number = 2; Object.hasOwn(taken, found); number++) found = `${slugify(name)}-${number}`;
  return found;
}
