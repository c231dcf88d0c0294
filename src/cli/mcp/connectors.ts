import type { CommonOptions } from '../../call/options.js';
import type { Transport } from '../../call/transport.js';
import type { ConnectorInspection, HostedConnector } from '../../hosted/wire.js';
import { Lifetime } from '../../http/lifetime.js';
import type { Inspection } from '../../manifest/inspection.js';
import type { ToolConnector } from '../../tools/toolset.js';
import type { Call } from '../arguments/specification.js';
import { type AnyClass, allClasses, classMeant, classNamed } from '../definitions.js';
import { executeAt } from '../execution.js';
import { failure } from '../failure.js';
import { connectorPages, connectorPath, openSession, type Session } from '../hosted.js';
import { hasCredentials } from '../local/credentials.js';
import { openLocal } from '../local/open.js';
import type { McpCommandLine } from './command-line.js';

type Named = Readonly<Record<string, ToolConnector>>;
type Surrounded = Pick<Call, 'surroundings' | 'secrets'>;

/** The connectors that the command line means, by name; unless writes are allowed they refuse those themselves. */
export const connectorsFor = (line: McpCommandLine, call: Surrounded): Promise<Named> =>
  line.local ? localConnectors(line, call) : hostedConnectors(line, call);

async function localConnectors({ connectors, allowWrites }: McpCommandLine, call: Surrounded): Promise<Named> {
  const classes = connectors
    ? await Promise.all(connectors.map((name) => classMeant(name, call.surroundings)))
    : (await allClasses(call.surroundings)).filter((Class) => hasCredentials(Class, call.surroundings.env));
  if (classes.length === 0) {
    throw failure('invalid_credentials', 'The environment holds no credentials of any connector.', {
      hint: 'agent-connectors connectors describe --local lists the variables.',
    });
  }
  const opened = await Promise.all(
    [...new Set(classes)].map((Class) => openLocal(allowWrites ? Class : readingOnly(Class), call)),
  );
  return Object.fromEntries(opened.map(({ Class, connector }) => [Class.manifest.name, connector]));
}

/** The same class, whose connectors refuse whatever changes data. */
const readingOnly = (Class: AnyClass): AnyClass =>
  class extends Class {
    constructor(options: CommonOptions) {
      super({ ...options, readOnly: true });
    }
  };

async function hostedConnectors(line: McpCommandLine, call: Surrounded): Promise<Named> {
  const session = await openSession(call as Call);
  const workspace = line.workspace ?? session.workspace;
  const rows: HostedConnector[] = [];
  for await (const { data } of connectorPages(session, { workspace_name: workspace })) rows.push(...data);
  const lacking = line.connectors?.some((name) => !rows.some((row) => isMeant(row, name)));
  if (lacking || rows.length === 0) {
    const problem = rows.length === 0 ? 'holds no connector yet' : 'lacks a connector that --connectors names';
    const names = rows.map(({ name }) => name).join(', ');
    throw failure('not_found', `The workspace '${workspace}' ${problem}.`, {
      hint: rows.length === 0 ? 'agent-connectors connectors create makes one.' : `There are: ${names}.`,
    });
  }
  const named: Record<string, ToolConnector> = Object.create(null);
  for (const row of rows) {
    if (line.connectors && !line.connectors.some((name) => isMeant(row, name))) continue;
    const Class = await classNamed(row.connector_type, call.surroundings);
    // A type that only a newer version knows cannot be described, and so not offered.
    if (!Class) continue;
    const transport = atService(session, row.id, call.surroundings.signal);
    const connector = new Class({ readOnly: !line.allowWrites, transport });
    named[free(row.name, named)] = {
      execute: (entity, action, params, options) => connector.execute(entity, action, params, options),
      describe: () => connector.describe(),
      following: (...page) => connector.following?.(...page),
      guide: async () => (await connector.guide?.()) ?? '',
      inspect: () => inspection(session.get<ConnectorInspection>(`${connectorPath(row.id)}/inspect`)),
    };
  }
  return named;
}

/** Has the service run every operation; each call ends by its own signal, too. */
const atService =
  (session: Session, id: string, ended: AbortSignal): Transport =>
  async ({ entity, action, effect, params, spec, options, timeoutMs }) => {
    const signal = options.signal ? AbortSignal.any([options.signal, ended]) : ended;
    const { selectFields, excludeFields } = options;
    const key = effect === 'read' ? undefined : crypto.randomUUID();
    const asked = {
      id,
      entity,
      action,
      params: params as object,
      binary: spec.returns.binary ?? false,
      key,
      intent: undefined,
    };
    const limited = { ...session, lifetime: () => new Lifetime(timeoutMs, signal) };
    return executeAt(limited, { ...asked, selectFields, excludeFields }, signal);
  };

async function inspection(asked: Promise<ConnectorInspection>): Promise<Inspection> {
  const { context_store_readiness, warnings } = await asked;
  return { mode: 'hosted', context_store_readiness, warnings };
}

const plain = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^\w]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 60) || 'connector';

const isMeant = ({ name, connector_type }: HostedConnector, asked: string): boolean =>
  [name, connector_type].some((known) => plain(known) === plain(asked));

/** A name for calls that no other connector has. */
function free(name: string, taken: Named): string {
  let found = plain(name);
  for (let number = 2; Object.hasOwn(taken, found); number++) found = `${plain(name)}-${number}`;
  return found;
}
